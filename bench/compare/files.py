"""Reading a .tsv file: diffeo.load against numpy.loadtxt and pandas' C reader, time and memory.

    .venv/bin/python bench/compare/files.py            # docs/results/files.json and docs/results/files.md

One process and one thread, readers in turn, the least time of several; memory in a fresh process each. The
numbers read are compared before anything is timed.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas

import diffeo
import machine
from workload import PROJECT

RESULTS = PROJECT / "docs" / "results"
SHARED = Path(os.environ.get("DIFFEO_SHARED", PROJECT.parent / "shared"))
GENERATED_CASES, GENERATED_TIME, SEED = 2000, 500, 1
ARCHIVE_FILE = Path("ucr", "Trace", "Trace_TRAIN.tsv")
ROUNDS = 15
REQUIRED_RATIOS = {"numpy.loadtxt": 10.0, "pandas.read_csv": 2.0}


def with_pandas(path: Path) -> np.ndarray:
    return pandas.read_csv(path, sep="\t", header=None, engine="c").to_numpy()


READERS: dict[str, Callable[[Path], Any]] = {
    "diffeo.load": diffeo.load,
    "pandas.read_csv": with_pandas,
    "numpy.loadtxt": np.loadtxt,
}


@dataclass(frozen=True)
class Case:
    name: str
    path: Path


def write_generated(path: Path) -> None:
    """Normal numbers in full precision: 17 digits each."""
    rng = np.random.default_rng(SEED)
    diffeo.save(path, rng.normal(size=(GENERATED_CASES, GENERATED_TIME)), rng.integers(1, 4, GENERATED_CASES))


def check_agreement(path: Path) -> None:
    """diffeo and numpy.loadtxt round correctly: the same bits."""
    X, y = diffeo.load(path)
    table = np.loadtxt(path)
    if not np.array_equal(X[:, 0], table[:, 1:]) or not np.array_equal(y.astype(float), table[:, 0]):
        raise SystemExit(f"{path}: diffeo.load and numpy.loadtxt do not agree")


def least_times(path: Path) -> dict[str, float]:
    """Milliseconds of each reader: the least of ROUNDS calls, in turn."""
    times = dict.fromkeys(READERS, float("inf"))
    for _ in range(ROUNDS):
        for name, read in READERS.items():
            start = perf_counter()
            read(path)
            times[name] = min(times[name], (perf_counter() - start) * 1e3)
    return times


def status_mib(name: str) -> float:
    """What the system reports for this process: VmRSS, the resident set; VmHWM, its peak."""
    found = re.search(rf"^{name}:\s*(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found.group(1)) / 1024 if found else float("nan")


def print_growth(name: str, small: str, large: str) -> None:
    """Mebibytes by which this process grows at most while it reads, warmed up by a small file."""
    READERS[name](Path(small))
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak so far
    before = status_mib("VmRSS")
    READERS[name](Path(large))
    print(status_mib("VmHWM") - before)


def peak_growth(name: str, path: Path) -> float:
    """`print_growth` in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.tsv"
        small.write_text("1\t2.5\t3.5\n2\t4.5\t5.5\n")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
        code = "import files, sys; files.print_growth(*sys.argv[1:])"
        command = [sys.executable, "-c", code, name, str(small), str(path)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def measure(case: Case) -> dict[str, Any]:
    check_agreement(case.path)
    X, _ = diffeo.load(case.path)
    times = least_times(case.path)
    return {
        "file": case.name,
        "cases": X.shape[0],
        "time": X.shape[2],
        "megabytes": case.path.stat().st_size / 1e6,
        "result_mib": X.nbytes / 2**20,
        "ms": times,
        "ratio": {name: times[name] / times["diffeo.load"] for name in REQUIRED_RATIOS},
    }


def environment() -> dict[str, Any]:
    return {
        "cpu": machine.cpu_field("model name") or platform.processor(),
        "load_average": os.getloadavg()[0],
        "versions": {
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in ("numpy", "pandas")},
            "diffeo": diffeo.__version__,
        },
        "commit": machine.commit(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }


def page(result: dict[str, Any]) -> str:
    where = result["environment"]
    versions = ", ".join(f"{name} {version}" for name, version in where["versions"].items())
    lines = [
        "# Reading files",
        "",
        "Made by `.venv/bin/python bench/compare/files.py`, numbers in `files.json`. One process, one",
        f"thread, readers in turn, least of {ROUNDS} times; the values are the bits `numpy.loadtxt` reads.",
        "",
        "| .tsv | cases × time | size | diffeo.load | | pandas.read_csv (C) | numpy.loadtxt |"
        " × pandas | × loadtxt |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for case in result["cases"]:
        ms, ratio = case["ms"], case["ratio"]
        lines.append(
            f"| {case['file']} | {case['cases']} × {case['time']} | {case['megabytes']:.1f} MB "
            f"| {ms['diffeo.load']:.2f} ms | {case['megabytes'] / ms['diffeo.load'] * 1e3:.0f} MB/s "
            f"| {ms['pandas.read_csv']:.2f} ms | {ms['numpy.loadtxt']:.2f} ms "
            f"| {ratio['pandas.read_csv']:.1f} | {ratio['numpy.loadtxt']:.1f} |"
        )
    wanted = " and ".join(f"{ratio:g} × {name}" for name, ratio in REQUIRED_RATIOS.items())
    lines += [
        "",
        f"Required: at least {wanted}. " + ("All hold." if result["holds"] else "**Not all hold.**"),
        "",
        f"Peak growth of a fresh process reading the generated file, whose values take "
        f"{result['cases'][0]['result_mib']:.1f} MiB:",
        "",
        "| reader | MiB |",
        "|---|---|",
        *(f"| {name} | {growth:.1f} |" for name, growth in result["peak_growth_mib"].items()),
        "",
        f"{where['cpu']}; {versions}; commit {where['commit']}, {where['date']}; "
        f"load average {where['load_average']:.1f}.",
        "",
    ]
    return "\n".join(lines)


def write_beside(path: Path, text: str) -> None:
    beside = path.with_suffix(".tmp")
    beside.write_text(text)
    beside.replace(path)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        generated = Path(folder) / "generated.tsv"
        write_generated(generated)
        cases = [Case("generated", generated)]
        if (SHARED / ARCHIVE_FILE).is_file():
            cases.append(Case(ARCHIVE_FILE.stem, SHARED / ARCHIVE_FILE))
        measured = [measure(case) for case in cases]
        growth = {name: peak_growth(name, generated) for name in READERS}
    holds = all(case["ratio"][name] >= least for case in measured for name, least in REQUIRED_RATIOS.items())
    result = {
        "environment": environment(),
        "rounds": ROUNDS,
        "cases": measured,
        "peak_growth_mib": growth,
        "required": REQUIRED_RATIOS,
        "holds": holds,
    }
    RESULTS.mkdir(parents=True, exist_ok=True)
    write_beside(RESULTS / "files.json", json.dumps(result, indent=1) + "\n")
    write_beside(RESULTS / "files.md", page(result))
    print(page(result))


if __name__ == "__main__":
    main()
