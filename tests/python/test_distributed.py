"""Fits in several processes on this machine: as good as one, and as hard to stop.

What needs no process of its own is in tests/torch/group_test.cpp and group_fit_test.cpp. Starting torch takes
most of the time, so that few groups are started, each does much, and torchrun starts only those that it is
asked to start again or to stop.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from cli_program import LONG_ENOUGH, ROOT

import diffeo_command
from diffeo_command._processes import _name_of_run, agreed_attempt

distributed = pytest.importorskip("torch.distributed")

HERE = Path(__file__).parent
BUILT = ROOT / "build" / "python"
#: Of losses after 50 steps in double precision: a rounding error of 1e-16 has grown through all of them.
SAME_IN_DOUBLE = 1e-8
#: The same in single precision, where they begin at 1e-7.
CLOSE_IN_SINGLE = 1e-3
LOSSES = ["loss", "variance", "slopes", "inverse_consistency", "cross_entropy", "recognition", "prior"]
SMALL = [
    "--widths",
    "8,8",
    "--kernels",
    "5,3",
    "--least-steps",
    "0",
    "--threads",
    "1",
    "--checkpoint-seconds",
    "0",
]


def environment(**variables):
    path = os.pathsep.join(filter(None, [str(BUILT), os.environ.get("PYTHONPATH")]))
    return os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": path} | variables


def torchrun(processes, *words, restarts=0):
    """A command line that starts so many processes."""
    options = ["--standalone", "--nproc-per-node", processes, "--max-restarts", restarts]
    options += ["--monitor-interval", 0.05]
    return [sys.executable, "-m", "torch.distributed.run", *map(str, [*options, *words])]


def free_port():
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return free.getsockname()[1]


def run_group(size, *words):
    """What each of so many processes did that know of each other by the variables that torchrun would set."""
    variables = {"WORLD_SIZE": str(size), "MASTER_ADDR": "localhost", "MASTER_PORT": str(free_port())}
    command = [sys.executable, *map(str, words)]
    processes = [
        start(command, env=environment(RANK=str(rank), LOCAL_WORLD_SIZE=str(size), **variables))
        for rank in range(size)
    ]
    said = [process.communicate(timeout=LONG_ENOUGH) for process in processes]
    for process, (_, errors) in zip(processes, said, strict=True):
        assert process.returncode == 0, errors
    return [output for output, _ in said]


def run(command, **variables):
    settings = {"capture_output": True, "text": True, "timeout": LONG_ENOUGH, "check": False}
    return subprocess.run(command, env=environment(**variables), **settings)


def start(command, env=None):
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env or environment()
    )


@pytest.fixture(scope="module")
def fits(tmp_path_factory):
    """What three processes saw, by their ranks."""
    folder = tmp_path_factory.mktemp("fits")
    run_group(3, HERE / "distributed_fits.py", folder)
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(3)]


def terms(history):
    """The losses of every epoch, by their names."""
    return {name: [record[2 + number] for record in history] for number, name in enumerate(LOSSES)}


def furthest(came, expected):
    """The largest difference of two histories, relative to the loss that it is of."""
    pairs = [pair for name in LOSSES for pair in zip(terms(came)[name], terms(expected)[name], strict=True)]
    return max(abs(one - other) / max(abs(other), 1e-300) for one, other in pairs)


@pytest.mark.parametrize("size", ["2", "3"])
def test_losses_are_those_of_one_process_in_double_precision(fits, size):
    for loss, alone in fits[0]["double"]["1"].items():
        assert len(alone) == 10, "10 epochs of 5 steps"
        assert furthest(fits[0]["double"][size][loss], alone) < SAME_IN_DOUBLE, loss


def test_losses_stay_close_to_those_of_one_process_in_single_precision(fits):
    alone, together = fits[0]["single"]["1"], fits[0]["single"]["3"]
    assert furthest(together["history"], alone["history"]) < CLOSE_IN_SINGLE
    assert together["classes"] == alone["classes"]


def test_all_processes_come_to_the_same_model(fits):
    assert fits[0]["single"]["3"] == fits[1]["single"]["3"] == fits[2]["single"]["3"]


def test_a_seed_that_nobody_gave_is_drawn_once(fits):
    assert len({found["drawn"]["seed"] for found in fits}) == 1
    assert fits[0]["drawn"] == fits[2]["drawn"]


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("options", "cells: expected the same in all processes, got 8 in process 0 and 9 in process 1"),
        ("labels", ": expected labels in all processes or in none, got some of process 0"),
        ("channels", ": expected 1 channels in all processes, as process 0 has, got 2 in process 1"),
        ("infinite", ": expected finite or missing values, got an infinite one"),
    ],
)
def test_what_does_not_fit_together_is_refused_by_all_processes(fits, what, expected):
    said = [found["refusals"][what] for found in fits[:2]]
    assert sorted(text.split(":")[0] for text in said) == ["RuntimeError", "ValueError"]
    assert all(expected in text for text in said)


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    """A file of series, as the command makes one."""
    path = tmp_path_factory.mktemp("distributed") / "train.tsv"
    command = [sys.executable, "-m", "diffeo", "generate", "cbf", "--cases", "13", "--length", "32"]
    done = run([*command, "--seed", "1", "-o", str(path)])
    assert done.returncode == 0, done.stderr
    return path


def test_commands_in_a_group_refuse_what_cannot_be(training, tmp_path):
    other = tmp_path / "other.tsv"
    other.write_text(training.read_text().rstrip() + "e1\n")  # the last number is ten times as large
    single = tmp_path / "single.tsv"
    single.write_text(training.read_text().splitlines()[0] + "\n")
    (tmp_path / "there").touch()
    model = tmp_path / "model"

    def fit(path, *options, output=model, seed=3):
        options = [*options, "--epochs", 1, "--seed", seed]
        return ["fit", str(path), "-o", str(output), *SMALL, *map(str, options)]

    wanted = {
        "other files": [fit(training), fit(other)],
        "other options": [fit(training), fit(training, "--cells", 7)],
        "other seeds": [fit(training), fit(training, seed=4)],
        "too few series": [fit(single), fit(single)],
        "no file": [fit(training), fit(tmp_path / "none.tsv")],
        "a model that is there": [fit(training, output=tmp_path / "there")] * 2,
        "standard input": [fit("-"), fit("-")],
        "dry run": [fit(training, "--dry-run")] * 2,
    }
    (tmp_path / "commands.json").write_text(json.dumps(wanted))
    run_group(2, HERE / "distributed_commands.py", tmp_path, tmp_path / "commands.json")
    found = [json.loads((tmp_path / f"{rank}.json").read_text()) for rank in range(2)]
    says = {
        "other files": "train.tsv: expected the same series in all processes, got those of process 0 and",
        "other options": "cells: expected the same in all processes, got 32 in process 0 and 7 in process 1",
        "other seeds": "seed: expected the same in all processes, got 3 in process 0 and 4 in process 1",
        "too few series": "training: expected a series for each of the 2 processes, got 1",
        "no file": "none.tsv: cannot be opened: No such file or directory",
        "a model that is there": "there exists; --force replaces it",
        "standard input": "standard input: expected one process, got 2",
        "dry run": "--dry-run: expected one process, got 2",
    }
    for name, expected in says.items():
        codes, errors = zip(*(each[name] for each in found), strict=True)
        assert codes == (1, 1), name
        lines = "".join(errors).splitlines()
        assert len(lines) == 1, f"{name}: {lines}"
        assert expected in lines[0]
    assert not model.exists()


def fit_words(training, model, *options):
    return ["-m", "diffeo", "fit", training, "-o", model, *SMALL, "--epochs", 40, "--seed", 3, *options]


@pytest.fixture(scope="module")
def undisturbed(training, tmp_path_factory):
    """The model of two processes that nobody disturbed, and what they said."""
    model = tmp_path_factory.mktemp("undisturbed") / "model"
    said = run_group(2, *fit_words(training, model, "--json"))
    return model.read_bytes(), said


def test_only_the_first_process_speaks(undisturbed):
    _, said = undisturbed
    assert json.loads(said[0])["cases"] == 13
    assert said[1] == ""


def workers(launcher):
    """The processes of a group by their ranks."""
    found = {}
    for child in Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text().split():
        try:
            variables = Path(f"/proc/{child}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        ranks = [int(each[5:]) for each in variables if each.startswith(b"RANK=")]
        found |= {rank: int(child) for rank in ranks}
    return found


def wait_for(condition, process):
    deadline = time.monotonic() + LONG_ENOUGH
    while not condition() and process.poll() is None:
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.002)


def kill_once(process, state, rank, delay, before=()):
    """Kills a process of the group when it is another than before, and the group has written a checkpoint."""
    wait_for(lambda: not set(before) & set(workers(process).values()) and rank in workers(process), process)
    since = time.time_ns()
    wait_for(lambda: state.exists() and state.stat().st_mtime_ns > since, process)
    time.sleep(delay)
    found = workers(process)
    assert process.poll() is None, "the fit is too short to be killed"
    os.kill(found[rank], signal.SIGKILL)
    return found.values()


def kill_at_once(process, rank):
    """Kills a process of the group before it has met the others."""
    wait_for(lambda: rank in workers(process), process)
    found = workers(process)
    os.kill(found[rank], signal.SIGKILL)
    return found.values()


def test_a_group_that_loses_processes_comes_to_the_same_model(training, undisturbed, tmp_path):
    model = tmp_path / "model"
    state = tmp_path / "model.checkpoint" / "member-0.safetensors"
    state.parent.mkdir()
    state.write_bytes(b"of another fit")
    process = start(torchrun(2, *fit_words(training, model, "--quiet", "--force"), restarts=3))
    unmet = kill_at_once(process, rank=1)  # what is begun again still has to be begun
    first = kill_once(process, state, rank=1, delay=0.0, before=unmet)
    kill_once(process, state, rank=0, delay=0.01, before=first)  # the one that writes
    _, errors = process.communicate(timeout=LONG_ENOUGH)
    assert process.returncode == 0, errors
    assert model.read_bytes() == undisturbed[0]
    assert not state.parent.exists()


def met(store, restarts):
    """The attempts that processes come to, by their ranks, each of an agent that has restarted so often."""

    def one(rank):
        return agreed_attempt(store, rank, len(restarts), restarts[rank] > 0)

    with ThreadPoolExecutor(len(restarts)) as threads:
        return list(threads.map(one, reversed(range(len(restarts)))))[::-1]


@pytest.fixture
def store(monkeypatch):
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "run")
    store = distributed.HashStore()
    store.set_timeout(timedelta(seconds=LONG_ENOUGH))
    return store


def test_processes_whose_agents_have_counted_other_restarts_come_to_one_attempt(store):
    assert met(store, [0, 0, 0]) == [(1, False, "run")] * 3
    assert met(store, [0, 1, 1]) == [(2, True, "run")] * 3  # what is kept tells the first process
    assert met(store, [2, 1, 0]) == [(3, True, "run")] * 3


def test_a_first_process_with_a_new_store_says_for_all_that_it_was_restarted(store):
    assert met(store, [1, 0]) == [(1, True, "run")] * 2


def test_an_attempt_that_was_lost_half_way_is_left_alone(store):
    store.add("attempts", 1)  # the first process was lost before the others had come
    store.set("1/come/1", "lost")
    assert met(store, [0, 1, 1]) == [(2, True, "run")] * 3
    store.add("attempts", 1)  # another one when it had named them
    for rank in (1, 2):
        store.set(f"3/come/{rank}", f"lost {rank}")
    store.set("3/start", json.dumps([["lost 1", "lost 2"], 3, True, "run"]))
    assert met(store, [1, 1, 1]) == [(4, True, "run")] * 3


def test_processes_that_do_not_meet_say_whom_they_miss(store):
    store.set_timeout(timedelta(seconds=0.2))
    with pytest.raises(RuntimeError, match=r"^fit: expected 3 processes to meet in 0.2 s, got 1$"):
        agreed_attempt(store, 0, 3, False)
    with pytest.raises(RuntimeError, match=r"^fit: expected the first process to call process 2 in 0.2 s, g"):
        agreed_attempt(store, 2, 3, False)


def test_what_a_launcher_starts_again_is_refused_again(training, tmp_path):
    model = tmp_path / "model"
    model.write_text("precious")
    variables = {"RANK": "0", "TORCHELASTIC_RUN_ID": "a run", "TORCHELASTIC_RESTART_COUNT": "1"}
    done = run([sys.executable, *map(str, fit_words(training, model))], **variables)
    assert done.returncode == 1
    assert "model exists; --force replaces it" in done.stderr
    assert model.read_text() == "precious"


def test_a_run_that_was_given_no_name_has_that_of_its_launcher(monkeypatch, store):
    assert _name_of_run() == "run"
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    name = _name_of_run()
    monkeypatch.delenv("TORCHELASTIC_RUN_ID")
    assert re.fullmatch(rf"[A-Za-z0-9.-]+-{os.getppid()}-\d+", name)
    assert _name_of_run() == name
    program = "from diffeo_command._processes import _name_of_run; print(_name_of_run())"
    others = {run([sys.executable, "-c", program]).stdout.strip() for _ in range(2)}
    assert len(others) == 1, "one launcher, one name"
    assert name not in others


def test_a_run_keeps_its_name_when_another_machine_has_the_first_process(monkeypatch, store):
    [(_, _, first), _] = met(store, [0, 0])
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "of another machine")
    assert met(store, [1, 1]) == [(2, True, first)] * 2


def test_a_fit_that_is_refused_is_refused_again_in_runs_without_a_name(training, tmp_path):
    model = tmp_path / "model"
    state = tmp_path / "model.checkpoint" / "member-0.safetensors"

    def launched():
        options = ["--nproc-per-node", 2, "--max-restarts", 1, "--monitor-interval", 0.05]
        options += ["--master-port", free_port(), *fit_words(training, model, "--quiet")]
        return start([sys.executable, "-m", "torch.distributed.run", *map(str, options)])

    earlier = launched()
    wait_for(state.exists, earlier)
    earlier.send_signal(signal.SIGTERM)
    earlier.communicate(timeout=LONG_ENOUGH)
    left = state.read_bytes()
    later = launched()
    _, errors = later.communicate(timeout=LONG_ENOUGH)
    assert later.returncode != 0
    assert errors.count("holds a fit that was not finished; go on with --resume") == 2, errors
    assert state.read_bytes() == left
    assert not model.exists()


def test_an_interrupted_group_says_how_to_go_on_and_does(training, undisturbed, tmp_path):
    model = tmp_path / "model"
    state = tmp_path / "model.checkpoint" / "member-0.safetensors"
    process = start(torchrun(2, *fit_words(training, model, "--quiet")))
    wait_for(state.exists, process)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=LONG_ENOUGH)
    assert process.returncode != 0
    said = [line for line in errors.splitlines() if line.startswith("diffeo: ")]
    assert len(said) == 1, errors
    assert said[0].startswith("diffeo: interrupted in epoch ")
    assert said[0].endswith("go on with the same command and --resume")
    # One process goes on where two have stopped: another sum of the same terms.
    again = run([sys.executable, *map(str, fit_words(training, model, "--resume", "--quiet"))])
    assert again.returncode == 0, again.stderr
    assert model.exists()


def test_a_group_leaves_a_finished_model_alone(training, undisturbed, tmp_path):
    model = tmp_path / "model"
    model.write_bytes(undisturbed[0])
    words = ["fit", str(training), "-o", str(model), "--resume"]
    (tmp_path / "commands.json").write_text(json.dumps({"finished": [words, words]}))
    run_group(2, HERE / "distributed_commands.py", tmp_path, tmp_path / "commands.json")
    found = [json.loads((tmp_path / f"{rank}.json").read_text())["finished"] for rank in range(2)]
    assert found == [[0, f"{model} is finished; there is nothing to resume\n"], [0, ""]]
    assert model.read_bytes() == undisturbed[0]


def test_verbs_of_one_process_are_refused_in_several(training):
    variables = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "MASTER_PORT": "1"}
    done = run(
        [sys.executable, "-m", "diffeo", "info", str(training)], TORCHELASTIC_RUN_ID="none", **variables
    )
    assert done.returncode == 1
    assert done.stderr == "diffeo: info: expected one process, got 2; only fit works in several\n"


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("WORLD_SIZE", "two", "WORLD_SIZE: expected a whole number of at least 1, got 'two'"),
        ("WORLD_SIZE", "0", "WORLD_SIZE: expected a whole number of at least 1, got '0'"),
        ("LOCAL_WORLD_SIZE", "", "LOCAL_WORLD_SIZE: expected a whole number of at least 1, got ''"),
        ("RANK", "first", "RANK: expected a whole number of at least 0, got 'first'"),
        ("MASTER_PORT", "http", "MASTER_PORT: expected a whole number of at least 0, got 'http'"),
        (
            "TORCHELASTIC_RESTART_COUNT",
            "-1",
            "TORCHELASTIC_RESTART_COUNT: expected a whole number of at least 0, got '-1'",
        ),
    ],
)
def test_variables_of_a_launcher_that_cannot_be_are_refused_by_name(training, variable, value, expected):
    variables = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "MASTER_PORT": "1"}
    words = [sys.executable, "-m", "diffeo", "fit", str(training), "model"]
    done = run(words, **variables | {variable: value})
    assert done.returncode == 1
    assert done.stderr == f"diffeo: {expected}\n"


@pytest.mark.parametrize("needs_gpus", [False, True])
def test_libraries_for_gpus_are_loaded_for_a_command_that_needs_them(monkeypatch, tmp_path, needs_gpus):
    loaded = []
    names = ["libtorch_cpu.so", "libc10_cuda.so", "libtorch_cuda.so"]

    def command():
        if needs_gpus and loaded != names:
            raise ImportError("libc10_cuda.so: cannot open shared object file")
        return "the command"

    monkeypatch.setattr("ctypes.CDLL", lambda path: loaded.append(Path(path).name))
    monkeypatch.setattr(diffeo_command, "_with_networks", command)
    if needs_gpus:
        with pytest.raises(ImportError, match="libc10_cuda"):
            diffeo_command._load_with(tmp_path)
        loaded.clear()
    (tmp_path / "lib").mkdir()
    for name in names:
        (tmp_path / "lib" / name).touch()
    assert diffeo_command._load_with(tmp_path) == "the command"
    assert loaded == (names if needs_gpus else names[:1])


def test_a_problem_without_words_is_told_by_its_name():
    program = (
        "import diffeo_command\n"
        "def fail():\n    raise MemoryProblem\n"
        "class MemoryProblem(RuntimeError):\n    pass\n"
        "diffeo_command._load = fail\n"
        "raise SystemExit(diffeo_command.main())"
    )
    done = run([sys.executable, "-c", program])
    assert (done.returncode, done.stderr) == (1, "diffeo: MemoryProblem\n")
