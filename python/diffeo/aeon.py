"""Estimators of aeon made of those of diffeo, for aeon's own pipelines, ensembles and searches.

>>> from aeon.pipeline import make_pipeline
>>> from aeon.transformations.collection import Normalizer
>>> X, y = diffeo.generate_cbf(30, seed=1, length=60)
>>> aligner = diffeo.JointAligner(cells=4, max_iterations=5)
>>> pipeline = make_pipeline(Normalizer(), diffeo.aeon.Aligner(aligner), diffeo.aeon.Classifier())
>>> bool(pipeline.fit(X[:20], y[:20]).score(X[20:], y[20:]) > 0.5)
True

diffeo's estimators are scikit-learn's and work beside aeon's as they are. But aeon asks only estimators of
its own base classes whether they take several channels, different lengths and missing values. Parameters of
the estimator inside are set as `aligner__cells` or `classifier__distance`.

Needs aeon: `pip install "diffeo[aeon]"`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import NDArray

from ._arrays import Float64Array, FloatArray
from ._classify import NearestCentroid
from ._dataset import Labels, SeriesSet
from ._estimator import Estimator, clone, get_tags
from ._joint_aligner import JointAligner

try:
    from aeon.classification import BaseClassifier  # type: ignore[import-untyped]
    from aeon.transformations.collection import BaseCollectionTransformer  # type: ignore[import-untyped]
except ImportError as error:
    raise ImportError(f'diffeo.aeon needs aeon: pip install "diffeo[aeon]" ({error})') from error

__all__ = ["Aligner", "Classifier"]

_TAGS = {
    "X_inner_type": ["np-list", "numpy3D"],
    "capability:missing_values": True,
    "capability:multivariate": True,
    "capability:unequal_length": True,
}


class Aligner(BaseCollectionTransformer):  # type: ignore[misc]
    """A transformer of aeon that brings series into common time.

    aligner   a `diffeo.JointAligner` or `diffeo.TemporalAligner`; None, the default, is `JointAligner()`

    After fit `aligner_` is the copy that was fitted, with its centroids, warps and pictures.

    >>> bumps = diffeo.generate_bumps(12, seed=2, classes=2, length=32)
    >>> aligner = diffeo.aeon.Aligner(diffeo.JointAligner(cells=4))
    >>> aligner.fit_transform(bumps.X, bumps.y).shape
    (12, 1, 32)
    >>> aligner.aligner_.centroids_.shape
    (2, 1, 32)
    """

    _tags: ClassVar[dict[str, Any]] = {
        **_TAGS,
        "output_data_type": "Collection",
        "removes_unequal_length": True,
    }
    aligner_: Any

    def __init__(self, aligner: Any = None) -> None:
        self.aligner = aligner
        super().__init__()

    def _fit(self, X: SeriesSet, y: Labels = None) -> Aligner:
        self.aligner_ = _unfitted(self.aligner, JointAligner).fit(X, y)
        return self

    def _transform(self, X: SeriesSet, y: Labels = None) -> FloatArray:
        aligned: FloatArray = self.aligner_.transform(X)
        return aligned

    @classmethod
    def _get_test_params(cls, parameter_set: str = "default") -> dict[str, Any]:
        return {"aligner": JointAligner(cells=4, max_iterations=10)}


class Classifier(BaseClassifier):  # type: ignore[misc]
    """A classifier of aeon: nearest centroids.

    classifier   a `diffeo.NearestCentroid`; None, the default, is `NearestCentroid()`

    After fit `classifier_` is the copy that was fitted.

    >>> from aeon.classification.compose import ClassifierEnsemble
    >>> X, y = diffeo.generate_cbf(30, seed=1, length=60)
    >>> members = [diffeo.aeon.Classifier(diffeo.NearestCentroid(name)) for name in ("euclidean", "dba")]
    >>> ensemble = ClassifierEnsemble(members, weights=4.0, random_state=1)  # by what they predict of X
    >>> ensemble.fit(X, y).predict(X).shape
    (30,)
    """

    _tags: ClassVar[dict[str, Any]] = {**_TAGS, "algorithm_type": "distance"}
    classifier_: NearestCentroid

    def __init__(self, classifier: NearestCentroid | None = None) -> None:
        self.classifier = classifier
        super().__init__()
        takes_gaps = classifier is None or get_tags(classifier).input_tags.allow_nan
        self.set_tags(**{"capability:missing_values": takes_gaps})

    def _fit(self, X: SeriesSet, y: Labels) -> Classifier:
        self.classifier_ = _unfitted(self.classifier, NearestCentroid).fit(X, y)
        return self

    def _predict(self, X: SeriesSet) -> NDArray[Any]:
        return self.classifier_.predict(X)

    def _predict_proba(self, X: SeriesSet) -> Float64Array:
        return self.classifier_.predict_proba(X)

    @classmethod
    def _get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        return [{}, {"classifier": NearestCentroid("dba", max_iterations=2)}]


def _unfitted(given: Estimator | None, default: type[Estimator]) -> Any:
    return default() if given is None else clone(given)
