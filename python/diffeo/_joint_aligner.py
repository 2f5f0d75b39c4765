"""An aligner without a network, in scikit-learn's manner."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._align_options import AlignStep, Progress, align_options
from ._arrays import Float64Array, FloatArray, real_array
from ._dataset import Labels, Precision, SeriesSet, as_classes, as_dataset, is_flat
from ._estimator import Estimator, job_count
from ._flow import flow
from ._series import warp


class JointAligner(Estimator):
    """Learns the mean of each class by joint alignment, and aligns new series to the mean they fit best.

    `fit` is `diffeo.align`. A new series has no label: with several classes it is aligned to the mean of
    each, and the warp of the least cost is kept. `transform` never looks at labels, so training and new
    series are treated alike.

    Parameters are those of `diffeo.align`, and n_jobs: the number of threads; None is 1, -1 all cores.

    After fit
        centroids_    means of the aligned series: (channels, length), or one for each class
        classes_      the labels, sorted, in the order of centroids_; None without labels
        velocities_   (cases, cells + 1): the warps of the training series as `align` found them
        history_      the steps of the solver
        converged_    whether all classes converged

    >>> bumps = diffeo.generate_bumps(60, seed=2)
    >>> aligner = diffeo.JointAligner().fit(bumps.X[:30], bumps.y[:30])
    >>> aligned = aligner.transform(bumps.X[30:])
    >>> aligned.shape, aligner.centroids_.shape
    ((30, 1, 128), (3, 1, 128))
    """

    def __init__(
        self,
        *,
        cells: SupportsIndex = 16,
        zero_boundary: bool = True,
        prior_weight: float = 1e-3,
        length_scale: float = 0.1,
        own_time: float = 0.5,
        length: SupportsIndex | None = None,
        max_iterations: SupportsIndex = 100,
        tolerance: float = 1e-5,
        n_jobs: SupportsIndex | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.cells = cells
        self.zero_boundary = zero_boundary
        self.prior_weight = prior_weight
        self.length_scale = length_scale
        self.own_time = own_time
        self.length = length
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: SeriesSet, y: Labels = None) -> JointAligner:
        """Aligns the series X, those of each class by itself where labels y are given."""
        labels = None if y is None else list(y)
        dataset, precision = as_dataset(X, labels)
        aligner = _core.JointAligner(self._options())
        aligner.fit(dataset)
        self._aligner = aligner
        found = aligner.alignment
        means = found.mean.array().astype(precision, copy=False)
        self.classes_: NDArray[Any] | None = None
        if labels is None:
            means = means[0]
        else:
            self.classes_, order = as_classes(labels, found.mean.labels())
            means = means[order]
        self.centroids_: FloatArray = means[..., 0, :] if is_flat(X) else means
        self.velocities_: FloatArray = found.velocities().astype(precision, copy=False)
        self.history_ = [AlignStep(*step) for one in found.classes for step in one.history()]
        self.converged_: bool = all(one.converged for one in found.classes)
        return self

    def transform(self, X: SeriesSet) -> FloatArray:
        """The series in common time: (cases, channels, length); without channels where X has none."""
        dataset, velocities, precision = self._warps_of(X)
        aligned = self._fitted().warped(dataset, velocities).array().astype(precision, copy=False)
        return aligned[:, 0] if is_flat(X) else aligned

    def fit_transform(self, X: SeriesSet, y: Labels = None) -> FloatArray:
        """fit(X, y), then transform(X): the training series as new ones would be treated."""
        return self.fit(X, y).transform(X)

    def inverse_transform(self, Z: ArrayLike, X: SeriesSet) -> FloatArray | list[FloatArray]:
        """Series Z in common time, brought back into the time of each series of X by the exact inverse.

        Z   one series (channels, length) or (length,) for all of X, a mean for example, or one for each
        """
        dataset, velocities, _ = self._warps_of(X)
        items = real_array("Z", Z)
        axes = 1 if is_flat(X) else 2
        if items.ndim == axes:
            items = np.broadcast_to(items, (dataset.cases, *items.shape))
        if items.ndim != axes + 1 or len(items) != dataset.cases:
            raise ValueError(
                f"Z: expected one series or {dataset.cases}, one for each of X, got shape {items.shape}"
            )
        lengths = [series.shape[1] for series in dataset.series()]
        back = [
            warp(item, field.astype(item.dtype, copy=False), length=length, time=-1.0)
            for item, field, length in zip(items, velocities, lengths, strict=True)
        ]
        return np.stack(back) if dataset.equally_long else back

    def warps(self, X: SeriesSet) -> FloatArray:
        """(cases, length): for each series of X, the positions in [0, 1] at which transform reads it."""
        _, velocities, precision = self._warps_of(X)
        length = self._fitted().alignment.mean.array().shape[2]
        grid = np.linspace(0.0, 1.0, length) if length > 1 else np.zeros(1)
        return flow(velocities, grid, threads=self._threads()).astype(precision, copy=False)

    def warp_times(self, X: SeriesSet, times: ArrayLike, inverse: bool = False) -> FloatArray:
        """Times in [0, 1] carried between common time and the time of each series of X, exactly.

        times     (n,) for all series, or (cases, n)
        inverse   False: from common time into each series' own; True: from its own into common time
        """
        _, velocities, _ = self._warps_of(X)
        return flow(velocities, times, time=-1.0 if inverse else 1.0, threads=self._threads())

    def _warps_of(self, X: SeriesSet) -> tuple[_core.Dataset, Float64Array, Precision]:
        dataset, precision = as_dataset(X)
        return dataset, self._fitted().velocities(dataset), precision

    def _fitted(self) -> _core.JointAligner:
        if not hasattr(self, "_aligner"):
            raise ValueError("JointAligner: expected fit before this")
        return self._aligner

    def _threads(self) -> int | None:
        return job_count(self.n_jobs) or None

    def _options(self) -> _core.AlignOptions:
        return align_options(
            self.cells, self.zero_boundary, self.prior_weight, self.length_scale, self.own_time, self.length,
            self.max_iterations, self.tolerance, self._threads(), self.progress,
        )  # fmt: skip
