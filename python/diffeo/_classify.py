"""Nearest-centroid classification."""

from __future__ import annotations

from numbers import Number
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import Float64Array, FloatArray, real_array, real_number, whole_number
from ._containers import plain
from ._dataset import Labels, SeriesSet, as_dataset, is_missing
from ._estimator import ClassifierMixin, Estimator, clone, config_context, fit_labels, get_tags, job_count
from ._fit_progress import showing_time, verbosity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BARYCENTERS = ("dba", "soft-dtw")  # of DTW
_METHODS = ("euclidean", *_BARYCENTERS)
_DISTANCES = ("euclidean", "dtw")
_KINDS = dict.fromkeys("biufc", "numbers") | dict.fromkeys("UT", "text") | {"S": "bytes"}  # of NumPy's types


class NearestCentroid(ClassifierMixin, Estimator):  # type: ignore[misc]
    """One series per class, its centroid; a new series gets the class of the nearest.

    aligner         how centroids are made: "euclidean", the mean of a class; "dba", its DTW barycenter
                    average; "soft-dtw", its soft-DTW barycenter; or an aligner, anything with fit(X, y) and
                    transform(X): then all series are transformed, and centroids are the means of the
                    transformed ones. An aligner that has comparison(X), as TemporalAligner, is compared by
                    that instead. The aligner given is left as it is, and a copy, `aligner_`, is fitted anew.
                    One that is fitted already is used as it is inside scikit-learn's FrozenEstimator
    distance        "euclidean": the mean squared difference over all samples and channels present in both;
                    "dtw": the squared DTW distance; None: "dtw" for "dba" and "soft-dtw", else "euclidean"
    length          of the centroids; None means that of the longest training series
    max_iterations  of "dba" and "soft-dtw", at most; None means 30 and 50
    tolerance       of "dba" and "soft-dtw": converged when the cost falls by less; None means 1e-5
    gamma           of "soft-dtw": how soft
    radius          Sakoe-Chiba window of every DTW, in samples; None means no limit
    window          the same as a fraction of the length; at most one of the two may be given
    n_jobs          threads: None means 1, -1 all the cores the process may use, -2 all but one
    verbose         None shows the time in a terminal or a notebook if barycenters take more than 2 s; 0 shows
                    nothing. An aligner has its own

    X is (cases, channels, time), (cases, time), a list of series of different lengths, or a frame or tensor
    that holds such. Series are resampled to `length` where they are compared sample by sample. NaN means
    missing and is left out, except by DTW, which refuses it. Ties go to the first class. Nothing here is
    random but what an aligner draws.

    After fit
        classes_     the labels, sorted, in their own type
        centroids_   (classes, channels, length), or (classes, length) where X has no channels
        aligner_     the copy that was fitted, or the frozen one; None where `aligner` is a name

    >>> X, y = diffeo.generate_cbf(60, seed=1)
    >>> classifier = diffeo.NearestCentroid().fit(X[:30], y[:30])
    >>> classifier.centroids_.shape
    (3, 1, 128)
    >>> bool(classifier.score(X[30:], y[30:]) > 0.7)
    True
    """

    def __init__(
        self,
        aligner: Any = "euclidean",
        *,
        distance: str | None = None,
        length: SupportsIndex | None = None,
        max_iterations: SupportsIndex | None = None,
        tolerance: float | None = None,
        gamma: float = 1.0,
        radius: SupportsIndex | None = None,
        window: float | None = None,
        n_jobs: SupportsIndex | None = None,
        verbose: int | None = None,
    ) -> None:
        self.aligner = aligner
        self.distance = distance
        self.length = length
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.gamma = gamma
        self.radius = radius
        self.window = window
        self.n_jobs = n_jobs
        self.verbose = verbose

    classes_: NDArray[Any]
    centroids_: FloatArray
    aligner_: Any

    def fit(self, X: SeriesSet, y: Labels) -> NearestCentroid:
        """Makes the centroids of the series X with labels y.

        X   (cases, channels, time), (cases, time), or a list of series of different lengths
        y   (cases,): a label for each case

        ValueError or TypeError for invalid parameters, series or labels.

        >>> classifier = diffeo.NearestCentroid().fit([[0.0, 1.0], [2.0, 3.0], [8.0, 8.0]], ["a", "a", "b"])
        >>> classifier.centroids_
        array([[1., 2.],
               [8., 8.]])
        """
        core, verbose = self._new_core(), verbosity(self.verbose)
        aligner = None if isinstance(self.aligner, str) else clone(self.aligner, safe=False)
        labels = _labels(y)
        if aligner is not None:
            aligner.fit(X, labels)
        dataset, form = as_dataset(
            X if aligner is None else _transformed(aligner, X), is_known=aligner is not None
        )
        classes, numbers = _classes_of(labels, dataset.cases)
        with showing_time("averaging", verbose if aligner is None else 0):
            core.fit(dataset, numbers, len(classes))
        centroids = form.of(core.centroids().array())
        if aligner is not None and hasattr(aligner, "comparison"):
            core.fit(as_dataset(aligner.comparison(X), is_known=True)[0], numbers, len(classes))
        self._core, self._fitted_with = (
            core,
            (
                self._distance(),
                None if self.radius is None else whole_number("radius", self.radius, 0),
                self.window,
                job_count(self.n_jobs),
            ),
        )
        self.aligner_, self.classes_ = aligner, classes
        self.centroids_ = centroids
        return self

    def predict(self, X: SeriesSet) -> NDArray[Any]:
        """The label of every series, that of the nearest centroid: (cases,), of the type that fit was given.

        X   (cases, channels, time), (cases, time), or a list of series of different lengths

        ValueError before fit, and for series with another number of channels.

        >>> classifier = diffeo.NearestCentroid().fit([[0.0, 1.0], [8.0, 8.0]], [3, 5])
        >>> classifier.predict([[1.0, 1.0], [7.0, 9.0]])
        array([3, 5])
        """
        numbers = self._fitted_core().predict(self._compared(X))
        return self.classes_[numbers]

    def predict_proba(self, X: SeriesSet) -> Float64Array:
        """(cases, classes): exp(-distance² / (2 spread)), made to sum to 1 for every case.

        X   (cases, channels, time), (cases, time), or a list of series of different lengths

        `spread` is the mean squared distance of the training series to the centroids of their own classes.
        A soft version of `predict` that does not depend on the unit of the values, not a calibrated
        probability. Classes come in the order of `classes_`. ValueError before fit, and for series with
        another number of channels.

        >>> classifier = diffeo.NearestCentroid().fit([[0.0], [2.0], [9.0], [11.0]], [3, 3, 5, 5])
        >>> classifier.predict_proba([[5.5], [1.0]]).round(3)
        array([[0.5, 0.5],
               [1. , 0. ]])
        """
        return self._fitted_core().probabilities(self._compared(X))

    def squared_distances(self, X: SeriesSet) -> Float64Array:
        """(cases, classes): how far every series is from every centroid, as `distance` says.

        X   (cases, channels, time), (cases, time), or a list of series of different lengths

        In the square of the unit of the values. ValueError before fit, and for series with another number of
        channels.

        >>> classifier = diffeo.NearestCentroid().fit([[0.0, 0.0], [8.0, 8.0]], [3, 5])
        >>> classifier.squared_distances([[1.0, 3.0]])
        array([[ 5., 37.]])
        """
        return self._fitted_core().squared_distances(self._compared(X))

    def score(self, X: SeriesSet, y: Labels, sample_weight: ArrayLike | None = None) -> float:
        """The fraction of the series whose label is predicted, from 0 to 1.

        X               (cases, channels, time), (cases, time), or a list of series of different lengths
        y               (cases,): the label of each
        sample_weight   (cases,): how much each counts; None, the default, for all the same

        ValueError before fit, where there is not one label or weight for each case, and for text where fit
        was given numbers, or the reverse.

        >>> classifier = diffeo.NearestCentroid().fit([[0.0, 1.0], [8.0, 8.0]], [3, 5])
        >>> classifier.score([[1.0, 1.0], [7.0, 9.0]], [3, 3])
        0.5
        """
        predicted, labels = self.predict(X), _labels(y)
        if labels.shape != predicted.shape:
            raise ValueError(f"y: expected {len(predicted)} labels, one per case, got shape {labels.shape}")
        _require_same_kind(labels, self.classes_)
        if sample_weight is None:
            return float(np.mean(predicted == labels))
        return float(np.average(predicted == labels, weights=_weights(sample_weight, len(predicted))))

    def plot(self, *, channel: int = 0, ax: Axes | None = None) -> Axes:
        """The centroids, on matplotlib, a color for each class.

        channel   the one that is shown, from 0
        ax        where to draw; None, the default, makes a new figure

        Returns the axes. ImportError where matplotlib is missing; ValueError before fit. The axis of time
        goes from 0, the first time step, to 1.

        >>> classifier = diffeo.NearestCentroid().fit([[0.0, 1.0], [8.0, 8.0]], [3, 5])
        >>> classifier.plot().get_title()
        'Centroids'
        """
        from . import plot

        self._require_fitted()
        return plot.centroids(self.centroids_, self.classes_, channel=channel, ax=ax)

    def _new_core(self) -> _core.NearestCentroid:
        is_named = isinstance(self.aligner, str)
        if is_named and self.aligner not in _METHODS:
            raise ValueError(
                f"aligner: expected an aligner or one of {', '.join(_METHODS)}, got {self.aligner!r}"
            )
        has_both = hasattr(self.aligner, "fit") and hasattr(self.aligner, "transform")
        if not is_named and (isinstance(self.aligner, type) or not has_both):
            raise TypeError(f"aligner: expected an object with fit and transform, got {self.aligner!r}")
        if self.distance is not None and self.distance not in _DISTANCES:
            raise ValueError(f"distance: expected one of {', '.join(_DISTANCES)}, got {self.distance!r}")
        return _core.NearestCentroid(
            self.aligner if is_named else "euclidean",
            self._distance(),
            0 if self.length is None else whole_number("length", self.length, 1),
            None if self.max_iterations is None else whole_number("max_iterations", self.max_iterations, 0),
            None if self.tolerance is None else real_number("tolerance", self.tolerance),
            real_number("gamma", self.gamma),
            None if self.radius is None else whole_number("radius", self.radius, 0),
            None if self.window is None else real_number("window", self.window),
            job_count(self.n_jobs),
        )

    def _distance(self) -> str:
        """By default that in which the centroids are averages."""
        if self.distance is not None:
            return self.distance
        return "dtw" if isinstance(self.aligner, str) and self.aligner in _BARYCENTERS else "euclidean"

    def _fitted_core(self) -> _core.NearestCentroid:
        """What fit learnt, on the threads that n_jobs asks for now."""
        self._require_fitted()
        core, threads = self._core, job_count(self.n_jobs)
        distance, radius, window, threads_of_fit = self._fitted_with
        if threads == threads_of_fit:
            return core
        return _core.NearestCentroid.restored(
            core.centroids(), core.spread(), distance, radius, window, threads
        )

    def _compared(self, X: SeriesSet) -> _core.Dataset:
        if self.aligner_ is None:
            return as_dataset(X)[0]
        if hasattr(self.aligner_, "comparison"):
            return as_dataset(self.aligner_.comparison(X), is_known=True)[0]
        return as_dataset(_transformed(self.aligner_, X), is_known=True)[0]

    def _series_at_once(self) -> int:
        """How many series the aligner looks at together; 1 for one that says nothing."""
        return self.aligner_._series_at_once() if hasattr(self.aligner_, "_series_at_once") else 1

    def _state_with_jobs(self, n_jobs: int) -> dict[str, Any]:
        state = super()._state_with_jobs(n_jobs)
        if "_fitted_with" in state:
            state["_fitted_with"] = (*state["_fitted_with"][:-1], job_count(n_jobs))
        if hasattr(state.get("aligner_"), "_with_jobs"):
            state["aligner_"] = state["aligner_"]._with_jobs(n_jobs)
        return state

    def __getstate__(self) -> dict[str, Any]:
        """With what the core learned in its place."""
        state = super().__getstate__()
        core = state.pop("_core", None)
        if core is not None:
            state["_learned"] = core.centroids().array(), core.spread()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        centroids, spread = state.pop("_learned", (None, None))
        self.__dict__.update(state)
        if centroids is not None:
            dataset = _core.Dataset(centroids, [str(number) for number in range(len(centroids))])
            self._core = _core.NearestCentroid.restored(dataset, spread, *self._fitted_with)

    def __sklearn_tags__(self) -> Any:
        """DTW refuses missing values, and so may an aligner."""
        tags = super().__sklearn_tags__()
        aligns = hasattr(self.aligner, "__sklearn_tags__")
        takes_gaps = get_tags(self.aligner).input_tags.allow_nan if aligns else self.aligner == "euclidean"
        tags.input_tags.allow_nan = takes_gaps and self._distance() == "euclidean"
        return tags


def _transformed(aligner: Any, X: SeriesSet) -> Any:
    with config_context(transform_output="default"):
        return aligner.transform(X)


def _weights(sample_weight: ArrayLike, cases: int) -> FloatArray:
    weights = real_array("sample_weight", plain("sample_weight", sample_weight))
    if weights.shape != (cases,):
        raise ValueError(f"sample_weight: expected shape ({cases},), one per case, got {weights.shape}")
    if not (np.isfinite(weights).all() and (weights >= 0.0).all() and weights.sum() > 0.0):
        raise ValueError("sample_weight: expected finite weights of at least 0, not all of them 0")
    return weights


def _labels(y: Labels) -> NDArray[Any]:
    labels = fit_labels(y)
    if labels is None:
        raise ValueError(
            "y: expected a label for every case; NearestCentroid requires y to be passed, but the target y "
            "is None"
        )
    for case, label in enumerate(labels if labels.dtype.kind in "fO" else ()):
        if is_missing(label) or label in (np.inf, -np.inf):
            raise ValueError(f"y: expected a label for every case, got {label} for case {case}")
    return labels


def _require_same_kind(labels: NDArray[Any], classes: NDArray[Any]) -> None:
    """ValueError for text among numbers, or the reverse: none would be equal, and a score of 0 hides why."""
    known, given = _kinds(classes), _kinds(labels)
    if known and not given <= known:
        raise ValueError(
            f"y: expected {' and '.join(sorted(known))} as labels, as fit was given, got "
            f"{' and '.join(sorted(given))}"
        )


def _kinds(labels: NDArray[Any]) -> set[str]:
    """Which of text, bytes and numbers there are among labels."""
    if labels.dtype != object:
        return {_KINDS[labels.dtype.kind]} if labels.dtype.kind in _KINDS else set()
    types: dict[str, Any] = {"text": str, "bytes": bytes, "numbers": (Number, np.bool_)}
    return {name for name, kind in types.items() if any(isinstance(label, kind) for label in labels)}


def _classes_of(labels: NDArray[Any], cases: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The different labels in ascending order, and the number of each case's."""
    if labels.shape != (cases,):
        raise ValueError(f"y: expected {cases} labels, one per case, got shape {labels.shape}")
    classes, numbers = np.unique(labels, return_inverse=True)
    return classes, numbers.astype(np.int64)
