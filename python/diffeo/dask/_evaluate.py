"""An archive of data sets through several methods: a task for every work item of `diffeo evaluate`.

Workers run that command, each item in a folder of its own, so that results are those of the command and an
item that runs out of memory leaves the worker alive. This process writes the results: it has the folder of
results to itself, under the lock that the command uses too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, SupportsIndex, TypeAlias
from uuid import uuid4

from distributed import Client, as_completed, get_worker

from .. import _core
from .._arrays import whole_number
from .._files import PathLike
from .._temporal_aligner import as_typed
from ._stream import client_or_default

Line: TypeAlias = dict[str, Any]
Item: TypeAlias = tuple[str, ...]

_HIGHEST_SEED = 2**64 - 1
_RETRIES = 2  # of an item without a result: a system that ends a worker may end its command first
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
    results      a folder: every result is a line of its results.jsonl. An item with a result is not run again
    datasets     by name; None, the default, means all
    methods      of "euclidean", "dba", "soft-dtw", "dtan", "resnet-tw" and "diffeo"; None, the default, means
                 all
    seeds        of methods with a network; the others are done once
    folds        of a cross-validation inside the training sets; None, the default, predicts the test sets
    preset       what the method "diffeo" starts from; None, the default, means "default"
    client       of dask.distributed; None, the default, takes the one that was made last
    parameters   of TemporalAligner, by name: for all methods with a network, on top of their presets

    Workers need the archive under the same name as this process; only this process needs the results, and
    writes them as they come. Nobody else can add to the folder meanwhile. Each item runs in a process of its
    own on one thread, the longest first. If a worker dies, another one runs its item.

    Returns the lines of all that was asked for, as dictionaries, data set by data set; work that failed has
    an "error". ValueError for invalid arguments, TypeError for unknown parameters,
    RuntimeError if the folder of results is in use, or if an item could not be run at all; called again, it
    continues.

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
    folder = _absolute("results", results)
    command = [
        *("evaluate", _absolute("archive", archive)),
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
    lines = _listed([*command, *chosen, f"--results={folder}"])
    missing = {_only(line): line for line in lines if "relative_cost" in line}
    added = _computed(cluster, command, missing, folder) if missing else {}
    return [added.get(_only(line), line) for line in lines]


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


# --- work, distributed -------------------------------------------------------------------------------------


def _listed(command: list[str]) -> list[Line]:
    """Every item: its result, or how long it may take."""
    listed = _run([*command, "--list"])
    if listed.returncode != 0:
        raise ValueError(_complaint(listed))
    return [json.loads(line) for line in listed.stdout.splitlines()]


def _only(line: Line) -> Item:
    """The options by which the command does this item alone."""
    seed = () if line["seed"] is None else (f"--seeds={line['seed']}",)
    return (f"--datasets={line['dataset']}", f"--methods={line['method']}", *seed)


def _name(line: Line) -> str:
    return f"{line['dataset']} with {line['method']}"


def _computed(cluster: Any, command: list[str], missing: dict[Item, Line], folder: str) -> dict[Item, Line]:
    """Computes items, the longest first, and adds their lines to the folder as they come.

    Where that fails, or is interrupted, what is under way is ended: Dask itself only forgets it.
    """
    run = f"diffeo-evaluate-{uuid4().hex}"
    ordered = sorted(missing, key=lambda only: -float(missing[only]["relative_cost"]))
    added: dict[Item, Line] = {}
    with _opened(folder) as store:
        tasks = {}
        try:
            for rank, only in enumerate(ordered):
                work = (run, [*command, *only], _name(missing[only]))
                task = cluster.submit(_computing, *work, key=(run, *only), priority=-rank, retries=_RETRIES)
                tasks[task] = only
            for task in as_completed(tasks):  # type: ignore[no-untyped-call]
                added[tasks[task]] = json.loads(store.add(task.result()))
        except BaseException:
            with suppress(Exception):  # the first failure is reported
                cluster.run(_end, run, on_error="ignore")
            raise
        finally:
            cluster.cancel(list(tasks))
    return added


@contextmanager
def _opened(folder: str) -> Iterator[Any]:
    from diffeo_command._without_torch import ResultStore

    with closing(ResultStore(folder)) as store:
        if repair := store.repair():
            warnings.warn(repair, stacklevel=5)
        yield store


# --- what workers do ---------------------------------------------------------------------------------------


def _computing(run: str, command: list[str], name: str) -> str:
    """The line of one item. With two jobs, one process works and one watches it."""
    # What a killed worker leaves in its own folder, Dask removes.
    with TemporaryDirectory(prefix="diffeo-", dir=get_worker().local_directory) as folder:
        done = _run([*command, f"--results={folder}", "--quiet", "--jobs=2"], run)
        file = Path(folder, "results.jsonl")
        line = file.read_text("utf-8") if file.exists() else ""
    if not line.endswith("\n"):
        raise RuntimeError(f"{name}: {_complaint(done)}")
    return line


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
