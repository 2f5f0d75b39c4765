"""docs/results/baselines.md from the results of baselines_table.py: every figure on it is computed here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from report import table

COMMAND = "make baselines"

# The defaults of tslearn 0.10.0, the library that people use for these averages.
DBA = {"max_iterations": 30, "tolerance": 1e-5}
SOFT_DTW = {"max_iterations": 50, "tolerance": 1e-3}
DEFAULT_GAMMA = 1.0
GAMMAS = (DEFAULT_GAMMA, 0.1, 0.01)
DISTANCES = ("euclidean", "dtw")
ALIGNED = "aligned"
CRITERIA = ("values", "auto")
SAME = 1e-6  # the published figures have six digits

Json = dict[str, Any]

INTRODUCTION = """\
# Classic baselines

Made by `{command}` (`bench/compare/baselines_table.py`) from `baselines.jsonl`. Do not edit.

Test accuracy of nearest-centroid classification on the archive's own splits, series as they are there
(z-normalized), beside the figures of the paper. Averages with the defaults of tslearn 0.10.0: DBA from the
Euclidean mean, at most {dba[max_iterations]} iterations, tolerance {dba[tolerance]:g}; soft-DTW by L-BFGS
from the Euclidean mean, at most {soft[max_iterations]} iterations, tolerance {soft[tolerance]:g}. No window.
γ is {gamma:g}, tslearn's default, or chosen: of {gammas} the one with the best accuracy on the training
set, the largest of several. The distance at prediction is DTW or Euclidean, as the headings say.

## How the published figures come about

Over the {sound} sets without faults; equal means to {same:g}.
"""

FINDING = """\
The paper does not say how its columns of DBA and soft-DTW were made. DBA with DTW at prediction gives
{by_dtw} of the {sound} figures back, with the Euclidean distance {by_euclidean}: the column is evidently
DTW's. Of the figures of soft-DTW, γ = {gamma:g} gives {by_gamma} back and γ chosen as above {soft}, both with
DTW; how γ was chosen there is not known.

## Every set

`=` is equal. Sets with * have faults in the paper's table: figures that no classifier can reach on a test set
of that size (`ours_possible` or `baselines_possible` is 0). Seconds are those of the three columns, averaging
and predicting, on {threads} threads; together {minutes:.0f} minutes.
"""


ALIGNMENT = """
## Aligned without a network

`NearestCentroid(JointAligner())`, nothing set: every class is aligned by itself, a new series is warped to
every centroid and goes to the nearest. *values* is `JointAligner(criterion="values")`, the cost that makes
variance small and was the only one before; *auto* is the default, which tells height from timing. The mean is
that of the series as they are. Where *auto* is below the mean, aligning costs accuracy: the warp to a
wrong class explains away what told the classes apart. Seconds are those of *auto*, fitting and predicting, on
{threads} threads.
"""


class Results:
    """The lines of the result file by set, method and options."""

    def __init__(self, lines: Iterable[Json]) -> None:
        self._lines = {self._key(line["dataset"], line["method"], line["options"]): line for line in lines}

    @staticmethod
    def _key(dataset: str, method: str, options: Json) -> str:
        return json.dumps([dataset, method, options], sort_keys=True)

    def has(self, dataset: str, method: str, options: Json) -> bool:
        return self._key(dataset, method, options) in self._lines

    def find(self, dataset: str, method: str, options: Json, distance: str) -> Json:
        return self._lines[self._key(dataset, method, {**options, "distance": distance})]

    def soft_dtw(self, dataset: str, gamma: float, distance: str) -> Json:
        return self.find(dataset, "soft-dtw", {**SOFT_DTW, "gamma": gamma}, distance)

    def chosen_soft_dtw(self, dataset: str, distance: str) -> Json:
        """That of the best γ by training accuracy; the seconds are those of all."""
        results = [self.soft_dtw(dataset, gamma, distance) for gamma in GAMMAS]
        best = max(results, key=lambda result: result["train_accuracy"])  # the first of several
        return {**best, "seconds": sum(result["seconds"] for result in results)}


class Column(NamedTuple):
    """One way to classify: its heading, the published column beside it, and its result for a set."""

    heading: str
    paper: str
    result: Callable[[str], Json]

    def pair(self, name: str, row: Json) -> tuple[float, float]:
        """Ours, published."""
        return self.result(name)["test_accuracy"], float(row[self.paper])

    def pairs(self, rows: dict[str, Json]) -> np.ndarray:
        return np.array([self.pair(name, row) for name, row in rows.items()])

    def equal_count(self, rows: dict[str, Json]) -> int:
        ours, theirs = self.pairs(rows).T
        return int((abs(ours - theirs) < SAME).sum())


def columns(results: Results) -> dict[str, Column]:
    def chosen(distance: str) -> Callable[[str], Json]:
        return lambda name: results.chosen_soft_dtw(name, distance)

    def dba(distance: str) -> Callable[[str], Json]:
        return lambda name: results.find(name, "dba", DBA, distance)

    gamma = f"soft-DTW, γ = {DEFAULT_GAMMA:g}, dtw"
    return {
        "mean": Column("mean", "euclidean", lambda name: results.find(name, "euclidean", {}, "euclidean")),
        "dba": Column("DBA, dtw", "dba", dba("dtw")),
        "soft": Column("soft-DTW, γ chosen, dtw", "softdtw", chosen("dtw")),
        "gamma": Column(gamma, "softdtw", lambda name: results.soft_dtw(name, DEFAULT_GAMMA, "dtw")),
        "dba_euclidean": Column("DBA, euclidean", "dba", dba("euclidean")),
        "soft_euclidean": Column("soft-DTW, γ chosen, euclidean", "softdtw", chosen("euclidean")),
    }


def is_sound(row: Json) -> bool:
    return row["ours_possible"] == "1" and row["baselines_possible"] == "1"


def summary_row(column: Column, rows: dict[str, Json]) -> list[str]:
    ours, theirs = column.pairs(rows).T
    difference = ours - theirs
    counts = [column.equal_count(rows), (difference >= SAME).sum(), (difference <= -SAME).sum()]
    means = [f"{ours.mean():.4f}", f"{theirs.mean():.4f}"]
    return [column.heading, *means, *map(str, counts), f"{abs(difference).max():.4f}"]


def seconds_of(names: Iterable[str], shown: list[Column]) -> float:
    return sum(column.result(name)["seconds"] for name in names for column in shown)


def set_row(name: str, row: Json, shown: list[Column]) -> list[str]:
    cells = [name if is_sound(row) else f"{name} *"]
    for column in shown:
        ours, theirs = column.pair(name, row)
        is_same = abs(ours - theirs) < SAME
        cells += [f"{ours:.4f}", f"{theirs:.4f}", "=" if is_same else f"{ours - theirs:+.4f}"]
    return [*cells, f"{seconds_of([name], shown):.1f}"]


def mean_row(title: str, rows: dict[str, Json], shown: list[Column]) -> list[str]:
    cells = [title]
    for column in shown:
        ours, theirs = column.pairs(rows).mean(axis=0)
        cells += [f"{ours:.4f}", f"{theirs:.4f}", f"{ours - theirs:+.4f}"]
    return [*cells, f"{seconds_of(rows, shown):.1f}"]


def aligned_accuracies(name: str, results: Results) -> list[float]:
    """Of the plain mean, values and auto."""
    plain = results.find(name, "euclidean", {}, "euclidean")
    aligned = [results.find(name, ALIGNED, {"criterion": criterion}, "euclidean") for criterion in CRITERIA]
    return [result["test_accuracy"] for result in (plain, *aligned)]


def aligned_section(rows: dict[str, Json], results: Results) -> list[str]:
    autos = {name: results.find(name, ALIGNED, {"criterion": "auto"}, "euclidean") for name in rows}
    threads = " or ".join(map(str, sorted({result["threads"] for result in autos.values()})))
    accuracies = {name: aligned_accuracies(name, results) for name in rows}

    def row(title: str, values: Iterable[float], seconds: float) -> list[str]:
        plain, by_values, auto = values
        differences = [f"{auto - by_values:+.4f}", f"{auto - plain:+.4f}"]
        return [title, f"{plain:.4f}", f"{by_values:.4f}", f"{auto:.4f}", *differences, f"{seconds:.1f}"]

    body = [row(name, accuracies[name], autos[name]["seconds"]) for name in rows]
    means = np.mean(list(accuracies.values()), axis=0)
    body.append(row(f"mean of all {len(rows)}", means, sum(result["seconds"] for result in autos.values())))
    head = ["set", "mean", "values", "auto", "auto − values", "auto − mean", "seconds"]
    return [ALIGNMENT.format(threads=threads), *table(head, body)]


def page(rows: dict[str, Json], results: Results) -> str:
    """`rows` are those of the paper's table, by set."""
    every = columns(results)
    shown = [every[key] for key in ("mean", "dba", "soft")]
    sound = {name: row for name, row in rows.items() if is_sound(row)}
    threads = sorted({column.result(name)["threads"] for name in rows for column in shown})
    introduction = INTRODUCTION.format(
        command=COMMAND,
        dba=DBA,
        soft=SOFT_DTW,
        gamma=DEFAULT_GAMMA,
        gammas=", ".join(f"{gamma:g}" for gamma in GAMMAS),
        sound=len(sound),
        same=SAME,
    )
    summary_head = ["centroids, distance", "mean", "paper", "equal", "better", "worse", "largest difference"]
    finding = FINDING.format(
        by_dtw=every["dba"].equal_count(sound),
        by_euclidean=every["dba_euclidean"].equal_count(sound),
        soft=every["soft"].equal_count(sound),
        by_gamma=every["gamma"].equal_count(sound),
        gamma=DEFAULT_GAMMA,
        sound=len(sound),
        threads=" or ".join(map(str, threads)),
        minutes=seconds_of(rows, shown) / 60,
    )
    head = ["set", *(text for column in shown for text in (column.heading, "paper", "±")), "seconds"]
    body = [set_row(name, row, shown) for name, row in rows.items()]
    body.append(mean_row(f"mean of all {len(rows)}", rows, shown))
    body.append(mean_row(f"mean of the {len(sound)} without faults", sound, shown))
    return "\n".join(
        [
            introduction,
            *table(summary_head, [summary_row(column, sound) for column in every.values()]),
            finding,
            *table(head, body),
            *aligned_section(rows, results),
        ]
    )
