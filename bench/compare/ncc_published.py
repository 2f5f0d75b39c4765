"""Nearest centroids beside published figures: two sections of docs/results/ncc.md.

Columns of nearest barycenters are tested, two-sided, by Wilcoxon's signed-rank test, all of them as one
family (Holm). The best classifiers, which are no nearest centroids, stand beside, so that a reader sees what
centroids cost.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from published import Row, is_reachable, is_sound
from report import table

Accuracies = Mapping[str, float]  # by data set

SIGNIFICANT = 0.05
OF_THE_PAPER = {"dtan": "DTAN", "resnet-tw": "ResNet-TW", "soft-dtw": "soft-DTW"}
BARYCENTERS = {
    "ncc_soft-DBA": "soft-DBA barycenter",
    "ncc_soft-DBA2": "soft-DBA barycenter, 2",
    "ncc_soft-MBA": "soft-MSM barycenter",
    "ncc_soft-MBA2": "soft-MSM barycenter, 2",
}
BEST = {
    "1NN-DTW": "1-NN DTW",
    "EE": "elastic ensemble",
    "PF": "proximity forest",
    "MiniROCKET": "MiniROCKET",
    "HC2": "HIVE-COTE 2",
}

CENTROIDS = """\
## Against published nearest centroids

The defaults, means over the seeds, on every set on which the published figure can be right. p: Wilcoxon's
signed-rank test, two-sided, and the same corrected for the {count} comparisons by Holm. The paper's columns
are from `results/published.csv`. The barycenters are those of a study of soft-MSM, means over its resamples
and not the archive's own split alone (`results/anchors.csv`; what its 2 means is not said there).

"""
CLASSIFIERS = """
## Against the best classifiers

What centroids cost: published figures of classifiers that compare with every training series, or with
features of them, on the archive's own split (`results/anchors.csv`, collected there from several sources).

"""


@dataclass(frozen=True)
class Comparison:
    title: str
    sets: int
    ours: float
    theirs: float
    wins: int
    ties: int
    losses: int
    p_value: float


def read_anchors(path: Path) -> dict[str, dict[str, float]]:
    """By column and data set, without what was not published."""
    columns: dict[str, dict[str, float]] = {}
    with path.open() as file:
        for row in csv.DictReader(file):
            name = row.pop("dataset")
            for column, text in row.items():
                if text:
                    columns.setdefault(column, {})[name] = float(text)
    return columns


def of_the_paper(rows: Mapping[str, Row], method: str) -> dict[str, float]:
    """Where the table names no fault, and the figure is one that a classifier can have."""
    sound = (name for name, row in rows.items() if is_sound(row) and is_reachable(row, method))
    return {name: float(rows[name][method]) for name in sound}


def compared(title: str, ours: Accuracies, theirs: Accuracies) -> Comparison:
    names = sorted(ours.keys() & theirs.keys())
    # Figures are printed to six digits or fewer.
    difference = np.round([ours[name] - theirs[name] for name in names], 6)
    p_value = float(stats.wilcoxon(difference).pvalue) if difference.any() else 1.0
    return Comparison(
        title=title,
        sets=len(names),
        ours=float(np.mean([ours[name] for name in names])),
        theirs=float(np.mean([theirs[name] for name in names])),
        wins=int((difference > 0).sum()),
        ties=int((difference == 0).sum()),
        losses=int((difference < 0).sum()),
        p_value=p_value,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Each times the number of those that are no smaller, never below a smaller one's, at most 1."""
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda at: p_values[at])):
        largest = max(largest, (len(p_values) - rank) * p_values[index])
        corrected[index] = min(1.0, largest)
    return corrected


def section(ours: Accuracies, rows: Mapping[str, Row], anchors: Mapping[str, Accuracies]) -> str:
    columns = {title: of_the_paper(rows, method) for method, title in OF_THE_PAPER.items()}
    columns |= {title: anchors.get(name, {}) for name, title in BARYCENTERS.items()}
    family = [
        compared(title, ours, theirs) for title, theirs in columns.items() if ours.keys() & theirs.keys()
    ]
    corrected = holm([each.p_value for each in family])
    others = [compared(title, ours, anchors[name]) for name, title in BEST.items() if name in anchors]
    return (
        CENTROIDS.format(count=len(family))
        + "\n".join(comparison_table(family, corrected))
        + f"\n{verdict(family, corrected)}\n"
        + CLASSIFIERS
        + "\n".join(comparison_table(others))
        + "\n"
        + "\n".join(every_set(ours, anchors))
        + "\n"
    )


def comparison_table(comparisons: Sequence[Comparison], corrected: Sequence[float] = ()) -> list[str]:
    headings = ["published", "sets", "the defaults", "published mean", "better, equal, worse"]
    rows = [
        [
            each.title,
            str(each.sets),
            f"{each.ours:.4f}",
            f"{each.theirs:.4f}",
            f"{each.wins}, {each.ties}, {each.losses}",
        ]
        for each in comparisons
    ]
    if corrected:
        headings += ["p", "p, Holm"]
        for row, each, p_value in zip(rows, comparisons, corrected, strict=True):
            row += [f"{each.p_value:.2g}", f"**{p_value:.2g}**"]
    return table(headings, rows)


def verdict(family: Sequence[Comparison], corrected: Sequence[float]) -> str:
    behind = [
        each.title
        for each, p_value in zip(family, corrected, strict=True)
        if each.ours <= each.theirs or p_value >= SIGNIFICANT
    ]
    if not behind:
        return f"Ahead of all of them, with corrected p below {SIGNIFICANT}."
    return f"Not ahead with corrected p below {SIGNIFICANT}: {', '.join(behind)}."


def every_set(ours: Accuracies, anchors: Mapping[str, Accuracies]) -> list[str]:
    shown = {name: title for name, title in (BARYCENTERS | BEST).items() if name in anchors}
    rows = [
        [name, f"**{ours[name]:.4f}**", *(figure(anchors[column].get(name)) for column in shown)]
        for name in sorted(ours)
    ]
    return table(["set", "the defaults", *shown.values()], rows)


def figure(accuracy: float | None) -> str:
    return "" if accuracy is None else f"{accuracy:.4f}"
