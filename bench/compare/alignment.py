"""Joint alignment without a network, diffeo against fdasrsf, in one run: docs/results/alignment.json and .md.

    bench/compare/setup.sh
    .venv-peers/bin/python bench/compare/alignment.py        # about five minutes, nearly all of it fdasrsf's

    .venv-peers/bin/python bench/compare/alignment.py --pictures "GunPoint, 1"   # only draws

Both get the same series and their own defaults; one thread each. `diffeo.align` is timed three times and the
least counts; fdasrsf once, after a small call that compiles what it compiles. Rows whose inverse error grew
since the first default, which compared values, get a picture: docs/figures/heights_*.svg.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import alignment_page
import heights_picture
import machine
from workload import PROJECT, Array

RESULTS = PROJECT / "docs" / "results"
FIGURES = PROJECT / "docs" / "figures"
SHARED = Path(os.environ.get("DIFFEO_SHARED", PROJECT.parent / "shared"))
REAL_SETS = ("Trace", "GunPoint", "ECGFiveDays", "ToeSegmentation1")
ONLY_CLASS = {"Trace": ("1",)}  # the set that fdasrsf takes more than a minute per class for
CBF_CASES, CBF_SEED = 60, 1
BUMPS_CASES, BUMPS_SEEDS = 12, (1, 2, 3)


@dataclass(frozen=True)
class Group:
    """Series of one class, (cases, time), and their true warps where they are known."""

    name: str
    label: str
    series: Array
    true_velocities: Array | None = None

    @property
    def row(self) -> str:
        return f"{self.name}, {self.label}"


@dataclass(frozen=True)
class Aligned:
    """What a library made of a group: series in common time, warps and their inverses as positions."""

    seconds: float
    series: Array
    warps: Array  # (cases, time)
    inverse_warps: Array
    warp_error: float | None


def groups(diffeo: Any) -> Iterator[Group]:
    for name in REAL_SETS:
        X, y = diffeo.load(SHARED / "ucr" / name / f"{name}_TRAIN.tsv")
        for label in ONLY_CLASS.get(name, tuple(np.unique(y))):
            yield Group(name, str(label), X[y == label, 0])
    X, y = diffeo.generate_cbf(CBF_CASES, seed=CBF_SEED)
    for label in np.unique(y):
        yield Group("cbf (generated)", str(label), diffeo.z_normalize(X[y == label])[:, 0])
    for seed in BUMPS_SEEDS:
        bumps = diffeo.generate_bumps(BUMPS_CASES, seed=seed, classes=1)
        yield Group("bumps (generated)", f"seed {seed}", bumps.X[:, 0], bumps.velocities)


def by_diffeo(diffeo: Any, group: Group) -> Aligned:
    least = np.inf
    for _ in range(3):
        start = time.perf_counter()
        result = diffeo.align(group.series, threads=1)
        least = min(least, time.perf_counter() - start)
    grid = np.linspace(0.0, 1.0, group.series.shape[1])
    truth = group.true_velocities
    return Aligned(
        least,
        result.aligned,
        diffeo.flow(result.velocities, grid),
        diffeo.flow(result.velocities, grid, time=-1.0),
        None if truth is None else diffeo.relative_warp_error(result.velocities, truth),
    )


def by_fdasrsf(diffeo: Any, fdasrsf: Any, group: Group) -> Aligned:
    grid = np.linspace(0.0, 1.0, group.series.shape[1])
    problem = fdasrsf.fdawarp(group.series.T.copy(), grid)
    start = time.perf_counter()
    problem.srsf_align(parallel=False, verbose=False)
    seconds = time.perf_counter() - start
    warps = problem.gam.T
    inverses = np.stack([np.interp(grid, warp, grid) for warp in warps])
    truth = group.true_velocities
    return Aligned(
        seconds,
        problem.fn.T,
        warps,
        inverses,
        None if truth is None else error_of_positions(diffeo, warps, inverses, truth),
    )


def error_of_positions(diffeo: Any, warps: Array, inverses: Array, truth: Array) -> float:
    """As diffeo.relative_warp_error, for warps that are known on the grid only."""
    grid = np.linspace(0.0, 1.0, warps.shape[1])
    errors = []
    for target in range(len(truth)):
        middle = diffeo.flow(truth[target], grid)
        for source in range(len(truth)):
            if source != target:
                found = np.interp(inverses[target], grid, warps[source])
                errors.append(np.abs(found - diffeo.flow(truth[source], middle, time=-1.0)).mean())
    return float(np.mean(errors))


def measures(diffeo: Any, group: Group, aligned: Aligned) -> dict[str, Any]:
    grid = np.linspace(0.0, 1.0, group.series.shape[1])
    mean = aligned.series.mean(axis=0)
    back = np.stack([np.interp(inverse, grid, mean) for inverse in aligned.inverse_warps])
    return {
        "seconds": aligned.seconds,
        "variance": float(aligned.series.var(axis=0).sum()),
        "inverse_error": float(((back - group.series) ** 2).sum(axis=1).mean()),
        "least_slope": float(np.diff(aligned.warps, axis=1).min() * (len(grid) - 1)),
        "warp_error": aligned.warp_error,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--module", type=Path, default=PROJECT / "build" / "python")
    parser.add_argument("--pictures", nargs="+", metavar="ROW", help="only draw these rows; compare nothing")
    options = parser.parse_args()
    if not (SHARED / "ucr").is_dir():
        print(f"alignment: skipped, no data in {SHARED / 'ucr'} (set DIFFEO_SHARED)")
        return 0
    sys.path.insert(0, str(options.module))
    diffeo = importlib.import_module("diffeo")
    if options.pictures:
        chosen = [group for group in groups(diffeo) if group.row in options.pictures]
        for group in chosen:
            print(heights_picture.draw(diffeo, group.row, group.series, FIGURES).relative_to(PROJECT))
        return 0 if chosen else 1
    fdasrsf = importlib.import_module("fdasrsf")

    warm = Group("", "", np.sin(np.linspace(0, 9, 50)) * np.ones((3, 1)))
    by_fdasrsf(diffeo, fdasrsf, warm)
    rows = []
    for group in groups(diffeo):
        row = {
            "name": group.name,
            "label": group.label,
            "cases": len(group.series),
            "length": group.series.shape[1],
            "variance_before": float(group.series.var(axis=0).sum()),
            "diffeo": measures(diffeo, group, by_diffeo(diffeo, group)),
            "fdasrsf": measures(diffeo, group, by_fdasrsf(diffeo, fdasrsf, group)),
        }
        if heights_picture.has_grown(group.row, row["diffeo"]["inverse_error"]):
            heights_picture.draw(diffeo, group.row, group.series, FIGURES)
        else:
            heights_picture.path_of(group.row, FIGURES).unlink(missing_ok=True)
        rows.append(row)
        print(json.dumps(row), flush=True)
    results = {
        "machine": machine.describe(options.module.parent, diffeo.__version__, ("numpy", "fdasrsf")),
        "criterion": "auto",
        "rows": rows,
    }
    path = RESULTS / "alignment.json"
    beside = path.with_suffix(".tmp")
    beside.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)
    alignment_page.write(path, RESULTS / "alignment.md", FIGURES)
    print(f"wrote {path.relative_to(PROJECT)} and its page")
    return 0


if __name__ == "__main__":
    sys.exit(main())
