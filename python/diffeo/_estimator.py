"""What estimators have in common, by the conventions of scikit-learn and without it.

The parameters of an estimator are the arguments of its constructor, kept under the same names and looked at
by `fit` only; what fit learns has names that end in an underscore.
"""

from __future__ import annotations

import copy
import inspect
from typing import Any, SupportsIndex, TypeVar

from ._arrays import whole_number

_Estimator = TypeVar("_Estimator", bound="Estimator")


class Estimator:
    """Parameters by name: `get_params`, `set_params`, and a repr of those that are not the default."""

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
        return {parameter.name: parameter.default for parameter in parameters}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; `deep` adds those of parameters that have some, as `name__parameter`."""
        parameters = {name: getattr(self, name) for name in self._defaults()}
        if deep:
            for name, value in list(parameters.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    parameters |= {f"{name}__{inner}": held for inner, held in value.get_params().items()}
        return parameters

    def set_params(self: _Estimator, **parameters: Any) -> _Estimator:
        """Sets parameters by name, those of a parameter that is an estimator by `name__parameter`."""
        names = self._defaults()
        for name, value in parameters.items():
            owner, _, inner = name.partition("__")
            if owner not in names:
                raise ValueError(f"{name}: expected one of the parameters {', '.join(names)}")
            if inner:
                getattr(self, owner).set_params(**{inner: value})
            else:
                setattr(self, owner, value)
        return self

    def __repr__(self) -> str:
        defaults = self._defaults()
        changed = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if not _is_same(value, defaults[name])
        }
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


def _is_same(value: Any, default: Any) -> bool:
    """The same object or, as after pickling, an equal one; == is asked of plain types only."""
    is_plain = isinstance(value, bool | int | float | str | tuple)
    return value is default or (is_plain and type(value) is type(default) and bool(value == default))


def unfitted_copy(estimator: Any) -> Any:
    """A new estimator of the same parameters; a deep copy of what has none."""
    if hasattr(estimator, "get_params"):
        parameters = estimator.get_params(deep=False)
        return type(estimator)(**{name: unfitted_copy(value) for name, value in parameters.items()})
    return copy.deepcopy(estimator)


def job_count(n_jobs: SupportsIndex | None) -> int:
    """Threads as the core counts them: None is 1, and -1, all the cores the process may use, is 0."""
    if n_jobs is None:
        return 1
    number = whole_number("n_jobs", n_jobs, -1)
    if number == 0:
        raise ValueError("n_jobs: expected None, -1 for all cores, or at least 1, got 0")
    return max(number, 0)
