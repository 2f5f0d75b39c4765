"""Accuracies that somebody published, and whether they can be right.

On n test cases an accuracy is k / n, whoever classifies: a figure further from all of these than rounding
explains is none. `diffeo report --table` marks the same figures.
"""

from __future__ import annotations

import csv
from pathlib import Path

Row = dict[str, str]

MOST_DIGITS = 5  # written with more, tables may have filled up with zeros
ROUNDOFF = 1e-12  # of a quotient of counts, and of a figure read from text
MARK = " †"


def read_published(table: Path) -> dict[str, Row]:
    with table.open() as rows:
        return {row["dataset"]: row for row in csv.DictReader(rows)}


def is_sound(row: Row) -> bool:
    """Whether the table names no fault in the row."""
    return not row["faults"]


def is_reachable(row: Row, method: str) -> bool:
    """Whether some number of right answers has this accuracy, rounded to the digits that are written."""
    accuracy, cases = float(row[method]), int(row["test"])
    digits = min(len(row[method].partition(".")[2]), MOST_DIGITS)
    nearest = min(max(round(accuracy * cases), 0), cases) / cases
    return abs(accuracy - nearest) <= 0.5 * 10.0**-digits + ROUNDOFF


def marked(row: Row, method: str) -> str:
    return f"{float(row[method]):.4f}" + ("" if is_reachable(row, method) else MARK)
