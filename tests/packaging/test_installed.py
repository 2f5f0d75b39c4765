"""The package as users have it: installed from the wheel, outside the checkout."""

import re
import sys

import pytest
from environments import ROOT, must_run, run

VERSION = (ROOT / "VERSION").read_text().strip()


def test_it_is_the_installed_package_that_is_imported(bare, complete):
    for environment in (bare, complete):
        done = environment.python("import diffeo; print(diffeo.__version__, diffeo.__file__)")
        assert done.stdout == f"{VERSION} {environment.site_packages / 'diffeo' / '__init__.py'}\n", (
            done.stderr
        )


def test_numpy_is_enough(bare):
    code = """if True:
        import sys, diffeo
        X, y = diffeo.generate_cbf(12, seed=1)
        result = diffeo.align(X, y)
        assert result.aligned.shape == X.shape
        assert "torch" not in sys.modules
    """
    done = bare.python(code)
    assert done.returncode == 0, done.stderr


def test_estimators_say_that_they_need_scikit_learn(bare):
    done = bare.python("import diffeo; diffeo.JointAligner()")
    assert (
        "estimators of diffeo need scikit-learn 1.6 or newer: pip install diffeo[estimators]" in done.stderr
    )


@pytest.mark.parametrize(
    ("torch", "found"),
    [("raise ImportError('hidden')", "none"), ("__version__ = '2.12.1+cpu'", "2.12.1")],
)
def test_the_import_error_says_which_torch_is_needed(complete, tmp_path, torch, found):
    (tmp_path / "torch.py").write_text(f"{torch}\n")
    code = """if True:
        import diffeo
        try:
            diffeo.TemporalAligner.load("model")
        except ImportError as problem:
            print(problem)
    """
    done = complete.python(code, variables={"PYTHONPATH": str(tmp_path)})
    assert re.fullmatch(
        rf"diffeo.TemporalAligner: expected torch 2\.13\.0.*, found {found}; pip install torch==2\.13\.0\n",
        done.stdout,
    ), done.stdout + done.stderr


@pytest.mark.parametrize(("version", "found"), [(None, "none"), ("2.3.1+cpu", r"2\.3\.1\+cpu")])
def test_the_operators_say_which_torch_is_the_oldest(bare, tmp_path, version, found):
    if version is not None:
        (tmp_path / "torch.py").write_text(f"__version__ = '{version}'\n")
    done = bare.python("import diffeo.torch", variables={"PYTHONPATH": str(tmp_path)})
    message = rf"ImportError: diffeo.torch: expected torch 2\.4 or newer, found {found}; pip install"
    assert re.search(message, done.stderr), done.stdout + done.stderr


def test_an_aligner_with_a_network_learns_and_is_kept(complete):
    code = """if True:
        import diffeo, numpy
        X, y = diffeo.generate_cbf(12, seed=1)
        aligner = diffeo.TemporalAligner(
            epochs=2, least_steps=0, widths=(8, 8), kernels=(5, 3), random_state=3
        ).fit(X, y)
        aligner.save("aligner.safetensors")
        again = diffeo.TemporalAligner.load("aligner.safetensors")
        assert numpy.array_equal(again.transform(X), aligner.transform(X))
    """
    done = complete.python(code)
    assert done.returncode == 0, done.stderr


def check_types(environment, tmp_path, *checked, **variables):
    pytest.importorskip("mypy", reason="mypy is not installed: types are not checked")
    mypy = (sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path)
    python = ("--python-executable", environment.programs / "python")
    return run(*mypy, *python, *checked, **environment.settings(**variables))


def test_a_users_type_checker_sees_the_types(bare, tmp_path):
    """Without a package beside it but NumPy: what is not installed must not make everything Any."""
    program = tmp_path / "program.py"
    program.write_text(
        "import diffeo\n"
        "X, y = diffeo.generate_cbf(12, seed=1)\n"
        "classifier = diffeo.NearestCentroid(diffeo.TemporalAligner(cells=8)).fit(X, y)\n"
        "print(classifier.score(X, y) + 1.0, diffeo.align(X, y).aligned.shape)\n"
        "diffeo.flow([0.0, 1.0], [0.5], method='euler')\n"
    )
    done = check_types(bare, tmp_path, program)
    [error] = [line for line in done.stdout.splitlines() if "error:" in line]
    assert f'{program}:5: error: Argument "method" to "flow" has incompatible type' in error


def test_the_command_passes_strict_type_checking(bare, tmp_path):
    done = check_types(bare, tmp_path, "-p", "diffeo_command", MYPYPATH=str(ROOT / "python"))
    assert done.returncode == 0, done.stdout


def test_the_tutorial_runs_from_top_to_bottom_as_printed(complete):
    page, runner = ROOT / "docs" / "tutorial.md", ROOT / "tools" / "run_page.py"
    must_run(sys.executable, runner, page, "--python", complete.programs / "python", **complete.settings())
