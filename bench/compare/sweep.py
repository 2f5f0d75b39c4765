"""Times diffeo, difw and libcpab over points, cells and warps into docs/results/studies/timing_peers.json.

The paper's figure of computation times, with one of the three numbers varied at a time; the middle of every
sweep is its setting (30 cells, 1000 points, 40 warps). Runs as run.py does, whose contests these are: under
.venv-peers' Python, one process, one thread, float32. Values are compared before they are timed.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import agreement
import machine
from agreement import JsonObject
from ours import Diffeo
from peers import all_peers
from run import GIB, PAPER, Contest, ensure_one_thread, say, write
from workload import PROJECT, Case

SWEEPS = {
    "points": (10, 30, 100, 300, 1000, 3000, 10_000),
    "cells": (3, 10, 30, 100, 300, 1000),
    "warps": (1, 4, 12, 40, 120, 400),
}
OUTPUT = PROJECT / "docs" / "results" / "studies" / "timing_peers.json"
LIBRARIES = ("difw", "libcpab")  # difw-strict takes the time of difw and has a place in run.py


def cases() -> list[tuple[str, Case]]:
    return [(name, replace(PAPER, **{name: value})) for name, values in SWEEPS.items() for value in values]


def measure(options: argparse.Namespace) -> list[JsonObject]:
    """Forward and gradient of every case; a case that two sweeps share is measured once."""
    peers = [peer for peer in all_peers() if peer.name in LIBRARIES]
    ours = Diffeo(options.module)
    known: dict[str, list[JsonObject]] = {}
    for _, case in cases():
        if case.name in known:
            continue
        say(case.title)
        contest = Contest(case, peers, ours, options.peer_memory * GIB)
        contest.compare()
        known[case.name] = [contest.time(work, options.seconds) for work in ("forward", "gradient")]
    return [{"varied": varied, **time} for varied, case in cases() for time in known[case.name]]


def main() -> int:
    ensure_one_thread()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", type=Path, default=PROJECT / "build" / "python", help="holds diffeo")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--seconds", type=float, default=4.0, help="for each case and work")
    parser.add_argument(
        "--peer-memory", type=float, default=2.0, help="GiB for a peer's gradient, else fewer warps"
    )
    options = parser.parse_args()
    try:
        times = measure(options)
    except agreement.Disagreement as problem:
        say(f"disagreement: {problem}")
        return 1
    found: JsonObject = {"machine": machine.describe(options.module.parent, None)}
    found["settings"] = {"precision": "float32", "threads": 1, "seconds": options.seconds}
    write({**found, "times": times}, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
