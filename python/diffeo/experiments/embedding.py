"""Put series into a plane so that neighbors stay neighbors: t-SNE of scikit-learn, repeatable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PERPLEXITY = 20.0  # neighbors per point, at most a third of the other points


def tsne(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points of a plane for the rows of a table; the same rows give the same points.

    Parameters
    ----------
    rows : array of shape (n, d)
        At least four, without missing values.

    Returns
    -------
    array of shape (n, 2)
    """
    from sklearn.manifold import TSNE  # type: ignore[import-untyped]

    perplexity = min(_PERPLEXITY, max(1.0, (len(rows) - 1) / 3))
    points: NDArray[np.float64] = TSNE(
        perplexity=perplexity, init="pca", random_state=0, method="exact", max_iter=500
    ).fit_transform(rows)
    return points


Embedding = tuple[Sequence[str], "NDArray[np.float64]", "NDArray[np.float64]"]


def embed(picture: dict[str, Any]) -> Embedding | None:
    """Classes, points before and points after alignment of a picture that `diffeo evaluate` kept.

    Files of older versions hold the points. None if there are fewer than four series, series have gaps, or
    all are equal.
    """
    if "embedding_before" in picture:
        before, after = (np.array(picture[f"embedding_{name}"], dtype=float) for name in ("before", "after"))
        return (picture["embedding_classes"], before, after) if before.size and after.size else None
    series = [picture["before"], picture["after"]]
    if any(
        len(rows) < 4 or not np.isfinite(rows).all() or np.ptp(rows, axis=0).max() == 0 for rows in series
    ):
        return None
    return picture["classes"], tsne(series[0]), tsne(series[1])
