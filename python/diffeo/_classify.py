"""Nearest-centroid classification."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import Float64Array, FloatArray, real_number, whole_number
from ._dataset import SeriesSet, as_dataset, is_flat
from ._estimator import Estimator, job_count, unfitted_copy

_METHODS = ("euclidean", "dba", "soft-dtw")
_DISTANCES = ("euclidean", "dtw")


class NearestCentroid(Estimator):
    """One series per class, its centroid; a new series gets the class of the nearest.

    aligner      how centroids are made: "euclidean", the mean of a class; "dba", its DTW barycenter average;
                 "soft-dtw", its soft-DTW barycenter; or an aligner, anything with fit(X, y) and transform(X):
                 then all series are transformed, and centroids are the means of the transformed ones. The
                 aligner given is left as it is; `aligner_` is the copy that was fitted
    distance     "euclidean": the mean squared difference over all samples and channels present in both; or
                 "dtw": the squared DTW distance, the better choice for "dba" and "soft-dtw"
    length       of the centroids; None means that of the longest training series
    iterations   of "dba" and "soft-dtw", at most; None means 30 and 50
    tolerance    of "dba" and "soft-dtw": converged when the cost falls by less; None means 1e-5
    gamma        of "soft-dtw": how soft
    radius       Sakoe-Chiba window of every DTW, in samples; None means no limit
    window       the same as a fraction of the length; at most one of the two may be given
    n_jobs       threads: None means 1, -1 all the cores the process may use

    X is (cases, channels, time), (cases, time), or a list of series of different lengths, which are resampled
    to `length` where they are compared sample by sample. NaN means missing and is left out, except by DTW,
    which refuses it. Ties go to the first class.

    After fit: `classes_`, the labels in ascending order; `centroids_` (classes, channels, length), or
    (classes, length) where X has no channels.

    >>> X, y = diffeo.generate_cbf(60, seed=1)
    >>> classifier = diffeo.NearestCentroid().fit(X[:30], y[:30])
    >>> classifier.centroids_.shape
    (3, 1, 128)
    >>> bool(classifier.score(X[30:], y[30:]) > 0.7)
    True
    """

    _estimator_type = "classifier"

    def __init__(
        self,
        aligner: Any = "euclidean",
        *,
        distance: str = "euclidean",
        length: SupportsIndex | None = None,
        iterations: SupportsIndex | None = None,
        tolerance: float | None = None,
        gamma: float = 1.0,
        radius: SupportsIndex | None = None,
        window: float | None = None,
        n_jobs: SupportsIndex | None = None,
    ) -> None:
        self.aligner = aligner
        self.distance = distance
        self.length = length
        self.iterations = iterations
        self.tolerance = tolerance
        self.gamma = gamma
        self.radius = radius
        self.window = window
        self.n_jobs = n_jobs

    classes_: NDArray[Any]
    centroids_: FloatArray
    aligner_: Any

    def fit(self, X: SeriesSet, y: ArrayLike) -> NearestCentroid:
        """Makes the centroids of the series X (cases, channels, time) with labels y (cases,)."""
        core = self._new_core()
        aligner = None if isinstance(self.aligner, str) else unfitted_copy(self.aligner)
        labels = np.asarray(y)
        series = X if aligner is None else aligner.fit(X, labels).transform(X)
        dataset, precision = as_dataset(series)
        classes, numbers = _classes_of(labels, dataset.cases)
        core.fit(dataset, numbers, len(classes))
        self.aligner_, self.classes_, self._core = aligner, classes, core
        centroids = core.centroids().array().astype(precision, copy=False)
        self.centroids_ = centroids[:, 0] if is_flat(series) else centroids
        return self

    def predict(self, X: SeriesSet) -> NDArray[Any]:
        """The label (cases,) of every series of X (cases, channels, time), of the type that fit was given."""
        numbers = self._fitted_core().predict(self._aligned(X))
        return self.classes_[numbers]

    def predict_proba(self, X: SeriesSet) -> Float64Array:
        """(cases, classes): exp(-distance² / (2 spread)), made to sum to 1 for every case.

        `spread` is the mean squared distance of the training series to the centroids of their own classes.
        A soft version of `predict` that does not depend on the unit of the values, not a calibrated
        probability.
        """
        return self._fitted_core().probabilities(self._aligned(X))

    def squared_distances(self, X: SeriesSet) -> Float64Array:
        """(cases, classes): how far every series of X (cases, channels, time) is from every centroid."""
        return self._fitted_core().squared_distances(self._aligned(X))

    def score(self, X: SeriesSet, y: ArrayLike) -> float:
        """The fraction of the series X (cases, channels, time) whose label y (cases,) is predicted."""
        labels = np.asarray(y)
        predicted = self.predict(X)
        if labels.shape != predicted.shape:
            raise ValueError(f"y: expected {len(predicted)} labels, one per case, got shape {labels.shape}")
        return float(np.mean(predicted == labels))

    def _new_core(self) -> _core.NearestCentroid:
        is_named = isinstance(self.aligner, str)
        if is_named and self.aligner not in _METHODS:
            raise ValueError(
                f"aligner: expected an aligner or one of {', '.join(_METHODS)}, got {self.aligner!r}"
            )
        if not is_named and not (hasattr(self.aligner, "fit") and hasattr(self.aligner, "transform")):
            raise TypeError(f"aligner: expected an object with fit and transform, got {self.aligner!r}")
        if self.distance not in _DISTANCES:
            raise ValueError(f"distance: expected one of {', '.join(_DISTANCES)}, got {self.distance!r}")
        return _core.NearestCentroid(
            self.aligner if is_named else "euclidean",
            self.distance,
            0 if self.length is None else whole_number("length", self.length, 1),
            None if self.iterations is None else whole_number("iterations", self.iterations, 0),
            None if self.tolerance is None else real_number("tolerance", self.tolerance),
            real_number("gamma", self.gamma),
            None if self.radius is None else whole_number("radius", self.radius, 0),
            None if self.window is None else real_number("window", self.window),
            job_count(self.n_jobs),
        )

    def _fitted_core(self) -> _core.NearestCentroid:
        if not hasattr(self, "_core"):
            raise ValueError("NearestCentroid: expected a call of fit before any other, got none")
        return self._core

    def _aligned(self, X: SeriesSet) -> _core.Dataset:
        self._fitted_core()
        return as_dataset(X if self.aligner_ is None else self.aligner_.transform(X))[0]

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks for before it cross-validates; only ever called by it."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags  # type: ignore[import-untyped]

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(two_d_array=True, three_d_array=True, allow_nan=True),
        )


def _classes_of(labels: NDArray[Any], cases: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The different labels in ascending order, and the number of each case's."""
    if labels.shape != (cases,):
        raise ValueError(f"y: expected {cases} labels, one per case, got shape {labels.shape}")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise ValueError(f"y: expected a label for every case, got NaN for case {np.isnan(labels).argmax()}")
    classes, numbers = np.unique(labels, return_inverse=True)
    return classes, numbers.astype(np.int64)
