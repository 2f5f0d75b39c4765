"""How much memory one gradient call needs, measured in a process of its own.

The growth is the peak of the resident set after the call less the resident set before it, with every input
already there. Holding the Jacobian would show as warps × points × cells. The peak is VmHWM of /proc: what
getrusage calls the same starts, in a new process, at the peak of the process that started it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from ours import Diffeo
from peers import Difw
from workload import Case, inner_vertices

BYTES = 4  # of a float32
SMALL = Case(30, 100, 2)


def status_bytes(name: str) -> int:
    """A size that the system reports for this process: VmRSS, the resident set; VmHWM, its peak."""
    found = re.search(rf"^{name}:\s*(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    if found is None:
        raise RuntimeError(f"/proc/self/status has no {name}")
    return int(found.group(1)) * 1024


def reset_peak() -> None:
    """Forget the peak reached while importing, where the system allows it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def measure(library: str, case: Case, module: Path) -> dict[str, Any]:
    """Growth of one gradient call after a small one, so that libraries are loaded and pools exist."""
    if library == "diffeo":
        ours = Diffeo(module)
        ours.prepare(SMALL, inner_vertices(SMALL.cells)).gradient()
        gradient = ours.prepare(case, inner_vertices(case.cells)).gradient
    else:
        peer = Difw()
        peer.prepare(SMALL).gradient()
        gradient = peer.prepare(case).gradient
    reset_peak()
    before = status_bytes("VmRSS")
    gradient()
    return {
        "library": library,
        "cells": case.cells,
        "points": case.points,
        "warps": case.warps,
        "growth_bytes": max(0, status_bytes("VmHWM") - before),
        "jacobian_bytes": case.warps * case.points * (case.cells - 1) * BYTES,
    }


def probe(library: str, case: Case, module: Path) -> dict[str, Any]:
    """The measurement, in a fresh process."""
    numbers = [str(case.cells), str(case.points), str(case.warps)]
    command = [sys.executable, __file__, library, *numbers, "--module", str(module)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise RuntimeError(f"memory probe failed: {result.stderr.strip()}")
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=("diffeo", "difw"))
    parser.add_argument("cells", type=int)
    parser.add_argument("points", type=int)
    parser.add_argument("warps", type=int)
    parser.add_argument("--module", type=Path, required=True)
    options = parser.parse_args()
    case = Case(options.cells, options.points, options.warps)
    print(json.dumps(measure(options.library, case, options.module)))


if __name__ == "__main__":
    main()
