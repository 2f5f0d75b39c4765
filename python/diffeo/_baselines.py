"""Dynamic time warping, soft and hard, and the averages made with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import (
    Float64Array,
    FloatArray,
    in_core_form,
    precision_of,
    real_array,
    real_number,
    thread_count,
    whole_number,
)
from ._dataset import Form, SeriesSet, as_dataset

_DOUBLE = np.dtype(np.float64)
_LARGEST_SEED = 2**64 - 1


class SoftDtwGradient(NamedTuple):
    """What `soft_dtw_gradient` gives.

    >>> diffeo.soft_dtw_gradient([1.0, 2.0], [1.0, 2.0], gamma=1e-3).gradient.round(6)
    array([0., 0.])
    """

    value: float
    gradient: FloatArray  #: by the first series, in its shape


@dataclass(frozen=True)
class Barycenter:
    """What `euclidean_mean`, `dba` and `soft_dtw_barycenter` give.

    >>> found = diffeo.euclidean_mean([[0.0, 2.0], [2.0, 6.0]])
    >>> found.barycenter, found.cost, found.converged
    (array([1., 4.]), 5.0, True)
    """

    barycenter: FloatArray  #: (channels, length), or (length,) where X had no channels
    history: Float64Array  #: the cost of the start, then that after every iteration
    iterations: int  #: that were made
    converged: bool  #: False: iterations ran out, or no better series was found

    @property
    def cost(self) -> float:
        """The cost of the barycenter."""
        return float(self.history[-1])


def dtw(
    a: ArrayLike, b: ArrayLike, *, radius: SupportsIndex | None = None, window: float | None = None
) -> float:
    """The dynamic time warping distance: the root of the squared differences summed along the best path.

    a, b     (time,) or (channels, time): as many channels, lengths may differ; the path is one for all
             channels. Missing values are refused
    radius   of the Sakoe–Chiba window in samples: with n and m samples a path stays within
             −radius − max(0, n − m) ≤ j − i ≤ radius + max(0, m − n). 0 is the Euclidean distance of series
             of equal length
    window   the radius as a fraction of the shorter length, rounded down; by default there is no window

    The same window elsewhere: `sakoe_chiba_radius=radius` (tslearn), `window=radius + 1` (dtaidistance);
    aeon's `window` is this one for equal lengths, and its distance is the square of this one.

    ValueError for missing values, other numbers of channels, and both limits at once.

    >>> diffeo.dtw([0.0, 1.0, 1.0, 5.0], [0.0, 1.0, 5.0, 5.0])
    0.0
    >>> diffeo.dtw([0.0, 1.0, 1.0, 5.0], [0.0, 1.0, 5.0, 5.0], radius=0)
    4.0
    """
    first, second = _pair(a, b)
    return _core.dtw(first, second, *_window(radius, window))


def dtw_path(
    a: ArrayLike, b: ArrayLike, *, radius: SupportsIndex | None = None, window: float | None = None
) -> tuple[NDArray[np.int64], float]:
    """The best path and its distance.

    a, b            (time,) or (channels, time)
    radius, window  as those of `dtw`

    Returns the path as (steps, 2) indices into a and b, from (0, 0) to the last of both, and `dtw(a, b)`.
    Among equally good paths, going back from the end, steps along both are preferred, then steps along a.

    ValueError as `dtw`.

    >>> path, distance = diffeo.dtw_path([0.0, 1.0, 1.0, 5.0], [0.0, 1.0, 5.0])
    >>> path.tolist()
    [[0, 0], [1, 1], [2, 1], [3, 2]]
    >>> distance
    0.0
    """
    first, second = _pair(a, b)
    return _core.dtw_path(first, second, *_window(radius, window))


def dtw_matrix(
    X: SeriesSet,
    Y: SeriesSet | None = None,
    *,
    radius: SupportsIndex | None = None,
    window: float | None = None,
    threads: SupportsIndex | None = None,
) -> Float64Array:
    """The distances between all pairs of series.

    X, Y            (cases, channels, time), (cases, time), or a list of series of different lengths
    radius, window  as those of `dtw`
    threads         how many to use; None means all the cores the process may use

    Returns (cases of X, cases of Y), or where Y is None the symmetric matrix of X with itself.

    ValueError as `dtw`.

    >>> diffeo.dtw_matrix([[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 3.0, 3.0]])
    array([[0.        , 0.        , 2.82842712],
           [0.        , 0.        , 2.82842712],
           [2.82842712, 2.82842712, 0.        ]])
    >>> diffeo.dtw_matrix([[0.0, 0.0, 1.0]], [[0.0, 1.0], [0.0, 4.0]])
    array([[0., 3.]])
    """
    rows, _ = as_dataset(X)
    columns = None if Y is None else as_dataset(Y, name="Y")[0]
    return _core.dtw_matrix(rows, columns, *_window(radius, window), thread_count(threads))


def soft_dtw(a: ArrayLike, b: ArrayLike, gamma: float = 1.0) -> float:
    """Soft-DTW: −γ log Σ exp(−cost / γ) over all paths, their costs summed squares without a root.

    a, b    (time,) or (channels, time): as many channels, lengths may differ
    gamma   positive: the smaller, the closer to the square of `dtw`, from below

    In the square of the unit of the values. ValueError for missing values, other numbers of channels, and a
    gamma that is not positive.

    >>> value = diffeo.soft_dtw([1.0, 2.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0], gamma=1.0)
    >>> round(value, 4)
    -0.8954
    >>> value = diffeo.soft_dtw([1.0, 2.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0], gamma=1e-3)
    >>> round(value, 4)
    1.0
    """
    first, second = _pair(a, b)
    return _core.soft_dtw(first, second, real_number("gamma", gamma))


def soft_dtw_gradient(a: ArrayLike, b: ArrayLike, gamma: float = 1.0) -> SoftDtwGradient:
    """Soft-DTW and its gradient by the first series.

    a, b    (time,) or (channels, time)
    gamma   that of `soft_dtw`

    Returns `SoftDtwGradient` with the fields value and gradient, in the shape of a.

    ValueError as `soft_dtw`.

    >>> value, gradient = diffeo.soft_dtw_gradient([1.0, 2.0, 3.0], [3.0, 4.0, -3.0], gamma=1.0)
    >>> gradient.round(4)
    array([-4.0001, -2.2852, 10.1643])
    """
    first, second = _pair(a, b)
    value, gradient = _core.soft_dtw_gradient(first, second, real_number("gamma", gamma))
    given = real_array("a", a)
    return SoftDtwGradient(value, gradient.reshape(given.shape).astype(precision_of(given), copy=False))


def euclidean_mean(X: SeriesSet, *, length: SupportsIndex | None = None) -> Barycenter:
    """The mean sample by sample, missing values left out.

    X        (cases, channels, time), (cases, time), or a list of series of different lengths; NaN is missing
    length   of the mean, by default that of the longest case; cases of other lengths are first resampled
             to it, linearly between equally spaced samples

    Returns `Barycenter`; its cost is the mean over the cases of the summed squared differences to the mean.

    ValueError for invalid series.

    >>> diffeo.euclidean_mean([[0.0, 2.0, np.nan], [2.0, 6.0, 1.0]]).barycenter
    array([1., 4., 1.])
    """
    dataset, form = as_dataset(X)
    return _barycenter(_core.euclidean_mean(dataset, _length(length)), form)


def dba(
    X: SeriesSet,
    *,
    init: str | ArrayLike = "mean",
    length: SupportsIndex | None = None,
    max_iterations: SupportsIndex = 30,
    tolerance: float = 1e-5,
    radius: SupportsIndex | None = None,
    window: float | None = None,
    seed: SupportsIndex = 0,
    threads: SupportsIndex | None = None,
) -> Barycenter:
    """DTW barycenter averaging: the series with the least mean squared `dtw` to the cases, by alternation.

    X                (cases, channels, time), (cases, time), or a list of series of different lengths;
                     missing values are refused
    init             where to start: "mean" (the Euclidean mean), "medoid" (the case with the least summed
                     squared distance to the others), "random" (a case drawn with `seed`), or a series
    length           of the barycenter, by default that of `init` if it is a series, else of the longest case
    max_iterations   how many at most
    tolerance        done when an iteration lowers the cost by less than this
    radius, window   as those of `dtw`
    threads          how many to use; None means all the cores; results do not depend on it

    Returns `Barycenter`; its cost is the mean over the cases of the squared distance. From the same start
    and after as many iterations equal to tslearn's `dtw_barycenter_averaging`.

    ValueError for missing values and arguments out of range.

    >>> diffeo.dba([[0.0, 0.0, 1.0, 5.0], [0.0, 1.0, 1.0, 7.0]], init="medoid").barycenter
    array([0., 0., 1., 6.])
    """
    dataset, form = as_dataset(X)
    start, initial = (init, None) if isinstance(init, str) else ("mean", _one_series("init", init))
    found = _core.dba(
        dataset,
        whole_number("max_iterations", max_iterations, 0),
        real_number("tolerance", tolerance),
        _length(length),
        start,
        whole_number("seed", seed, 0, _LARGEST_SEED),
        *_window(radius, window),
        initial,
        thread_count(threads),
    )
    return _barycenter(found, form)


def soft_dtw_barycenter(
    X: SeriesSet,
    *,
    gamma: float = 1.0,
    init: str | ArrayLike = "mean",
    length: SupportsIndex | None = None,
    max_iterations: SupportsIndex = 50,
    tolerance: float = 1e-5,
    threads: SupportsIndex | None = None,
) -> Barycenter:
    """The series with the least summed `soft_dtw` to the cases, found by L-BFGS with the exact gradient.

    X                (cases, channels, time), (cases, time), or a list of series of different lengths;
                     missing values are refused
    gamma            that of `soft_dtw`
    init             where to start: "mean" (the Euclidean mean) or a series
    length           of the barycenter, by default that of `init` if it is a series, else of the longest case
    max_iterations   how many at most
    tolerance        done when an iteration lowers the cost by no more than this fraction, or no entry of the
                     gradient is larger: as `tol` of tslearn's `softdtw_barycenter`
    threads          how many to use; None means all the cores; results do not depend on it

    Returns `Barycenter`; its cost is the sum over the cases of soft_dtw(barycenter, case, gamma).

    ValueError for missing values and arguments out of range.

    >>> found = diffeo.soft_dtw_barycenter([[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 4.0, 5.0]], gamma=0.01)
    >>> found.barycenter.round(1)
    array([1. , 2. , 3.5, 4.5])
    >>> found.converged
    True
    """
    dataset, form = as_dataset(X)
    if isinstance(init, str) and init != "mean":
        raise ValueError(f"init: expected 'mean' or a series, got {init!r}")
    found = _core.soft_dtw_barycenter(
        dataset,
        real_number("gamma", gamma),
        whole_number("max_iterations", max_iterations, 0),
        real_number("tolerance", tolerance),
        _length(length),
        None if isinstance(init, str) else _one_series("init", init),
        thread_count(threads),
    )
    return _barycenter(found, form)


def _one_series(name: str, value: ArrayLike) -> Float64Array:
    """(channels, time) in double precision."""
    array = real_array(name, value)
    if array.ndim not in (1, 2) or array.size == 0:
        raise ValueError(f"{name}: expected shape (time,) or (channels, time), got {array.shape}")
    return in_core_form(np.atleast_2d(array), _DOUBLE)  # type: ignore[return-value]


def _pair(a: ArrayLike, b: ArrayLike) -> tuple[Float64Array, Float64Array]:
    first, second = _one_series("a", a), _one_series("b", b)
    if len(first) != len(second):
        raise ValueError(f"b: expected {len(first)} channels as a has, got {len(second)}")
    for name, series in (("a", first), ("b", second)):
        if np.isnan(series).any():
            raise ValueError(f"{name}: expected no missing values, got NaN; use diffeo.fill_missing first")
    return first, second


def _window(radius: SupportsIndex | None, window: float | None) -> tuple[int | None, float | None]:
    if radius is not None and window is not None:
        raise ValueError(f"window: expected radius or window, got both, radius={radius} and window={window}")
    return (
        None if radius is None else whole_number("radius", radius, 0),
        None if window is None else real_number("window", window),
    )


def _length(length: SupportsIndex | None) -> int:
    """As the core counts: 0 for the default."""
    return 0 if length is None else whole_number("length", length, 1)


def _barycenter(found: tuple[Float64Array, Float64Array, int, bool], form: Form) -> Barycenter:
    values, history, iterations, converged = found
    return Barycenter(form.of(values), history, iterations, converged)
