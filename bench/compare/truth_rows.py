"""The rows of truth.py: series to align, how the result is measured, and what must hold.

Every row makes the series of a repetition from its number, and measures warps φ given as positions.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from alignment import error_of_positions
from workload import PROJECT, Array

SHARED = Path(os.environ.get("DIFFEO_SHARED", PROJECT.parent / "shared"))
PAIRS_PER_REPETITION = 20
R_WAVE = 2  # among the marks of a beat
R_TOLERANCE = 0.005  # of the length
CASES = 12

Values = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """One repetition: a set of series (channels, time) or pairs (source, target), and the truth."""

    series: Sequence[Array] = ()
    pairs: Sequence[tuple[Array, Array]] = ()
    truth: Any = None


@dataclass(frozen=True)
class Must:
    """A limit for a statistic of the row's values over all repetitions."""

    label: str
    of: str  # which value
    statistic: Callable[[Array], float]
    limit: float
    at_most: bool = True

    def is_met(self, found: float) -> bool:
        return found <= self.limit if self.at_most else found >= self.limit


@dataclass(frozen=True)
class Row:
    name: str
    section: str
    make: Callable[[int], Task]
    measure: Callable[[Task, Sequence[Array]], Values]
    repetitions: int
    slow: int  # repetitions of the slow contestants
    musts: tuple[Must, ...] = field(default=())


def spread_measure(diffeo: Any) -> Callable[[Task, Sequence[Array]], Values]:
    def measure(task: Task, warps: Sequence[Array]) -> Values:
        spread = diffeo.true_time_spread(np.stack(warps), task.truth)
        return {
            "share": spread.share,
            "percentile_95": spread.percentile_95,
            "failures": spread.failures,
        }

    return measure


def warped_row(
    diffeo: Any,
    section: str,
    name: str,
    kind: str,
    cases: int,
    options: dict[str, Any],
    *,
    repetitions: int = 4,
    musts: tuple[Must, ...] = (),
) -> Row:
    def make(repetition: int) -> Task:
        made = diffeo.generate_warped(kind, cases, repetition, **options)
        return Task(series=list(made.X), truth=made.warps)

    return Row(name, section, make, spread_measure(diffeo), repetitions, repetitions, musts)


TWO_PEAKS = (  # height, noise, the share of the spread that may be left
    (0.25, 0.0, 0.10),
    (0.25, 0.05, 0.22),
    (0.4, 0.0, 0.28),
    (0.4, 0.05, 0.36),
    (0.0, 0.0, 0.01),
    (0.0, 0.05, 0.12),
)


def two_peaks_rows(diffeo: Any) -> Iterator[Row]:
    for height, noise, limit in TWO_PEAKS:
        yield warped_row(
            diffeo,
            "required",
            f"two peaks, height {height}, noise {noise}",
            "two-peaks",
            21,
            {"height": height, "noise": noise},
            repetitions=10,
            musts=(Must("spread left, mean", "share", np.mean, limit),),
        )


def share_within(limit: float) -> Callable[[Array], float]:
    return lambda values: float(np.mean(np.asarray(values) <= limit))


def beats_row(diffeo: Any) -> Row:
    """Pairs of beats: where the warp puts the target's R wave, against the source's."""

    def make(repetition: int) -> Task:
        made = diffeo.generate_warped("beats", 2 * PAIRS_PER_REPETITION, repetition)
        series, marks = made.X[:, 0], made.marks[:, R_WAVE]
        return Task(pairs=list(zip(series[::2], series[1::2], strict=True)), truth=(marks[::2], marks[1::2]))

    def measure(task: Task, warps: Sequence[Array]) -> Values:
        errors = [
            abs(float(np.interp(at_target, np.linspace(0, 1, len(warp)), warp)) - at_source)
            for warp, at_source, at_target in zip(warps, *task.truth, strict=True)
        ]
        return {"errors": errors}

    must = Must("R within 0.5 % of the length", "errors", share_within(R_TOLERANCE), 0.995, at_most=False)
    return Row("beats, pairs, R 0.3 to 3 times as tall", "required", make, measure, 50, 4, (must,))


def narrow_row(diffeo: Any) -> Row:
    """Two narrow peaks far from where they belong: what is left of the squared difference."""

    def make(repetition: int) -> Task:
        made = diffeo.generate_warped("narrow-peaks", PAIRS_PER_REPETITION, repetition)
        return Task(pairs=[(series[0], made.template[0]) for series in made.X])

    def measure(task: Task, warps: Sequence[Array]) -> Values:
        left = []
        for (source, target), warp in zip(task.pairs, warps, strict=True):
            aligned = np.interp(warp, np.linspace(0, 1, len(source)), source)
            left.append(float(np.mean((aligned - target) ** 2) / np.mean((source - target) ** 2)))
        return {"errors": left}

    musts = (
        Must("residual left, median", "errors", np.median, 0.001),
        Must("residual left at most 0.01", "errors", share_within(0.01), 0.95, at_most=False),
    )
    return Row("two narrow peaks, up to 0.3 away, pairs", "required", make, measure, 5, 4, musts)


# The mean shows sets that failed, the median how good the others are: both must hold.
TYPICAL_ERROR = (
    Must("warp error, mean", "error", np.mean, 0.003),
    Must("warp error, median", "error", np.median, 0.003),
)
BUMPS_MUSTS = {
    0.1: TYPICAL_ERROR,
    0.2: TYPICAL_ERROR,
    0.3: (Must("warp error below 0.01", "error", share_within(0.01), 0.95, at_most=False),),
}


def bumps_row(diffeo: Any, displacement: float, musts: tuple[Must, ...]) -> Row:
    def make(repetition: int) -> Task:
        made = diffeo.generate_bumps(CASES, repetition, classes=1, displacement=displacement)
        return Task(series=list(made.X), truth=made.velocities)

    def measure(task: Task, warps: Sequence[Array]) -> Values:
        positions = np.stack(warps)
        grid = np.linspace(0.0, 1.0, positions.shape[1])
        inverses = np.stack([inverse(warp, grid) for warp in positions])
        return {"error": error_of_positions(diffeo, positions, inverses, task.truth)}

    return Row(f"bumps, displacement {displacement}", "required", make, measure, 100, 5, musts)


def inverse(warp: Array, grid: Array) -> Array:
    """Of a warp that may be constant in places: the middle of every stretch."""
    positions, where = np.unique(warp, return_inverse=True)
    return np.interp(grid, positions, np.bincount(where, weights=grid) / np.bincount(where))


def required_rows(diffeo: Any) -> Iterator[Row]:
    yield from two_peaks_rows(diffeo)
    yield beats_row(diffeo)
    for displacement, musts in BUMPS_MUSTS.items():
        yield bumps_row(diffeo, displacement, musts)
    yield narrow_row(diffeo)


SELECTION = (  # kind, family, displacement, noise
    ("peaks", "flow", 0.05, 0.0),
    ("peaks", "flow", 0.2, 0.0),
    ("peaks", "flow", 0.2, 0.05),
    ("peaks", "flow", 0.2, 0.1),
    ("peaks", "fourier", 0.05, 0.05),
    ("peaks", "fourier", 0.2, 0.05),
    ("peaks", "fourier", 0.35, 0.05),
    ("peaks", "exponential", 0.2, 0.05),
    ("peaks", "exponential", 0.35, 0.0),
    ("peaks", "logistic", 0.5, 0.05),
    ("beats", "logistic", 0.05, 0.0),
    ("beats", "logistic", 0.2, 0.05),
    ("beats", "fourier", 0.2, 0.0),
    ("beats", "flow", 0.2, 0.05),
    ("beats", "exponential", 0.35, 0.1),
    ("steps", "flow", 0.05, 0.05),
    ("steps", "flow", 0.2, 0.0),
    ("steps", "fourier", 0.2, 0.05),
    ("steps", "logistic", 0.35, 0.05),
    ("steps", "exponential", 0.5, 0.1),
    ("two-peaks", "flow", 0.2, 0.05),
    ("two-peaks", "fourier", 0.2, 0.0),
    ("two-peaks", "logistic", 0.35, 0.05),
)

SPECIAL = (  # what is special, kind, options
    ("three channels", "peaks", {"family": "flow", "displacement": 0.2, "noise": 0.05, "channels": 3}),
    ("three channels", "beats", {"family": "logistic", "displacement": 0.2, "noise": 0.05, "channels": 3}),
    ("different lengths", "peaks", {"family": "flow", "displacement": 0.2, "length_spread": 0.3}),
    ("different lengths", "steps", {"family": "fourier", "displacement": 0.2, "length_spread": 0.3}),
    ("gaps of 10 %", "peaks", {"family": "flow", "displacement": 0.2, "missing": 0.1}),
    ("gaps of 10 %", "steps", {"family": "fourier", "displacement": 0.2, "missing": 0.1}),
)


def selected_rows(diffeo: Any) -> Iterator[Row]:
    for kind, family, displacement, noise in SELECTION:
        options = {"family": family, "displacement": displacement, "noise": noise}
        name = f"{kind}, {family} {displacement}, noise {noise}"
        yield warped_row(diffeo, "selection", name, kind, CASES, options)
    for what, kind, options in SPECIAL:
        yield warped_row(diffeo, "selection", f"{kind}, {what}", kind, CASES, options)


RECORDINGS = {  # every how many samples are kept
    "growth": 1,
    "gait": 1,
    "pinch": 1,
    "simu": 1,
    "gaschrom": 10,
    "simulateda": 1,
    "simulatedb": 1,
    "pataky2014-anteroposterior": 1,
    "pataky2014-mediolateral": 1,
    "besier2009-vastus": 1,
}


# Features that can be found by rule: channel, from, to, and what is looked for there: the highest or lowest
# point, or where half of the height is passed first ("rise") or last ("fall").
Feature = tuple[int, float, float, str]
FEATURES: dict[str, tuple[Feature, ...]] = {
    "gait": ((1, 0.5, 1.0, "top"), (1, 0.25, 0.6, "bottom"), (0, 0.25, 0.8, "bottom")),
    "pinch": ((0, 0.0, 1.0, "top"), (0, 0.0, 0.6, "rise"), (0, 0.1, 1.0, "fall")),
    "simu": ((0, 0.0, 0.5, "top"), (0, 0.5, 1.0, "top")),
    "simulateda": ((0, 0.0, 1.0, "top"),),
    "simulatedb": ((0, 0.0, 1.0, "top"),),
    "pataky2014-mediolateral": ((0, 0.1, 0.9, "top"),),
}
FEATURE_POINTS = 1001
FEATURE_SMOOTHING = 0.01  # standard deviation, as a fraction of the duration: a top is not one noisy sample


def recording_rows() -> Iterator[Row]:
    for name, step in RECORDINGS.items():
        path = SHARED / "curves" / f"{name}.npz"
        if not path.is_file():
            print(f"truth: skipped {name}, no file {path.name} in {SHARED / 'curves'} (set DIFFEO_SHARED)")
            continue
        title = name if step == 1 else f"{name}, every {step}th sample"
        yield Row(
            title,
            "recordings",
            lambda _, path=path, step=step, name=name: recording(path, step, FEATURES.get(name, ())),
            measure_recording,
            1,
            1,
        )


def recording(path: Path, step: int, features: Sequence[Feature]) -> Task:
    """The curves at equally spaced times, and the times of their features, (cases, features)."""
    with np.load(path) as file:
        X = np.asarray(file["X"], dtype=np.float64)[:, :, ::step]
        clock = file["time"][::step] if "time" in file.files else None
    if clock is not None:
        even = np.linspace(clock[0], clock[-1], len(clock))
        X = np.apply_along_axis(lambda values: np.interp(even, clock, values), 2, X)
    marks = np.array([[time_of(series, feature) for feature in features] for series in X])
    return Task(series=list(X), truth=marks)


def time_of(series: Array, feature: Feature) -> float:
    channel, begin, end, what = feature
    samples = np.arange(series.shape[1])
    weights = np.exp(-0.5 * ((samples[:, None] - samples) / (FEATURE_SMOOTHING * len(samples))) ** 2)
    smooth = weights @ series[channel] / weights.sum(axis=1)
    times = np.linspace(begin, end, FEATURE_POINTS)
    values = np.interp(times, np.linspace(0.0, 1.0, len(smooth)), smooth)
    if what in ("top", "bottom"):
        return float(times[np.argmax(values if what == "top" else -values)])
    above = np.flatnonzero(values > 0.5 * (values.min() + values.max()))
    return float(times[above[0] if what == "rise" else above[-1]])


def spread_of_marks(marks: Array, warps: Sequence[Array]) -> float:
    """Of their common times, as a share of that before; root mean square over the features."""
    grids = [np.linspace(0.0, 1.0, len(warp)) for warp in warps]
    common = np.array(
        [np.interp(own, warp, grid) for own, warp, grid in zip(marks, warps, grids, strict=True)]
    )
    return float(np.sqrt(np.mean((common.std(axis=0) / marks.std(axis=0)) ** 2)))


def measure_recording(task: Task, warps: Sequence[Array]) -> Values:
    """Shares of before: spread of features, variance, inverse-consistent error, slope variance."""
    X = np.stack(task.series)
    grid = np.linspace(0.0, 1.0, X.shape[2])
    steps = [np.interp(grid, np.linspace(0, 1, len(warp)), warp) for warp in warps]
    aligned = along(X, steps, grid)
    mean = np.broadcast_to(aligned.mean(axis=0), X.shape)
    back = along(mean, [inverse(warp, grid) for warp in steps], grid)
    before = variance(X)
    features = {"features": spread_of_marks(task.truth, warps)} if task.truth.size else {}
    return {
        **features,
        "variance": variance(aligned) / before,
        "inverse_error": float(((back - X) ** 2).sum(axis=(1, 2)).mean()) / before,
        "slope_variance": variance(square_root_slopes(aligned)) / variance(square_root_slopes(X)),
    }


def along(X: Array, positions: Sequence[Array], grid: Array) -> Array:
    return np.stack(
        [
            [np.interp(warp, grid, channel) for channel in series]
            for series, warp in zip(X, positions, strict=True)
        ]
    )


def variance(X: Array) -> float:
    return float(X.var(axis=0).sum())


def square_root_slopes(X: Array) -> Array:
    """f′ / √|f′|, with |·| over the channels."""
    slopes = np.gradient(X, axis=2)
    size = np.linalg.norm(slopes, axis=1, keepdims=True)
    return slopes / np.sqrt(np.where(size > 0, size, 1.0))


def all_rows(diffeo: Any) -> list[Row]:
    return [*required_rows(diffeo), *selected_rows(diffeo), *recording_rows()]
