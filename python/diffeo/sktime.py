"""Estimators of sktime made of those of diffeo: an aligner and a classifier.

>>> import pandas as pd
>>> bumps = diffeo.generate_bumps(3, seed=2, classes=1, length=40)
>>> series = [pd.DataFrame(one.T) for one in bumps.X]
>>> aligner = diffeo.sktime.Aligner(diffeo.JointAligner(cells=4)).fit(series)
>>> list(aligner.get_alignment().columns)
['ind0', 'ind1', 'ind2']

Parameters of the estimator inside are set as `aligner__cells` or `classifier__distance`.

Needs sktime: `pip install "diffeo[sktime]"`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ._arrays import Float64Array
from ._classify import NearestCentroid
from ._estimator import clone, get_tags
from ._joint_aligner import JointAligner

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped]

try:
    from sktime.alignment.base import BaseAligner  # type: ignore[import-untyped]
    from sktime.classification.base import BaseClassifier  # type: ignore[import-untyped]
except ImportError as error:
    raise ImportError(f'diffeo.sktime needs sktime: pip install "diffeo[sktime]" ({error})') from error

__all__ = ["Aligner", "Classifier"]


class Aligner(BaseAligner):  # type: ignore[misc]
    """An aligner of sktime: which time steps of the series belong together, by smooth warps.

    aligner   a `diffeo.JointAligner` or `diffeo.TemporalAligner`; None, the default, is `JointAligner()`

    `get_alignment` rounds the warps to time steps; every time step of every series occurs. After fit
    `aligner_` is the copy that was fitted, whose `warps` and `transform` are not rounded.

    >>> import pandas as pd
    >>> import diffeo
    >>> bumps = diffeo.generate_bumps(3, seed=2, classes=1, length=40)
    >>> aligner = diffeo.sktime.Aligner().fit([pd.DataFrame(one.T) for one in bumps.X])
    >>> first, *_ = aligner.get_aligned()
    >>> first.shape == (len(aligner.get_alignment()), 1)
    True
    """

    _tags: ClassVar[dict[str, Any]] = {
        "authors": ["diffeo"],
        "capability:multiple-alignment": True,
        "capability:unequal_length": True,
        "alignment_type": "full",
        "X_inner_mtype": "df-list",
    }
    aligner_: Any

    def __init__(self, aligner: Any = None) -> None:
        self.aligner = aligner
        super().__init__()

    def _fit(self, X: list[pd.DataFrame], Z: Any = None) -> Aligner:
        series = [one.to_numpy(dtype=np.float64).T for one in X]
        self.aligner_ = clone(JointAligner() if self.aligner is None else self.aligner).fit(series)
        self._steps = common_steps(self.aligner_, series)
        return self

    def _get_alignment(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame({f"ind{number}": steps for number, steps in enumerate(self._steps)})

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        return [{}, {"aligner": JointAligner(cells=4, max_iterations=10)}]


class Classifier(BaseClassifier):  # type: ignore[misc]
    """A classifier of sktime: nearest centroids.

    classifier   a `diffeo.NearestCentroid`; None, the default, is `NearestCentroid()`

    After fit `classifier_` is the copy that was fitted.

    >>> import diffeo
    >>> X, y = diffeo.generate_cbf(30, seed=1, length=60)
    >>> classifier = diffeo.sktime.Classifier(diffeo.NearestCentroid("dba")).fit(X, y)
    >>> classifier.predict(X).shape
    (30,)
    """

    _tags: ClassVar[dict[str, Any]] = {
        "authors": ["diffeo"],
        "X_inner_mtype": ["df-list", "numpy3D"],
        "capability:multivariate": True,
        "capability:unequal_length": True,
        "capability:missing_values": True,
        "capability:predict_proba": True,
        "capability:categorical_in_X": False,
    }
    classifier_: NearestCentroid

    def __init__(self, classifier: NearestCentroid | None = None) -> None:
        self.classifier = classifier
        super().__init__()
        takes_gaps = classifier is None or get_tags(classifier).input_tags.allow_nan
        self.set_tags(**{"capability:missing_values": takes_gaps})

    def _fit(self, X: Any, y: NDArray[Any]) -> Classifier:
        classifier = NearestCentroid() if self.classifier is None else self.classifier
        self.classifier_ = clone(classifier).fit(_with_channels_first(X), y)
        return self

    def _predict(self, X: Any) -> NDArray[Any]:
        return self.classifier_.predict(_with_channels_first(X))

    def _predict_proba(self, X: Any) -> Float64Array:
        return self.classifier_.predict_proba(_with_channels_first(X))

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        return [{}, {"classifier": NearestCentroid("dba", max_iterations=2)}]


def common_steps(aligner: Any, series: list[Float64Array]) -> list[NDArray[np.int64]]:
    """For each series the steps that belong together, at every common time when one of them has a step."""
    lengths = [one.shape[1] for one in series]
    common = [
        aligner.warp_times([one], np.linspace(0.0, 1.0, length), inverse=True)[0]
        for one, length in zip(series, lengths, strict=True)
    ]
    times = np.unique(np.clip(np.concatenate(common), 0.0, 1.0))
    last = np.array(lengths)[:, np.newaxis] - 1
    steps = np.rint(aligner.warp_times(series, times) * last).astype(np.int64)
    steps = np.clip(steps, 0, last)
    is_new = np.concatenate([[True], np.diff(steps, axis=1).any(axis=0)])
    return list(steps[:, is_new])


def _with_channels_first(X: Any) -> Any:
    return [one.to_numpy(dtype=np.float64).T for one in X] if isinstance(X, list) else X
