"""Frames of pandas, polars and Arrow as one thing: named columns of NumPy arrays.

None of these libraries is imported here: an object of theirs can only come from one that is loaded already.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["numbers", "times", "text", "series"]


@dataclass(frozen=True)
class Column:
    """(rows,) values of one kind; "series" has an array, or a pandas Series, in every cell."""

    name: Hashable
    kind: Kind
    values: NDArray[Any]


@dataclass(frozen=True)
class Table:
    """A frame. `index` has the levels of a pandas index that say more than which row it is."""

    columns: list[Column]
    index: list[Column]
    make: Callable[[dict[Hashable, Any]], Any]  #: a frame of the same library from its columns
    row_names: Any = None  #: the index of a pandas frame


def is_of(library: str, kinds: str, value: Any) -> bool:
    """Whether value is of one of these classes, names with blanks between, of a library that is loaded."""
    module = sys.modules.get(library)
    return module is not None and any(isinstance(value, getattr(module, kind, ())) for kind in kinds.split())


def is_frame(value: Any) -> bool:
    return (
        is_of("pandas", "DataFrame", value)
        or is_of("polars", "DataFrame LazyFrame", value)
        or is_of("pyarrow", "Table RecordBatch", value)
    )


def table_of(name: str, frame: Any) -> Table:
    """TypeError for a frame that has not been computed yet."""
    if is_of("polars", "LazyFrame", frame):
        raise TypeError(f"{name}: expected a frame in memory, got a LazyFrame; use its collect()")
    if is_of("polars", "DataFrame", frame):
        return Table([_of_polars(column) for column in frame.get_columns()], [], type(frame))
    if is_of("pandas", "DataFrame", frame):
        return _of_pandas(frame)
    columns = [_of_arrow(each, column) for each, column in zip(frame.schema, frame.columns, strict=True)]
    return Table(columns, [], sys.modules["pyarrow"].table)


def stacked(columns: Sequence[Column]) -> NDArray[Any]:
    """(rows, columns) of columns of numbers, in the precision that holds them all."""
    return np.column_stack([column.values for column in columns])


# --- pandas -------------------------------------------------------------------------------------------------


def _of_pandas(frame: Any) -> Table:
    dtypes, index = set(frame.dtypes), frame.index
    if len(dtypes) == 1 and isinstance(dtype := next(iter(dtypes)), np.dtype) and dtype.kind in "fiub":
        block = frame.to_numpy()  # all at once, because there may be many columns
        columns = [Column(name, "numbers", block[:, number]) for number, name in enumerate(frame.columns)]
    else:
        columns = [
            _of_pandas_values(each, frame.iloc[:, number]) for number, each in enumerate(frame.columns)
        ]
    levels = [column_of_index(index.get_level_values(number)) for number in range(index.nlevels)]
    return Table(columns, levels, sys.modules["pandas"].DataFrame, index)


def column_of_index(index: Any) -> Column:
    """One level of an index of pandas."""
    return _of_pandas_values(index.name, index.to_series())


def index_of(levels: list[Any], names: Sequence[Hashable]) -> Any:
    """An index of pandas with these levels."""
    pandas = sys.modules["pandas"]
    if len(levels) == 1:
        return pandas.Index(levels[0], name=names[0])
    return pandas.MultiIndex.from_arrays(levels, names=names)


def _of_pandas_values(name: Hashable, series: Any) -> Column:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return _of_numpy(name, series.to_numpy())
    types = sys.modules["pandas"].api.types
    if types.is_bool_dtype(dtype) or types.is_numeric_dtype(dtype):
        single = str(dtype).lower().startswith("float32")
        values = series.to_numpy(dtype=np.float32 if single else np.float64, na_value=np.nan)
        return Column(name, "numbers", values)
    if types.is_datetime64_any_dtype(dtype):
        return Column(name, "times", series.dt.tz_convert(None).to_numpy())
    if isinstance(dtype, sys.modules["pandas"].PeriodDtype):
        return Column(name, "times", series.dt.to_timestamp().to_numpy())
    return Column(name, "text", series.to_numpy(dtype=object))


# --- polars and Arrow ---------------------------------------------------------------------------------------


def _of_polars(series: Any) -> Column:
    polars, dtype, name = sys.modules["polars"], series.dtype, series.name
    if dtype.is_numeric() or dtype == polars.Boolean or dtype == polars.Null:
        plain = series if dtype.is_integer() or dtype.is_float() else series.cast(polars.Float64)
        return Column(name, "numbers", plain.to_numpy())
    if dtype.is_temporal():
        return Column(name, "times", series.to_numpy())
    if dtype.is_nested() and dtype != polars.Struct:
        return Column(name, "series", _objects([_numbers_in(cell) for cell in series]))
    return Column(name, "text", _objects(series.to_list()))


def _of_arrow(field: Any, column: Any) -> Column:
    pyarrow = sys.modules["pyarrow"]
    types = pyarrow.types
    if types.is_integer(field.type) or types.is_floating(field.type):
        return Column(field.name, "numbers", column.to_numpy())
    if types.is_boolean(field.type) or types.is_decimal(field.type) or types.is_null(field.type):
        return Column(field.name, "numbers", np.array(column.to_pylist(), dtype=np.float64))
    if types.is_temporal(field.type):
        return Column(field.name, "times", column.to_numpy())
    if types.is_list(field.type) or types.is_large_list(field.type) or types.is_fixed_size_list(field.type):
        return Column(field.name, "series", _objects([_numbers_in(cell.values) for cell in column]))
    return Column(field.name, "text", _objects(column.to_pylist()))


def _numbers_in(cell: Any) -> Any:
    """The array of a cell of polars or Arrow; None where it is missing."""
    if cell is None:
        return None
    return cell.to_numpy(zero_copy_only=False) if is_of("pyarrow", "Array", cell) else cell.to_numpy()


# --- NumPy --------------------------------------------------------------------------------------------------


def _of_numpy(name: Hashable, values: NDArray[Any]) -> Column:
    if values.dtype.kind in "fiub":
        return Column(name, "numbers", values)
    if values.dtype.kind in "mM":
        return Column(name, "times", values)
    if values.dtype != object:
        return Column(name, "text", values.astype(object))
    return _of_cells(name, values)


def _of_cells(name: Hashable, cells: NDArray[Any]) -> Column:
    """Of objects, by what they are; text of digits is text."""
    present = [cell for cell in cells if not _is_absent(cell)]
    if present and all(np.ndim(cell) == 1 for cell in present):
        return Column(name, "series", cells)
    if all(isinstance(cell, Real | Decimal | np.bool_) for cell in present):
        numbers = [np.nan if _is_absent(cell) else float(cell) for cell in cells]
        return Column(name, "numbers", np.array(numbers, dtype=np.float64))
    if present and all(isinstance(cell, date | np.datetime64) for cell in present):
        return Column(name, "times", np.array([_time(cell) for cell in cells], dtype="datetime64[us]"))
    return Column(name, "text", cells)


def _time(cell: Any) -> Any:
    if _is_absent(cell):
        return np.datetime64("NaT")
    aware = getattr(cell, "tzinfo", None) is not None
    return (cell - cell.utcoffset()).replace(tzinfo=None) if aware else cell


def _is_absent(cell: Any) -> bool:
    """None, NaN and what pandas has for them; a sequence is there."""
    if cell is None or np.ndim(cell) > 0:
        return cell is None
    try:
        return bool(cell != cell)
    except TypeError:  # pandas' NA
        return True


def _objects(cells: list[Any]) -> NDArray[Any]:
    return np.fromiter(cells, dtype=object, count=len(cells))
