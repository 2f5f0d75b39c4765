"""results/published.csv: data sets and the accuracies of the paper, as `diffeo report --table` reads them.

    DIFFEO_SHARED=../shared .venv/bin/python tools/published_table.py

From the paper's table with its two columns that say which figures cannot be right. All baselines of a row
share one verdict: they were measured on another split than the archive's.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("DIFFEO_SHARED", PROJECT.parent / "shared"))
TARGET = PROJECT / "results" / "published.csv"
PROPERTIES = ("dataset", "type", "train", "test", "length", "classes")
BASELINES = {
    "euclidean": "euclidean",
    "dba": "dba",
    "soft-dtw": "softdtw",
    "dtan": "dtan",
    "resnet-tw": "resnet_tw",
}


def row_of(row: dict[str, str]) -> list[str]:
    faults = [] if row["baselines_possible"] == "1" else [f"{name}:split" for name in BASELINES]
    if row["ours_possible"] != "1":
        faults.append("paper")
    values = [row[column] for column in BASELINES.values()]
    return [*(row[name] for name in PROPERTIES), *values, row["ours"], " ".join(faults)]


def main() -> None:
    with (SHARED / "paper" / "ncc_table.csv").open() as rows, TARGET.open("w", newline="") as target:
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow([*PROPERTIES, *BASELINES, "paper", "faults"])
        writer.writerows(row_of(row) for row in csv.DictReader(rows))


if __name__ == "__main__":
    main()
