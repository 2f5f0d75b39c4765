"""The paper's numerical studies: what other ways to flow lose against the closed form, and what they cost.

A study flows many points along random fields, by the closed form and by a scheme, with their gradients by
theta:

>>> fields = StudyFields.make(StudySetting(fields=2, points=10))
>>> exact = exact_answers(fields)
>>> error = scheme_error(fields, exact, Scheme("alternating", steps=10, inner_steps=10))
>>> error.value < error.gradient
True

The same setting gives the same bits on the same instruction set, for any number of threads.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import diffeo
from diffeo import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from diffeo._flow import Method
    from diffeo._space import Basis

    Array = NDArray[np.float64]

Source = Literal["prior", "normal", "ones"]
SOURCES: tuple[Source, ...] = ("prior", "normal", "ones")
RUNGE_KUTTA_STEPS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
TIMED_STEPS = (1, 2, 5, 10, 20)
THETA_STEP = 0.01  #: of forward differences by theta, as in libcpab 0.1.3 and difw 0.0.31
_SEED_OF_POINTS = 0x9E3779B97F4A7C15  # more fields leave the points of the first as they are
_SEED_OF_COTANGENTS = 1
_SEED_OF_SWEEP = 1
_ROWS_AT_A_TIME = 64  # bounds the memory of gradients of grids
_ROUNDS = 10  # of timings, so that a slow tenth of a second spoils no measurement

Progress = Callable[[float], None]


@dataclass(frozen=True)
class StudySetting:
    """Fields and points of a study."""

    source: Source = (
        "prior"  #: of theta: smooth fields of the prior, independent normal numbers, or all `size`
    )
    fields: int = 100
    points: int = 1000  #: of each field
    cells: int = 5
    basis: Basis = "svd"
    size: float = 1.0  #: standard deviation of theta
    length_scale: float = 0.1  #: of the prior
    seed: int = 0
    is_grid: bool = False  #: points equally spaced from 0 to 1, else random for every field

    def check(self) -> None:
        """Raise ValueError for a setting that makes no fields."""
        for name, value, least in (
            ("fields", self.fields, 1),
            ("points", self.points, 1),
            ("cells", self.cells, 2),
        ):
            if value < least:
                raise ValueError(f"{name}: expected at least {least}, got {value}")
        if not (math.isfinite(self.size) and self.size >= 0):
            raise ValueError(f"size: expected 0 or more, got {self.size:g}")
        if not (math.isfinite(self.length_scale) and self.length_scale > 0):
            raise ValueError(f"length_scale: expected more than 0, got {self.length_scale:g}")
        if self.source == "ones" and self.fields != 1:
            raise ValueError(f"fields: expected 1 of ones, got {self.fields}")


@dataclass(frozen=True)
class StudyFields:
    """Velocity fields that keep 0 and 1 in place, and the points that flow along them for time 1."""

    space: diffeo.WarpSpace
    velocities: Array  #: (fields, cells + 1)
    points: Array  #: (fields, points)

    @staticmethod
    def make(setting: StudySetting) -> StudyFields:
        """Fields of another size are multiples of each other."""
        setting.check()
        space = diffeo.WarpSpace(setting.cells, basis=setting.basis)
        velocities = space.velocities(_unit_theta(setting, space) * setting.size)
        return StudyFields(space, np.asarray(velocities, dtype=float), _points(setting))


def _unit_theta(setting: StudySetting, space: diffeo.WarpSpace) -> Array:
    if setting.source == "prior":
        return space.prior(1.0, setting.length_scale).sample(setting.fields, setting.seed)
    shape = (setting.fields, space.dimension)
    if setting.source == "ones":
        return np.ones(shape)
    return _core.random_normal(math.prod(shape), setting.seed).reshape(shape)


def _points(setting: StudySetting) -> Array:
    shape = (setting.fields, setting.points)
    if setting.is_grid:
        return np.tile(np.arange(setting.points) / max(setting.points - 1, 1), (setting.fields, 1))
    return _core.random_uniform(math.prod(shape), setting.seed ^ _SEED_OF_POINTS).reshape(shape)


# --- schemes -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scheme:
    """A way to flow: a method of `diffeo.flow` with its options."""

    method: Method = "exact"
    steps: int | None = None
    inner_steps: int | None = None
    squarings: int | None = None
    is_single: bool = False  #: float32
    threads: int | None = field(default=None, compare=False)

    def flow(self, velocities: Array, points: Array) -> Array:
        """Positions of the points."""
        positions = diffeo.flow(*self._in_precision(velocities, points), **self._options())
        return np.asarray(positions, dtype=float)

    def pull_back(self, velocities: Array, points: Array, cotangents: Array) -> Array:
        """Gradient of the velocities."""
        arrays = self._in_precision(velocities, points, cotangents)
        gradients = diffeo.flow_vjp(*arrays, **self._options(), wanted=["velocities"])
        return np.asarray(gradients.velocities, dtype=float)

    def _in_precision(self, *arrays: Array) -> tuple[Any, ...]:
        return tuple(array.astype(np.float32) for array in arrays) if self.is_single else arrays

    def _options(self) -> dict[str, Any]:
        options = {"steps": self.steps, "inner_steps": self.inner_steps, "squarings": self.squarings}
        given = {name: value for name, value in options.items() if value is not None}
        return {"method": self.method, "threads": self.threads, **given}


def theta_jacobian(fields: StudyFields, scheme: Scheme) -> Array:
    """Gradients of all positions by theta, (fields, points, d): every point is a problem of its own."""
    count = fields.points.shape[1]
    rows = [
        scheme.pull_back(np.tile(velocities, (count, 1)), points[:, None], np.ones((count, 1)))
        for velocities, points in zip(fields.velocities, fields.points, strict=True)
    ]
    return np.asarray(fields.space.theta_gradient(np.stack(rows)), dtype=float)


def theta_jacobian_of_grids(fields: StudyFields, scheme: Scheme) -> Array:
    """The same for schemes in which the points of a field depend on each other."""
    count = fields.points.shape[1]
    units = np.eye(count)
    gradients = [
        [
            scheme.pull_back(np.tile(velocities, (len(rows), 1)), np.tile(points, (len(rows), 1)), rows)
            for rows in np.split(units, range(_ROWS_AT_A_TIME, count, _ROWS_AT_A_TIME))
        ]
        for velocities, points in zip(fields.velocities, fields.points, strict=True)
    ]
    stacked = np.stack([np.concatenate(each) for each in gradients])
    return np.asarray(fields.space.theta_gradient(stacked), dtype=float)


@dataclass(frozen=True)
class ExactAnswers:
    """What the closed form says: errors are differences from it."""

    positions: Array  #: (fields, points)
    gradients: Array  #: (fields, points, d)


def exact_answers(fields: StudyFields, threads: int | None = None) -> ExactAnswers:
    """The closed form's positions and gradients by theta."""
    scheme = Scheme(threads=threads)
    return ExactAnswers(scheme.flow(fields.velocities, fields.points), theta_jacobian(fields, scheme))


# --- precision ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PrecisionError:
    """For every field the largest absolute difference from the closed form, then the mean over the fields."""

    value: float
    gradient: float  #: exact gradients of the scheme
    by_differences: float  #: forward differences of its positions by theta


def scheme_error(fields: StudyFields, exact: ExactAnswers, scheme: Scheme) -> PrecisionError:
    """What a scheme loses against the closed form."""
    positions = scheme.flow(fields.velocities, fields.points)
    return PrecisionError(
        _mean_of_largest(positions - exact.positions),
        _mean_of_largest(theta_jacobian(fields, scheme) - exact.gradients),
        _mean_of_largest(_by_differences(fields, scheme, positions) - exact.gradients),
    )


def _by_differences(fields: StudyFields, scheme: Scheme, positions: Array) -> Array:
    moved = [
        scheme.flow(fields.velocities + THETA_STEP * column, fields.points)
        for column in fields.space.vertex_basis.T
    ]
    return (np.stack(moved, axis=-1) - positions[:, :, None]) / THETA_STEP


def _mean_of_largest(values: Array) -> float:
    return _mean(np.abs(values).reshape(len(values), -1).max(axis=1))


def _mean(values: Array) -> float:
    """Summed in order: the same bits on every machine."""
    return float(np.cumsum(values)[-1] / values.size)


@dataclass(frozen=True)
class PrecisionErrors:
    """Errors of numerical integration."""

    alternating: list[list[PrecisionError]]  #: [steps - 1][inner_steps - 1]
    runge_kutta: list[PrecisionError]  #: as RUNGE_KUTTA_STEPS
    single_precision: PrecisionError  #: of the closed form in float32
    displacement: float  #: the largest of a field's points, mean over the fields
    largest_gradient: float  #: by theta, mean over the fields


def precision_errors(
    setting: StudySetting,
    steps: int = 20,
    inner_steps: int = 20,
    threads: int | None = None,
    progress: Progress = lambda done: None,
) -> PrecisionErrors:
    """Measure what numerical integration loses: the alternating solver with its steps, and Runge-Kutta."""
    fields = StudyFields.make(setting)
    exact = exact_answers(fields, threads)
    total = sum(RUNGE_KUTTA_STEPS) + sum(range(1, steps + 1)) * sum(range(1, inner_steps + 1))
    done = 0

    def error(scheme: Scheme, work: int = 0) -> PrecisionError:
        nonlocal done
        found = scheme_error(fields, exact, replace(scheme, threads=threads))
        done += work
        progress(done / total)
        return found

    return PrecisionErrors(
        single_precision=error(Scheme(is_single=True)),
        runge_kutta=[error(Scheme("numeric", steps=n), n) for n in RUNGE_KUTTA_STEPS],
        alternating=[
            [error(Scheme("alternating", n, inner), n * inner) for inner in range(1, inner_steps + 1)]
            for n in range(1, steps + 1)
        ],
        displacement=_mean_of_largest(exact.positions - fields.points),
        largest_gradient=_mean_of_largest(exact.gradients),
    )


# --- scaling and squaring ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class SquaringError:
    """Root mean squares over points, fields and entries of theta, and the largest absolute differences."""

    value: float
    gradient: float
    largest_value: float
    largest_gradient: float


@dataclass(frozen=True)
class SquaringErrors:
    """Errors of scaling and squaring by size of the deformation and number of squarings."""

    sizes: list[list[SquaringError]]  #: [size][squarings]
    displacements: list[float]  #: root mean square of phi(x) - x, by size
    gradients: list[float]  #: root mean square by theta, by size


def squaring_errors(
    setting: StudySetting,
    sizes: Sequence[float] = (0, 1, 2, 3, 4),
    squarings: int = 8,
    threads: int | None = None,
    progress: Progress = lambda done: None,
) -> SquaringErrors:
    """Measure what scaling and squaring loses; the points of every field are its grid."""
    rows, displacements, gradients = [], [], []
    for place, size in enumerate(sizes):
        fields = StudyFields.make(replace(setting, size=size, is_grid=True))
        exact = exact_answers(fields, threads)
        displacements.append(_root_mean_square(exact.positions - fields.points))
        gradients.append(_root_mean_square(exact.gradients))
        row = []
        for count in range(squarings + 1):
            row.append(_squaring_error(fields, exact, count, threads))
            progress((place * (squarings + 1) + count + 1) / (len(sizes) * (squarings + 1)))
        rows.append(row)
    return SquaringErrors(rows, displacements, gradients)


def _squaring_error(
    fields: StudyFields, exact: ExactAnswers, squarings: int, threads: int | None
) -> SquaringError:
    scheme = Scheme("scaling-squaring", squarings=squarings, threads=threads)
    # Without squarings points do not depend on each other: the same bits as the closed form.
    jacobian = theta_jacobian_of_grids if squarings else theta_jacobian
    value = scheme.flow(fields.velocities, fields.points) - exact.positions
    gradient = jacobian(fields, scheme) - exact.gradients
    return SquaringError(
        _root_mean_square(value),
        _root_mean_square(gradient),
        float(np.abs(value).max()),
        float(np.abs(gradient).max()),
    )


def _root_mean_square(values: Array) -> float:
    return math.sqrt(_mean(np.square(values).ravel()))


# --- times -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SchemeTime:
    """Milliseconds for all fields and points, the least of all repetitions."""

    scheme: Scheme
    forward: float
    gradient: float  #: of one vector-Jacobian product


def scheme_time(fields: StudyFields, scheme: Scheme, repetitions: int) -> SchemeTime:
    """Time a flow and its gradient."""
    shape = fields.points.shape
    cotangents = _core.random_normal(math.prod(shape), _SEED_OF_COTANGENTS).reshape(shape)
    return SchemeTime(
        scheme,
        _least_milliseconds(repetitions, lambda: scheme.flow(fields.velocities, fields.points)),
        _least_milliseconds(
            repetitions, lambda: scheme.pull_back(fields.velocities, fields.points, cotangents)
        ),
    )


def _least_milliseconds(repetitions: int, work: Callable[[], object]) -> float:
    work()  # the first call also pays for memory never touched before
    least = math.inf
    for _ in range(repetitions):
        start = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - start)
    return 1e3 * least


def precision_times(
    setting: StudySetting,
    most_steps: int = 20,
    repetitions: int = 10,
    threads: int | None = None,
    progress: Progress = lambda done: None,
) -> list[SchemeTime]:
    """Time the closed form, the alternating solver with n steps of n inner steps each, and Runge-Kutta."""
    fields = StudyFields.make(setting)
    schemes = [Scheme(), *(Scheme("alternating", n, n) for n in TIMED_STEPS if n <= most_steps)]
    schemes += [Scheme("numeric", n) for n in RUNGE_KUTTA_STEPS]
    times = []
    for scheme in schemes:
        times.append(scheme_time(fields, replace(scheme, threads=threads), repetitions))
        progress(len(times) / len(schemes))
    return times


def squaring_times(
    setting: StudySetting,
    sizes: Sequence[float] = (0, 1, 2, 3, 4),
    squarings: int = 8,
    repetitions: int = 10,
    threads: int | None = None,
    progress: Progress = lambda done: None,
) -> list[list[SchemeTime]]:
    """Time scaling and squaring, [size][squarings], in rounds over all of them."""
    rounds = min(_ROUNDS, repetitions)
    all_fields = [StudyFields.make(replace(setting, size=size, is_grid=True)) for size in sizes]
    schemes = [Scheme("scaling-squaring", squarings=n, threads=threads) for n in range(squarings + 1)]
    least: dict[tuple[int, int], SchemeTime] = {}
    for turn in range(rounds):
        repeated = repetitions * (turn + 1) // rounds - repetitions * turn // rounds
        for place, fields in enumerate(all_fields):
            for count, scheme in enumerate(schemes):
                found = scheme_time(fields, scheme, repeated)
                best = least.get((place, count), found)
                least[place, count] = SchemeTime(
                    scheme, min(best.forward, found.forward), min(best.gradient, found.gradient)
                )
        progress((turn + 1) / rounds)
    return [[least[place, count] for count in range(squarings + 1)] for place in range(len(sizes))]


@dataclass(frozen=True)
class SweepTime:
    """Milliseconds of one case, the least of all repetitions."""

    varied: str  #: cells, points or warps
    cells: int
    points: int
    warps: int
    forward: float
    gradient: float


_PAPER = {"cells": 30, "points": 1000, "warps": 40}  # the paper's timing setting
_SWEEPS = {
    "points": (10, 30, 100, 300, 1_000, 3_000, 10_000),
    "cells": (3, 10, 30, 100, 300, 1_000),
    "warps": (1, 4, 12, 40, 120, 400),
}


def timing_sweep(
    repetitions: int = 10, threads: int | None = None, progress: Progress = lambda done: None
) -> list[SweepTime]:
    """Time a flow and its gradient in float32 over points, cells and warps, one of them at a time."""
    cases = [(varied, {**_PAPER, varied: count}) for varied, counts in _SWEEPS.items() for count in counts]
    times = []
    for varied, case in cases:
        found = _sweep_time(case, repetitions, threads)
        times.append(SweepTime(varied, case["cells"], case["points"], case["warps"], *found))
        progress(len(times) / len(cases))
    return times


def _sweep_time(case: dict[str, int], repetitions: int, threads: int | None) -> tuple[float, float]:
    """Arrays are float32 before the clock runs."""
    velocities = _smooth_fields(case["cells"], case["warps"]).astype(np.float32)
    points = np.linspace(0, 1, case["points"], dtype=np.float32)
    shape = (case["warps"], case["points"])
    cotangents = _core.random_normal(math.prod(shape), _SEED_OF_SWEEP).reshape(shape).astype(np.float32)

    def forward() -> object:
        return diffeo.flow(velocities, points, threads=threads)

    def gradient() -> object:
        return diffeo.flow_vjp(velocities, points, cotangents, threads=threads, wanted=["velocities"])

    return _least_milliseconds(repetitions, forward), _least_milliseconds(repetitions, gradient)


def _smooth_fields(cells: int, warps: int) -> Array:
    """As `diffeo benchmark` has them: the same fields on any number of cells, drawn on the paper's 30."""
    space = diffeo.WarpSpace(_PAPER["cells"], basis="qr")
    coarse = space.velocities(space.prior(0.3, 0.1).sample(warps, _SEED_OF_SWEEP))
    return np.asarray(diffeo.velocity(coarse, np.linspace(0, 1, cells + 1)), dtype=float)
