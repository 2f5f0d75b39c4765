"""More training series: those there are, warped in time at random."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import Float64Array, FloatArray, real_array, real_number, whole_number
from ._dataset import SeriesSet, series_arrays
from ._seeds import seed_of
from ._series import warp
from ._space import WarpSpace

_CELLS = 16
_LENGTH_SCALE = 0.1  # of the prior, as alignment has it
_DISPLACEMENT = 0.05
_MOST_DISPLACEMENT = 0.3
_REFERENCE_DRAWS = 256  # enough for their mean size to be that of all to a few percent
_REFERENCE_SEED = 0


def augment(
    X: SeriesSet,
    *,
    displacement: float | None = None,
    count: SupportsIndex = 1,
    random_state: Any = None,
    velocities: ArrayLike | None = None,
    threads: SupportsIndex | None = None,
) -> FloatArray | list[FloatArray]:
    """The series of X warped in time at random, to train on.

    X              (cases, channels, time), (cases, time), or a list of series of different lengths
    displacement   how far time moves at its farthest, on average over the warps, as a fraction of the
                   duration, 0 to 0.3. None: 0.05, or as far as the warps of `velocities` do
    count          how many of each series
    random_state   a seed, or a RandomState or Generator of NumPy; None draws a seed
    velocities     (warps, cells + 1): warps to imitate, such as `velocities_` of a JointAligner or
                   `velocities` of `diffeo.align`; None draws from the smoothness prior of `diffeo.WarpSpace`
    threads        how many to use; None means all the cores the process may use

    Returns count times the cases, in the form of X: all cases once, then all again, so that their labels are
    `np.tile(y, count)`. Both ends of a series stay in place, unless those of the warps imitated move. Warps
    imitated are combined at random, with the variance and covariance they have. Raises
    ValueError or TypeError for invalid arguments.

    >>> X, y = diffeo.generate_cbf(12, seed=1, length=32)
    >>> diffeo.augment(X, count=3, random_state=1).shape
    (36, 1, 32)
    >>> learned = diffeo.align(X[y == "1"], cells=4).velocities
    >>> diffeo.augment(X[y == "1"], velocities=learned, random_state=1).shape
    (4, 1, 32)
    """
    series, form = series_arrays(X)
    copies = whole_number("count", count, 1)
    size = None if displacement is None else real_number("displacement", displacement)
    if size is not None and not 0.0 <= size <= _MOST_DISPLACEMENT:
        raise ValueError(
            f"displacement: expected a number from 0 to {_MOST_DISPLACEMENT}, got {displacement}"
        )
    seed, number = seed_of(random_state), copies * len(series)
    if velocities is None:
        drawn = _from_prior(number, seed, _DISPLACEMENT if size is None else size)
    else:
        drawn = _like(velocities, number, seed, size)
    fields = drawn.astype(form.precision, copy=False)
    if isinstance(series, list):
        own = [one.astype(form.precision, copy=False) for one in series]
        return [warp(own[i % len(own)], field, threads=threads) for i, field in enumerate(fields)]
    return warp(np.concatenate([series.astype(form.precision, copy=False)] * copies), fields, threads=threads)


def _mean_size(fields: Float64Array) -> float:
    """How far the warps move time, on average; velocities are displacements to first order."""
    return float(np.abs(fields).max(axis=1).mean())


def _from_prior(number: int, seed: int, displacement: float) -> Float64Array:
    space = WarpSpace(_CELLS)
    prior = space.prior(length_scale=_LENGTH_SCALE)
    reference = space.velocities(prior.sample(_REFERENCE_DRAWS, _REFERENCE_SEED))
    size = _mean_size(np.asarray(reference, dtype=np.float64))
    drawn = np.asarray(space.velocities(prior.sample(number, seed)), dtype=np.float64)
    return drawn * (displacement / size)


def _like(velocities: ArrayLike, number: int, seed: int, displacement: float | None) -> Float64Array:
    """Deviations from the mean field, added with random weights: their covariance is that of the fields."""
    given = np.asarray(real_array("velocities", velocities), dtype=np.float64)
    if given.ndim != 2 or len(given) < 2 or given.shape[1] < 2:
        raise ValueError(
            f"velocities: expected shape (warps, cells + 1), two warps or more, got {given.shape}"
        )
    if not np.isfinite(given).all():
        raise ValueError("velocities: expected finite numbers, got others")
    deviations = given - given.mean(axis=0)
    weights = _core.random_normal(number * len(given), seed).reshape(number, len(given))
    drawn: Float64Array = weights @ deviations / np.sqrt(len(given) - 1)
    size = _mean_size(deviations)
    if displacement is None or size == 0.0:
        return drawn
    return drawn * (displacement / size)
