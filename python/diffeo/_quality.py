"""How well series are aligned: two numbers, because either alone can be fooled."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import real_array, require_shape
from ._dataset import SeriesSet, as_dataset


def within_variance(aligned: SeriesSet) -> float:
    """The variance over the cases at every time step and channel, summed; missing values are left out.

    aligned   (cases, channels, time) or (cases, time)

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

    >>> diffeo.inverse_consistent_error([[1.0, 2.0, 3.0]], np.zeros((1, 3)), [1.0, 2.0, 4.0])
    1.0
    """
    dataset, _ = as_dataset(X)
    fields = np.array(real_array("velocities", velocities), dtype=np.float64, order="C")
    if fields.ndim != 2:
        raise ValueError(f"velocities: expected shape (cases, cells + 1), got {fields.shape}")
    require_shape("velocities", fields, (dataset.cases, fields.shape[1]))
    template = np.array(real_array("mean", mean), dtype=np.float64, order="C", ndmin=2)
    if template.ndim != 2 or template.size == 0:
        raise ValueError(f"mean: expected shape (channels, time) or (time,), got {template.shape}")
    return _core.inverse_consistent_error(dataset, fields, template)
