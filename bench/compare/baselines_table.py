"""Accuracy of nearest centroids over means, DBA, soft-DTW and aligned means on the UCR sets.

Writes one JSON line per result to docs/results/baselines.jsonl; baselines_page.py makes the page beside it.
A result that is in the file already, with the same options, is not computed again: an interrupted run
goes on where it stopped, and a changed option computes what it concerns. Needs the module in build/python.

    .venv/bin/python bench/compare/baselines_table.py          # what is missing, then the page
    .venv/bin/python bench/compare/baselines_table.py --page   # the page alone
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import diffeo
import machine
from baselines_page import ALIGNED, CRITERIA, DBA, DISTANCES, GAMMAS, SOFT_DTW, Json, Results, page
from workload import PROJECT

SHARED = Path(os.environ.get("DIFFEO_SHARED", PROJECT.parent / "shared"))
LINES = PROJECT / "docs" / "results" / "baselines.jsonl"
PAGE = PROJECT / "docs" / "results" / "baselines.md"


class Work(NamedTuple):
    """One average of the classes of one set, and the distances by which it is compared."""

    dataset: str
    method: str
    options: Json
    distances: tuple[str, ...]

    def with_distance(self, distance: str) -> Json:
        return {**self.options, "distance": distance}


def published() -> dict[str, Json]:
    """The rows of the paper's table whose sets are here."""
    with (SHARED / "paper" / "ncc_table.csv").open() as lines:
        rows = {row["dataset"]: row for row in csv.DictReader(lines)}
    return {name: row for name, row in rows.items() if (SHARED / "ucr" / name).is_dir()}


def read_split(name: str, split: str) -> tuple[np.ndarray, np.ndarray]:
    values = np.loadtxt(SHARED / "ucr" / name / f"{name}_{split}.tsv", delimiter="\t")
    return values[:, 1:], values[:, 0].astype(int)


def all_work(rows: dict[str, Json]) -> Iterator[Work]:
    """The quickest sets first, so that an interrupted run has most of them."""
    methods = [("euclidean", {}), ("dba", DBA)]
    methods += [("soft-dtw", {**SOFT_DTW, "gamma": gamma}) for gamma in GAMMAS]
    cost = {name: int(row["train"]) * int(row["length"]) ** 2 for name, row in rows.items()}
    for name in sorted(cost, key=lambda name: cost[name]):
        for method, options in methods:
            yield Work(name, method, options, DISTANCES)
        for criterion in CRITERIA:
            yield Work(name, ALIGNED, {"criterion": criterion}, ("euclidean",))


def timed(action: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return action(), time.perf_counter() - start


def classifiers_of(work: Work, training: tuple[np.ndarray, np.ndarray]) -> Iterator[tuple[str, Any]]:
    """Fitted, one per distance."""
    if work.method == ALIGNED:
        aligner = diffeo.JointAligner(n_jobs=-1, **work.options)
        yield "euclidean", diffeo.NearestCentroid(aligner).fit(*training)
        return
    averages = diffeo.NearestCentroid(work.method, n_jobs=-1, **work.options).fit(*training)
    for distance in work.distances:
        # Fitted to classes of one, whose means are the centroids given: they are made once for all distances.
        classifier = diffeo.NearestCentroid(distance=distance, n_jobs=-1)
        yield distance, classifier.fit(averages.centroids_, averages.classes_)


def results_of(work: Work) -> Iterator[Json]:
    training, test = read_split(work.dataset, "TRAIN"), read_split(work.dataset, "TEST")
    classifiers, fit_seconds = timed(lambda: list(classifiers_of(work, training)))
    for distance, classifier in classifiers:
        accuracy, seconds = timed(lambda classifier=classifier: classifier.score(*test))
        yield {
            "dataset": work.dataset,
            "method": work.method,
            "options": work.with_distance(distance),
            "seed": None,
            "train_accuracy": classifier.score(*training),
            "test_accuracy": accuracy,
            "seconds": round(fit_seconds + seconds, 3),
            "version": diffeo.__version__,
            "commit": machine.commit(),
            "threads": diffeo.available_threads(),
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        }


def read_results() -> Results:
    text = LINES.read_text() if LINES.exists() else ""
    return Results(json.loads(line) for line in text.splitlines())


def compute_missing(rows: dict[str, Json]) -> None:
    done = read_results()
    for work in all_work(rows):
        if all(
            done.has(work.dataset, work.method, work.with_distance(distance)) for distance in work.distances
        ):
            continue
        lines = [json.dumps(result) + "\n" for result in results_of(work)]
        with LINES.open("a") as file:
            file.write("".join(lines))
        print(lines[-1], end="", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--page", action="store_true", help="make the page from the results there are")
    arguments = parser.parse_args()
    rows = published()
    if not arguments.page:
        compute_missing(rows)
    beside = PAGE.with_suffix(".tmp")
    beside.write_text(page(rows, read_results()))
    beside.replace(PAGE)


if __name__ == "__main__":
    main()
