"""Makes docs/results/alignment.md from alignment.json; called by alignment.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from report import number, table

INTRODUCTION = """# Alignment without a network

`diffeo.align` and fdasrsf's `srsf_align`, each with its defaults, on the same series in one run, one thread
each. Made by `.venv-peers/bin/python bench/compare/alignment.py` (after `bench/compare/setup.sh`), which
`make bench` calls, from `alignment.json`. The better number is bold.

- *variance*: over the cases, summed over time; raw, and of the aligned series
- *inverse error*: the mean of the aligned series, warped back by the inverse of each warp, against the raw
  series; squared, summed over time, averaged over the cases. It shows what variance alone hides: features
  that were squeezed away
- *least slope* of any warp between two samples: above 0 the warps increase strictly
"""

TRUTH = """## Against known warps

`bumps` are templates warped by known random warps (displacements up to 10 % of the length) with noise of 5 %
of the amplitude (`diffeo.generate_bumps`, one class). The error is `diffeo.relative_warp_error`: how far the
relation between the warps of two series is from the truth, averaged over all pairs and over time, in percent
of the length.
"""


def write(results_path: Path, page_path: Path) -> None:
    results = json.loads(results_path.read_text(encoding="utf-8"))
    lines = [INTRODUCTION, *measures_section(results["rows"]), TRUTH, *truth_section(results["rows"])]
    lines += ["## Measured on", "", *machine_lines(results["machine"])]
    beside = page_path.with_suffix(".tmp")
    beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
    beside.replace(page_path)


def measures_section(rows: list[dict[str, Any]]) -> list[str]:
    head = ["set, class", "series", "variance", "diffeo", "fdasrsf", "inverse error, diffeo", "fdasrsf",
            "least slope, diffeo", "fdasrsf", "seconds, diffeo", "fdasrsf", "ratio"]  # fmt: skip
    return table(head, map(measures_row, rows))


def measures_row(row: dict[str, Any]) -> list[str]:
    ours, theirs = row["diffeo"], row["fdasrsf"]
    pairs = [
        better(ours[key], theirs[key], smaller=key != "least_slope")
        for key in ("variance", "inverse_error", "least_slope", "seconds")
    ]
    cells = [text for pair in pairs for text in pair]
    return [
        f"{row['name']}, {row['label']}",
        f"{row['cases']} × {row['length']}",
        number(row["variance_before"]),
        *cells,
        f"{number(theirs['seconds'] / ours['seconds'])} ×",
    ]


def better(ours: float, theirs: float, *, smaller: bool) -> tuple[str, str]:
    """Both numbers, the better one bold."""
    first = (ours < theirs) == smaller
    return (
        f"**{number(ours)}**" if first else number(ours),
        number(theirs) if first else f"**{number(theirs)}**",
    )


def truth_section(rows: list[dict[str, Any]]) -> list[str]:
    known = [row for row in rows if row["diffeo"]["warp_error"] is not None]
    head = ["set", "error, diffeo", "fdasrsf"]
    return table(
        head,
        [
            [
                f"{row['name']}, {row['label']}",
                *(f"{number(100 * row[who]['warp_error'])} %" for who in ("diffeo", "fdasrsf")),
            ]
            for row in known
        ],
    )


def machine_lines(machine: dict[str, Any]) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    built = f"{machine['system']}, {machine['compiler']}"
    where = f"{machine['cpu']}, {machine['cores']} cores, {built}"
    return [f"{where}; {versions}; commit {machine['commit']}, {machine['date']}"]
