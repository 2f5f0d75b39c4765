"""Options that everything that aligns without a network has in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, SupportsIndex, TypeAlias

from . import _core
from ._arrays import real_number, require_callable, thread_count, true_or_false, whole_number

#: Called after every step; answering False ends the search where it is, None and all else let it go on.
Progress: TypeAlias = Callable[["AlignStep"], "bool | None"]


#: What series are compared by.
Criterion: TypeAlias = Literal["auto", "values", "slopes", "mixed"]


class AlignStep(NamedTuple):
    """One step of the solver. Costs of different smoothing are not comparable with each other.

    >>> steps = []
    >>> _ = diffeo.align_pair([0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], cells=2, progress=steps.append)
    >>> steps[-1].cells
    2
    """

    cells: int
    smoothing: float  #: standard deviation of the smoothing, as a fraction of the duration
    cost: float


def align_options(
    criterion: str,
    cells: SupportsIndex,
    zero_boundary: bool,
    prior_weight: float | None,
    length_scale: float | None,
    smoothing: float | None,
    own_time: float,
    length: SupportsIndex | None,
    max_iterations: SupportsIndex,
    tolerance: float,
    threads: SupportsIndex | None,
    progress: Progress | None,
) -> _core.AlignOptions:
    require_callable("progress", progress)
    if not isinstance(criterion, str):
        raise TypeError(f"criterion: expected a name, got {type(criterion).__name__}")
    return _core.AlignOptions(
        criterion,
        whole_number("cells", cells, 1),
        true_or_false("zero_boundary", zero_boundary),
        None if prior_weight is None else real_number("prior_weight", prior_weight),
        None if length_scale is None else real_number("length_scale", length_scale),
        None if smoothing is None else real_number("smoothing", smoothing),
        real_number("own_time", own_time),
        0 if length is None else whole_number("length", length, 1),
        whole_number("max_iterations", max_iterations, 1),
        real_number("tolerance", tolerance),
        thread_count(threads),
        None if progress is None else _callback(progress),
    )


def _callback(progress: Progress) -> Callable[[int, float, float], bool]:
    return lambda cells, smoothing, cost: progress(AlignStep(cells, smoothing, cost)) is not False
