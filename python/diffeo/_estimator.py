"""What estimators have in common: scikit-learn's conventions, by its own base classes.

Importing this needs scikit-learn; `import diffeo` does not import it. Parameters are the arguments of the
constructor, kept under the same names and checked by `fit`. Everything learned by fit has a name that ends in
an underscore.
"""

from __future__ import annotations

from typing import Any, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import whole_number
from ._containers import plain_labels
from ._dataset import Labels, class_labels

try:
    from sklearn import clone as clone  # type: ignore[import-untyped]
    from sklearn import config_context as config_context
    from sklearn import get_config
    from sklearn.base import BaseEstimator  # type: ignore[import-untyped]
    from sklearn.base import ClassifierMixin as ClassifierMixin
    from sklearn.base import TransformerMixin as TransformerMixin
    from sklearn.exceptions import NotFittedError  # type: ignore[import-untyped]
    from sklearn.utils import Tags, column_or_1d  # type: ignore[import-untyped]
    from sklearn.utils import get_tags as get_tags
    from sklearn.utils.metadata_routing import UNUSED as UNUSED  # type: ignore[import-untyped]
    from sklearn.utils.multiclass import check_classification_targets  # type: ignore[import-untyped]
except ImportError as error:
    raise ImportError(
        f"estimators of diffeo need scikit-learn 1.6 or newer: pip install diffeo[estimators] ({error})"
    ) from error

_Estimator = TypeVar("_Estimator", bound="Estimator")

_ALL_CORES = 0  # as the compiled core counts threads


class Estimator(BaseEstimator):  # type: ignore[misc]
    """An estimator of scikit-learn that takes sets of series."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name.

        deep   adds those of parameters that are estimators, as `name__parameter`; True by default

        >>> diffeo.NearestCentroid(diffeo.JointAligner(cells=8)).get_params()["aligner__cells"]
        8
        """
        parameters: dict[str, Any] = super().get_params(deep)
        return parameters

    def set_params(self: _Estimator, **parameters: Any) -> _Estimator:
        """Sets parameters by name, and returns the estimator.

        parameters   new values; those of a parameter that is an estimator by `name__parameter`

        ValueError for an unknown name. fit checks the values; every call checks n_jobs.

        >>> diffeo.JointAligner().set_params(cells=8, prior_weight=0.01)
        JointAligner(cells=8, prior_weight=0.01)
        """
        changed: _Estimator = super().set_params(**parameters)
        return changed

    def __getstate__(self) -> dict[str, Any]:
        return dict(super().__getstate__())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.input_tags.allow_nan = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "centroids_")

    def _with_jobs(self: _Estimator, n_jobs: int) -> _Estimator:
        """A copy, fitted as this one is, that uses that many threads from now on."""
        copied = type(self).__new__(type(self))
        copied.__setstate__(self._state_with_jobs(n_jobs))
        return copied

    def _state_with_jobs(self, n_jobs: int) -> dict[str, Any]:
        return {**self.__getstate__(), "n_jobs": n_jobs}

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"{type(self).__name__}: expected fit before this")


def table_is_wanted(estimator: Estimator) -> bool:
    """Whether `set_output` of the estimator, or of all, asks for a frame instead of an array."""
    own: dict[str, str] = getattr(estimator, "_sklearn_output_config", {})
    return bool(own.get("transform", get_config()["transform_output"]) != "default")


def fit_labels(y: Labels) -> NDArray[Any] | None:
    """Labels that fit takes as classes: a column becomes a row, with scikit-learn's warning.

    ValueError for measurements: numbers with fractions are not class labels.
    """
    if y is None:
        return None
    labels = plain_labels(y)
    classes = class_labels(column_or_1d(labels, warn=True) if getattr(labels, "ndim", 1) == 2 else labels)
    if classes is not None and classes.dtype.kind == "f" and np.isfinite(classes).all():
        check_classification_targets(classes)
    return classes


def job_count(n_jobs: SupportsIndex | None) -> int:
    """Threads as the core counts them. None is 1; -1 all the cores the process may use, -2 all but one."""
    if n_jobs is None:
        return 1
    number = whole_number("n_jobs", n_jobs, -(2**31), 2**31)
    if number == 0:
        raise ValueError("n_jobs: expected None, -1 for all cores, or at least 1, got 0")
    if number == -1:
        return _ALL_CORES
    return number if number > 0 else max(1, _core.available_threads() + 1 + number)
