"""Series in the containers of other libraries, taken out of them.

None of these is imported here: an object of theirs can only come from one that is loaded already.

    pandas, polars, Arrow   frames, wide, long and nested (`_frames`)
    xarray                  arrays, by the names of their dimensions (`_labeled_arrays`)
    torch                   tensors, as arrays
    lists                   of any of these, one for each case
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._frames import TIME_NAMES, Asked, Reading, plain_name, read_frame, require_regular_index, time_column_of
from ._labeled_arrays import read_labeled_array
from ._tables import Table, is_frame, is_of, stacked, table_of
from ._times import require_regular, times_in_names

Layout = Literal["channels-first", "channels-last", "tslearn"]


def plain(name: str, value: Any) -> Any:
    """Arrays, or lists of arrays, of what a frame, a tensor, a list of these or an array of objects holds.

    What is none of them is given back as it is. Arrays may share memory with `value`.
    """
    return read(name, value).series


def read(name: str, value: Any, asked: Asked | None = None) -> Reading:
    """What `plain` takes out of a container, with what the container says of it."""
    if type(value) is np.ndarray and value.dtype != object:
        return Reading(value)
    if isinstance(value, list | tuple):
        return _of_list(name, value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        return _of_objects(name, value)
    if is_frame(value):
        return read_frame(name, value, asked)
    if is_of("xarray", "DataArray Dataset", value):
        return read_labeled_array(name, value, Asked() if asked is None else asked)
    if is_of("pandas", "Series", value) and (value.index.nlevels > 1 or _holds_series(value)):
        return read_frame(name, value.to_frame("value" if value.name is None else value.name), asked)
    return Reading(_array_of(name, value))


def plain_labels(y: Any) -> Any:
    """Labels taken out of a tensor, or of a column of a frame; others come back unchanged."""
    if is_of("pandas", "Series Index", y) or is_of("polars", "Series", y) or is_of("xarray", "DataArray", y):
        return y.to_numpy()
    if is_of("pyarrow", "Array ChunkedArray", y):
        return np.array(y.to_pylist())
    return _array_of("y", y)


def numbers(name: str, values: NDArray[Any]) -> NDArray[Any]:
    """An array of objects as float64; TypeError where one of them is no number."""
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: expected numbers, got an array of objects: {error}") from None


def in_layout(name: str, value: Any, layout: Layout) -> Any:
    """Series whose axes are as `layout` says, with channels before time.

    "channels-last" is (cases, time, channels), or a list of (time, channels), such as sktime's df-list;
    "tslearn" the same, where time steps at the end without any value are padding.
    """
    if is_frame(value):
        raise ValueError(f"layout: expected None for a frame, whose columns have names, got {layout!r}")
    is_list = isinstance(value, list | tuple)
    items = [_block(f"{name}[{number}]", item) for number, item in enumerate(value)] if is_list else []
    series: Any = items if is_list else plain(name, value)
    if layout == "channels-first":
        return series
    axes = {np.ndim(item) for item in series} if is_list else {np.ndim(series) - 1}
    if axes != {2}:
        raise ValueError(f"{name}: expected shape (cases, time, channels), got {np.shape(series)}")
    turned = [np.asarray(item).T for item in series]
    if layout == "tslearn":
        turned = [item[:, : _last_present(item)] for item in turned]
    same = len({item.shape for item in turned}) == 1
    return np.stack(turned) if same else turned


def _last_present(series: NDArray[Any]) -> int:
    present = np.flatnonzero(~np.isnan(series).all(axis=0))
    return int(present[-1]) + 1 if present.size > 0 else series.shape[1]


def _holds_series(column: Any) -> bool:
    return bool(len(column) > 0 and column.dtype == object and np.ndim(column.iat[0]) == 1)


def _array_of(name: str, value: Any) -> Any:
    """One tensor, or series of pandas or polars, as an array; anything else as it is."""
    if is_of("torch", "Tensor", value):
        return _of_tensor(name, value)
    if is_of("pandas", "Series", value) or is_of("polars", "Series", value):
        return _block(name, value.to_frame())[:, 0]
    if is_of("xarray", "DataArray", value):
        return value.to_numpy()
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


def _of_objects(name: str, array: NDArray[Any]) -> Reading:
    """One axis: a series in each entry. Several: numbers that merely have lost their type."""
    return _of_list(name, list(array)) if array.ndim == 1 else Reading(numbers(name, array))


# --- lists --------------------------------------------------------------------------------------------------


def _of_list(name: str, items: list[Any] | tuple[Any, ...]) -> Reading:
    if len(items) > 0 and all(is_frame(item) for item in items):
        return Reading(_of_frames(name, items), is_named=True)
    if len(items) > 0 and all(is_of("xarray", "DataArray Dataset", item) for item in items):
        return _of_labeled_arrays(name, items)
    for number, item in enumerate(items):
        require_regular_index(f"{name}[{number}]", item)
    return Reading([_array_of(f"{name}[{number}]", item) for number, item in enumerate(items)])


def _of_labeled_arrays(name: str, items: list[Any] | tuple[Any, ...]) -> Reading:
    readings = [read_labeled_array(f"{name}[{number}]", item, Asked()) for number, item in enumerate(items)]
    if not all(reading.is_named for reading in readings):
        return Reading([reading.series for reading in readings])
    for number, reading in enumerate(readings):
        if len(reading.series) != 1:
            raise ValueError(f"{name}[{number}]: expected one case, got {len(reading.series)}")
    return Reading([reading.series[0] for reading in readings], is_named=True)


def _of_frames(name: str, frames: list[Any] | tuple[Any, ...]) -> list[NDArray[Any]]:
    """(channels, time) of frames that are (channels, time), as aeon has them, or (time, channels), as sktime.

    Names of rows and columns say which, or lengths that differ: only time can. Otherwise time is the longer
    axis; ValueError where neither is.
    """
    tables = [table_of(f"{name}[{number}]", frame) for number, frame in enumerate(frames)]
    if (time := time_column_of(name, tables[0])) is not None:
        readings = [
            read_frame(f"{name}[{number}]", each, Asked(time=time)) for number, each in enumerate(frames)
        ]
        return [reading.series[0] for reading in readings]
    blocks = [_block(f"{name}[{number}]", frame) for number, frame in enumerate(frames)]
    if not _rows_are_times(name, tables, blocks):
        for number, table in enumerate(tables):
            times = times_in_names([column.name for column in table.columns])
            if times is not None:
                require_regular(f"{name}[{number}]", times, " in the names of the columns")
        return blocks
    for number, table in enumerate(tables):
        for level in table.index:
            if level.kind in ("numbers", "times"):
                require_regular(f"{name}[{number}]", level.values, " in the index")
    return [np.ascontiguousarray(block.T) for block in blocks]


def _rows_are_times(name: str, tables: list[Table], blocks: list[NDArray[Any]]) -> bool:
    first = tables[0]
    if first.index and (first.index[0].kind == "times" or plain_name(first.index[0].name) in TIME_NAMES):
        return True
    if isinstance(first.columns[0].name, str):
        return times_in_names([column.name for column in first.columns]) is None or _taller(name, blocks)
    if first.index and first.index[0].kind == "text":
        return False
    return _taller(name, blocks)


def _taller(name: str, blocks: list[NDArray[Any]]) -> bool:
    rows, columns = ({block.shape[axis] for block in blocks} for axis in (0, 1))
    if len(rows) != len(columns) and min(len(rows), len(columns)) == 1:
        return len(rows) > 1
    tall, wide = min(rows) > max(columns), max(rows) < min(columns)
    if not tall and not wide:
        raise ValueError(
            f"{name}: frames of shape {blocks[0].shape} may be (channels, time) or (time, channels): say "
            'diffeo.from_frame(frames, layout="channels-first") or layout="channels-last"'
        )
    return bool(tall)


def _block(name: str, item: Any) -> NDArray[Any]:
    """One item of a list as an array; of a frame all columns, which have to be numbers."""
    if not is_frame(item):
        array: NDArray[Any] = _array_of(name, item)
        return array
    table = table_of(name, item)
    for column in table.columns:
        if column.kind != "numbers":
            raise TypeError(
                f"{name}: expected numbers in every cell, got {column.kind} in column {column.name!r}"
            )
    return stacked(table.columns)
