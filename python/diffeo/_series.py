"""Time series read at positions, and warped by flows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, SupportsIndex

from numpy.typing import ArrayLike

from . import _core
from ._arrays import (
    Float64Array,
    FloatArray,
    as_rows,
    in_time_shape,
    real_arrays,
    real_times,
    require_fields,
    require_per_row,
    require_shape,
    thread_count,
    wanted_flags,
    whole_number,
)


class SampleGradients(NamedTuple):
    """What `sample_vjp` gives: gradients in the shapes of their arguments, None where not wanted.

    >>> diffeo.sample_vjp([0.0, 10.0, 30.0], [0.25], [1.0]).series
    array([0.5, 0.5, 0. ])
    """

    series: FloatArray | None
    positions: FloatArray | None
    grid: FloatArray | None


class WarpGradients(NamedTuple):
    """What `warp_vjp` gives: gradients in the shapes of their arguments, None where not wanted.

    >>> diffeo.warp_vjp([0.0, 1.0, 2.0], [0.0, 0.0], [1.0, 1.0, 1.0]).series
    array([1., 1., 1.])
    """

    series: FloatArray | None
    velocities: FloatArray | None
    time: Float64Array | float | None


def _require_series(series: FloatArray) -> None:
    if series.ndim not in (1, 2, 3) or series.size == 0:
        raise ValueError(
            "series: expected shape (time,), (cases, time) or (cases, channels, time), "
            f"at least one of each, got {series.shape}"
        )


def _cases(series: FloatArray) -> int | None:
    """None for a single series, whose results have no axis of cases."""
    return series.shape[0] if series.ndim > 1 else None


def _as_cases(series: FloatArray) -> FloatArray:
    """(cases, channels, time), whatever was left out."""
    channels = series.shape[1] if series.ndim == 3 else 1
    return series.reshape(_cases(series) or 1, channels, series.shape[-1])


class _Sampling:
    """The arguments of `sample` and `sample_vjp`, checked for shape and ready for the core."""

    def __init__(
        self, series: ArrayLike, positions: ArrayLike, grid: ArrayLike | None, **others: ArrayLike
    ) -> None:
        if grid is not None:
            others = {"grid": grid, **others}
        self.series, self.positions, *rest = real_arrays(series=series, positions=positions, **others)
        self.others: dict[str, FloatArray] = dict(zip(others, rest, strict=True))
        self.grid = self.others.get("grid")
        _require_series(self.series)
        cases = _cases(self.series)
        require_per_row("positions", self.positions, cases, "n", "series")
        if self.grid is not None:
            require_per_row("grid", self.grid, cases, f"{self.series.shape[-1]}", "series")

    @property
    def result_shape(self) -> tuple[int, ...]:
        return (*self.series.shape[:-1], self.positions.shape[-1])

    @property
    def grid_rows(self) -> FloatArray | None:
        return None if self.grid is None else as_rows(self.grid)


def sample(
    series: ArrayLike,
    positions: ArrayLike,
    *,
    grid: ArrayLike | None = None,
    threads: SupportsIndex | None = None,
) -> FloatArray:
    """Series at positions, by linear interpolation.

    series      (time,), (cases, time) or (cases, channels, time); NaN means missing
    positions   (n,), shared by the cases, or (cases, n); any finite value
    grid        where the series' values lie: strictly increasing, (time,), shared by the cases, or
                (cases, time); None means equally spaced from 0 to 1
    threads     how many to use; None means all the cores the process may use

    Returns (n,), (cases, n) or (cases, channels, n), as the series has axes. Beyond the ends the first or the
    last value; at a node its value, bit for bit; next to a missing value NaN.

    ValueError for shapes that do not go together, positions that are not finite, and a grid that does not
    increase; TypeError for arrays that hold no real numbers.

    >>> diffeo.sample([0.0, 10.0, 30.0], [-1.0, 0.25, 0.5, 0.75, 2.0])
    array([ 0.,  5., 10., 20., 30.])
    >>> diffeo.sample([0.0, 10.0, 30.0], [4.0], grid=[0.0, 2.0, 6.0])
    array([20.])
    """
    problem = _Sampling(series, positions, grid)
    samples = _core.sample(
        _as_cases(problem.series), as_rows(problem.positions), problem.grid_rows, thread_count(threads)
    )
    return samples.reshape(problem.result_shape)


def sample_vjp(
    series: ArrayLike,
    positions: ArrayLike,
    cotangents: ArrayLike,
    *,
    grid: ArrayLike | None = None,
    threads: SupportsIndex | None = None,
    wanted: Sequence[str] | None = None,
) -> SampleGradients:
    """Gradients of Σ cotangents · sample(series, positions) by series, positions and grid.

    cotangents   the shape of `sample`'s result: (n,), (cases, n) or (cases, channels, n)
    wanted       the names of the gradients to compute, by default all that exist; the others are None
    The other arguments are those of `sample`.

    Returns `SampleGradients` with the fields series, positions and grid, each in the shape of its argument:
    those of shared positions and of a shared grid are summed over the cases. Samples that are NaN pass
    nothing on.

    ValueError and TypeError as `sample`, and for names that are not among the fields.

    >>> gradients = diffeo.sample_vjp([0.0, 10.0, 30.0], [0.25], [1.0])
    >>> gradients.series
    array([0.5, 0.5, 0. ])
    >>> gradients.positions
    array([20.])
    """
    problem = _Sampling(series, positions, grid, cotangents=cotangents)
    weights = problem.others["cotangents"]
    require_shape("cotangents", weights, problem.result_shape)
    flags = wanted_flags(wanted, SampleGradients._fields)
    if wanted is not None and flags[-1] and problem.grid is None:
        raise ValueError("wanted: expected no 'grid', because no grid is given")
    by_series, by_position, by_node = _core.sample_vjp(
        _as_cases(problem.series),
        as_rows(problem.positions),
        weights.reshape(_as_cases(problem.series).shape[:2] + weights.shape[-1:]),
        problem.grid_rows,
        *flags,
        thread_count(threads),
    )
    return SampleGradients(
        None if by_series is None else by_series.reshape(problem.series.shape),
        None if by_position is None else by_position.reshape(problem.positions.shape),
        None if by_node is None or problem.grid is None else by_node.reshape(problem.grid.shape),
    )


class _Warping:
    """The arguments of `warp` and `warp_vjp`, checked for shape and ready for the core."""

    def __init__(
        self, series: ArrayLike, velocities: ArrayLike, time: ArrayLike, **others: ArrayLike
    ) -> None:
        self.series, self.velocities, *rest = real_arrays(series=series, velocities=velocities, **others)
        self.others: dict[str, FloatArray] = dict(zip(others, rest, strict=True))
        _require_series(self.series)
        require_fields(self.velocities)
        require_per_row("velocities", self.velocities, _cases(self.series), "cells + 1", "series")
        self.times, self.time_is_number = real_times("time", time, _cases(self.series))

    @property
    def arrays(self) -> tuple[FloatArray, FloatArray, Float64Array]:
        return _as_cases(self.series), as_rows(self.velocities), self.times


def warp(
    series: ArrayLike,
    velocities: ArrayLike,
    *,
    length: SupportsIndex | None = None,
    time: ArrayLike = 1.0,
    threads: SupportsIndex | None = None,
) -> FloatArray:
    """Series warped in time: series ∘ φ, with φ the flow of the velocities on [0, 1].

    series       (time,), (cases, time) or (cases, channels, time); NaN means missing
    velocities   (cells + 1,), shared by the cases, or (cases, cells + 1)
    length       of the result; None keeps that of the series
    time         a number, or (cases,); time=-1 warps by the exact inverse of φ
    threads      how many to use; None means all the cores the process may use

    Returns the series' shape with `length` time steps. Velocities of zero give the series back to the last
    bit.

    ValueError for shapes that do not go together and velocities or times that are not finite; TypeError for
    arrays that hold no real numbers.

    >>> series = np.sin(np.linspace(0, 6, 100))
    >>> warped = diffeo.warp(series, [0.0, 0.2, -0.1, 0.0])
    >>> back = diffeo.warp(warped, [0.0, 0.2, -0.1, 0.0], time=-1.0)
    >>> bool(abs(back - series).max() < 2e-3)
    True
    >>> diffeo.warp(series, [0.0, 0.0], length=50).shape
    (50,)
    """
    problem = _Warping(series, velocities, time)
    steps = problem.series.shape[-1] if length is None else whole_number("length", length, 1)
    warped = _core.warp(*problem.arrays, steps, thread_count(threads))
    return warped.reshape(*problem.series.shape[:-1], steps)


def warp_vjp(
    series: ArrayLike,
    velocities: ArrayLike,
    cotangents: ArrayLike,
    *,
    time: ArrayLike = 1.0,
    threads: SupportsIndex | None = None,
    wanted: Sequence[str] | None = None,
) -> WarpGradients:
    """Gradients of Σ cotangents · warp(series, velocities) by series, velocities and time.

    cotangents   the shape of `warp`'s result: (length,), (cases, length) or (cases, channels, length)
    wanted       the names of the gradients to compute, all by default; the others are None
    The other arguments are those of `warp`.

    Returns `WarpGradients` with the fields series, velocities and time, each in the shape of its argument:
    those of shared velocities and of a single time are summed over the cases, and that of a single time is a
    float.

    ValueError and TypeError as `warp`, and for names that are not among the fields.

    >>> gradients = diffeo.warp_vjp([0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0])
    >>> gradients.series
    array([1., 1., 1., 1.])
    >>> gradients.velocities.shape
    (3,)
    """
    problem = _Warping(series, velocities, time, cotangents=cotangents)
    weights = problem.others["cotangents"]
    if weights.shape[:-1] != problem.series.shape[:-1] or weights.ndim == 0 or weights.shape[-1] == 0:
        leading = "".join(f"{extent}, " for extent in problem.series.shape[:-1])
        raise ValueError(
            f"cotangents: expected shape ({leading}length) with length >= 1, got {weights.shape}"
        )
    by_series, by_velocity, by_time = _core.warp_vjp(
        *problem.arrays,
        _as_cases(weights),
        *wanted_flags(wanted, WarpGradients._fields),
        thread_count(threads),
    )
    return WarpGradients(
        None if by_series is None else by_series.reshape(problem.series.shape),
        None if by_velocity is None else by_velocity.reshape(problem.velocities.shape),
        in_time_shape(by_time, problem.time_is_number),
    )
