"""Times of series: equally spaced, or refused."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: How far a time may be from where equal steps put it, in steps: clocks are read to a few digits.
_JITTER = 0.05

_NUMBERED = re.compile(r"(\D*?)(-?\d+(?:\.\d+)?)\Z")


def require_regular(name: str, times: NDArray[Any], where: str) -> None:
    """ValueError for times that are missing, do not ascend or are not equally spaced; months are equal."""
    if bool((times != times).any()):
        raise ValueError(f"{name}: expected a time in every row, got a missing one{where}")
    steps = _numbers(times)
    differences = np.diff(steps)
    if differences.size == 0:
        return
    if (differences <= 0).any():
        step = int(np.argmax(differences <= 0))
        fault = "twice" if differences[step] == 0 else f"after {times[step]}"
        raise ValueError(f"{name}: expected ascending times, got {times[step + 1]} {fault}{where}")
    pace = (steps[-1] - steps[0]) / len(differences)
    even = np.abs(steps - (steps[0] + pace * np.arange(len(steps)))).max() <= _JITTER * pace
    if not even and not _are_months(times):
        raise ValueError(
            f"{name}: expected equally spaced times, got steps from {_step(times, differences.min())} to "
            f"{_step(times, differences.max())}{where}; resample the series to equal steps first"
        )


def times_in_names(names: Sequence[Hashable]) -> NDArray[Any] | None:
    """The times that names of columns are: numbers, dates, or t0, t1, …; None if they are only names."""
    if len(names) == 0:
        return None
    if all(isinstance(each, int | float | np.number) and not isinstance(each, bool) for each in names):
        return np.asarray(names)
    if all(hasattr(each, "year") or isinstance(each, np.datetime64) for each in names):
        return _dates([getattr(each, "to_datetime64", lambda each=each: each)() for each in names])
    if not all(isinstance(each, str) for each in names):
        return None
    found = [_NUMBERED.match(str(each).strip()) for each in names]
    if all(found) and len({each[1] for each in found if each}) == 1:
        return np.array([float(each[2]) for each in found if each])
    return _dates([str(each) for each in names])


def spread_times(times: NDArray[Any], length: int) -> NDArray[Any]:
    """As many times, equally spaced from the first to the last."""
    if length == len(times):
        return times
    if times.dtype.kind not in "mM":
        return np.linspace(times[0], times[-1], length)
    fractions = np.linspace(0.0, 1.0, length)
    span = (times[-1] - times[0]).astype("timedelta64[ns]").astype(np.int64)
    moved: NDArray[Any] = times[0] + (fractions * span).round().astype(np.int64).astype("timedelta64[ns]")
    return moved


def _dates(texts: list[Any]) -> NDArray[Any] | None:
    try:
        return np.array(texts, dtype="datetime64[ns]")
    except (TypeError, ValueError):
        return None


def _numbers(times: NDArray[Any]) -> NDArray[np.float64]:
    """From the first, in double precision."""
    if times.dtype.kind in "mM":
        elapsed: NDArray[np.float64] = (times - times[0]).astype("timedelta64[ns]").astype(np.float64)
        return elapsed
    return np.asarray(times - float(times[0]), dtype=np.float64)


def _are_months(times: NDArray[Any]) -> bool:
    """The same day of every month, or of every so many, or the last day of each."""
    if times.dtype.kind != "M":
        return False
    months = times.astype("datetime64[M]")
    if len(set(np.diff(months).tolist())) > 1:
        return False
    from_start = set((times - months.astype(times.dtype)).tolist())
    from_end = set(((months + 1).astype(times.dtype) - times).tolist())
    return len(from_start) == 1 or len(from_end) == 1


def _step(times: NDArray[Any], step: float) -> str:
    return (
        str(np.timedelta64(int(step), "ns").astype("timedelta64[us]"))
        if times.dtype.kind in "mM"
        else f"{step:g}"
    )
