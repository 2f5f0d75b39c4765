"""Speed of the classic baselines against dtaidistance and tslearn: one process, one thread, in turn.

Runs under .venv's Python with the diffeo module built from this tree; the series are Trace's training set.
Results are compared before anything is timed. Writes docs/results/baseline_speed.json and, from it,
baseline_speed.md.

    .venv/bin/python bench/compare/baselines.py
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import machine
import timing
from workload import PROJECT

warnings.filterwarnings("ignore")

RESULTS = PROJECT / "docs" / "results"
COMMAND = ".venv/bin/python bench/compare/baselines.py"
SHARED = Path(os.environ.get("DIFFEO_SHARED", PROJECT.parent / "shared"))
DBA_ITERATIONS = 10
SOFT_ITERATIONS = 50
SOFT_TOLERANCE = 1e-3
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")

JsonObject = dict[str, Any]
Calls = Mapping[str, Callable[[], Any]]


@dataclass(frozen=True)
class Contest:
    """The same work for several libraries, ours under the name diffeo."""

    title: str
    must: float
    goal: float
    calls: Calls
    notes: JsonObject


def trace() -> tuple[np.ndarray, np.ndarray]:
    table = np.loadtxt(SHARED / "ucr" / "Trace" / "Trace_TRAIN.tsv")
    return np.ascontiguousarray(table[:, 1:]), table[:, 0]


def pairwise(diffeo: Any, X: np.ndarray) -> Contest:
    from dtaidistance import dtw

    calls: dict[str, Callable[[], Any]] = {
        "diffeo": lambda: diffeo.dtw_matrix(X, threads=1),
        "dtaidistance": lambda: dtw.distance_matrix_fast(X, parallel=False),
        "dtaidistance, compact": lambda: dtw.distance_matrix_fast(X, parallel=False, compact=True),
    }
    ours, theirs = calls["diffeo"](), calls["dtaidistance"]()
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    difference = np.abs(ours - theirs).max() / ours.max()
    title = f"DTW between all pairs of {X.shape[0]} series of {X.shape[1]} samples"
    return Contest(title, 5, 10, calls, {"largest_relative_difference": difference})


def dba(diffeo: Any, X: np.ndarray) -> Contest:
    from tslearn.barycenters import dtw_barycenter_averaging

    start = X.mean(axis=0)
    calls: dict[str, Callable[[], Any]] = {
        "diffeo": lambda: (
            diffeo.dba(X, init=start, max_iterations=DBA_ITERATIONS, tolerance=0.0, threads=1).barycenter
        ),
        "tslearn": lambda: dtw_barycenter_averaging(
            X, init_barycenter=start, max_iter=DBA_ITERATIONS, tol=-1
        )[:, 0],
    }
    ours, theirs = calls["diffeo"](), calls["tslearn"]()
    np.testing.assert_allclose(ours, theirs, atol=1e-9)
    title = f"DBA of {X.shape[0]} series of {X.shape[1]} samples, {DBA_ITERATIONS} iterations"
    return Contest(title, 10, 10, calls, {"largest_difference": np.abs(ours - theirs).max()})


def soft_dtw(diffeo: Any, X: np.ndarray) -> Contest:
    from tslearn.barycenters import softdtw_barycenter

    options = {"max_iterations": SOFT_ITERATIONS, "tolerance": SOFT_TOLERANCE, "threads": 1}
    start = X.mean(axis=0)
    ours = diffeo.soft_dtw_barycenter(X, init=start, **options)

    def peer() -> np.ndarray:
        return softdtw_barycenter(X, init=start[:, np.newaxis], max_iter=SOFT_ITERATIONS, tol=SOFT_TOLERANCE)

    cost = sum(diffeo.soft_dtw(peer()[:, 0], x) for x in X)
    assert ours.cost <= cost + 1e-6 * abs(cost), (ours.cost, cost)
    reached = next((k for k, value in enumerate(ours.history) if value <= cost + 1e-9 * abs(cost)), None)
    calls: dict[str, Callable[[], Any]] = {
        "diffeo": lambda: diffeo.soft_dtw_barycenter(X, init=start, **options),
        "tslearn": peer,
    }
    if reached is not None:
        to_cost = {**options, "max_iterations": reached}
        calls["diffeo, to tslearn's cost"] = lambda: diffeo.soft_dtw_barycenter(X, init=start, **to_cost)
    title = (
        f"soft-DTW barycenter of {X.shape[0]} series of {X.shape[1]} samples, tolerance {SOFT_TOLERANCE:g}"
    )
    notes = {
        "cost": ours.cost,
        "cost_of_tslearn": cost,
        "iterations": ours.iterations,
        "iterations_to_tslearns_cost": reached,
    }
    return Contest(title, 10, 10, calls, notes)


def measured(contest: Contest, seconds: float) -> JsonObject:
    timings = timing.alternate(contest.calls, seconds)
    peers = {name: each for name, each in timings.items() if not name.startswith("diffeo")}
    fastest = min(peers, key=lambda name: peers[name].best)
    ratio = timing.ratio(peers[fastest], timings["diffeo"])
    met = (
        "goal"
        if ratio["of_minima"] >= contest.goal
        else "must"
        if ratio["of_minima"] >= contest.must
        else "no"
    )
    return {
        "title": contest.title,
        "milliseconds": {name: each.best for name, each in timings.items()},
        "rounds": len(timings["diffeo"].rounds),
        "fastest_peer": fastest,
        "ratio": ratio,
        "must": contest.must,
        "goal": contest.goal,
        "met": met,
        "notes": contest.notes,
    }


def describe(module: Path, diffeo: Any) -> JsonObject:
    packages = ("numpy", "numba", "dtaidistance", "tslearn")
    return {
        "cpu": machine.cpu_field("model name"),
        "kernels": diffeo.instruction_set(),
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[0],
        "compiler": machine.compiler(module.parent),
        "versions": {**{name: metadata.version(name) for name in packages}, "diffeo": diffeo.__version__},
        "commit": machine.commit(),
    }


def page(results: JsonObject) -> str:
    where = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in where["versions"].items())
    lines = [
        "# Speed of the classic baselines",
        "",
        f"Made by `{COMMAND}` (a part of `make bench`). Do not edit.",
        "",
        "Trace's training set, one thread, the libraries in turn in one process after their results were "
        "compared; the least time of each. The last two columns compare with the fastest peer: the ratio of "
        "the least times, and the median of the rounds' own ratios.",
        "",
        "| work | milliseconds | must | reached | of least times | median |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for each in results["contests"]:
        times = "<br>".join(f"{name}: {value:.4g}" for name, value in each["milliseconds"].items())
        ratio = each["ratio"]
        met = "**no**" if each["met"] == "no" else each["met"]
        lines.append(
            f"| {each['title']} | {times} | ≥ {each['must']:g} × | {met} | {ratio['of_minima']:.1f} × "
            f"| {ratio['median_of_rounds']:.1f} × |"
        )
    notes = results["contests"][-1]["notes"]
    lines += [
        "",
        f"The soft-DTW barycenter's cost is {notes['cost']:.9g} after {notes['iterations']} iterations, "
        f"tslearn's {notes['cost_of_tslearn']:.9g}.",
        "",
        f"Measured on {where['cpu']}, {where['kernels']} kernels, {where['cores']} cores, load "
        f"{where['load_average']:.1f}; {versions}; {where['compiler']}; commit {where['commit']}.",
        "",
    ]
    return "\n".join(lines)


def write(path: Path, text: str) -> None:
    """Beside, then renamed: a broken run leaves the old file."""
    beside = path.with_suffix(".tmp")
    beside.write_text(text)
    beside.replace(path)


def main() -> None:
    if not ONE_THREAD.items() <= os.environ.items():  # read when libraries are loaded: start again
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--module", type=Path, default=PROJECT / "build" / "python", help="holds diffeo")
    parser.add_argument("--seconds", type=float, default=20, help="for each piece of work")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the two files go")
    options = parser.parse_args()
    sys.path.insert(0, str(options.module))
    import diffeo

    X, y = trace()
    contests = [pairwise(diffeo, X), dba(diffeo, X[y == 1]), soft_dtw(diffeo, X[y == 1])]
    results = {
        "machine": describe(options.module, diffeo),
        "contests": [measured(contest, options.seconds) for contest in contests],
    }
    write(options.results / "baseline_speed.json", json.dumps(results, indent=2) + "\n")
    write(options.results / "baseline_speed.md", page(results))
    for each in results["contests"]:
        print(f"{each['title']}: {each['ratio']['of_minima']:.1f} x {each['fastest_peer']} ({each['met']})")


if __name__ == "__main__":
    main()
