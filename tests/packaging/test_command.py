"""The command `diffeo` that the wheel puts on the PATH: the program's entry point in a process of Python."""

import json
import os
import signal
import subprocess
import time

import pytest
from environments import LONG_ENOUGH, ROOT

VERSION = (ROOT / "VERSION").read_text().strip()
NEEDED = "networks need torch 2.13.0, which is not installed; pip install torch==2.13.0"
SMALL = ["--widths", "8,8", "--kernels", "5,3", "--threads", 1, "--quiet", "--seed", 3]  # trains in no time


@pytest.fixture(scope="module")
def series(bare):
    made = bare.run(
        "diffeo", "generate", "cbf", "--cases", 12, "--length", 32, "--seed", 1, "-o", "series.tsv"
    )
    assert made.returncode == 0, made.stderr
    return bare.folder / "series.tsv"


def wait_for(condition, process):
    end = time.monotonic() + LONG_ENOUGH
    while not condition():
        assert process.poll() is None, f"ended too early: {process.communicate()}"
        assert time.monotonic() < end, "nothing happens"
        time.sleep(0.005)


def test_it_tells_the_version_and_that_torch_is_missing(bare):
    done = bare.run("diffeo", "--version")
    assert done.returncode == 0
    assert done.stdout.startswith(f"diffeo {VERSION} (")
    assert done.stdout.endswith(", without torch)\n")


def test_it_tells_the_version_of_torch_where_that_is_installed(complete):
    assert complete.run("diffeo", "--version").stdout.endswith(", torch 2.13.0)\n")


def test_it_is_the_program(complete):
    ours = complete.run("diffeo", "--help").stdout
    assert ours == complete.run(ROOT / "build" / "bin" / "diffeo", "--help").stdout


@pytest.mark.parametrize("environment", ["bare", "complete"])
def test_neither_numpy_nor_torch_is_imported(environment, request):
    code = """if True:
        import sys, diffeo_command
        sys.argv = ["diffeo", "completion", "bash"]
        assert diffeo_command.main() == 0
        assert not {"numpy", "torch", "diffeo"} & set(sys.modules)
    """
    done = request.getfixturevalue(environment).python(code)
    assert done.returncode == 0, done.stderr


def test_verbs_without_networks_need_no_torch(bare, series):
    done = bare.run("diffeo", "align", series, "-o", "aligned.tsv")
    assert (done.returncode, done.stderr) == (0, "")
    assert (bare.folder / "aligned.tsv").is_file()


def test_verbs_that_python_does_run_in_the_same_environment(complete, tmp_path):
    line = {"dataset": "A", "method": "dba", "options": {}, "seed": None, "test_accuracy": 0.5}
    line |= {"seconds": 1.0, "date": "2026-01-31T12:00:00Z"}
    (tmp_path / "results.jsonl").write_text(json.dumps(line) + "\n")
    done = complete.run("diffeo", "report", tmp_path, "-o", tmp_path / "page.html")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")


def test_verbs_that_python_does_say_what_they_need(bare):
    done = bare.run("diffeo", "study", "timing")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.endswith("diffeo.experiments needs jinja2: pip install diffeo[experiments]\n")


@pytest.mark.parametrize("verb", ["fit", "classify"])
def test_verbs_with_networks_say_which_torch_they_need(bare, series, verb):
    done = bare.run("diffeo", verb, series, "-o", "output")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"diffeo: {verb}: {NEEDED}\n")


def test_another_version_of_torch_is_as_good_as_none(bare, series, tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise RuntimeError('is not imported')")
    (tmp_path / "torch" / "version.py").write_text("__version__ = '2.12.1+cpu'\n")
    done = bare.run("diffeo", "fit", series, "-o", "output", variables={"PYTHONPATH": str(tmp_path)})
    assert (done.returncode, done.stderr) == (1, f"diffeo: fit: {NEEDED}\n")


def test_a_torch_that_cannot_be_loaded_is_said_to_be_so(bare, tmp_path):
    (tmp_path / "torch" / "lib").mkdir(parents=True)
    (tmp_path / "torch" / "__init__.py").touch()
    (tmp_path / "torch" / "version.py").write_text("__version__ = '2.13.0'\n")
    done = bare.run("diffeo", "--version", variables={"PYTHONPATH": str(tmp_path)})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        f"diffeo: torch 2.13.0 is installed in {tmp_path}/torch, but cannot be loaded: "
    )
    assert done.stderr.count("\n") == 1


def test_networks_train_and_classify_where_torch_is_installed(complete, series):
    options = ["--epochs", 2, "--least-steps", 0, *SMALL]
    fitted = complete.run("diffeo", "fit", series, "-o", "model", *options)
    assert (fitted.returncode, fitted.stderr) == (0, "")
    classified = complete.run("diffeo", "classify", "model", series)
    assert classified.returncode == 0, classified.stderr
    assert "accuracy" in classified.stderr
    assert len(classified.stdout.splitlines()) == 12


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "diffeo: which verb? diffeo --help lists them\n"),
        (["alin"], "diffeo: unknown verb alin; did you mean align?\n"),
        (["info"], "diffeo: info: file is required\n"),
    ],
    ids=["no verb", "unknown verb", "no file"],
)
def test_wrong_usage_is_one_line_and_exit_code_2(bare, arguments, complaint):
    done = bare.run("diffeo", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", complaint)


def test_failure_is_one_line_and_exit_code_1(bare):
    done = bare.run("diffeo", "info", "missing.tsv")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("diffeo: ")
    assert done.stderr.count("\n") == 1


def test_names_of_files_may_be_any_bytes(bare, series):
    name = os.fsencode(bare.folder) + b"/s\xe9ries.tsv"
    os.link(series, name)
    done = subprocess.run(
        ["diffeo", "info", name], **bare.settings(), capture_output=True, timeout=LONG_ENOUGH, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


# --- signals -----------------------------------------------------------------------------------------------


def opened_where_read(pipe):
    """The pipe opened for writing, or nothing as long as nobody has opened it for reading."""
    try:
        return [os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)]
    except OSError:
        return []


def test_an_interrupted_fit_says_how_to_go_on(complete, series):
    command = ["diffeo", "fit", series, "-o", "interrupted", "--epochs", 1_000_000]
    command += ["--checkpoint-seconds", 0, *SMALL]
    process = complete.start(*command, stderr=subprocess.PIPE)
    wait_for((complete.folder / "interrupted.checkpoint" / "member-0.safetensors").exists, process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=LONG_ENOUGH)
    assert process.returncode == 1
    assert errors.startswith("diffeo: interrupted in epoch ")
    assert "; go on with: diffeo fit " in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_what_cannot_be_interrupted_with_care_ends_at_once(bare, asked, tmp_path):
    pipe = tmp_path / "never-written.tsv"
    os.mkfifo(pipe)
    process = bare.start("diffeo", "info", pipe, stderr=subprocess.PIPE)
    writer = []  # open to the end: the program waits for what never comes
    wait_for(lambda: writer or writer.extend(opened_where_read(pipe)), process)
    process.send_signal(asked)
    _, errors = process.communicate(timeout=LONG_ENOUGH)
    os.close(*writer)
    assert (process.returncode, errors) == (-asked, "")


def test_a_reader_that_has_seen_enough_is_nothing_to_complain_about(bare):
    process = bare.start(
        *("diffeo", "generate", "cbf", "--cases", 3000, "-o", "-"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=LONG_ENOUGH) == -signal.SIGPIPE
