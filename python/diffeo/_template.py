"""Fixed templates, as people give them and as the core takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import real_array
from ._containers import plain
from ._dataset import Form, as_labels


def as_templates(template: ArrayLike | None, form: Form, labels: NDArray[Any] | None) -> _core.Dataset | None:
    """One template for all series of that form, or one for each class of the labels in sorted order."""
    if template is None:
        return None
    array = np.asarray(real_array("template", plain("template", template)), dtype=np.float64)
    axes = 1 if form.flat else 2  # of one template
    shape = "time" if form.flat else "channels, time"
    if array.ndim not in (axes, axes + 1) or array.size == 0:
        raise ValueError(
            f"template: expected shape ({shape}{',' if form.flat else ''}) as one series of X has, or "
            f"(classes, {shape}), got {array.shape}"
        )
    block = np.atleast_2d(array)[:, np.newaxis] if form.flat else array.reshape(-1, *array.shape[-2:])
    if array.ndim == axes:
        return _core.Dataset(np.ascontiguousarray(block), None)
    if labels is None:
        raise ValueError(f"template: expected one where there are no labels y, got shape {array.shape}")
    classes = np.unique(labels)
    if len(block) != len(classes):
        raise ValueError(f"template: expected one for each of {len(classes)} classes, got {len(block)}")
    return _core.Dataset(np.ascontiguousarray(block), as_labels(classes, len(classes)))
