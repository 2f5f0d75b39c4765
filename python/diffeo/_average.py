"""One series that stands for many."""

from __future__ import annotations

from typing import Any

from ._align import align
from ._arrays import FloatArray
from ._baselines import dba, euclidean_mean, soft_dtw_barycenter
from ._dataset import SeriesSet

_METHODS = ("warp", "euclidean", "dba", "soft-dtw")


def average(X: SeriesSet, method: str = "warp", **options: Any) -> FloatArray:
    """The average of a set of series.

    X         (cases, channels, time), (cases, time), or a list of series of different lengths
    method    "warp"        the mean of the series aligned to each other: the `mean` of `diffeo.align`
              "euclidean"   the mean sample by sample: `diffeo.euclidean_mean`
              "dba"         DTW barycenter averaging: `diffeo.dba`
              "soft-dtw"    the soft-DTW barycenter: `diffeo.soft_dtw_barycenter`
    options   those of the function named; call it instead to know cost and convergence too

    Returns (channels, length), or (length,) where X had no channels.

    ValueError for a method that there is not, and as the function named.

    >>> time = np.linspace(0, 1, 100)
    >>> X = np.array([np.exp(-((time - center) ** 2) / 0.002) for center in (0.4, 0.5, 0.6)])
    >>> [round(float(diffeo.average(X, method).max()), 1) for method in ("warp", "dba", "euclidean")]
    [1.0, 0.9, 0.3]
    >>> diffeo.average(X, "dba", window=0.05).shape
    (100,)
    """
    if method == "warp":
        return align(X, **options).mean
    if method == "euclidean":
        return euclidean_mean(X, **options).barycenter
    if method == "dba":
        return dba(X, **options).barycenter
    if method == "soft-dtw":
        return soft_dtw_barycenter(X, **options).barycenter
    raise ValueError(f"method: expected one of {', '.join(_METHODS)}, got {method!r}")
