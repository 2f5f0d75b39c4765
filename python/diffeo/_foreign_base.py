"""Estimators that are those of scikit-learn and of aeon too, where these are loaded; neither is imported.

Some of those who use scikit-learn take nothing that is not its `BaseEstimator`; and pipelines of aeon ask
only those of aeon's own base class which series they are capable of, and let the others have none but
complete ones of one channel and one length. So an estimator that is made while one of them is loaded is of a
class that is made of both: of diffeo's own, which comes first in everything, and of that base.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any, TypeVar

_Instance = TypeVar("_Instance")

# Made once each, so that two estimators have one class.
_classes_of_both: dict[tuple[type[Any], type[Any]], type[Any]] = {}

#: What aeon is told of the series that all estimators take, as they come and as they go.
_TAGS_OF_AEON = {
    "X_inner_type": ["np-list", "numpy3D"],
    "capability:missing_values": True,
    "capability:multithreading": True,
    "capability:multivariate": True,
    "capability:unequal_length": True,
    "output_data_type": "Collection",
    "removes_unequal_length": True,
}


def with_foreign_base(cls: type[_Instance]) -> type[_Instance]:
    """The class itself, or where aeon or scikit-learn is loaded one that is of theirs too.

    It is derived from the class itself, which may be made of two already: Python calls the constructor of
    what is an instance of the class that was called, and of no other.
    """
    of_aeon, of_sklearn = _loaded("aeon.base", "BaseAeonEstimator"), _loaded("sklearn.base", "BaseEstimator")
    base = of_aeon or of_sklearn
    if base is None or issubclass(cls, base):
        return cls
    if (cls, base) not in _classes_of_both:
        attributes = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__doc__")}
        attributes["_own_class"] = own_class(cls)
        if base is of_aeon:
            attributes |= _attributes_for_aeon(cls, of_sklearn)
        _classes_of_both[cls, base] = type(cls.__name__, (cls, base), attributes)
    return _classes_of_both[cls, base]


def own_class(cls: type[Any]) -> type[Any]:
    """The one that has a name to be found by: one that is made of two has none."""
    own: type[Any] = cls.__dict__.get("_own_class", cls)  # not that of a class it is derived from
    return own


def _loaded(module: str, name: str) -> Any:
    """None where nobody has imported the module, and while it is half imported."""
    return getattr(sys.modules.get(module), name, None)


def _attributes_for_aeon(cls: type[Any], sklearn_base: Any) -> dict[str, Any]:
    """What its base class keeps in every estimator, found where it is asked for; and what it takes away.

    That is to route metadata, which scikit-learn's base does, with names that differ between its versions.
    """
    routing = {
        name: inspect.getattr_static(sklearn_base, name, None)
        for name in ("get_metadata_routing", "_get_default_requests")
    }
    return {
        "_tags": {**_TAGS_OF_AEON, **getattr(cls, "_tags", {})},
        "_tags_dynamic": property(lambda self: self.__dict__.setdefault("_tags_set_by_user", {})),
        "is_fitted": property(lambda self: self.__sklearn_is_fitted__(), _left_to_the_estimator),
        **{name: method for name, method in routing.items() if method is not None},
    }


def _left_to_the_estimator(_: Any, __: bool) -> None:
    """What is derived from estimators of aeon's sets `is_fitted`; ours know it by what they have learnt."""
