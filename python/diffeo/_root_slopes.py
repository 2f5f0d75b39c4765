"""Square-root slopes in NumPy, by which series are compared whose heights vary.

include/diffeo/slope_scale.hpp explains them; the numbers are those of src/align/root_slopes.cpp and
resolution.cpp.
"""

from __future__ import annotations

import math

import numpy as np

from ._arrays import Float64Array
from ._series import sample

_SMOOTHINGS = (0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08)
_NOISE_SHARE = 0.05  # of the variance of slopes that noise may have
_LEAST_SLOPE = 1e-9  # smaller ones are rounding
_SMOOTH_ROOT = 0.05  # the root is smooth below this share of the root mean square slope
_MEDIAN_SQUARE = 0.4549  # of a standard normal number
_SAMPLES_PER_DEVIATION = 4
_REACH = 3.0  # of the kernel, in deviations
_PRESENT_SHARE = 0.5  # of the kernel's weight that must fall on present values


def root_slopes(series: list[Float64Array], points: int) -> Float64Array:
    """(cases, channels, points): square-root slopes, smoothed as little as the noise of the series allows."""
    noise = np.mean([_noise(one) for one in series])
    for smoothing in _SMOOTHINGS:
        slopes = [_smoothed_slopes(one, smoothing) for one in series]
        size = len(series[0]) * _mean_square(slopes)
        of_noise = noise * np.mean([_noise_of_slopes(one.shape[1], smoothing) for one in series])
        if of_noise < _NOISE_SHARE * size:
            break
    scale = np.sqrt(size) if size > _LEAST_SLOPE**2 else 1.0
    grid = np.linspace(0.0, 1.0, points)
    scaled = np.stack([sample(one[np.newaxis], grid)[0] for one in slopes]) / scale
    squares = np.nansum(scaled**2, axis=1, keepdims=True)
    roots: Float64Array = scaled / (squares + _SMOOTH_ROOT**2) ** 0.25
    return roots


def _mean_square(slopes: list[Float64Array]) -> float:
    squares = np.concatenate([one[~np.isnan(one)] ** 2 for one in slopes])
    return float(squares.mean()) if squares.size > 0 else 0.0


def _noise(values: Float64Array) -> float:
    """The variance of the noise, from second differences."""
    second = values[:, :-2] - 2.0 * values[:, 1:-1] + values[:, 2:]
    squares = np.sort(second[~np.isnan(second)] ** 2)
    return float(squares[squares.size // 2]) / _MEDIAN_SQUARE / 6.0 if squares.size > 0 else 0.0


def _noise_of_slopes(length: int, smoothing: float) -> float:
    """The variance that noise of variance 1 leaves in smoothed slopes."""
    steps = max(length, 2) - 1
    return min(1.0 / steps / (4.0 * math.sqrt(math.pi) * smoothing**3), 0.5 * steps**2)


def _smoothed_slopes(values: Float64Array, smoothing: float) -> Float64Array:
    """(channels, samples): slopes of the series smoothed by a normal kernel, as many as hold them."""
    last = values.shape[1] - 1
    if last == 0:
        return np.zeros_like(values)
    count = min(last, int(np.ceil(_SAMPLES_PER_DEVIATION / smoothing))) + 1
    deviation = smoothing * last
    reach = _REACH * deviation
    centers = np.linspace(0.0, last, count)[:, np.newaxis]
    places = np.ceil(centers - reach) + np.arange(int(2.0 * reach) + 2)
    distances = (places - centers) / deviation
    is_inside = (places >= 0) & (places <= last) & (distances <= _REACH)
    weights = np.where(is_inside, np.exp(-0.5 * distances**2), 0.0)
    near = values[:, np.clip(places, 0, last).astype(int)]
    present = np.where(np.isnan(near), 0.0, weights)
    total = present.sum(axis=-1)
    total[total <= _PRESENT_SHARE * weights.sum(axis=-1)] = np.nan
    smoothed = (present * np.nan_to_num(near)).sum(axis=-1) / total
    slopes: Float64Array = np.gradient(smoothed, axis=1) * (count - 1)
    return slopes
