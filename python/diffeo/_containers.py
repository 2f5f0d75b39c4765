"""Series in the containers of other libraries, taken out of them: pandas frames and torch tensors.

Neither library is imported here: an object of theirs can only come from one that is loaded already. Frames
are understood in the layouts that aeon has, or had:

    pd-wide         a row for each case, a column for each time step: (cases, time)
    pd-multiindex   rows indexed by (case, time step), a column for each channel
    nested          a row for each case, a column for each channel, a series in every cell
    df-list         a list of frames (channels, time)
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray


def plain(name: str, value: Any) -> Any:
    """Arrays, or lists of arrays, of what a frame, a tensor, a list of these or an array of objects holds.

    What is none of them is given back as it is. Arrays may share memory with `value`.
    """
    if type(value) is np.ndarray and value.dtype != object:
        return value
    if isinstance(value, list | tuple):
        return [_array_of(f"{name}[{number}]", item) for number, item in enumerate(value)]
    if isinstance(value, np.ndarray) and value.dtype == object:
        return _of_objects(name, value)
    if _is_of("pandas", "DataFrame", value):
        return _of_frame(name, value)
    return _array_of(name, value)


def plain_labels(y: Any) -> Any:
    """Labels taken out of a tensor or a series of pandas; others are given back as they are."""
    if _is_of("pandas", "Series", y) or _is_of("pandas", "Index", y):
        return y.to_numpy()
    return _array_of("y", y)


def numbers(name: str, values: NDArray[Any]) -> NDArray[Any]:
    """An array of objects as float64; TypeError where one of them is no number."""
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: expected numbers, got an array of objects: {error}") from None


def _is_of(library: str, kind: str, value: Any) -> bool:
    module = sys.modules.get(library)
    return module is not None and isinstance(value, getattr(module, kind, ()))


def _array_of(name: str, value: Any) -> Any:
    """One tensor, frame or series of pandas as an array; anything else as it is."""
    if _is_of("torch", "Tensor", value):
        return _of_tensor(name, value)
    if _is_of("pandas", "DataFrame", value) or _is_of("pandas", "Series", value):
        return _values(name, value)
    if hasattr(value, "toarray"):
        raise TypeError(f"{name}: expected a dense array, got a sparse one; use its toarray()")
    return value


def _of_tensor(name: str, tensor: Any) -> NDArray[Any]:
    try:
        array: NDArray[Any] = tensor.detach().cpu().numpy()
    except (RuntimeError, TypeError) as error:  # bfloat16, sparse, and other kinds that NumPy lacks
        raise TypeError(
            f"{name}: expected a dense tensor of float32, float64 or integer numbers, got dtype "
            f"{tensor.dtype}, layout {tensor.layout}"
        ) from error
    return array


def _of_objects(name: str, array: NDArray[Any]) -> Any:
    """One axis: a series in each entry. Several: numbers that merely have lost their type."""
    if array.ndim == 1:
        return [_array_of(f"{name}[{number}]", item) for number, item in enumerate(array)]
    return numbers(name, array)


def _values(name: str, frame: Any) -> NDArray[Any]:
    array: NDArray[Any] = frame.to_numpy()
    if array.dtype != object:
        return array
    try:  # columns of different types, or pandas' own with missing values of their own
        array = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: expected numbers in every cell, got {error}") from None
    return array


def _of_frame(name: str, frame: Any) -> Any:
    if frame.index.nlevels > 1:
        return _of_multiindex(name, frame)
    if frame.size > 0 and not np.isscalar(frame.iat[0, 0]) and np.ndim(frame.iat[0, 0]) == 1:
        return [_of_nested_row(f"{name}[{case}]", row) for case, row in enumerate(frame.to_numpy())]
    return _values(name, frame)


def _of_multiindex(name: str, frame: Any) -> list[NDArray[Any]]:
    """Cases in the order in which they first come; their time steps have to come in ascending order."""
    if frame.index.nlevels != 2:
        raise ValueError(f"{name}: expected an index of (case, time), got {frame.index.nlevels} levels")
    cases = frame.index.get_level_values(0).factorize()[0]
    times = frame.index.get_level_values(1).factorize(sort=True)[0]
    order = np.argsort(cases, kind="stable")
    is_new_case = np.diff(cases[order]) > 0
    is_later = np.diff(times[order]) > 0
    if not (is_new_case | is_later).all():
        row = order[np.argmin(is_new_case | is_later) + 1]
        raise ValueError(
            f"{name}: expected ascending time steps in every case, got {frame.index[row]} after a later one; "
            "use its sort_index()"
        )
    parts = np.split(_values(name, frame)[order], np.flatnonzero(is_new_case) + 1)
    return [np.ascontiguousarray(part.T) for part in parts if part.size > 0]


def _of_nested_row(name: str, row: NDArray[Any]) -> NDArray[Any]:
    channels = [np.asarray(cell) for cell in row]
    lengths = [channel.shape for channel in channels]
    if any(channel.ndim != 1 or channel.shape != lengths[0] for channel in channels):
        raise ValueError(f"{name}: expected channels of one length, got shapes {lengths}")
    return np.stack(channels)
