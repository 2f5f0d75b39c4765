"""A Dask cluster of processes: the bits of one process, whatever happens to the workers."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from cli_program import require_networks, require_program, run

import diffeo

pytest.importorskip("distributed", reason="distributed is not installed")
import dask.array
import psutil
from distributed import Client, Future, LocalCluster, futures_of, wait

import diffeo.dask
from diffeo_command._without_torch import ResultStore

WORKERS = 2
LONG_ENOUGH = 60.0  # seconds: what takes longer hangs
# Three parts, for a network that takes 256 at once. Cut into as many parts as threads are to have, or into
# chunks of 64, a single series would be left over, which networks round differently.
CASES = 705
MEBIBYTE = 2**20
TINY = {
    "widths": (2,),
    "kernels": (3,),
    "hidden": 2,
    "positions": 8,
    "cells": 4,
    "loss": "variance + 30 cross-entropy",
    "random_state": 1,
}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    # Dask's memory manager takes the model away from a worker that has run out of work, which is a matter of
    # chance where the machine has other things to do too.
    settings = {"distributed.scheduler.active-memory-manager.start": False}
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            dashboard_address=None,
            memory_limit=0,  # what is measured here is not to be hidden by spilling
            local_directory=str(tmp_path_factory.mktemp("dask")),
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def whole_client(client):
    """With all its workers: one that a test has killed has been replaced."""
    client.wait_for_workers(WORKERS, timeout=LONG_ENOUGH)
    return client


@pytest.fixture(scope="module")
def cbf():
    return diffeo.generate_cbf(CASES, seed=4, length=32)


@pytest.fixture(scope="module")
def network():
    """Trained in no time: what it knows does not matter here."""
    pytest.importorskip("diffeo.torch", exc_type=ImportError, reason="torch is not installed")
    X, y = diffeo.generate_cbf(12, seed=1, length=32)
    return diffeo.TemporalAligner(**TINY, epochs=2, least_steps=0, members=2).fit(X, y.astype(int))


@pytest.fixture(scope="module")
def joint():
    X, y = diffeo.generate_cbf(12, seed=1, length=64)
    return diffeo.JointAligner(cells=8).fit(X, y)


@pytest.fixture(scope="module")
def model_file(network, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "small.model"
    network.save(path)
    return path


def in_form(X, form):
    """The same series in another of the forms that people have them in."""
    if form == "lists of different lengths":
        return [series[:, : 32 - case % 9] for case, series in enumerate(X)]
    if form == "lists of both precisions":
        return [series.astype(np.float32 if case < 690 else np.float64) for case, series in enumerate(X)]
    return {"doubles": X, "floats": X[:, 0].astype(np.float32), "integers": (10 * X).astype(int)}[form]


def assert_same_bits(found, expected):
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


# --- the same bits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form", ["doubles", "floats", "integers", "lists of different lengths", "lists of both precisions"]
)
def test_a_cluster_aligns_and_classifies_as_one_process_does(whole_client, network, cbf, form):
    X = in_form(cbf[0], form)
    assert_same_bits(diffeo.dask.transform(network, X), network.transform(X))
    classifier = diffeo.NearestCentroid(network).fit(cbf[0][:30], cbf[1][:30])
    assert_same_bits(diffeo.dask.classify(classifier, X), classifier.predict(X))


def test_parts_are_cut_where_a_network_of_long_series_does_not_notice(whole_client, network):
    X, y = diffeo.generate_cbf(257, seed=2, length=1000)  # one more than short series have at once
    aligner = diffeo.TemporalAligner(**TINY, epochs=1, least_steps=0).fit(X[:6], y[:6])
    assert aligner._series_at_once() == 131
    assert_same_bits(diffeo.dask.transform(aligner, X), aligner.transform(X))


def test_models_without_a_network_give_the_same_bits_too(whole_client, joint):
    X, y = diffeo.generate_cbf(40, seed=5, length=64)
    assert_same_bits(diffeo.dask.transform(joint, X, client=whole_client), joint.transform(X))
    for classifier in (diffeo.NearestCentroid(joint), diffeo.NearestCentroid("dba", distance="dtw")):
        classifier.fit(X[:20], y[:20])
        assert_same_bits(diffeo.dask.classify(classifier, X[20:]), classifier.predict(X[20:]))


@pytest.mark.parametrize("chunks", [(64, 1, 20), (256, 1, 32)], ids=["other chunks", "chunks that fit"])
def test_an_array_of_dask_becomes_another_that_is_computed_when_asked_for(whole_client, network, cbf, chunks):
    X = dask.array.from_array(cbf[0], chunks=chunks)
    aligned = diffeo.dask.transform(network, X)
    assert (aligned.shape, aligned.dtype, aligned.chunks[0]) == ((CASES, 1, 32), float, (256, 256, 193))
    held = aligned.persist()
    wait(held, timeout=LONG_ENOUGH)  # as dask.distributed.progress does
    assert all(str(future.key[0]).startswith("diffeo-transform-") for future in futures_of(held))
    assert_same_bits(held.compute(), network.transform(cbf[0]))
    assert_same_bits(diffeo.dask.transform(network, X[:, 0]).compute(), network.transform(cbf[0][:, 0]))
    labels = diffeo.dask.classify(network, X)
    assert labels.shape == (CASES,)
    assert_same_bits(labels.compute(), diffeo.dask.classify(network, cbf[0]))


def test_chunks_of_no_cases_are_no_chunks(whole_client, joint):
    """As they are left where a condition holds for none of a chunk."""
    X, _ = diffeo.generate_cbf(12, seed=5, length=64)
    chosen = np.arange(12) // 4 == 1
    some = dask.array.from_array(X[:, 0], chunks=(4, 64))[dask.array.from_array(chosen, chunks=4)]
    some.compute_chunk_sizes()
    assert some.chunks[0] == (0, 4, 0)
    assert_same_bits(diffeo.dask.transform(joint, some).compute(), joint.transform(X[chosen, 0]))


# --- files -------------------------------------------------------------------------------------------------


def test_a_file_is_streamed_into_another_as_the_program_does(whole_client, model_file, cbf, tmp_path):
    require_networks()
    series, ours, theirs = tmp_path / "series.tsv", tmp_path / "ours.npz", tmp_path / "theirs.npz"
    diffeo.save(series, *cbf)
    assert diffeo.dask.transform(model_file, series, output=ours) is None
    assert run("transform", model_file, series, "-o", theirs, "--quiet").returncode == 0
    assert ours.read_bytes() == theirs.read_bytes()
    X, y = diffeo.load(ours)
    assert (y == cbf[1]).all()
    assert_same_bits(diffeo.dask.transform(model_file, series), X)


def test_a_file_is_classified_as_the_program_does(whole_client, network, model_file, cbf, tmp_path):
    require_networks()
    series = tmp_path / "series.csv"
    diffeo.save(series, *cbf)
    labels = diffeo.dask.classify(model_file, series, label="label")
    assert run("classify", model_file, series).stdout.split() == labels.tolist()
    own = diffeo.dask.classify(network, series)
    assert own.dtype.kind == "i"  # as fit was given them
    assert own.astype(str).tolist() == labels.tolist()


def test_what_was_there_stays_where_a_file_cannot_be_aligned(whole_client, joint, tmp_path):
    series, output = tmp_path / "series.ts", tmp_path / "output.npz"
    diffeo.save(series, np.zeros((3, 2, 64)))
    output.write_text("precious")
    with pytest.raises(ValueError, match="channel"):
        diffeo.dask.transform(joint, series, output=output)
    assert output.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["output.npz", "series.ts"]


# --- workers -----------------------------------------------------------------------------------------------


class Counted(diffeo.JointAligner):
    """Writes down in which process it arrives."""

    def __setstate__(self, state):
        super().__setstate__(state)
        with self.diary.open("a") as diary:
            diary.write(f"{os.getpid()}\n")


def test_a_model_is_sent_to_every_worker_once(whole_client, tmp_path):
    X, y = diffeo.generate_cbf(200, seed=5, length=64)
    aligner = Counted(cells=4, max_iterations=3).fit(X[:12], y[:12])
    aligner.diary = tmp_path / "diary"
    diffeo.dask.transform(aligner, X)
    arrived = [int(line) for line in (tmp_path / "diary").read_text().split()]
    workers = set(whole_client.run(os.getpid).values())
    in_workers = [process for process in arrived if process in workers]
    assert sorted(in_workers) == sorted(workers)


class Unwilling(diffeo.JointAligner):
    """Cannot be unpickled anywhere but where it was made, as a network where there is no torch."""

    def __setstate__(self, state):
        super().__setstate__(state)
        if os.getpid() != self.home:
            raise ImportError("no torch here")


def test_a_model_that_a_worker_cannot_have_is_an_error(whole_client):
    X, y = diffeo.generate_cbf(40, seed=5, length=64)
    aligner = Unwilling(cells=4, max_iterations=3).fit(X[:12], y[:12])
    aligner.home = os.getpid()
    with pytest.raises(ImportError, match="no torch here"):
        diffeo.dask.transform(aligner, X)


def peak_of_workers(client):
    """Of resident memory, in MiB, for each process."""

    def peak():
        [line] = [
            text for text in Path("/proc/self/status").read_text().splitlines() if text.startswith("VmHWM")
        ]
        return int(line.split()[1]) * 1024 / 2**20

    return {client.run(os.getpid)[address]: size for address, size in client.run(peak).items()}


def test_memory_of_a_worker_is_bounded_for_ten_million_values(whole_client, network, tmp_path):
    cases, length, spare = 10_000, 1_000, 24.0
    data = cases * length * 8 / MEBIBYTE  # and as much again comes back
    X, y = diffeo.generate_cbf(12, seed=1, length=length)
    aligner = diffeo.TemporalAligner(**TINY, epochs=1, least_steps=0).fit(X, y)
    few, many, output = tmp_path / "few.npy", tmp_path / "many.npy", tmp_path / "output.npy"
    for path, count in ((few, 1_500), (many, cases)):
        np.save(path, np.random.default_rng(3).normal(size=(count, length)))
    diffeo.dask.transform(aligner, few, output=output)
    before = peak_of_workers(whole_client)
    diffeo.dask.transform(aligner, many, output=output)
    after = peak_of_workers(whole_client)
    growth = max(after[process] - before[process] for process in before)
    assert np.load(output, mmap_mode="r").shape == (cases, 1, length)
    assert growth < spare < data / WORKERS, f"{growth:.0f} MiB more for {data:.0f} MiB of data"


# --- arguments ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "error", "told"),
    [
        (("joint", [[1.0, 2.0]]), {"n_jobs": 0}, ValueError, "n_jobs: expected None, -1 for all cores"),
        (("joint", [[1.0, 2.0]]), {"output": "a.npz"}, ValueError, "output: expected None for series that"),
        (("joint", [[1.0, 2.0]]), {"label": 3}, ValueError, "label: expected None for series that"),
        (("joint", [[1.0, 2.0]]), {"client": "tcp"}, TypeError, "client: expected a Client of dask.dist"),
        (("joint", np.zeros(3)), {}, ValueError, r"X: expected shape \(cases, channels, time\)"),
        (("joint", np.zeros((9, 2, 64))), {}, ValueError, "expected 1 channel"),
        (("joint", [np.zeros(64), np.zeros((2, 64))]), {}, ValueError, r"X\[1\]: expected shape \(time,\)"),
        (("joint", "nowhere.tsv"), {}, FileNotFoundError, "nowhere.tsv"),
        (("nowhere.model", np.zeros((2, 64))), {}, FileNotFoundError, "nowhere.model"),
        ((3, np.zeros((2, 64))), {}, TypeError, "model: expected a TemporalAligner, a JointAligner or"),
        ((diffeo.JointAligner(), np.zeros((2, 64))), {}, ValueError, "JointAligner: expected fit before"),
    ],
)
def test_arguments_that_cannot_be_are_named(client, joint, network, arguments, options, error, told):
    model, X = arguments
    with pytest.raises(error, match=told):
        diffeo.dask.transform(joint if model == "joint" else model, X, **options)


@pytest.mark.parametrize("spelling", ["the same", "another spelling", "a symbolic link", "a hard link"])
def test_files_that_are_read_are_not_replaced(client, model_file, tmp_path, spelling):
    series, model = tmp_path / "series.tsv", tmp_path / "model.npz"
    diffeo.save(series, *diffeo.generate_cbf(9, seed=1, length=32))
    model.write_bytes(model_file.read_bytes())
    before = series.read_bytes(), model.read_bytes()
    for kept in (series, model):
        output = tmp_path / f"link{kept.suffix}"
        output.unlink(missing_ok=True)
        if spelling == "a symbolic link":
            output.symlink_to(kept)
        elif spelling == "a hard link":
            output.hardlink_to(kept)
        else:
            output = kept if spelling == "the same" else f"{tmp_path}/../{tmp_path.name}/{kept.name}"
        told = re.escape(f"output: expected another file than {kept}, which would be lost")
        with pytest.raises(ValueError, match=told):
            diffeo.dask.transform(model, series, output=output)
    assert (series.read_bytes(), model.read_bytes()) == before


def test_a_model_without_labels_cannot_classify(client, joint):
    X, _ = diffeo.generate_cbf(12, seed=1, length=32)
    unlabeled = diffeo.TemporalAligner(**TINY, epochs=1, least_steps=0).fit(X)
    with pytest.raises(ValueError, match="model: expected one that was fitted with labels, got one without"):
        diffeo.dask.classify(unlabeled, X)
    with pytest.raises(TypeError, match="model: expected a NearestCentroid, a TemporalAligner or the path"):
        diffeo.dask.classify(joint, X)


def test_errors_say_how_many_cases_came_before(client, joint):
    X = np.random.default_rng(1).normal(size=(40, 64))
    X[33] = np.inf
    with pytest.raises(ValueError, match=r"^after \d+ cases, "):
        diffeo.dask.transform(joint, X)


@pytest.mark.parametrize(
    ("changed", "error", "told"),
    [
        ({"datasets": "Apple"}, ValueError, "datasets: expected a list of names, at least one, got 'Apple'"),
        ({"datasets": ["Pear"]}, ValueError, "datasets: expected names of folders in the archive, got Pear"),
        ({"seeds": []}, ValueError, "seeds: expected at least one"),
        ({"seeds": [-1]}, ValueError, "seeds: expected a whole number"),
        ({"folds": 1}, ValueError, "folds: expected a whole number of at least 2"),
        (
            {"preset": "papre"},
            ValueError,
            "preset: expected default, ensemble, paper, dtan or resnet-tw, got papre",
        ),
        ({"cels": 3}, TypeError, "cels: expected one of the hyper-parameters"),
        ({"archive": 3}, TypeError, "archive: expected the path of a folder, got 3"),
    ],
)
def test_arguments_of_evaluate_that_cannot_be_are_named(client, archive, tmp_path, changed, error, told):
    require_program()
    arguments = {"archive": archive, "results": tmp_path / "results", **changed}
    with pytest.raises(error, match=told):
        diffeo.dask.evaluate(**arguments)
    assert not (tmp_path / "results").exists()


def test_unknown_sizes_and_wrong_shapes_of_an_array_of_dask_are_refused(joint):
    X = dask.array.zeros((8, 64))
    with pytest.raises(ValueError, match="X: expected chunks of known sizes"):
        diffeo.dask.transform(joint, X[X[:, 0] > 0])
    with pytest.raises(ValueError, match="X: expected numbers, "):
        diffeo.dask.transform(joint, X[0])
    with pytest.raises(ValueError, match="output: expected None"):
        diffeo.dask.transform(joint, X, output="a.npz")


@pytest.mark.parametrize("asked", [1, 3])
def test_models_work_on_as_many_threads_as_tasks_are_told(network, joint, cbf, asked):
    X, y = cbf[0][:30], cbf[1][:30]
    for aligner in (network, joint):
        classifier = diffeo.NearestCentroid(aligner, n_jobs=2).fit(X, y)
        told = classifier._with_jobs(asked)
        assert (told.n_jobs, told.aligner_.n_jobs, told._fitted_with[-1]) == (asked, asked, asked)
        assert (classifier.n_jobs, classifier._fitted_with[-1]) == (2, 2)
        assert_same_bits(told.predict(X), classifier.predict(X))


def run_python(program):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )


def test_without_distributed_an_error_says_what_to_install():
    done = run_python("import sys; sys.modules['distributed'] = None\nimport diffeo\nimport diffeo.dask")
    assert done.stderr.strip().splitlines()[-1] == (
        'ImportError: diffeo.dask: expected the package distributed, found none; pip install "diffeo[dask]"'
    )


def test_without_a_client_an_error_says_so():
    program = (
        "import diffeo.dask\n"
        "model = diffeo.NearestCentroid().fit([[0.0], [1.0]], [3, 5])\n"
        "diffeo.dask.classify(model, [[0.0]])"
    )
    assert "ValueError: client: expected a Client of dask.distributed, or" in run_python(program).stderr


def test_a_client_that_is_closed_is_refused(client, joint, tmp_path):
    closed = Client(client.cluster, set_as_default=False)
    closed.close()
    told = "^client: expected one that is open, got one that is closed$"
    with pytest.raises(ValueError, match=told):
        diffeo.dask.transform(joint, np.zeros((2, 64)), client=closed)
    with pytest.raises(ValueError, match=told):
        diffeo.dask.classify(diffeo.NearestCentroid().fit([[0.0], [1.0]], [3, 5]), [[0.0]], client=closed)
    with pytest.raises(ValueError, match=told):
        diffeo.dask.evaluate(tmp_path, tmp_path / "results", client=closed)


# --- evaluate ----------------------------------------------------------------------------------------------

BRIEF = {"epochs": 2, "least_steps": 0, "widths": (8, 8), "kernels": (5, 3)}
CHANGING = ("seconds", "cpu_seconds", "training_seconds", "date")


def as_options(parameters):
    """As they are typed."""
    texts = {
        name: ",".join(map(str, value)) if isinstance(value, list | tuple) else value
        for name, value in parameters.items()
    }
    return [f"--{name.replace('_', '-')}={text}" for name, text in texts.items()]


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archive")
    for seed, name in enumerate(("Apple", "Bread", "Cake")):
        (folder / name).mkdir()
        for part, cases in (("TRAIN", 12), ("TEST", 9)):
            X, y = diffeo.generate_cbf(cases, seed=2 * seed + (part == "TEST"), length=32)
            diffeo.save(folder / name / f"{name}_{part}.tsv", X, y)
    return folder


def lines_of(results):
    return [json.loads(line) for line in (results / "results.jsonl").read_text().splitlines()]


def as_sorted(lines):
    """Without what differs between runs, in an order that does not depend on who came first."""
    kept = [{name: value for name, value in line.items() if name not in CHANGING} for line in lines]
    return sorted(kept, key=lambda line: (line["dataset"], line["method"], line["seed"] or 0))


def test_evaluating_gives_the_lines_of_the_program(whole_client, archive, tmp_path):
    require_networks()
    (archive / "Cake" / "Cake_TEST.tsv").write_text("1\tnonsense\n")  # a failure is a line too
    plan = {"datasets": ["Apple", "Cake"], "methods": ["euclidean", "diffeo"], "seeds": [3]}
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    run(
        "evaluate", archive, "--results", theirs, *as_options(plan), *as_options(BRIEF), "--jobs=2", "--quiet"
    )
    found = diffeo.dask.evaluate(archive, ours, **plan, **BRIEF)
    assert as_sorted(lines_of(ours)) == as_sorted(lines_of(theirs))
    assert [(line["dataset"], line["method"], line["seed"]) for line in found] == [
        ("Apple", "euclidean", None),
        ("Apple", "diffeo", 3),
        ("Cake", "euclidean", None),
        ("Cake", "diffeo", 3),
    ]
    assert as_sorted(found) == as_sorted(lines_of(ours))
    assert {line["dataset"] for line in found if "error" in line} == {"Cake"}
    assert diffeo.dask.evaluate(archive, ours, **plan, **BRIEF) == found  # nothing is done twice


def test_work_that_can_have_no_result_ends_the_evaluation(whole_client, archive, tmp_path, monkeypatch):
    require_program()
    monkeypatch.chdir(archive)
    only_here = "/proc/self/cwd"  # workers run elsewhere
    with pytest.raises(RuntimeError, match=r"^Apple with euclidean: .*/proc/self/cwd"):
        diffeo.dask.evaluate(only_here, tmp_path, datasets=["Apple"], methods=["euclidean"])
    assert lines_of(tmp_path) == []


def test_a_folder_that_is_in_use_is_refused_and_nothing_is_done(whole_client, archive, tmp_path):
    require_program()
    results = tmp_path / "results"
    plan = {"datasets": ["Apple"], "methods": ["euclidean"]}
    with closing(ResultStore(results)):
        with pytest.raises(RuntimeError, match=f"results: in use by process {os.getpid()} on "):
            diffeo.dask.evaluate(archive, results, **plan)
        refused = run("evaluate", archive, "--results", results, *as_options(plan))
        assert f"in use by process {os.getpid()} on " in refused.stderr
    assert lines_of(results) == []
    assert diffeo.dask.evaluate(archive, results, **plan) == lines_of(results)


def test_a_line_that_was_cut_off_is_reported_and_done_again(whole_client, archive, tmp_path):
    require_program()
    (tmp_path / "results.jsonl").write_text('{"dataset": "App')
    with pytest.warns(UserWarning, match="cut off an incomplete last line"):
        found = diffeo.dask.evaluate(archive, tmp_path, datasets=["Apple"], methods=["euclidean"])
    assert lines_of(tmp_path) == found


def test_an_evaluation_that_fails_leaves_nothing_running(whole_client, archive, tmp_path):
    require_networks()
    endless = {**BRIEF, "epochs": 100_000}
    workers = [psutil.Process(process) for process in whole_client.run(os.getpid).values()]

    def started():
        return [child for worker in workers for child in worker.children(recursive=True)]

    def take_the_work_away():
        soon(lambda: all(worker.children() for worker in workers))
        keys = [key for key in whole_client.futures if "diffeo-evaluate" in str(key)]
        whole_client.cancel([Future(key, whole_client) for key in keys])

    taken = beside(take_the_work_away)
    with pytest.raises(CancelledError):
        diffeo.dask.evaluate(
            archive, tmp_path / "results", datasets=["Apple"], methods=["diffeo"], seeds=[0, 1], **endless
        )
    taken.result()
    soon(lambda: not started())


# --- workers that are killed ----------------------------------------------------------------------------
# The last tests: those that take their places have to load everything again.


def soon(found):
    """What a function finds, as soon as it finds something."""
    end = time.monotonic() + LONG_ENOUGH
    while not (answer := found()):
        assert time.monotonic() < end, "nothing happens"
        time.sleep(0.02)
    return answer


def beside(work):
    """Goes on in a thread until its result is asked for."""
    return ThreadPoolExecutor(1).submit(work)


def test_a_worker_that_is_killed_loses_nothing_and_duplicates_nothing(whole_client, joint):
    X, _ = diffeo.generate_cbf(300, seed=6, length=64)
    expected, processes = joint.transform(X), whole_client.run(os.getpid)

    def busy():
        tasks = whole_client.processing()
        return [processes[worker] for worker in processes if "diffeo-transform" in str(tasks.get(worker))]

    killed = beside(lambda: os.kill(soon(busy)[0], signal.SIGKILL))
    assert_same_bits(diffeo.dask.transform(joint, X), expected)
    killed.result()


def test_a_worker_that_is_killed_loses_and_duplicates_nothing_of_an_evaluation(
    whole_client, archive, tmp_path
):
    require_networks()
    results, longer = tmp_path / "results", {**BRIEF, "epochs": 150}
    plan = {"datasets": ["Apple", "Bread"], "methods": ["diffeo"], "seeds": [0, 1]}
    workers = [psutil.Process(process) for process in whole_client.run(os.getpid).values()]

    def kill_one_at_work():
        victim = soon(lambda: next((worker for worker in workers if worker.children()), None))
        started = victim.children(recursive=True)
        victim.kill()
        return started

    killed = beside(kill_one_at_work)
    found = diffeo.dask.evaluate(archive, results, **plan, **longer)
    names = [(line["dataset"], line["seed"]) for line in found]
    assert names == [("Apple", 0), ("Apple", 1), ("Bread", 0), ("Bread", 1)]
    assert as_sorted(found) == as_sorted(lines_of(results))  # no line is there twice
    _, alive = psutil.wait_procs(killed.result(), timeout=LONG_ENOUGH)
    assert alive == []  # what the worker had started ended with it


def test_an_evaluation_that_is_killed_goes_on_where_it_was(whole_client, archive, tmp_path):
    """Its process has a cluster of its own."""
    require_networks()
    plan = {"datasets": ["Apple", "Bread"], "methods": ["euclidean", "diffeo"], "seeds": [0, 1]}
    arguments = {**plan, **BRIEF, "epochs": 150}
    program = (
        "import diffeo.dask\nfrom distributed import Client\n"
        "if __name__ == '__main__':\n"
        "    Client(n_workers=1, threads_per_worker=1, dashboard_address=None)\n"
        f"    diffeo.dask.evaluate({str(archive)!r}, {str(tmp_path)!r}, **{arguments!r})\n"
    )
    script = tmp_path / "script.py"
    script.write_text(program)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, script], env=environment, cwd=tmp_path)
    file = tmp_path / "results.jsonl"
    soon(lambda: file.exists() and file.read_text().count("\n") >= 2)
    started = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    before = lines_of(tmp_path)
    assert 2 <= len(before) < 6
    found = diffeo.dask.evaluate(archive, tmp_path, **arguments)
    assert lines_of(tmp_path)[: len(before)] == before
    assert as_sorted(found) == as_sorted(lines_of(tmp_path))
    assert len(found) == 6
    _, alive = psutil.wait_procs(started, timeout=LONG_ENOUGH)
    assert alive == []
