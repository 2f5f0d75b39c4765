"""What is sent to workers: a fitted model, reduced to the one function that they call."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, NamedTuple, SupportsIndex, TypeAlias

import cloudpickle  # type: ignore[import-untyped]  # as Dask: it pickles classes of a notebook, too
import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._aligner import WarpingAligner
from .._classify import NearestCentroid
from .._dataset import SeriesSet, as_classes, as_dataset
from .._estimator import job_count
from .._files import PathLike
from .._temporal_aligner import TemporalAligner

Work: TypeAlias = Callable[[SeriesSet], NDArray[Any]]


class Sent:
    """Work on its way: bytes, which every worker makes into a model when the first part comes.

    What cannot be unpickled, because torch is missing somewhere, is then the error of a task. Between workers
    it would be an error that Dask tries to get over, for ever.
    """

    _content: bytes
    _work: Work | None
    _lock: threading.Lock  # the threads of a worker share it

    def __init__(self, work: Work) -> None:
        self.__setstate__(cloudpickle.dumps(work))

    def work(self) -> Work:
        with self._lock:
            made: Work = self._work or cloudpickle.loads(self._content)
            self._work = made
            return made

    def __getstate__(self) -> bytes:
        return self._content

    def __setstate__(self, content: bytes) -> None:
        self._content, self._work, self._lock = content, None, threading.Lock()


class Model(NamedTuple):
    sent: Sent  #: what a worker does with series
    at_once: int  #: series that have to stay together, so that parts give the bits of the whole


def transforming(model: WarpingAligner | PathLike, n_jobs: SupportsIndex | None) -> tuple[Model, int]:
    """What aligns series on that many threads, and the length of what comes out."""
    aligner = _loaded(model)
    if not isinstance(aligner, WarpingAligner):
        raise TypeError(
            f"model: expected a TemporalAligner, a JointAligner or the path of a model, got {model!r}"
        )
    aligner._require_fitted()
    length = aligner.centroids_.shape[-1]
    sent = Sent(aligner._with_jobs(_threads(n_jobs)).transform)
    return Model(sent, aligner._series_at_once()), length


def classifying(
    model: NearestCentroid | TemporalAligner | PathLike, n_jobs: SupportsIndex | None
) -> tuple[Model, np.dtype[Any]]:
    """What predicts labels on that many threads, and the type of the labels."""
    found = _loaded(model)
    if not isinstance(found, NearestCentroid | TemporalAligner):
        raise TypeError(
            f"model: expected a NearestCentroid, a TemporalAligner or the path of a model, got {model!r}"
        )
    found._require_fitted()
    if found.classes_ is None:
        raise ValueError("model: expected one that was fitted with labels, got one without")
    copied = found._with_jobs(_threads(n_jobs))
    classifier = copied if isinstance(copied, NearestCentroid) else NearestOf(copied)
    return Model(Sent(classifier.predict), found._series_at_once()), found.classes_.dtype


class NearestOf:
    """Classes by the centroids that an aligner has learnt: what `diffeo classify` does with a model."""

    def __init__(self, aligner: TemporalAligner) -> None:
        assert aligner.classes_ is not None
        names = aligner._aligner.comparison_centroids.labels()
        classes, places = as_classes(aligner.classes_, names)
        self._aligner = aligner
        self._labels = classes[np.argsort(places)]  # in the order of the centroids

    def predict(self, X: SeriesSet) -> NDArray[Any]:
        learnt = self._aligner._aligner.comparison_centroids
        threads = job_count(self._aligner.n_jobs)
        core = _core.NearestCentroid.restored(learnt, None, "euclidean", None, None, threads)
        return self._labels[core.predict(as_dataset(self._aligner.comparison(X), is_known=True)[0])]


def _loaded(model: Any) -> Any:
    return TemporalAligner.load(model) if isinstance(model, str | os.PathLike) else model


def _threads(n_jobs: SupportsIndex | None) -> int:
    """As estimators count them; what cannot be is refused here, and not by a worker."""
    return 1 if n_jobs is None else (job_count(n_jobs) or -1)
