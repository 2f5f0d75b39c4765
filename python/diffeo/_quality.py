"""How well series are aligned: without the truth two numbers, because either alone can be fooled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import Float64Array, real_array, require_shape
from ._dataset import SeriesSet, as_dataset


def within_variance(aligned: SeriesSet) -> float:
    """The variance over the cases at every time step and channel, summed; missing values are left out.

    aligned   (cases, channels, time) or (cases, time)

    In the square of the unit of the values. NaN if no value is present or one is infinite. ValueError for
    invalid series.

    >>> diffeo.within_variance([[1.0, 0.0], [3.0, 0.0]])
    1.0
    """
    return _core.within_variance(as_dataset(aligned, name="aligned")[0])


def inverse_consistent_error(X: SeriesSet, velocities: ArrayLike, mean: ArrayLike) -> float:
    """The mean warped back into the time of every series, by the exact inverse, against that series.

    Squared differences, summed over time and channels, averaged over the cases.

    X            the raw series
    velocities   (cases, cells + 1): of the warps that align them
    mean         (channels, time) or (time,): of the aligned series

    NaN if no value is present or one is infinite.
    ValueError for shapes that do not go together.

    >>> diffeo.inverse_consistent_error([[1.0, 2.0, 3.0]], np.zeros((1, 3)), [1.0, 2.0, 4.0])
    1.0
    """
    dataset, _ = as_dataset(X)
    fields = _fields("velocities", velocities)
    require_shape("velocities", fields, (dataset.cases, fields.shape[1]))
    template = np.array(real_array("mean", mean), dtype=np.float64, order="C", ndmin=2)
    if template.ndim != 2 or template.size == 0:
        raise ValueError(f"mean: expected shape (channels, time) or (time,), got {template.shape}")
    return _core.inverse_consistent_error(dataset, fields, template)


def relative_warp_error(velocities: ArrayLike, true_velocities: ArrayLike) -> float:
    """How far estimated warps are from the true ones, as a fraction of the duration.

    Series i is template ∘ ψ_i with ψ_i the flow of true_velocities[i] (`generate_bumps`), aligned by φ_i, the
    flow of velocities[i]. A warp that all series share cannot be known, so pairs are compared: the mean of
    |φ_i ∘ φ_k⁻¹ - ψ_i⁻¹ ∘ ψ_k| over all pairs and 201 points in time.

    velocities        (cases, cells + 1)
    true_velocities   (cases, cells + 1), of as many cases; the number of cells may be another

    NaN for fewer than two cases, which have no pairs.
    ValueError for shapes that do not go together.

    >>> bumps = diffeo.generate_bumps(10, seed=1, classes=1)
    >>> error = diffeo.relative_warp_error(diffeo.align(bumps.X).velocities, bumps.velocities)
    >>> bool(error < 0.01)
    True
    """
    fields, truth = _fields("velocities", velocities), _fields("true_velocities", true_velocities)
    if len(fields) != len(truth):
        raise ValueError(f"velocities: expected {len(truth)} rows as true_velocities has, got {len(fields)}")
    return _core.relative_warp_error(fields, truth)


@dataclass(frozen=True)
class TrueTimeSpread:
    """What `true_time_spread` gives. Times are fractions of the duration.

    >>> spread = diffeo.true_time_spread([[0, 0.5, 1]] * 2, [[0, 0.3, 1], [0, 0.7, 1]])
    >>> spread.after == spread.before, spread.share
    (True, 1.0)
    """

    before: float  #: mean |C_i - mean C| of the series as they are
    after: float  #: … and as aligned
    percentile_95: float  #: of |C_i - mean C| as aligned
    failures: float  #: share of the cases whose mean |C_i - mean C| exceeds 5 % of the duration

    @property
    def share(self) -> float:
        """after / before: 0 is perfect, 1 is no better than doing nothing."""
        if self.before == 0:
            return 0.0 if self.after == 0 else float("inf")
        return self.after / self.before


def true_time_spread(warps: ArrayLike, true_warps: ArrayLike) -> TrueTimeSpread:
    """How far aligned series are from one common true time.

    Series i is shape_i ∘ W_i (`generate_warped`) and is read along φ_i, so true time is C_i = W_i ∘ φ_i. The
    series are aligned when C_i is the same for all, whatever it is.

    warps        (cases, n): φ_i at n equally spaced points from 0 to 1, by whatever aligned the series
    true_warps   (cases, m): W_i at m equally spaced points

    Between points both are linear. Returns `TrueTimeSpread`. ValueError for shapes that do not go together
    and for non-finite positions.

    >>> made = diffeo.generate_warped("two-peaks", 21, seed=1, height=0.0)
    >>> velocities = diffeo.align(made.X).velocities
    >>> spread = diffeo.true_time_spread(diffeo.flow(velocities, np.linspace(0, 1, 101)), made.warps)
    >>> bool(spread.share < 0.1), spread.failures
    (True, 0.0)
    """
    found, truth = _positions("warps", warps), _positions("true_warps", true_warps)
    if len(found) != len(truth):
        raise ValueError(f"warps: expected {len(truth)} rows as true_warps has, got {len(found)}")
    return TrueTimeSpread(*_core.true_time_spread(found, truth))


def _positions(name: str, positions: ArrayLike) -> Float64Array:
    array = np.array(real_array(name, positions), dtype=np.float64, order="C")
    if array.ndim != 2 or array.shape[0] < 1 or array.shape[1] < 2:
        raise ValueError(f"{name}: expected shape (cases, points) with at least 2 points, got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: expected finite positions")
    return array


def _fields(name: str, velocities: ArrayLike) -> Float64Array:
    fields = np.array(real_array(name, velocities), dtype=np.float64, order="C")
    if fields.ndim != 2:
        raise ValueError(f"{name}: expected shape (cases, cells + 1), got {fields.shape}")
    return fields
