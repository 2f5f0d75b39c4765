"""The program as a process that is killed: what it had done is not lost, and the rest comes out the same."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("DIFFEO_PROGRAM", ROOT / "build" / "bin" / "diffeo"))
SMALL = [
    "--least-steps",
    "0",
    "--members",
    "1",
    "--widths",
    "8,8",
    "--kernels",
    "5,3",
    "--shrinkage",
    "1",
    "--threads",
    "1",
    "--quiet",
]
LONG_ENOUGH = 60  # seconds: a process that takes longer hangs


def run(*arguments, **options):
    command = [str(PROGRAM), *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=LONG_ENOUGH, check=False, **options
    )


def start(*arguments):
    command = [str(PROGRAM), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(condition, process):
    """Until something has happened, or the process is done without it."""
    deadline = time.monotonic() + LONG_ENOUGH
    while not condition() and process.poll() is None:
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.002)


@pytest.fixture(scope="module", autouse=True)
def program_with_networks():
    if not PROGRAM.is_file():
        pytest.skip(f"no program at {PROGRAM}")
    if "without libtorch" in run("fit", "none.tsv", "-o", "none").stderr:
        pytest.skip("the program was built without libtorch")


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "train.tsv"
    assert run("generate", "cbf", "--cases", 12, "--length", 32, "--seed", 1, "-o", path).returncode == 0
    return path


def fit_arguments(training, model, epochs=100):
    return ["fit", training, "-o", model, *SMALL, "--epochs", epochs, "--checkpoint-seconds", 0]


@pytest.fixture(scope="module")
def undisturbed(training, tmp_path_factory):
    """The bytes of the model that nobody interrupted."""
    model = tmp_path_factory.mktemp("undisturbed") / "model"
    result = run(*fit_arguments(training, model), "--seed", 3)
    assert result.returncode == 0, result.stderr
    return model.read_bytes()


def test_a_killed_fit_goes_on_to_the_same_model(training, undisturbed, tmp_path):
    model = tmp_path / "model"
    state = tmp_path / "model.checkpoint" / "member-0.safetensors"
    arguments = fit_arguments(training, model)
    kills = 0
    for attempt in range(4):
        before = state.stat().st_mtime_ns if state.exists() else 0
        process = start(*arguments, "--seed", 3, *(["--resume"] if attempt else []))
        wait_for(lambda before=before: state.exists() and state.stat().st_mtime_ns > before, process)
        time.sleep(0.013 * attempt)  # once at the first checkpoint, then at any moment after
        process.kill()
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
        assert not model.exists() or process.returncode == 0
    assert kills >= 3, "the fit is too short to be killed"
    result = run(*arguments, "--resume")  # the seed comes from the checkpoint
    assert result.returncode == 0, result.stderr
    assert model.read_bytes() == undisturbed
    assert not state.parent.exists()


def test_an_interrupted_fit_says_how_to_go_on(training, undisturbed, tmp_path):
    model = tmp_path / "model"
    state = tmp_path / "model.checkpoint" / "member-0.safetensors"
    process = start(*fit_arguments(training, model), "--seed", 3)
    wait_for(state.exists, process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=LONG_ENOUGH)
    assert process.returncode == 1
    assert errors.startswith("diffeo: interrupted in epoch ")
    assert errors.count("\n") == 1
    command = errors.split("go on with: ")[1].strip()
    assert command.endswith(" --resume")
    again = subprocess.run(
        command, shell=True, capture_output=True, text=True, timeout=LONG_ENOUGH, check=False
    )
    assert again.returncode == 0, again.stderr
    assert model.read_bytes() == undisturbed


def test_a_checkpoint_of_another_fit_is_refused(training, tmp_path):
    model = tmp_path / "model"
    state = tmp_path / "model.checkpoint" / "member-0.safetensors"
    process = start(*fit_arguments(training, model), "--seed", 3)
    wait_for(state.exists, process)
    process.kill()
    process.communicate()
    result = run(*fit_arguments(training, model), "--cells", 7, "--seed", 3, "--resume")
    assert result.returncode == 1
    assert "expected one with option cells 7" in result.stderr


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    path = tmp_path_factory.mktemp("archive")
    for number, name in enumerate(("Apple", "Bread", "Cake")):
        (path / name).mkdir()
        for part in (1, 2):
            file = path / name / f"{name}_{'TRAIN' if part == 1 else 'TEST'}.tsv"
            run("generate", "cbf", "--cases", 9, "--length", 32, "--seed", 10 * number + part, "-o", file)
    return path


def results_of(directory):
    """Without a last line that is still being written."""
    file = directory / "results.jsonl"
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_an_evaluation_started_again_does_what_is_missing(archive, tmp_path, how):
    arguments = [
        "evaluate",
        archive,
        "--results",
        tmp_path,
        "--methods",
        "euclidean,diffeo",
        "--seeds",
        "0,1",
    ]
    arguments += ["--jobs", 2, *SMALL, "--epochs", 20]
    file = tmp_path / "results.jsonl"
    process = start(*arguments)
    wait_for(lambda: len(results_of(tmp_path)) >= 2, process)
    process.send_signal(how)
    _, errors = process.communicate(timeout=LONG_ENOUGH)
    if how == signal.SIGINT and process.returncode == 1:
        assert errors.startswith("diffeo: interrupted with ")
        assert "go on with: " in errors
    with file.open("a") as lines:
        lines.write('{"dataset": "App')  # as if killed while writing
    result = run(*arguments)
    assert result.returncode == 0, result.stderr
    found = [(line["dataset"], line["method"], line["seed"]) for line in results_of(tmp_path)]
    expected = {
        (name, *rest)
        for name in ("Apple", "Bread", "Cake")
        for rest in (("euclidean", None), ("diffeo", 0), ("diffeo", 1))
    }
    assert len(found) == len(expected)
    assert set(found) == expected
