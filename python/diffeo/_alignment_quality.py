"""What an aligner gains on series, and what it does to time for it.

include/diffeo/alignment_measures.hpp explains the measures. Here the inverse-consistent error is that of
`diffeo.inverse_consistent_error`, a sum over time, and slopes are scaled by the series that are measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._arrays import Float64Array, FloatArray
from ._baselines import euclidean_mean
from ._dataset import Labels, SeriesSet, as_dataset, class_labels
from ._prepare import resample
from ._quality import within_variance
from ._root_slopes import root_slopes
from ._series import sample

_HALF_STEP = 1e-6  # on either side of a time at which the slope of a warp is wanted


@dataclass(frozen=True, repr=False)
class AlignmentQuality:
    """What `quality` of an aligner gives; `print` shows it in five lines.

    "Before" means without warps. No number is enough alone. Squeezing features away makes the variance small:
    the least slope and the inverse-consistent error show it. Heights that differ keep the variance large: the
    slope variance forgives them.

    >>> bumps = diffeo.generate_bumps(20, seed=1, classes=2)
    >>> quality = diffeo.JointAligner().fit(bumps.X, bumps.y).quality(bumps.X, bumps.y)
    >>> quality.cases, quality.classes, bool(quality.variance < 0.3 * quality.variance_before)
    (20, 2, True)
    """

    cases: int
    classes: int  #: 1 without labels
    variance_before: float  #: variance within classes, summed over time and channels
    variance: float  #: … of the aligned series
    slope_variance_before: float  #: the same of square-root slopes
    slope_variance: float  #: … of those of the aligned series
    error_before: float  #: means of the classes against the series: squared, summed, averaged over the cases
    inverse_consistent_error: float  #: … means of the aligned series, brought back by the inverse warps
    least_slope: float  #: of all warps; 1 means no warp, 0 means that time is squeezed to nothing
    mean_displacement: float  #: the farthest that a series moves, averaged; a fraction of the duration
    mean_warp_distance: float  #: the farthest that the mean of all warps moves; a fraction of the duration

    def __repr__(self) -> str:
        classes = "" if self.classes == 1 else f" of {self.classes} classes"
        header = f"AlignmentQuality: {self.cases} series{classes}"
        return "\n  ".join([header, *self._gains(), "; ".join(self._moves())])

    def _gains(self) -> list[str]:
        within = "" if self.classes == 1 else " within classes"
        return [
            f"{name} {before:.4g} before, {after:.4g} after{_share(before, after)}"
            for name, before, after in (
                (f"variance{within}", self.variance_before, self.variance),
                ("slope variance", self.slope_variance_before, self.slope_variance),
                ("inverse-consistent error", self.error_before, self.inverse_consistent_error),
            )
        ]

    def _moves(self) -> list[str]:
        return [
            f"moves by {self.mean_displacement:.1%} of the duration on average, "
            f"mean warp by {self.mean_warp_distance:.1%}",
            f"time runs at {self.least_slope:.2g} times its pace or faster",
        ]


def alignment_quality(aligner: Any, X: SeriesSet, y: Labels) -> AlignmentQuality:
    """Of a fitted aligner on the series X with labels y."""
    labels = class_labels(y)
    series = as_dataset(X, labels)[0].series()
    numbers = np.zeros(len(series), int) if labels is None else np.unique(labels, return_inverse=True)[1]
    groups = [np.flatnonzero(numbers == number) for number in range(numbers.max() + 1)]
    aligned = aligner._aligned(series)
    unwarped = resample(series, aligned.shape[-1])
    back = aligner.inverse_transform(_means(aligned, groups), series)
    still = [
        resample(mean[np.newaxis], own.shape[1])[0]
        for mean, own in zip(_means(unwarped, groups), series, strict=True)
    ]
    grid = np.linspace(0.0, 1.0, max(aligned.shape[-1], 2))
    positions, slopes = _warps(lambda times: aligner.warp_times(series, times), grid)
    roots = root_slopes(series, len(grid))
    return AlignmentQuality(
        cases=len(series),
        classes=len(groups),
        variance_before=_variance(unwarped, groups),
        variance=_variance(aligned, groups),
        slope_variance_before=_variance(roots, groups),
        slope_variance=_variance(_warped_root_slopes(roots, positions, slopes), groups),
        error_before=_error(still, series),
        inverse_consistent_error=_error(back, series),
        least_slope=float(np.diff(positions).min() * (len(grid) - 1)),
        mean_displacement=float(np.abs(positions - grid).max(axis=1).mean()),
        mean_warp_distance=float(np.abs(positions.mean(axis=0) - grid).max()),
    )


def _warps(carry: Callable[[Float64Array], Float64Array], grid: Float64Array) -> tuple[Any, Any]:
    """Where warps read every series at the times of the grid, and their slopes there."""
    left, right = np.maximum(grid - _HALF_STEP, 0.0), np.minimum(grid + _HALF_STEP, 1.0)
    positions, before, after = np.split(carry(np.concatenate([grid, left, right])), 3, axis=1)
    return positions, (after - before) / (right - left)


def _warped_root_slopes(roots: Float64Array, positions: Float64Array, slopes: Float64Array) -> FloatArray:
    """(q ∘ φ) √φ′; 0 beyond the ends of a series, where its value stays."""
    is_inside = (positions >= 0.0) & (positions <= 1.0)
    factors = np.where(is_inside, np.sqrt(np.maximum(slopes, 0.0)), 0.0)
    moved: FloatArray = sample(roots, positions) * factors[:, np.newaxis]
    return moved


def _variance(values: FloatArray, groups: list[NDArray[Any]]) -> float:
    """Within classes, which are weighted by their sizes."""
    return sum(len(group) * within_variance(values[group]) for group in groups) / len(values)


def _means(values: FloatArray, groups: list[NDArray[Any]]) -> FloatArray:
    """For every case the mean of its class; missing where the class has no value."""
    means = np.empty_like(values)
    for group in groups:
        means[group] = euclidean_mean(values[group]).barycenter
    return means


def _share(before: float, after: float) -> str:
    return f" ({after / before:.0%})" if before > 0 else ""


def _error(found: Iterable[FloatArray], series: list[Float64Array]) -> float:
    return float(np.mean([np.nansum((one - own) ** 2) for one, own in zip(found, series, strict=True)]))
