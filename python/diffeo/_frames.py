"""Frames read as sets of series: which axis is time is found out from names, or asked for, never guessed.

    wide      a row for each case, a column for each time step
    long      a row for each time step of each case, told apart by columns, or levels of the index, `id` and
              `time`; a column of values for each channel, or one of values and one with the channel's name
    nested    a row for each case, a column for each channel, a series in every cell

Names that columns commonly have say what they hold: `label`, `id`, `time`, `channel` and the like, below.
What is doubtful is an error that says how to put it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._tables import Column, Table, column_of_index, index_of, is_of, stacked, table_of
from ._times import require_regular, spread_times, times_in_names

LABEL_NAMES = ("label", "labels", "class", "classes", "class_label", "class_val", "target", "y")
ID_NAMES = (
    *("id", "case", "case_id", "instance", "instances", "instance_id", "series", "series_id", "unique_id"),
    *("sample_id", "item_id", "trial_id", "subject_id", "trial", "subject", "uid"),
)
TIME_NAMES = (
    *("time", "times", "t", "timestamp", "timestamps", "datetime", "date", "timepoint", "timepoints", "ds"),
    *("time_point", "time_id", "time_index", "time_step", "timestep", "step", "seconds", "reading_id"),
)
CHANNEL_NAMES = (
    "channel",
    "channels",
    "channel_id",
    "dim",
    "dim_id",
    "dimension",
    "variable",
    "feature",
    "sensor",
)
_COUNTERS = ("", "unnamed:_0", "index", "__index_level_0__")  # what becomes of the index of pandas in files

_NUMERALS = "0123456789._- "

#: Fewer time steps than this are rarely a series, and often the columns of a long frame.
FEW_STEPS = 8
_FEW_NUMBERED = 3

Name = Hashable
Names = Hashable | Sequence[Hashable]


@dataclass(frozen=True)
class Asked:
    """The columns that somebody named, instead of what their names would say."""

    id: Name | None = None
    time: Name | None = None
    value: Names | None = None
    label: Name | None = None
    channels: Names | None = None

    def names(self) -> list[str]:
        return [role for role, name in vars(self).items() if name is not None]


@dataclass(frozen=True)
class Reading:
    """What a container of series holds."""

    #: (cases, channels, time), (cases, time), or a list of (channels, time) or (time,)
    series: Any
    labels: NDArray[Any] | None = None
    #: (time,) of all cases, or a list of these; None where time steps are only counted
    times: NDArray[Any] | list[NDArray[Any]] | None = None
    #: whether names say which axis is time: shapes are then beyond doubt
    is_named: bool = False
    #: (cases, channels, length) in the container that the series came in
    results: Callable[[NDArray[Any]], Any] | None = None


@dataclass
class _Roles:
    """The columns of a table by what they hold."""

    id: Column | None = None
    time: Column | None = None
    channel: Column | None = None
    label: Column | None = None
    values: list[Column] = field(default_factory=list)


def read_frame(name: str, frame: Any, asked: Asked | None = None) -> Reading:
    """ValueError, or TypeError for text among values, where the frame could be read in more than one way."""
    table = table_of(name, frame)
    asked = Asked() if asked is None else asked
    if not table.columns or len(table.columns[0].values) == 0:
        raise ValueError(f"{name}: expected at least one row and one column, got {np.shape(frame)}")
    roles = _roles_of(name, table, asked)
    if any(column.kind == "series" for column in roles.values):
        return _nested(name, table, roles)
    _require_numbers(name, roles)
    one_case = roles.id is None and is_several(asked.channels)
    if roles.time is None and not one_case and not _repeats(roles.id):
        return _wide(name, table, roles, asked)
    _require_long(name, roles, asked)
    return _long(name, table, roles)


# --- which column is which ----------------------------------------------------------------------------------


def _roles_of(name: str, table: Table, asked: Asked) -> _Roles:
    columns = [*table.index, *table.columns]
    if len(table.index) > 2:
        raise ValueError(f"{name}: expected an index of (case, time), got {len(table.index)} levels")
    roles = _Roles()
    for role in ("id", "time", "label"):
        if (wanted := getattr(asked, role)) is not None:
            setattr(roles, role, _column(columns, role, wanted))
    chosen = [_column(columns, "value", each) for each in names_in(asked.value)]
    if asked.channels is not None and not is_several(asked.channels):
        roles.channel = _column(columns, "channels", asked.channels)
    else:
        chosen += [_column(columns, "channels", each) for each in names_in(asked.channels)]

    def rest() -> list[Column]:
        used = [roles.id, roles.time, roles.channel, roles.label, *chosen]
        return [column for column in columns if all(column is not each for each in used)]

    _take_index(table, roles, rest)
    _drop_counter(table, roles, rest, columns)
    roles.id = roles.id or _named(name, "id", rest(), ID_NAMES)
    roles.time = roles.time or _time_column(name, rest())
    roles.label = roles.label or _label_column(name, rest(), roles)
    left = [column for column in rest() if not any(column is level for level in table.index)]
    if not chosen and roles.channel is None and roles.id is not None and roles.time is not None:
        roles.channel = _channel_column(left)
        left = [column for column in left if column is not roles.channel]
    roles.values = chosen or left
    if not roles.values:
        raise ValueError(f"{name}: expected columns with values, got {_listed(columns)}")
    return roles


def _take_index(table: Table, roles: _Roles, rest: Callable[[], list[Column]]) -> None:
    """Two levels are (case, time), unless their names say the reverse; one is time if it looks so."""
    free = [level for level in table.index if any(level is column for column in rest())]
    if len(free) == 2:
        case, time = free
        if plain_name(case.name) in TIME_NAMES or plain_name(time.name) in ID_NAMES:
            case, time = time, case
        roles.id, roles.time = roles.id or case, roles.time or time
    elif len(free) == 1 and len(table.index) == 2:
        roles.id, roles.time = roles.id or free[0], roles.time or free[0]
    elif len(free) == 1:
        level = free[0]
        if roles.time is None and (
            level.kind == "times" or plain_name(level.name) in TIME_NAMES or _is_float(level)
        ):
            roles.time = level
        elif roles.id is None and plain_name(level.name) in ID_NAMES:
            roles.id = level


def _drop_counter(
    table: Table, roles: _Roles, rest: Callable[[], list[Column]], columns: list[Column]
) -> None:
    """The index of a frame, as it comes back from a file, counts rows, or says what they are."""
    counter = next(
        (each for each in rest() if plain_name(each.name) in _COUNTERS and each in table.columns), None
    )
    if counter is None:
        return
    columns.remove(counter)
    if counter.kind == "times":
        roles.time = roles.time or counter
    elif counter.kind == "text":
        roles.id = roles.id or counter


def _time_column(name: str, columns: list[Column]) -> Column | None:
    named = _named(name, "time", columns, TIME_NAMES)
    times = [column for column in columns if column.kind == "times"]
    if named is None and len(times) > 1:
        raise ValueError(f"{name}: {_listed(times)} all hold times: say which with time=")
    return named or (times[0] if times else None)


def _label_column(name: str, columns: list[Column], roles: _Roles) -> Column | None:
    """Not the y of x, y and z, and in a long frame not a y that changes within a case."""
    if any(plain_name(column.name) == "x" for column in columns):
        columns = [column for column in columns if plain_name(column.name) != "y"]
    found = _named(name, "label", columns, LABEL_NAMES)
    if found is None or plain_name(found.name) != "y" or roles.id is None or roles.time is None:
        return found
    return found if len(columns) > 1 and not _varies(found, roles.id) else None


def _channel_column(columns: list[Column]) -> Column | None:
    """Of a frame that has a row for each channel too: then there is one column of values."""
    named = [column for column in columns if plain_name(column.name) in CHANNEL_NAMES]
    return named[0] if len(named) == 1 and len(columns) == 2 else None


def _named(name: str, role: str, columns: list[Column], names: tuple[str, ...]) -> Column | None:
    found = [column for column in columns if plain_name(column.name) in names]
    if len(found) > 1:
        raise ValueError(
            f"{name}: {_listed(found)} may each be the {role}: say which with {role}=, of from_frame"
        )
    return found[0] if found else None


def _column(columns: list[Column], role: str, wanted: Hashable) -> Column:
    for column in columns:
        if type(column.name) is type(wanted) and column.name == wanted:
            return column
    named = [column for column in columns if column.name is not None]
    raise ValueError(f"{role}: expected one of the columns {_listed(named)}, got {wanted!r}")


def is_several(names: Names | None) -> bool:
    """Whether these are names in a sequence, such as an index of pandas, and not one name."""
    return isinstance(names, list | tuple) or hasattr(names, "tolist")


def names_in(names: Names | None) -> list[Any]:
    """One name, or those of a sequence."""
    if names is None:
        return []
    return list(names) if is_several(names) else [names]  # type: ignore[call-overload]


def plain_name(name: Any) -> str | None:
    return name.strip().lower().replace(" ", "_").replace("-", "_") if isinstance(name, str) else None


def _is_float(column: Column) -> bool:
    return column.kind == "numbers" and column.values.dtype.kind == "f"


def _repeats(column: Column | None) -> bool:
    return column is not None and len(_numbered(column)[0]) < len(column.values)


def _varies(column: Column, cases: Column) -> bool:
    firsts, numbers = _numbered(cases)
    return bool((column.values != column.values[firsts][numbers]).any())


def _numbered(column: Column) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The row where each different value comes first, in order, and of every row which of them it has."""
    numbers: dict[Any, int] = {}
    codes = np.fromiter((numbers.setdefault(each, len(numbers)) for each in column.values.tolist()), np.intp)
    return np.unique(codes, return_index=True)[1], codes


def _listed(columns: Sequence[Column], most: int = 8) -> str:
    names = [repr(column.name) for column in columns[:most]]
    return ", ".join([*names, "..."] if len(columns) > most else names)


# --- what cannot be -----------------------------------------------------------------------------------------


def _require_numbers(name: str, roles: _Roles) -> None:
    other = next((column for column in roles.values if column.kind != "numbers"), None)
    if other is not None:
        raise TypeError(
            f"{name}: expected numbers in every column, got {other.kind} in column {other.name!r}; if it has "
            f"labels, use X, y = diffeo.from_frame(frame, label={other.name!r}), else drop it"
        )


def _require_long(name: str, roles: _Roles, asked: Asked) -> None:
    """That it is clear which rows make a case, in which order."""
    time = None if roles.time is None else roles.time.name
    if roles.id is None and asked.time is None and not is_several(asked.channels):
        raise ValueError(
            f"{name}: the rows are times, and no column says of which case. For one case with channels "
            f"{_listed(roles.values)} use diffeo.from_frame(frame, channels=[...]); for a case in every "
            f"column the transpose of the frame{'' if time is None else f', with {time!r} as its index'}; "
            "otherwise say id="
        )
    if roles.id is not None and roles.time is None and asked.id is None:
        case = roles.id.name
        raise ValueError(
            f"{name}: column {case!r} names cases in several rows each, and no column has their times: say "
            f"time=, or take the rows in their order by diffeo.from_frame(frame, id={case!r})"
        )
    if roles.id is not None and len(roles.id.values) > 1 and not _repeats(roles.id):
        raise ValueError(
            f"{name}: expected several time steps of each case, got one row for each {roles.id.name!r}; if "
            f"the columns are time steps, drop {time!r}"
        )


def _require_time_in_columns(name: str, values: NDArray[Any], columns: list[Column]) -> None:
    """ValueError for few columns with names of their own, and more rows: rather channels than time steps."""
    cases, steps = values.shape
    if cases <= steps or steps >= FEW_STEPS:
        return
    raise ValueError(
        f"{name}: {cases} rows of {_listed(columns)} may be one case with a row for each time step, or "
        f"{cases} cases with a column for each. For one case use diffeo.from_frame(frame, channels=[...]), "
        f"for {cases} cases diffeo.from_frame(frame, value=[...]), with these columns"
    )


# --- wide and nested ----------------------------------------------------------------------------------------


def _wide(name: str, table: Table, roles: _Roles, asked: Asked) -> Reading:
    names = [column.name for column in roles.values]
    times = times_in_names(names)
    if times is not None:
        require_regular(name, times, " in the names of the columns")
    values = stacked(roles.values)
    if asked.value is None and not _are_times(names, times):
        _require_names_of_one_kind(name, names)
        _require_time_in_columns(name, values, roles.values)

    def results(block: NDArray[Any]) -> Any:
        flat = block[:, 0]
        keys = names if flat.shape[1] == len(names) else _spread_names(names, times, flat.shape[1])
        columns = {key: flat[:, number] for number, key in enumerate(keys)}
        if roles.id is not None and all(roles.id is not level for level in table.index):
            columns = {roles.id.name: roles.id.values, **columns}
        made = table.make(columns)
        if table.row_names is not None:
            made.index = table.row_names
        return made

    counted = times is None or (isinstance(names[0], int | np.integer) and names == list(range(len(names))))
    return Reading(values, _label_values(roles), None if counted else times, asked.value is not None, results)


def _require_names_of_one_kind(name: str, names: list[Hashable]) -> None:
    """ValueError for another name among t0, t1, t2 and so on, or among numbers: it is no time step."""
    if times_in_names(names) is not None:
        return
    others = [each for each in names if times_in_names([each]) is None]
    if 0 < len(others) < len(names) / 3 and len(names) - len(others) >= _FEW_NUMBERED:
        step = next(each for each in names if each not in others)
        raise ValueError(
            f"{name}: expected a time step as {step!r} in every column, got {others[0]!r}; if it has labels, "
            f"use X, y = diffeo.from_frame(frame, label={others[0]!r}), else drop it"
        )


def _are_times(names: list[Hashable], times: NDArray[Any] | None) -> bool:
    """Whether columns are called by times: 0.5, a date, t7; but x1 and x2 are channels as well."""
    first = names[0]
    return times is not None and (
        not isinstance(first, str)
        or times.dtype.kind == "M"
        or plain_name(first.rstrip(_NUMERALS)) in ("", *TIME_NAMES)
    )


def _spread_names(names: list[Hashable], times: NDArray[Any] | None, length: int) -> list[Hashable]:
    """Of another number of time steps: counted, or times where the names were numbers or dates."""
    if times is None or isinstance(names[0], str):
        return [f"t{step}" if isinstance(names[0], str) else step for step in range(length)]
    return list(spread_times(times, length))


def _nested(name: str, table: Table, roles: _Roles) -> Reading:
    other = next((column for column in roles.values if column.kind != "series"), None)
    if other is not None:
        raise TypeError(f"{name}: expected a series in every cell, got {other.kind} in column {other.name!r}")
    rows = zip(*(column.values for column in roles.values), strict=True)
    series = [_nested_row(f"{name}[{case}]", row) for case, row in enumerate(rows)]
    return Reading(series, _label_values(roles), None, is_named=True)


def _nested_row(name: str, row: tuple[Any, ...]) -> NDArray[Any]:
    channels = [_numbers_of_cell(name, cell) for cell in row]
    shapes = [channel.shape for channel in channels]
    if any(channel.ndim != 1 or channel.shape != shapes[0] for channel in channels):
        raise ValueError(f"{name}: expected channels of one length, got shapes {shapes}")
    return np.stack(channels)


def _numbers_of_cell(name: str, cell: Any) -> NDArray[Any]:
    require_regular_index(name, cell)
    return np.asarray(cell)


def require_regular_index(name: str, series: Any) -> None:
    """ValueError for a series of pandas whose index has times that are not equally spaced."""
    if is_of("pandas", "Series", series):
        times = column_of_index(series.index)
        if times.kind in ("numbers", "times"):
            require_regular(name, times.values, " in the index")


def time_column_of(name: str, table: Table) -> Hashable | None:
    """The name of the column that has the times of the rows."""
    found = _time_column(name, table.columns)
    return None if found is None else found.name


def _label_values(roles: _Roles) -> NDArray[Any] | None:
    return None if roles.label is None else roles.label.values


# --- long ---------------------------------------------------------------------------------------------------


def _long(name: str, table: Table, roles: _Roles) -> Reading:
    """Cases come in the order in which they first appear, channels that lie below each other too."""
    count = len(roles.values[0].values)
    once = np.zeros(1, np.intp), np.zeros(count, np.intp)
    firsts, cases = once if roles.id is None else _numbered(roles.id)
    channels, channel = once if roles.channel is None else _numbered(roles.channel)
    time = _times_of_rows(name, roles, count)
    order = np.lexsort((time, channel, cases))
    keys = (cases * len(channels) + channel)[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    if len(starts) < len(firsts) * len(channels):
        raise ValueError(f"{name}: expected {len(channels)} channels in every case, got fewer in one")
    parts = np.split(order, starts[1:])
    values, series, times = stacked(roles.values), [], []
    for case, first in enumerate(firsts):
        own = parts[case * len(channels) : (case + 1) * len(channels)]
        where = "" if roles.id is None else f" in case {roles.id.values[first]!r}"
        _require_times(name, table, roles, [time[rows] for rows in own], own[0], where)
        times.append(time[own[0]])
        series.append(np.concatenate([values[rows].T for rows in own]))
    known: Any = None
    if roles.time is not None:
        known = times[0] if all(np.array_equal(each, times[0]) for each in times) else times

    def results(block: NDArray[Any]) -> Any:
        return _long_frame(table, roles, firsts, times, block)

    labels = _labels_of_cases(name, roles, firsts, cases)
    return Reading(series, labels, known, True, results if roles.channel is None else None)


def _times_of_rows(name: str, roles: _Roles, count: int) -> NDArray[Any]:
    if roles.time is None:
        return np.arange(count)
    if roles.time.kind not in ("numbers", "times"):
        raise TypeError(
            f"{name}: expected numbers or dates as times, got {roles.time.kind} in column {roles.time.name!r}"
        )
    return roles.time.values


def _require_times(
    name: str, table: Table, roles: _Roles, times: list[NDArray[Any]], rows: NDArray[np.intp], where: str
) -> None:
    """Equally spaced, the same in every channel; and in the order of the rows where the index has them."""
    if roles.time is None:
        return
    if any(roles.time is level for level in table.index) and (np.diff(rows) < 0).any():
        late = roles.time.values[np.sort(rows)]
        row = table.row_names[np.sort(rows)[np.argmax(late[1:] < late[:-1]) + 1]]
        raise ValueError(
            f"{name}: expected ascending time steps in every case, got {row} after a later one; use its "
            "sort_index()"
        )
    require_regular(name, times[0], where)
    if any(not np.array_equal(other, times[0]) for other in times[1:]):
        raise ValueError(f"{name}: expected the same times in every channel{where}, got others")


def _labels_of_cases(
    name: str, roles: _Roles, firsts: NDArray[np.intp], cases: NDArray[np.intp]
) -> NDArray[Any] | None:
    if roles.label is None:
        return None
    values = roles.label.values
    labels: NDArray[Any] = values[firsts]
    other = np.flatnonzero(values != labels[cases])
    if other.size > 0:
        raise ValueError(
            f"{name}: expected one label for every case in column {roles.label.name!r}, got "
            f"{labels[cases[other[0]]]!r} and {values[other[0]]!r} for one"
        )
    return labels


def _long_frame(
    table: Table, roles: _Roles, firsts: NDArray[np.intp], times: list[NDArray[Any]], block: NDArray[Any]
) -> Any:
    """As the frame that came in: its columns and index, with times spread over the length."""
    length = block.shape[2]
    columns: dict[Hashable, Any] = {}
    levels: list[Any] = [None] * len(table.index)
    for role in (roles.id, roles.time, roles.label):
        if role is None:
            continue
        if role is roles.time:
            cells = np.concatenate([spread_times(each, length) for each in times])
        else:
            cells = np.repeat(role.values[firsts], length)
        place = [number for number, level in enumerate(table.index) if level is role]
        if place:
            levels[place[0]] = cells
        else:
            columns[role.name] = cells
    for number, column in enumerate(roles.values):
        columns[column.name] = block[:, number].ravel()
    made = table.make(columns)
    if any(level is not None for level in levels):
        made.index = index_of(levels, table.row_names.names)
    return made
