"""The package as such: annotations, stubs, imports."""

import ast
import importlib
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import diffeo

PACKAGE = Path(diffeo.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
PUBLIC = [getattr(diffeo, name) for name in diffeo.__all__ if not name.startswith("__")]
METHODS_OF_CLASSES = [
    member
    for owner in (thing for thing in PUBLIC if inspect.isclass(thing))
    for name, member in inspect.getmembers(owner)
    if not name.startswith("_") and str(getattr(member, "__module__", "")).startswith("diffeo")
]


def run_python(*arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MYPYPATH": str(PACKAGE.parent)}
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        timeout=300,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_version_is_that_of_the_project():
    assert diffeo.__version__ == (ROOT / "VERSION").read_text().strip()


def test_the_instruction_set_is_one_there_is():
    assert diffeo.instruction_set() in ("baseline", "avx2", "avx512")


def test_importing_loads_neither_torch_nor_scipy():
    code = "import sys, diffeo; sys.exit(bool({'torch', 'scipy', 'sklearn'} & set(sys.modules)))"
    done = run_python("-c", code)
    assert done.returncode == 0, done.stderr


# --- types -------------------------------------------------------------------------------------------------


def parameters_of(function):
    """In their order, " =" behind those that may be left out, and "*" before those by name only."""
    places, names = function.args.args, function.args.kwonlyargs
    has_default = [False] * (len(places) - len(function.args.defaults)) + [True] * len(function.args.defaults)
    has_default += [default is not None for default in function.args.kw_defaults]
    texts = [
        argument.arg + " =" * optional
        for argument, optional in zip([*places, *names], has_default, strict=True)
    ]
    return [*texts[: len(places)], *["*"] * bool(names), *texts[len(places) :]]


def stub_functions(body):
    """Name -> parameters, for the functions of a stub or of a class in it."""
    return {
        node.name: parameters_of(node)
        for node in body
        if isinstance(node, ast.FunctionDef)
        and not any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)
    }


def stub_names(body):
    """Everything that a stub defines, but for the types that only it has."""
    variables = {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
    others = {node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    return {name for name in variables | others if not name.startswith("_")}


def bound_parameters(function):
    """The parameters of each overload, from the signatures that pybind11 writes into the docstring."""
    pattern = rf"(?:^|^\d+\. ){function.__name__}\((.*)\) ->"
    found = []
    for signature in re.findall(pattern, function.__doc__, flags=re.MULTILINE):
        depth, flat = 0, ""
        for letter in signature:  # drop what is inside brackets: types have commas too
            depth += letter in "[("
            flat += letter if depth == 0 else ""
            depth -= letter in "])"
        parts = [part.partition(":") for part in flat.split(",") if part.strip()]
        found.append([name.strip() + " =" * ("=" in rest) for name, _, rest in parts])
    return found


@pytest.fixture(scope="module", params=["_core", "_torch"])
def module(request):
    """One of the two that are compiled; torch has to be loaded before the second."""
    if request.param == "_torch":
        pytest.importorskip("diffeo.torch", exc_type=ImportError, reason="torch is not installed")
    return importlib.import_module(f"diffeo.{request.param}")


@pytest.fixture(scope="module")
def stub(module):
    return ast.parse((PACKAGE / f"{module.__name__.rpartition('.')[2]}.pyi").read_text()).body


def test_the_stub_names_what_the_module_has(module, stub):
    assert stub_names(stub) == {name for name in dir(module) if not name.startswith("_")}


def test_the_stub_has_the_parameters_of_the_module(module, stub):
    for name, parameters in stub_functions(stub).items():
        overloads = bound_parameters(getattr(module, name))
        assert overloads, name
        assert all(overload == parameters for overload in overloads), (name, overloads)


def test_the_stub_has_the_methods_of_the_classes(module, stub):
    for node in stub:
        if not isinstance(node, ast.ClassDef):
            continue
        owner = getattr(module, node.name)
        methods = stub_functions(node.body)
        for name, parameters in methods.items():
            overloads = bound_parameters(getattr(owner, name))
            assert overloads, (node.name, name)
            assert all(overload == parameters for overload in overloads), (node.name, name, overloads)
        properties = {f.name for f in node.body if isinstance(f, ast.FunctionDef)} - set(methods)
        assert all(isinstance(vars(owner)[name], property) for name in properties), node.name
        public = {name for name in vars(owner) if not name.startswith("_")}
        assert public == (set(methods) | properties) - {"__init__"}


def test_every_public_function_is_annotated_completely():
    for function in [*PUBLIC, *METHODS_OF_CLASSES]:
        if not inspect.isfunction(function):
            continue
        signature = inspect.signature(function)
        assert signature.return_annotation is not inspect.Signature.empty, function
        for name, parameter in signature.parameters.items():
            assert name == "self" or parameter.annotation is not inspect.Parameter.empty, (function, name)


def test_the_package_is_marked_as_typed():
    assert (PACKAGE / "py.typed").is_file()


@pytest.fixture(scope="module")
def type_cache(tmp_path_factory):
    """One for all, kept with a build: reading the types of NumPy and torch takes longest."""
    build = ROOT / "build"
    return str(build / "types" if build.is_dir() else tmp_path_factory.mktemp("types"))


@pytest.mark.parametrize(
    "checked",
    [
        ["-p", "diffeo"],
        [str(Path(__file__).parent / "typed_usage.py"), str(ROOT / "examples" / "torch_classifier.py")],
    ],
    ids=["package", "usage"],
)
def test_strict_type_checking_passes(checked, type_cache):
    pytest.importorskip("mypy", reason="mypy is not installed: types are not checked")
    done = run_python("-m", "mypy", "--strict", "--cache-dir", type_cache, *checked)
    assert done.returncode == 0, done.stdout + done.stderr


def test_wrong_types_are_seen_by_the_type_checker(tmp_path, type_cache):
    pytest.importorskip("mypy", reason="mypy is not installed: types are not checked")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "import diffeo\n"
        "diffeo.flow([0.0, 1.0], [0.5], method='euler')\n"
        "diffeo.WarpSpace(4, basis='fourier')\n"
        "diffeo.flow([0.0, 1.0], [0.5]).upper()\n"
    )
    done = run_python("-m", "mypy", "--strict", "--cache-dir", type_cache, str(wrong))
    assert done.stdout.count("error:") == 3, done.stdout + done.stderr


def test_the_usage_that_is_type_checked_runs():
    done = run_python(str(Path(__file__).parent / "typed_usage.py"))
    assert done.returncode == 0, done.stderr
