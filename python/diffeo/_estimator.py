"""What estimators have in common, by the conventions of scikit-learn and without it.

The parameters of an estimator are the arguments of its constructor, kept under the same names and looked at
by `fit` only; what fit learns has names that end in an underscore.

scikit-learn is never imported here but by what it calls itself. Where it or aeon is loaded, estimators are of
their base classes too (`_foreign_base`).
"""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable
from typing import Any, SupportsIndex, TypeVar

from . import _core
from ._arrays import whole_number
from ._foreign_base import own_class, with_foreign_base

_Estimator = TypeVar("_Estimator", bound="Estimator")

_ALL_CORES = 0  # as the compiled core counts threads


class Estimator:
    """Parameters by name: `get_params`, `set_params`, and a repr of those that are not the default."""

    def __new__(cls: type[_Estimator], *_: Any, **__: Any) -> _Estimator:
        made: _Estimator = object.__new__(with_foreign_base(cls))
        return made

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
        return {parameter.name: parameter.default for parameter in parameters}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name.

        deep   adds those of parameters that are estimators, as `name__parameter`; True by default

        >>> diffeo.NearestCentroid(diffeo.JointAligner(cells=8)).get_params()["aligner__cells"]
        8
        """
        parameters = {name: getattr(self, name) for name in self._defaults()}
        if deep:
            for name, value in list(parameters.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    parameters |= {f"{name}__{inner}": held for inner, held in value.get_params().items()}
        return parameters

    def set_params(self: _Estimator, **parameters: Any) -> _Estimator:
        """Sets parameters by name, and gives the estimator back.

        parameters   new values; those of a parameter that is an estimator by `name__parameter`

        ValueError for a name that there is not. Values are looked at by fit, n_jobs by every call.

        >>> diffeo.JointAligner().set_params(cells=8, prior_weight=0.01)
        JointAligner(cells=8, prior_weight=0.01)
        """
        names = self._defaults()
        for name in parameters:
            if name.partition("__")[0] not in names:
                raise ValueError(f"{name}: expected one of the parameters {', '.join(names)}")
        for name, value in parameters.items():
            if "__" not in name:
                setattr(self, name, value)
        for name, value in parameters.items():  # after their owners, which may be new
            owner, separator, inner = name.partition("__")
            if separator:
                held = getattr(self, owner)
                if not hasattr(held, "set_params"):
                    raise ValueError(f"{name}: expected {owner} to be an estimator, got {held!r}")
                held.set_params(**{inner: value})
        return self

    def __repr__(self) -> str:
        defaults = self._defaults()
        changed = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if not _is_same(value, defaults[name])
        }
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
        """By the class that has a name, which becomes what the reader's process can hold."""
        return _empty, (own_class(type(self)),), self.__getstate__()

    def _with_jobs(self: _Estimator, n_jobs: int) -> _Estimator:
        """A copy, fitted as this one is, that works on that many threads from now on."""
        copied = _empty(type(self))
        copied.__setstate__(self._state_with_jobs(n_jobs))
        return copied

    def _state_with_jobs(self, n_jobs: int) -> dict[str, Any]:
        return {**self.__getstate__(), "n_jobs": n_jobs}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __sklearn_is_fitted__(self) -> bool:
        """What scikit-learn's check_is_fitted asks."""
        return hasattr(self, "centroids_")

    def _require_fitted(self) -> None:
        """ValueError before fit, which is scikit-learn's NotFittedError where that is loaded."""
        if not self.__sklearn_is_fitted__():
            exceptions = sys.modules.get("sklearn.exceptions")
            error: type[ValueError] = ValueError if exceptions is None else exceptions.NotFittedError
            raise error(f"{type(self).__name__}: expected fit before this")


def _empty(cls: type[_Estimator]) -> _Estimator:
    """What unpickling fills."""
    return cls.__new__(cls)


def input_tags() -> Any:
    """What scikit-learn is told of the series that all estimators take; only ever called by it."""
    from sklearn.utils import InputTags  # type: ignore[import-untyped]

    return InputTags(two_d_array=True, three_d_array=True, allow_nan=True)


def _is_same(value: Any, default: Any) -> bool:
    """The same object or, as after pickling, an equal one; == is asked of plain types only."""
    is_plain = isinstance(value, bool | int | float | str | tuple)
    return value is default or (is_plain and type(value) is type(default) and bool(value == default))


def unfitted_copy(estimator: Any) -> Any:
    """A new estimator of the same parameters, or what it says itself; a deep copy of what has none."""
    if hasattr(estimator, "__sklearn_clone__"):  # scikit-learn's FrozenEstimator stays itself
        return estimator.__sklearn_clone__()
    if hasattr(estimator, "get_params"):
        parameters = estimator.get_params(deep=False)
        return type(estimator)(**{name: unfitted_copy(value) for name, value in parameters.items()})
    return copy.deepcopy(estimator)


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
