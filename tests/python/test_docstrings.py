"""Docstrings of everything public: one line, every argument, shapes, errors, and an example that runs."""

import doctest
import importlib
import inspect
import os
import pkgutil
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest

import diffeo

try:
    import torch

    import diffeo.torch
except ImportError:
    torch = None
try:
    import diffeo.dask

    has_dask = True
except ImportError:
    has_dask = False
try:
    import diffeo.aeon

    has_aeon = True
except ImportError:
    has_aeon = False
try:
    import diffeo.sktime

    has_sktime = True
except ImportError:
    has_sktime = False
import diffeo.estimator_checks

ESTIMATORS = ("JointAligner", "NearestCentroid", "TemporalAligner")
#: Take no arrays and give none, so that there is no shape to be named.
WITHOUT_ARRAYS = {
    *(f"{name}.{method}" for name in ESTIMATORS for method in ("get_params", "set_params")),
    *(f"{name}.plot" for name in ("Alignment", "NearestCentroid", "PairAlignment")),
    "estimator_checks.expected_failed_checks",
    "TemporalAligner.from_preset",
    "TemporalAligner.save",
    "JointAligner.save",
    "WarpSpace.prior",
    "available_threads",
    *(["dask.evaluate"] if has_dask else []),
    "instruction_set",
    "plot.costs",
    "plot.losses",
}
#: Ask the machine, and cannot fail.
WITHOUT_ERRORS = {"available_threads", "instruction_set", *(f"{name}.get_params" for name in ESTIMATORS)}
ERRORS = r"(Value|Type|OS|Runtime|Import)Error"
SHAPE = r"\((\.\.\.|(n|batch|time|cases|classes|channels|length|layers|count|steps)\b)[^)]*[,)]"
REFERENCE = r"(?:those|that) of `([\w.]+)`"


def modules():
    names = [info.name for info in pkgutil.walk_packages(diffeo.__path__, "diffeo.")]
    missing = [] if torch else ["diffeo.torch"]
    missing += [] if has_dask else ["diffeo.dask"]
    missing += [] if has_aeon else ["diffeo.aeon"]
    missing += [] if has_sktime else ["diffeo.sktime"]
    compiled = {"diffeo._core", "diffeo._torch"}
    return ["diffeo", *sorted(name for name in set(names) - compiled if not name.startswith(tuple(missing)))]


def public_things():
    """Name -> class or function, with the name of the module before it where that is not diffeo itself."""
    spaces = {"": diffeo, "plot.": diffeo.plot, "estimator_checks.": diffeo.estimator_checks}
    spaces |= {"aeon.": diffeo.aeon} if has_aeon else {}
    spaces |= {"sktime.": diffeo.sktime} if has_sktime else {}
    spaces |= {"torch.": diffeo.torch} if torch else {}
    spaces |= {"dask.": diffeo.dask} if has_dask else {}
    things = {
        prefix + name: getattr(space, name) for prefix, space in spaces.items() for name in space.__all__
    }
    return {name: thing for name, thing in things.items() if callable(thing)}


def own_methods(name, owner):
    """Public methods, those of private bases too, but not those of torch.nn.Module, tuple and the like."""
    for own, member in inspect.getmembers(owner, lambda m: inspect.isfunction(m) or inspect.ismethod(m)):
        is_asked_by_sktime = own == "get_test_params"  # for its checks
        if not own.startswith("_") and member.__module__.startswith("diffeo") and not is_asked_by_sktime:
            yield f"{name}.{own}", member


CLASSES = {name: thing for name, thing in public_things().items() if inspect.isclass(thing)}
FUNCTIONS = {name: thing for name, thing in public_things().items() if not inspect.isclass(thing)}
METHODS = dict(method for name, owner in CLASSES.items() for method in own_methods(name, owner))
CALLABLE = FUNCTIONS | METHODS


def arguments(function):
    parameters = inspect.signature(function).parameters
    return {name: held for name, held in parameters.items() if name not in ("self", "cls")}


def text_of(name):
    """Its docstring, and behind it those that it refers its reader to."""
    text = inspect.getdoc(CALLABLE[name]) or ""
    for other in re.findall(REFERENCE, text):
        beside = name.rpartition(".")[0]
        found = next(
            (own for own in (f"{beside}.{other}", other.removeprefix("diffeo.")) if own in CALLABLE), name
        )
        if found != name:
            text += "\n" + text_of(found)
    return text


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings_run(name, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    if name == "diffeo.plot" or name in ("diffeo._align", "diffeo._aligner", "diffeo._classify"):
        pyplot = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")
    if torch is None and name in ("diffeo._temporal_aligner", "diffeo._fit_progress", "diffeo.plot"):
        pytest.skip("torch is not installed")
    known = {"diffeo": diffeo, "np": np, "os": os, "tempfile": tempfile, "torch": torch}
    results = doctest.testmod(importlib.import_module(name), extraglobs=known)
    assert results.failed == 0
    if "pyplot" in locals():
        pyplot.close("all")


@pytest.mark.parametrize("name", [*CLASSES, *CALLABLE])
def test_everything_public_says_in_one_line_what_it_is_and_has_an_example(name):
    text = inspect.getdoc({**CLASSES, **CALLABLE}[name])
    first, _, rest = text.partition("\n")
    assert first.endswith((".", ":")), first
    assert rest == "" or rest.startswith("\n"), "the first paragraph has more than one line"
    last = name.rpartition(".")[2]
    examples = "\n".join(example.source for example in doctest.DocTestParser().get_examples(text))
    assert re.search(rf"\b{last}\b", examples) or is_made_by_another(name, examples), f"no example of {last}"


def is_made_by_another(name, examples):
    """Results are shown where they are made: it is enough that something is done with a field of theirs."""
    fields = getattr(CLASSES.get(name), "_fields", ()) or getattr(
        CLASSES.get(name), "__dataclass_fields__", ()
    )
    return any(re.search(rf"\.{field}\b", examples) for field in fields)


@pytest.mark.parametrize("name", CALLABLE)
def test_every_argument_is_explained(name):
    text = text_of(name)
    for argument, parameter in arguments(CALLABLE[name]).items():
        assert re.search(rf"\b{argument}\b", text), argument
        if parameter.default is None:
            assert re.search(r"\bNone\b|default", text), f"{argument}: what None means"


@pytest.mark.parametrize("name", sorted(CALLABLE.keys() - WITHOUT_ARRAYS))
def test_shapes_are_named(name):
    assert re.search(SHAPE, text_of(name))


@pytest.mark.parametrize("name", sorted(CALLABLE.keys() - WITHOUT_ERRORS))
def test_errors_are_named(name):
    assert re.search(ERRORS, inspect.getdoc(CALLABLE[name]))


@pytest.mark.parametrize("name", CLASSES)
def test_every_property_and_field_is_explained(name):
    owner = CLASSES[name]
    for attribute, member in vars(owner).items():
        if not attribute.startswith("_") and isinstance(member, property):
            assert inspect.getdoc(member), attribute
    source = inspect.getsource(owner)
    for field in getattr(owner, "__dataclass_fields__", ()):
        line = re.search(rf"^    {field}: .*$", source, re.MULTILINE).group()
        assert "#:" in line or re.search(rf"\b{field}\b", inspect.getdoc(owner)), field


def test_the_lists_of_exceptions_name_what_there_is():
    assert {*WITHOUT_ARRAYS, *WITHOUT_ERRORS} <= CALLABLE.keys()


def test_every_module_is_among_those_whose_examples_run():
    folder = Path(diffeo.__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "_torch_version"}
    assert {f"diffeo.{stem}" for stem in files} <= set(modules())
