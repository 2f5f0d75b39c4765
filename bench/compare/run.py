"""Times diffeo against difw and libcpab and writes docs/results/speed.json; report.py makes the page from it.

Runs under .venv-peers' Python (setup.sh makes it) with the diffeo module built from this tree: one process,
one thread, float32. Values are compared before they are timed, and a disagreement stops the run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import agreement
import criteria
import machine
import memory
from agreement import JsonObject, Values
from ours import Diffeo, OurCalls
from peers import Calls, Library, all_peers
from timing import Timing, alternate, ratio
from workload import PROJECT, Case, inner_vertices

PAPER = Case(30, 1000, 40)
CASES = (PAPER, Case(256, 1000, 40), Case(1024, 10_000, 40))
THREADS_CASE = Case(30, 1000, 1000)
MEMORY_CASES = (CASES[-1], Case(2048, 10_000, 40), Case(1024, 20_000, 40), Case(4096, 40_000, 40))
PEER_MEMORY_CASE = Case(1024, 10_000, 4)
GIB = 1 << 30
MEMORY_SHARE = 0.5  # of the available memory that a peer's gradient may take, whatever was asked for
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def ensure_one_thread() -> None:
    """Start over with the numerical libraries on one thread: they read the environment when loaded."""
    if any(os.environ.get(name) != value for name, value in ONE_THREAD.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def case_that_fits(library: Library, case: Case, most_bytes: float) -> Case:
    """The case, with fewer warps where the library's gradient would take more memory than allowed."""
    room = min(most_bytes, MEMORY_SHARE * machine.available_bytes())
    return case.with_warps(max(1, int(room // library.gradient_bytes_per_warp(case))))


class Contest:
    """One case: every library's calls, compared, then timed.

    A gradient that would take too much memory runs on fewer warps and its time is scaled linearly. That
    favors the peer: larger batches cost it more per warp, not less.
    """

    def __init__(self, case: Case, peers: Sequence[Library], ours: Diffeo | None, most_bytes: float) -> None:
        self.case = case
        self.forward: dict[str, Calls] = {peer.name: peer.prepare(case) for peer in peers}
        self.gradient = dict(self.forward)
        self.scale = {peer.name: 1.0 for peer in peers}
        for peer in peers:
            small = case_that_fits(peer, case, most_bytes)
            if small.warps < case.warps:
                self.gradient[peer.name] = peer.prepare(small)
                self.scale[peer.name] = case.warps / small.warps
        self.ours: OurCalls | None = None
        self.precise: OurCalls | None = None
        if ours is not None:
            basis = self.forward["difw"].basis
            self.ours = ours.prepare(case, basis)
            self.precise = ours.prepare(case, basis, np.float64)

    def values(self, name: str) -> Values:
        calls = self.gradient[name]
        return Values(np.asarray(self.forward[name].forward()), np.asarray(calls.gradient()), calls.basis)

    def compare(self) -> JsonObject:
        """Errors of all; raises Disagreement where diffeo is wrong or a peer unexpectedly so."""
        judge = agreement.Reference(self.case)
        values = {name: self.values(name) for name in self.forward}
        errors = {name: judge.errors(each) for name, each in values.items()}
        result: JsonObject = {"reference_warps": judge.warps, "against_reference": errors}
        if self.ours is None or self.precise is None:
            return result
        single, double = (
            Values(calls.forward(), calls.gradient(), calls.basis) for calls in (self.ours, self.precise)
        )
        exact_gradients = self.precise.velocity_gradient()
        errors |= {"diffeo": judge.errors(single), "diffeo-float64": judge.errors(double)}
        result["against_diffeo_float64"] = {
            name: agreement.difference(double, exact_gradients, each)
            for name, each in {"diffeo": single, **values}.items()
        }
        gradients = self.ours.velocity_gradient()
        result["against_diffeo"] = {
            name: agreement.difference(single, gradients, each) for name, each in values.items()
        }
        self.require(result)
        return result

    def require(self, result: JsonObject) -> None:
        where = self.case.title
        double = result["against_reference"]["diffeo-float64"]
        single = result["against_diffeo_float64"]["diffeo"]
        agreement.require(f"diffeo in float64, {where}", double, agreement.DOUBLE)
        agreement.require(f"diffeo in float32, {where}", single, agreement.SINGLE)
        for name, errors in result["against_diffeo"].items():
            limits = agreement.PEERS[name]
            if limits is not None:
                agreement.require(f"diffeo and {name}, {where}", errors, limits)

    def time(self, work: str, seconds: float) -> JsonObject:
        """One work, "forward" or "gradient", of every library in turn."""
        chosen: Mapping[str, Calls] = getattr(self, work)
        calls: dict[str, Callable[[], Any]] = {name: getattr(each, work) for name, each in chosen.items()}
        if self.ours is not None:
            flow = {"diffeo-flow": self.ours.flow} if work == "forward" else {}
            calls = {"diffeo": getattr(self.ours, work), **flow, **calls}
        timings = alternate(calls, seconds)
        scale = self.scale if work == "gradient" else {}
        scaled = {name: each.scaled(scale.get(name, 1.0)) for name, each in timings.items()}
        return self.describe(work, scaled)

    def describe(self, work: str, timings: Mapping[str, Timing]) -> JsonObject:
        case = self.case
        libraries = {name: each.as_json(case.evaluations) for name, each in timings.items()}
        for name, factor in self.scale.items():
            if work == "gradient" and factor != 1.0:
                libraries[name]["scaled_from_batch"] = round(case.warps / factor)
        result: JsonObject = {"work": work, "case": case.name, "libraries": libraries}
        result |= {"cells": case.cells, "points": case.points, "warps": case.warps}
        if "diffeo" in timings:
            result["ratios"] = {
                name: ratio(each, timings["diffeo"]) for name, each in timings.items() if name in self.forward
            }
        return result


def compare_libraries(
    peers: Sequence[Library], ours: Diffeo | None, options: argparse.Namespace
) -> tuple[JsonObject, list[JsonObject]]:
    """Agreement and times of every case."""
    found: JsonObject = {}
    times: list[JsonObject] = []
    for case in CASES:
        contest = Contest(case, peers, ours, options.peer_memory * GIB)
        say(f"{case.title}: comparing values")
        found[case.name] = contest.compare()
        for work in ("forward", "gradient"):
            say(f"{case.title}: timing {work}")
            result = contest.time(work, options.seconds)
            say("  " + ", ".join(f"{name} {each['ms']:.3f} ms" for name, each in result["libraries"].items()))
            times.append(result)
    return found, times


def copy_of(case: Case) -> Callable[[], Any]:
    """The least work there is: read and write as many numbers as there are warped points."""
    source = np.tile(case.grid.astype(np.float32), (case.warps, 1))
    target = np.empty_like(source)
    return lambda: np.copyto(target, source)


def time_per_point(ours: Diffeo, seconds: float) -> JsonObject:
    """The flow alone at the finest and the coarsest case, beside a copy of the same array."""
    calls: dict[str, Callable[[], Any]] = {}
    for case in (CASES[-1], PAPER):
        calls[f"flow {case.name}"] = ours.prepare(case, inner_vertices(case.cells)).flow
        calls[f"copy {case.name}"] = copy_of(case)
    timings = alternate(calls, seconds)
    per_point = {
        f"{kind} {case.name}": timings[f"{kind} {case.name}"].best * 1e6 / case.evaluations
        for case in (CASES[-1], PAPER)
        for kind in ("flow", "copy")
    }
    growth = per_point[f"flow {CASES[-1].name}"] / per_point[f"flow {PAPER.name}"]
    return {"ns_per_point": per_point, "fine_against_coarse": growth}


def time_threads(ours: Diffeo, seconds: float) -> JsonObject:
    """One thread against two, forward and gradient of a large batch."""
    inner = inner_vertices(THREADS_CASE.cells)
    one, two = (ours.prepare(THREADS_CASE, inner, threads=count) for count in (1, 2))
    result: JsonObject = {"warps": THREADS_CASE.warps}
    for work in ("flow", "gradient"):
        timings = alternate({"1": getattr(one, work), "2": getattr(two, work)}, seconds)
        result[work] = {
            "one_ms": timings["1"].best,
            "two_ms": timings["2"].best,
            "speedup": ratio(timings["1"], timings["2"]),
        }
    return result


def measure_memory(module: Path) -> JsonObject:
    """Growth of diffeo's gradient at several sizes, and of difw's at one."""
    ours = [memory.probe("diffeo", case, module) for case in MEMORY_CASES]
    for each in ours:
        numbers = each["growth_bytes"] / memory.BYTES
        each["numbers_per_point_and_cell"] = numbers / (each["warps"] * (each["points"] + each["cells"]))
    return {"diffeo": ours, "difw": memory.probe("difw", PEER_MEMORY_CASE, module)}


def quantities(results: JsonObject) -> dict[str, float]:
    """The numbers that the criteria are about."""
    found = {
        f"{each['work']} {each['case']}": each["ratios"]["difw"]["of_minima"] for each in results["times"]
    }
    found["memory"] = results["memory"]["diffeo"][0]["numbers_per_point_and_cell"]
    found["time per point"] = results["time_per_point"]["fine_against_coarse"]
    found["threads"] = results["threads"]["flow"]["speedup"]["of_minima"]
    return found


def run(options: argparse.Namespace) -> JsonObject:
    peers = all_peers()
    ours = None if options.peers_only else Diffeo(options.module)
    version = None if ours is None else getattr(ours.module, "__version__", None)
    results: JsonObject = {"machine": machine.describe(options.module.parent, version)}
    results["settings"] = {"precision": "float32", "threads": 1, "seconds": options.seconds}
    results["agreement"], results["times"] = compare_libraries(peers, ours, options)
    if ours is not None:
        results["time_per_point"] = time_per_point(ours, options.seconds)
        results["threads"] = time_threads(ours, options.seconds)
        results["memory"] = measure_memory(options.module)
        results["criteria"] = criteria.judge(quantities(results))
    return results


def write(results: JsonObject, path: Path) -> None:
    """Beside, then renamed: a broken run leaves the old file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".tmp")
    beside.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n")
    beside.replace(path)


def main() -> int:
    ensure_one_thread()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", type=Path, default=PROJECT / "build" / "python", help="holds diffeo")
    parser.add_argument("--output", type=Path, default=PROJECT / "docs" / "results" / "speed.json")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each case and work")
    parser.add_argument(
        "--peer-memory", type=float, default=2.0, help="GiB for a peer's gradient, else fewer warps"
    )
    parser.add_argument("--peers-only", action="store_true", help="without diffeo")
    options = parser.parse_args()
    try:
        results = run(options)
    except agreement.Disagreement as problem:
        say(f"disagreement: {problem}")
        return 1
    write(results, options.output)
    missed = [each["title"] for each in results.get("criteria", []) if each["met"] == "no"]
    for title in missed:
        say(f"not met: {title}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
