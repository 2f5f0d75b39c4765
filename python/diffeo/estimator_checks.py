"""The checks of scikit-learn that estimators of diffeo fail on purpose, with the reason for each.

>>> from sklearn.utils.estimator_checks import check_estimator
>>> classifier = diffeo.NearestCentroid()
>>> expected = diffeo.estimator_checks.expected_failed_checks(classifier)
>>> results = check_estimator(classifier, expected_failed_checks=expected, on_skip=None)
"""

from __future__ import annotations

from typing import Any

from ._classify import NearestCentroid
from ._estimator import Estimator

__all__ = ["expected_failed_checks"]

_ANY_LENGTH = "series of another length than in fit are understood: time steps are no features"
_NO_FEATURES = (
    "asks for n_features_in_, but time steps are no features, and lists of series have no number of them"
)
_OWN_WORDS = "is refused, but in other words: what was expected and what came"
_OF_ALL = {
    "check_n_features_in": _NO_FEATURES,
    "check_n_features_in_after_fitting": _NO_FEATURES,
    "check_complex_data": f"complex data {_OWN_WORDS}",
    "check_estimators_empty_data_messages": f"an empty array {_OWN_WORDS}",
    "check_fit2d_predict1d": f"one series without an axis for cases {_OWN_WORDS}",
}


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """Name and reason of every check of scikit-learn that an estimator of diffeo fails on purpose.

    estimator   an instance of one of diffeo's estimators

    For the parameter of the same name of `check_estimator` and `parametrize_with_checks`. TypeError for other
    estimators.

    >>> sorted(diffeo.estimator_checks.expected_failed_checks(diffeo.JointAligner()))[0]
    'check_complex_data'
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"estimator: expected an estimator of diffeo, got {estimator!r}")
    of_kind = (
        "check_classifiers_train" if isinstance(estimator, NearestCentroid) else "check_transformer_general"
    )
    return {**_OF_ALL, of_kind: _ANY_LENGTH}
