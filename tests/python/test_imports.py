"""Imports: quick, in every order, and without the libraries that are optional."""

import itertools
import os
import subprocess
import sys

import pytest
from hidden_modules import hiding

MOST_SECONDS = 0.15  # that importing diffeo may take beyond NumPy
ATTEMPTS = 7  # of which the quickest counts: others measure what else the machine does


def run_python(program, path=(), **more):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, path), *sys.path])}
    return subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        **more,
    )


# --- quick -------------------------------------------------------------------------------------------------


TIMED = """
import time

def waited():  # seconds for which this process was ready, and others had the processor
    with open("/proc/self/schedstat") as file:
        return int(file.read().split()[1]) * 1e-9

start = time.perf_counter() - waited()
{imports}
print(time.perf_counter() - waited() - start)
"""


def seconds(imports):
    """Until whoever imports can go on, by a clock on the wall, on a machine that has a core to spare."""
    return float(run_python(TIMED.format(imports=imports)).stdout)


def test_importing_takes_no_time_beyond_numpy():
    numpy, both = [], []
    for _ in range(ATTEMPTS):  # in turn, so that both have their share of whatever else goes on
        numpy.append(seconds("import numpy"))
        both.append(seconds("import numpy, diffeo"))
    assert min(both) - min(numpy) < MOST_SECONDS


def test_importing_loads_nothing_that_is_optional():
    optional = ["aeon", "dask", "joblib", "matplotlib", "pandas", "scipy", "sklearn", "torch", "tqdm"]
    done = run_python(f"import sys, diffeo; print([name for name in {optional} if name in sys.modules])")
    assert done.stdout.strip() == "[]", done.stderr


def test_functions_load_nothing_that_is_optional():
    program = (
        "import sys, diffeo\n"
        "X, y = diffeo.generate_cbf(6, seed=1, length=32)\n"
        "repr(diffeo.align(X, y, cells=4)), diffeo.dba(X, max_iterations=1)\n"
        "optional = ('matplotlib', 'pandas', 'sklearn', 'torch', 'tqdm')\n"
        "print([name for name in optional if name in sys.modules])"
    )
    done = run_python(program)
    assert done.stdout.strip() == "[]", done.stderr


def test_estimators_load_nothing_that_is_optional_but_scikit_learn():
    program = (
        "import sys, diffeo\n"
        "X, y = diffeo.generate_cbf(6, seed=1, length=32)\n"
        "classifier = diffeo.NearestCentroid(diffeo.JointAligner(cells=4)).fit(X, y)\n"
        "classifier.predict_proba(X), repr(classifier)\n"
        "optional = ('aeon', 'matplotlib', 'torch', 'tqdm')\n"
        "print([name for name in optional if name in sys.modules])"
    )
    done = run_python(program)
    assert done.stdout.strip() == "[]", done.stderr


# --- in every order ----------------------------------------------------------------------------------------

LIBRARIES = ("torch", "sklearn", "diffeo", "diffeo.torch")
WORK = {
    "torch": "torch.randn(64, 3, 200).requires_grad_().matmul(torch.randn(200, 200)).sum().backward()",
    "sklearn": (
        "import sklearn.cluster; "
        "sklearn.cluster.KMeans(3, n_init=1, random_state=0).fit(np.random.rand(2000, 4))"
    ),
    "diffeo": "diffeo.flow(np.random.rand(8, 9), np.random.rand(20000), threads=2)",
    "diffeo.torch": (
        "diffeo.TemporalAligner(cells=4, widths=(4,), kernels=(3,), epochs=1, least_steps=0, n_jobs=2)"
        ".fit(np.random.rand(8, 20), [0, 1] * 4)"
    ),
}


def loading_order(imports):
    """The order in which compiled libraries are loaded: diffeo.torch loads diffeo and torch before itself."""
    loaded = []
    for name in imports:
        needed = ("diffeo", "torch", name) if name == "diffeo.torch" else (name,)
        loaded += [one for one in needed if one not in loaded]
    return tuple(loaded)


ORDERS = {loading_order(order): order for order in itertools.permutations(LIBRARIES)}


def test_every_order_of_imports_is_one_of_those_that_are_tried():
    assert len(list(itertools.permutations(LIBRARIES))) == 24
    assert len(ORDERS) == 8  # those of four with torch and diffeo before diffeo.torch: 24 / 3


@pytest.mark.parametrize("order", ORDERS.values(), ids=" ".join)
def test_libraries_work_beside_each_other_in_every_order_of_imports(order):
    pytest.importorskip("diffeo.torch", exc_type=ImportError, reason="torch is not installed")
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    lines = ["import numpy as np"]
    for name in order:  # each works as soon as it is there, and all of them at the end
        lines += [f"import {name}", WORK[name]]
    lines += [WORK[name] for name in order]
    done = run_python("\n".join([*lines, "print('done')"]))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "done"
    assert "OMP" not in done.stderr


# --- without torch, or with another ------------------------------------------------------------------------

ASKING = """
import sys
import numpy as np
import diffeo

X = np.random.default_rng(1).normal(size=(6, 20))
assert diffeo.JointAligner(cells=2).fit_transform(X).shape == (6, 20)
assert diffeo.NearestCentroid("dba").fit(X, [0, 1] * 3).predict(X).shape == (6,)
messages = set()
for ask in (
    lambda: __import__("diffeo.torch"),
    lambda: diffeo.TemporalAligner().fit(X),
    lambda: diffeo.TemporalAligner.load("model"),
    lambda: diffeo.NearestCentroid(diffeo.TemporalAligner()).fit(X, [0, 1] * 3),
):
    try:
        ask()
        sys.exit("no error")
    except ImportError as error:
        messages.add(str(error))
print("|".join(sorted(messages)))
"""


@pytest.fixture(scope="module")
def built_for():
    version = pytest.importorskip("diffeo._torch_version", reason="this build has no torch part")
    return version.BUILT_FOR


def test_without_torch_everything_works_but_the_network_which_says_what_it_needs(built_for):
    done = run_python(hiding("torch") + ASKING)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().split("|") == [
        f"diffeo.TemporalAligner: expected torch {built_for}, found none; pip install torch=={built_for}",
        "diffeo.torch: expected torch 2.4 or newer, found none; pip install torch",
    ]


def test_with_another_torch_the_network_says_which_it_needs(built_for, tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("__version__ = '1.0.0+cpu'\nclass Tensor: pass\n")
    done = run_python(ASKING, path=[tmp_path])
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().split("|") == [
        f"diffeo.TemporalAligner: expected torch {built_for}, which its C++ code was built against, "
        f"found 1.0.0; pip install torch=={built_for}",
        "diffeo.torch: expected torch 2.4 or newer, found 1.0.0+cpu; pip install --upgrade torch",
    ]
