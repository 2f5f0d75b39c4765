"""Series made ready: normalized, brought to one length, gaps filled."""

from __future__ import annotations

from typing import SupportsIndex

from . import _core
from ._arrays import FloatArray, whole_number
from ._dataset import SeriesSet, as_dataset, series_of


def z_normalize(X: SeriesSet) -> FloatArray | list[FloatArray]:
    """Every channel of every case with mean 0 and standard deviation 1 over the values present.

    X   (cases, channels, time), (cases, time), or a list of series of different lengths; NaN means missing

    Returns series in the form of X: an array, or a list where lengths differ. The deviation is the
    population's (divided by n). A channel of equal values becomes 0; missing values stay missing.

    ValueError for invalid series, such as infinite ones.

    >>> diffeo.z_normalize([[1.0, 3.0, np.nan], [5.0, 5.0, 5.0]])
    array([[-1.,  1., nan],
           [ 0.,  0.,  0.]])
    """
    dataset, form = as_dataset(X)
    return series_of(_core.z_normalize(dataset), form)


def resample(X: SeriesSet, length: SupportsIndex) -> FloatArray:
    """Every series at `length` equally spaced times from its first to its last, by linear interpolation.

    X        (cases, channels, time), (cases, time), or a list of series of different lengths; NaN is missing
    length   at least 1

    Returns (cases, channels, length), or (cases, length) where X has no channels. Next to a missing value is
    a missing value: use `fill_missing` before where that is not wanted.

    ValueError for invalid series and lengths.

    >>> diffeo.resample([[0.0, 2.0, 4.0], [1.0, 0.0, 1.0]], 5)
    array([[0. , 1. , 2. , 3. , 4. ],
           [1. , 0.5, 0. , 0.5, 1. ]])
    """
    dataset, form = as_dataset(X)
    resampled = _core.resample(dataset, whole_number("length", length, 1))
    return form.of_cases(resampled.array())  # type: ignore[no-any-return]


def fill_missing(X: SeriesSet) -> FloatArray | list[FloatArray]:
    """Missing values replaced: by linear interpolation inside, by the nearest value at the ends.

    X   (cases, channels, time), (cases, time), or a list of series of different lengths; NaN means missing

    Returns series in the form of X: an array, or a list where lengths differ. A channel without any value is
    refused.

    ValueError for series that cannot be.

    >>> diffeo.fill_missing([[np.nan, 2.0, np.nan, 4.0]])
    array([[2., 2., 3., 4.]])
    """
    dataset, form = as_dataset(X)
    return series_of(_core.fill_missing(dataset), form)
