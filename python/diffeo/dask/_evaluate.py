"""An archive of data sets through several methods: a task for every piece of work of `diffeo evaluate`.

The work is done by that command itself, in a process that a worker starts, so that items, claims and result
lines are those of everybody else who shares the folder, and what runs out of memory does not take the worker
along. Here it is only shared out: the command lists what there is to do, and is told to do it piece by piece.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, SupportsIndex, TypeAlias
from uuid import uuid4

from distributed import Client

from .. import _core
from .._arrays import whole_number
from .._files import PathLike
from .._temporal_aligner import as_typed
from ._stream import client_or_default

Line: TypeAlias = dict[str, Any]

_HIGHEST_SEED = 2**64 - 1
_LOOK_INTERVAL = 1.0  # seconds until work that others hold is asked for again
# When its worker is gone, the system asks the command to stop (PR_SET_PDEATHSIG): another has its work now.
_COMMAND = """\
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGTERM)
if os.getppid() != int(sys.argv.pop(1)):
    sys.exit(1)
import diffeo_command
sys.exit(diffeo_command.main())
"""


def evaluate(
    archive: PathLike,
    results: PathLike,
    *,
    datasets: Iterable[str] | None = None,
    methods: Iterable[str] | None = None,
    seeds: Iterable[SupportsIndex] = (0,),
    folds: SupportsIndex | None = None,
    preset: str | None = None,
    client: Client | None = None,
    **parameters: Any,
) -> list[Line]:
    """Nearest-centroid classification over an archive of data sets: `diffeo evaluate`, on a cluster.

    archive      a folder of NAME/NAME_TRAIN and NAME/NAME_TEST, .tsv, .ts or .arff
    results      a folder: every result is a line of its results.jsonl. What has one is not done again
    datasets     by name; None, the default, means all
    methods      of "euclidean", "dba", "soft-dtw", "dtan", "resnet-tw" and "diffeo"; None, the default, means
                 all
    seeds        of methods with a network; the others are done once
    folds        of a cross-validation inside the training sets; None, the default, predicts the test sets
    preset       what the method "diffeo" starts from; None, the default, means "default"
    client       of dask.distributed; None, the default, takes the one that was made last
    parameters   of TemporalAligner, by name: for all methods with a network, on top of their presets

    Both folders have to be seen by every worker, under the same name. Others may work on them at the same
    time, by this function or by the command: each piece of work is done once. It is a process on one thread,
    the longest first.

    Returns the lines of all that was asked for, as dictionaries, data set by data set; work that failed has
    an "error". ValueError for arguments that cannot be, TypeError for a parameter that there is not,
    RuntimeError where a piece of work could not be done at all; started again, it goes on.

    >>> from dask.distributed import Client
    >>> folder = tempfile.TemporaryDirectory()
    >>> archive, results = os.path.join(folder.name, "archive"), os.path.join(folder.name, "results")
    >>> os.makedirs(os.path.join(archive, "Cbf"))
    >>> for part in ("TRAIN", "TEST"):
    ...     path = os.path.join(archive, "Cbf", f"Cbf_{part}.tsv")
    ...     diffeo.save(path, *diffeo.generate_cbf(12, seed=len(part)))
    >>> with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None):
    ...     [line] = diffeo.dask.evaluate(archive, results, methods=["euclidean"])
    >>> line["dataset"], line["method"], 0 <= line["test_accuracy"] <= 1
    ('Cbf', 'euclidean', True)
    >>> folder.cleanup()
    """
    command = [
        *("evaluate", _absolute("archive", archive), "--results", _absolute("results", results)),
        *([] if folds is None else [f"--cv={whole_number('folds', folds, 2)}"]),
        *([] if preset is None else [f"--preset={preset}"]),
        *_hyperparameters(parameters),
    ]
    chosen = [
        *_listed_names("datasets", datasets),
        *_listed_names("methods", methods),
        f"--seeds={','.join(_seed_texts(seeds))}",
    ]
    cluster = client_or_default(client)
    lines = _listed(cluster, [*command, *chosen])
    while missing := [line for line in lines if _is_missing(line)]:
        problems = _tried(cluster, command, missing)
        lines = _listed(cluster, [*command, *chosen])
        left = [line for line in lines if _is_missing(line)]
        _require_no_problem(left, problems)
        if len(left) == len(missing):
            time.sleep(_LOOK_INTERVAL)
    return lines


# --- what the command is told ------------------------------------------------------------------------------


def _absolute(name: str, path: Any) -> str:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{name}: expected the path of a folder, got {path!r}")
    return os.path.abspath(path)  # noqa: PTH100  workers run elsewhere; links stay as they are


def _listed_names(name: str, chosen: Any) -> list[str]:
    if chosen is None:
        return []
    names = [] if isinstance(chosen, str) else list(chosen)
    if not names or not all(isinstance(each, str) for each in names):
        raise ValueError(f"{name}: expected a list of names, at least one, got {chosen!r}")
    return [f"--{name}={','.join(names)}"]


def _seed_texts(seeds: Any) -> list[str]:
    if isinstance(seeds, str) or not isinstance(seeds, Iterable):
        raise ValueError(f"seeds: expected a list of whole numbers, got {seeds!r}")
    texts = [str(whole_number("seeds", seed, 0, _HIGHEST_SEED)) for seed in seeds]
    if not texts:
        raise ValueError("seeds: expected at least one, got none")
    return texts


def _hyperparameters(parameters: dict[str, Any]) -> list[str]:
    known = {row.name: row for row in _core.hyperparameters()}
    for name in parameters:
        if name not in known:
            raise TypeError(f"{name}: expected one of the hyper-parameters {', '.join(known)}")
    return [
        f"--{name.replace('_', '-')}={as_typed(value, known[name].type == 'text')}"
        for name, value in parameters.items()
    ]


# --- work, shared out --------------------------------------------------------------------------------------


def _is_missing(line: Line) -> bool:
    return "expected_seconds" in line


def _listed(client: Any, command: list[str]) -> list[Line]:
    """Every piece of work: its result, or how long it may take."""
    lines: list[Line] = client.submit(_listing, command, key=f"diffeo-list-{uuid4().hex}").result()
    return lines


def _tried(client: Any, command: list[str], missing: list[Line]) -> dict[tuple[str, ...], str | None]:
    """Has every piece of work tried once, the longest first; what the command complained of.

    Where that fails, or is interrupted, what is under way is ended: Dask itself only forgets it.
    """
    run = f"diffeo-evaluate-{uuid4().hex}"
    ordered = sorted(missing, key=lambda line: -float(line["expected_seconds"]))
    tasks = {
        _only(line): client.submit(
            _trying, run, [*command, *_only(line)], key=(run, *_only(line)), priority=-rank
        )
        for rank, line in enumerate(ordered)
    }
    try:
        return {only: task.result() for only, task in tasks.items()}
    except BaseException:
        with suppress(Exception):  # the first failure is what is told, also where no worker can be reached
            client.run(_end, run, on_error="ignore")
        raise
    finally:
        client.cancel(list(tasks.values()))


def _only(line: Line) -> tuple[str, ...]:
    seed = () if line["seed"] is None else (f"--seeds={line['seed']}",)
    return (f"--datasets={line['dataset']}", f"--methods={line['method']}", *seed)


def _require_no_problem(left: list[Line], problems: dict[tuple[str, ...], str | None]) -> None:
    """What failed and has a line of results is done; others may hold what has neither line nor complaint."""
    for line in left:
        if (problem := problems.get(_only(line))) is not None:
            raise RuntimeError(f"{line['dataset']} with {line['method']}: {problem}")


# --- what workers do ---------------------------------------------------------------------------------------


def _listing(command: list[str]) -> list[Line]:
    listed = _run([*command, "--list"])
    if listed.returncode != 0:
        raise ValueError(_complaint(listed))
    return [json.loads(line) for line in listed.stdout.splitlines()]


def _trying(run: str, command: list[str]) -> str | None:
    """Does a piece of work unless others are at it. With two jobs, one process works and one watches it."""
    tried = _run([*command, "--no-wait", "--quiet", "--jobs=2"], run)
    return None if tried.returncode == 0 else _complaint(tried)


def _run(arguments: list[str], run: str = "") -> subprocess.CompletedProcess[str]:
    with _started(arguments, run) as process:
        output, errors = process.communicate()
    return subprocess.CompletedProcess(arguments, process.returncode, output, errors)


# What this worker has under way, and the evaluations that have ended: for these nothing more is started.
_under_way: dict[subprocess.Popen[str], str] = {}
_ended: set[str] = set()
_lock = threading.Lock()


@contextmanager
def _started(arguments: list[str], run: str) -> Iterator[subprocess.Popen[str]]:
    packages = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [packages, os.environ.get("PYTHONPATH")]))
    with _lock:
        if run in _ended:
            raise RuntimeError("the evaluation has ended")
        process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND, str(os.getpid()), *arguments],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        _under_way[process] = run
    try:
        with process:
            yield process
    finally:
        with _lock:
            del _under_way[process]


def _end(run: str) -> None:
    """Asks what an evaluation has under way here to stop, as whoever is interrupted does."""
    with _lock:
        _ended.add(run)
        for process in [each for each, its_run in _under_way.items() if its_run == run]:
            process.terminate()


def _complaint(process: subprocess.CompletedProcess[str]) -> str:
    """The line that the command ended with."""
    if process.returncode < 0:
        return f"diffeo evaluate: ended by signal {-process.returncode}"
    return process.stderr.strip().removeprefix("diffeo: ")
