"""Series in parts: as many as make a task worth its overhead, cut where the model does not notice."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from numpy.typing import NDArray

from .. import _core
from .._dataset import SeriesSet, series_arrays
from .._files import PathLike

_VALUES = 1 << 17  # in a part, about: a mebibyte of doubles
_PARTS_OF_A_THREAD = (
    4  # at least, where there are enough series: so that all threads end at about the same time
)


@dataclass(frozen=True)
class Part:
    first: int  #: cases before it
    series: NDArray[Any] | list[NDArray[Any]]
    labels: list[str] | None = None


class Cut(NamedTuple):
    """How a set is cut."""

    at_once: int  #: series that have to stay together
    threads: int  #: that will work on parts

    def cases(self, cases: int, values: int) -> int:
        """How many make a part of a set of `cases`, each of at most that many values."""
        by_size = _VALUES // (self.at_once * values)
        by_share = cases // (self.at_once * self.threads * _PARTS_OF_A_THREAD)
        return self.at_once * max(1, min(by_size, by_share))


class Held:
    """Series in memory, in any of the forms that estimators take."""

    def __init__(self, X: SeriesSet) -> None:
        arrays, form = series_arrays(X)
        if isinstance(arrays, list):  # one precision for all, which no part alone could know
            arrays = [array.astype(form.precision, copy=False) for array in arrays]
        self._arrays = arrays
        self.cases = len(arrays)

    def parts(self, cut: Cut) -> Iterator[Part]:
        step = cut.cases(self.cases, max(array.size for array in self._arrays))
        for first in range(0, self.cases, step):
            yield Part(first, self._arrays[first : first + step])


class Filed:
    """Series in a file of any size, read through once, and so checked, before the first part."""

    def __init__(self, path: PathLike, label: str | int | None) -> None:
        self._reader = _core.SeriesReader(os.fspath(path), label)
        self.outline = self._reader.outline()
        self.cases = self.outline.cases

    def parts(self, cut: Cut) -> Iterator[Part]:
        step = cut.cases(self.cases, self.outline.channels * self.outline.longest)
        first = 0
        while (part := self._reader.next(step)) is not None:
            series = part.array() if part.equally_long else part.series()
            yield Part(first, series, part.labels() if part.labeled else None)
            first += part.cases
