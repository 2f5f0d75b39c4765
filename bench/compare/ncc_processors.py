"""On which processors lines were made, and how far that moves accuracies: in docs/results/ncc.md."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from report import table

Json = dict[str, Any]

ELSEWHERE = "other_processor.jsonl"  # in a folder of results: the defaults once more, on another machine
UNKNOWN = "not recorded"

PROCESSORS = """
## Processors

Which processor made the lines of `results.jsonl`; `diffeo` stands for its lines with other options.

"""
MOVED = """
The same sets and seeds on {here} and on {elsewhere} (`results/{file}`): of {count} accuracies {equal} are
equal, the mean is {mean_here:.4f} here and {mean_elsewhere:.4f} there, and the largest difference is
{largest:.4f} ({where}).
"""


def section(titled: Sequence[tuple[str, Json]], defaults: Sequence[Json], elsewhere: Sequence[Json]) -> str:
    """Lines with the titles of their methods; empty if no line names a processor."""
    if not any("processor" in line for _, line in titled):
        return ""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for title, line in titled:
        counts[title][line.get("processor", UNKNOWN)] += 1
    made_on = [
        [title, ", ".join(f"{name} ({count})" for name, count in sorted(found.items()))]
        for title, found in counts.items()
    ]
    return (
        PROCESSORS + "\n".join(table(["lines of", "processor (lines)"], made_on)) + moved(defaults, elsewhere)
    )


def moved(here: Sequence[Json], elsewhere: Sequence[Json]) -> str:
    """How far accuracies differ; empty without the same work on two processors."""
    there = {(line["dataset"], line["seed"]): line for line in elsewhere}
    pairs = [
        (line, there[line["dataset"], line["seed"]])
        for line in here
        if (line["dataset"], line["seed"]) in there
    ]
    pairs = [(a, b) for a, b in pairs if a.get("processor") != b.get("processor")]
    if not pairs:
        return ""
    accuracies = np.array([[a["test_accuracy"], b["test_accuracy"]] for a, b in pairs])
    difference = np.abs(accuracies[:, 0] - accuracies[:, 1])
    mean_here, mean_elsewhere = accuracies.mean(axis=0)
    return MOVED.format(
        here=names(a for a, _ in pairs),
        elsewhere=names(b for _, b in pairs),
        file=ELSEWHERE,
        count=len(pairs),
        equal=int((difference == 0).sum()),
        mean_here=mean_here,
        mean_elsewhere=mean_elsewhere,
        largest=difference.max(),
        where=pairs[int(difference.argmax())][0]["dataset"],
    )


def names(lines: Any) -> str:
    return ", ".join(sorted({line.get("processor", UNKNOWN) for line in lines}))
