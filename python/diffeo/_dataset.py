"""Sets of series on their way to the compiled core and back.

The core takes one kind of thing, a `Dataset` in double precision. Here every form that people have is
brought into it: arrays (cases, channels, time) or (cases, time), and lists of series of different lengths.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import Float64Array, FloatArray, in_core_form, precision_of, real_array

SeriesSet: TypeAlias = ArrayLike | Sequence[ArrayLike]
Labels: TypeAlias = Iterable[Any] | None
Precision: TypeAlias = np.dtype[np.floating[Any]]

_SINGLE: Precision = np.dtype(np.float32)
_DOUBLE: Precision = np.dtype(np.float64)


def as_dataset(X: SeriesSet, y: Labels = None, *, name: str = "X") -> tuple[_core.Dataset, Precision]:
    """X and the labels y, where there are any, as the core takes them; and the precision of the results."""
    items: Any = X
    is_list = isinstance(X, list | tuple) or (isinstance(X, np.ndarray) and X.dtype == object)
    if is_list and len(items) > 0 and not np.isscalar(items[0]):
        return _from_list([real_array(f"{name}[{i}]", item) for i, item in enumerate(items)], y, name)
    return _from_array(real_array(name, items), y, name)


def series_of(
    dataset: _core.Dataset, precision: Precision, flat: bool = False
) -> FloatArray | list[FloatArray]:
    """(cases, channels, time), or a list of (channels, time) where lengths differ; float64 is not copied.

    `flat` leaves the axis of the one channel out, as the input had none (`is_flat`).
    """
    if dataset.equally_long:
        block = dataset.array().astype(precision, copy=False)
        return block[:, 0] if flat else block
    items = [series.astype(precision, copy=False) for series in dataset.series()]
    return [series[0] for series in items] if flat else items


def as_labels(y: Labels, cases: int) -> list[str] | None:
    """One text per case: what str() makes of each label, bytes taken as UTF-8."""
    if y is None:
        return None
    if isinstance(y, str | bytes) or not isinstance(y, Iterable) or getattr(y, "ndim", 1) != 1:
        raise ValueError(f"y: expected a sequence of {cases} labels, one per case, got {y!r}")
    labels = [_label_text(label, case) for case, label in enumerate(y)]
    if len(labels) != cases:
        raise ValueError(f"y: expected {cases} labels, one per case, got {len(labels)}")
    return labels


def _from_array(array: NDArray[Any], y: Labels, name: str) -> tuple[_core.Dataset, Precision]:
    if array.ndim not in (2, 3) or array.size == 0:
        raise ValueError(
            f"{name}: expected shape (cases, channels, time) or (cases, time), at least one of each, or a "
            f"list of series (channels, time) or (time,), got shape {array.shape}"
        )
    block = _doubles(array)
    block = block[:, np.newaxis] if block.ndim == 2 else block
    return _core.Dataset(block, as_labels(y, len(block))), precision_of(array)


def _from_list(arrays: list[NDArray[Any]], y: Labels, name: str) -> tuple[_core.Dataset, Precision]:
    first = arrays[0]
    for i, array in enumerate(arrays):
        if array.ndim not in (1, 2) or array.size == 0:
            raise ValueError(f"{name}[{i}]: expected shape (channels, time) or (time,), got {array.shape}")
        if array.shape[:-1] != first.shape[:-1]:
            form = f"({first.shape[0]}, time)" if first.ndim == 2 else "(time,)"
            raise ValueError(f"{name}[{i}]: expected shape {form} as {name}[0] has, got {array.shape}")
    series = [np.atleast_2d(_doubles(array)) for array in arrays]
    single = all(precision_of(array) == _SINGLE for array in arrays)
    return _core.Dataset(series, as_labels(y, len(series))), _SINGLE if single else _DOUBLE


def _doubles(array: NDArray[Any]) -> Float64Array:
    return in_core_form(array, _DOUBLE)  # type: ignore[return-value]


def _label_text(label: Any, case: int) -> str:
    if isinstance(label, bytes):
        return label.decode()
    if label is None or isinstance(label, list | tuple | np.ndarray) or label != label:
        raise ValueError(f"y: expected a label for every case, got {label!r} for case {case}")
    return str(label)


def is_flat(X: SeriesSet) -> bool:
    """Whether the series came without an axis for channels: (cases, time), or a list of (time,)."""
    items: Any = X
    if isinstance(X, list | tuple) or (isinstance(X, np.ndarray) and X.dtype == object):
        return bool(np.ndim(items[0]) == 1)
    return bool(np.ndim(items) == 2)


def as_classes(y: Iterable[Any], names: list[str]) -> tuple[NDArray[Any], list[int]]:
    """The labels that y holds, sorted and in their own type, and where each stands among `names`."""
    classes = np.unique(np.asarray(list(y)))
    place = {name: number for number, name in enumerate(names)}
    return classes, [place[_label_text(label, 0)] for label in classes.tolist()]
