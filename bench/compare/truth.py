"""Alignment against known true times, diffeo and others in one run: docs/results/truth.json and .md.

    bench/compare/setup.sh
    .venv-peers/bin/python bench/compare/truth.py
    .venv-peers/bin/python bench/compare/truth.py --fresh-diffeo    # measure diffeo again

All contestants get the same series and their own defaults; one thread each. Every result is appended to
docs/results/truth.jsonl as it comes: a second run continues where the first one stopped. A result is
kept as long as its row makes the same series.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
import warnings
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np

import machine
import truth_page
import truth_rows
from truth_contestants import NAMES, SLOW, CannotAlign, contestants
from truth_rows import Row, Task
from workload import PROJECT

RESULTS = PROJECT / "docs" / "results"
PACKAGES = ("numpy", "fdasrsf", "scikit-fda", "tslearn")

Record = dict[str, Any]


class Cache:
    """Results by row, contestant and repetition, one JSON object per line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: dict[tuple[str, str, int], Record] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._keep(json.loads(line))

    def _keep(self, record: Record) -> None:
        self.records[record["row"], record["contestant"], record["repetition"]] = record

    def has(self, row: str, contestant: str, repetition: int, fingerprint: str) -> bool:
        record = self.records.get((row, contestant, repetition))
        return record is not None and record["fingerprint"] == fingerprint

    def add(self, record: Record) -> None:
        self._keep(record)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def rewrite(self, unwanted: set[tuple[str, str]] = frozenset()) -> None:
        """One line per result, without those of the unwanted rows and contestants."""
        self.records = {key: each for key, each in self.records.items() if key[:2] not in unwanted}
        beside = self.path.with_suffix(".tmp")
        beside.write_text(
            "".join(json.dumps(each) + "\n" for _, each in sorted(self.records.items())), encoding="utf-8"
        )
        beside.replace(self.path)


def fingerprint(task: Task) -> str:
    """Tells whether series are the same, up to the last bits in which machines differ."""
    values = task.series or [each for pair in task.pairs for each in pair]
    return f"{sum(float(np.nansum(np.abs(each))) for each in values):.6g} {sum(each.size for each in values)}"


def measured(row: Row, task: Task, contestant: Any) -> Record:
    start = time.perf_counter()
    try:
        if task.pairs:
            warps = [contestant.align_pair(source, target) for source, target in task.pairs]
        else:
            warps = list(contestant.align_set(task.series))
    except CannotAlign as reason:
        return {"cannot": str(reason)}
    seconds = time.perf_counter() - start
    return {"seconds": round(seconds, 4), "values": rounded(row.measure(task, warps))}


def rounded(values: dict[str, Any]) -> dict[str, Any]:
    """Five digits: what a reader may want, and no more."""
    return {
        key: [float(f"{each:.5g}") for each in value] if isinstance(value, list) else float(f"{value:.5g}")
        for key, value in values.items()
    }


def run_row(row: Row, made: Sequence[Any], cache: Cache, most: int | None) -> None:
    for repetition in range(min(row.repetitions, most or row.repetitions)):
        wanted = [each for each in made if each.name not in SLOW or repetition < row.slow]
        if not wanted:
            continue
        task = row.make(repetition)
        mark = fingerprint(task)
        for contestant in wanted:
            if cache.has(row.name, contestant.name, repetition, mark):
                continue
            found = measured(row, task, contestant)
            key = {"row": row.name, "contestant": contestant.name, "repetition": repetition}
            cache.add({**key, "fingerprint": mark, "version": contestant.version, **found})


def summary(rows: Sequence[Row], cache: Cache) -> list[dict[str, Any]]:
    """One object per row that has results: the records of every contestant, and what must hold."""
    made = []
    for row in rows:
        by_contestant = {name: summarized(row, name, cache) for name in NAMES}
        found = {name: each for name, each in by_contestant.items() if each}
        if found:
            limits = [{"label": m.label, "limit": m.limit, "at_most": m.at_most} for m in row.musts]
            made.append({"row": row.name, "section": row.section, "musts": limits, "contestants": found})
    return made


def summarized(row: Row, contestant: str, cache: Cache) -> dict[str, Any] | None:
    keys = [(row.name, contestant, repetition) for repetition in range(row.repetitions)]
    records = [cache.records[key] for key in keys if key in cache.records]
    if not records:
        return None
    if "cannot" in records[0]:
        return {"cannot": records[0]["cannot"]}
    pooled = {
        key: np.concatenate([np.atleast_1d(each["values"][key]) for each in records])
        for key in records[0]["values"]
    }
    musts = [must.statistic(pooled[must.of]) for must in row.musts]
    return {
        "repetitions": len(records),
        "count": len(next(iter(pooled.values()))),
        "seconds": float(np.mean([each["seconds"] for each in records])),
        "mean": {key: float(values.mean()) for key, values in pooled.items()},
        "musts": [float(each) for each in musts],
        "met": [bool(must.is_met(found)) for must, found in zip(row.musts, musts, strict=True)],
    }


def use_one_thread() -> None:
    """For the libraries that are loaded from here on, and for the linear algebra that NumPy has loaded."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[variable] = "1"
    importlib.import_module("threadpoolctl").threadpool_limits(1)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--module", type=Path, default=PROJECT / "build" / "python")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of truth.jsonl, .json and .md")
    parser.add_argument("--contestants", default=",".join(NAMES), help="default: %(default)s")
    parser.add_argument(
        "--rows", default="*", help="patterns separated by semicolons, e.g. 'two peaks*;beats*'"
    )
    parser.add_argument("--repetitions", type=int, help="at most so many of each row")
    parser.add_argument(
        "--fresh-diffeo", action="store_true", help="forget what diffeo had, of the rows chosen"
    )
    parser.add_argument("--page-only", action="store_true", help="measure nothing")
    options = parser.parse_args()
    options.contestants = options.contestants.split(",")
    if unknown := set(options.contestants) - set(NAMES):
        parser.error(f"--contestants: expected some of {', '.join(NAMES)}, got {', '.join(sorted(unknown))}")
    return options


def main() -> int:
    options = arguments()
    use_one_thread()
    sys.path.insert(0, str(options.module))
    diffeo = importlib.import_module("diffeo")
    warnings.simplefilter("ignore")  # scikit-fda and numba say a lot
    rows = truth_rows.all_rows(diffeo)
    chosen = [row for row in rows if any(fnmatch(row.name, each) for each in options.rows.split(";"))]
    cache = Cache(options.results / "truth.jsonl")
    if options.fresh_diffeo:
        cache.rewrite({(row.name, "diffeo") for row in chosen})
    if not options.page_only:
        made = contestants(diffeo, options.contestants)
        for row in chosen:
            run_row(row, made, cache, options.repetitions)
            print(truth_page.line(summary([row], cache)), flush=True)
        cache.rewrite()
    write(options, diffeo, summary(rows, cache))
    return 0


def write(options: argparse.Namespace, diffeo: Any, rows: list[dict[str, Any]]) -> None:
    described = machine.describe(options.module.parent, diffeo.__version__, PACKAGES)
    path = options.results / "truth.json"
    beside = path.with_suffix(".tmp")
    beside.write_text(json.dumps({"machine": described, "rows": rows}, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)
    truth_page.write(path, options.results / "truth.md")
    print(f"truth: wrote {path.name} and its page")


if __name__ == "__main__":
    sys.exit(main())
