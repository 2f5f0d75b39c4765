"""Makes docs/results/alignment.md from alignment.json; called by alignment.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import heights_picture
from report import number, table

INTRODUCTION = """# Alignment without a network

{ours}
and fdasrsf's `srsf_align`, with its defaults, on the same series in one run, one thread each. Made by
`.venv-peers/bin/python bench/compare/alignment.py` (after `bench/compare/setup.sh`), which `make bench`
calls, from `alignment.json`. The smaller variance, error and time, and the larger slope, are bold.

**Variance is not accuracy.** It shows how alike the aligned series are, not whether events that belong
together coincide. If heights agree, a smaller variance means better timing. If heights vary, it measures the
wrong thing: squeezing tall parts lowers it, and correct timing leaves it large. [truth.md](truth.md) is the
page about correct timing.

- *variance*: over the cases, summed over time; raw, and of the aligned series
- *inverse error*: the mean of the aligned series, warped back by the inverse of each warp, against the raw
  series; squared, summed over time, averaged over the cases. It grows if features were squeezed away, which
  variance hides. It contains differences in height, too
- *least slope* of any warp between two samples: above 0 the warps increase strictly
"""

TRUTH = """## Against known warps

`bumps` are templates warped by known random warps (displacements up to 10 % of the length) with noise of 5 %
of the amplitude (`diffeo.generate_bumps`, one class). The error is `diffeo.relative_warp_error`: how far the
relation between the warps of two series is from the truth, averaged over all pairs and over time, in percent
of the length.
"""

TIMES_AS_FAST = 100

OURS = {
    "auto": "`diffeo.align`, with its defaults,",
    "values": '`diffeo.align` with `criterion="values"`,',
}

HEIGHTS = """## Where the default fits less closely than values do

The first default of `align` compared values, as `criterion="values"` does. These rows have an inverse error
more than 1.2 times as large as it had. Either heights differ, and the larger error is correct, or the default
takes timing for height, and the larger error is a miss. The pictures tell which: raw, aligned by values,
aligned by default. Their headings have the figures.
"""


def write(results_path: Path, page_path: Path, figures: Path) -> None:
    results = json.loads(results_path.read_text(encoding="utf-8"))
    introduction = INTRODUCTION.format(ours=OURS[results.get("criterion", "values")])
    lines = [introduction, *measures_section(results["rows"]), short_of_goals(results["rows"]), ""]
    lines += heights_section(results["rows"], figures)
    lines += [TRUTH, *truth_section(results["rows"])]
    lines += ["## Measured on", "", *machine_lines(results["machine"])]
    beside = page_path.with_suffix(".tmp")
    beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
    beside.replace(page_path)


def measures_section(rows: list[dict[str, Any]]) -> list[str]:
    head = ["set, class", "series", "variance", "diffeo", "fdasrsf", "inverse error, diffeo", "fdasrsf",
            "least slope, diffeo", "fdasrsf", "seconds, diffeo", "fdasrsf", "ratio"]  # fmt: skip
    return table(head, map(measures_row, rows))


def short_of_goals(rows: list[dict[str, Any]]) -> str:
    """Which rows miss what alignment is meant to reach on all."""
    ratios = {name_of(row): row["fdasrsf"]["seconds"] / row["diffeo"]["seconds"] for row in rows}
    slow = [f"{name} ({number(ratio)} ×)" for name, ratio in ratios.items() if ratio < TIMES_AS_FAST]
    less_close = [
        name_of(row) for row in rows if row["diffeo"]["inverse_error"] >= row["fdasrsf"]["inverse_error"]
    ]
    return (
        f"The goals are an inverse error below fdasrsf's and {TIMES_AS_FAST} times its speed, in every row. "
        f"Short of the first: {', '.join(less_close) or 'none'}. "
        f"Short of the second: {', '.join(slow) or 'none'}."
    )


def name_of(row: dict[str, Any]) -> str:
    return f"{row['name']}, {row['label']}"


def measures_row(row: dict[str, Any]) -> list[str]:
    ours, theirs = row["diffeo"], row["fdasrsf"]
    pairs = [
        better(ours[key], theirs[key], smaller=key != "least_slope")
        for key in ("variance", "inverse_error", "least_slope", "seconds")
    ]
    cells = [text for pair in pairs for text in pair]
    return [
        name_of(row),
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
                name_of(row),
                *(f"{number(100 * row[who]['warp_error'])} %" for who in ("diffeo", "fdasrsf")),
            ]
            for row in known
        ],
    )


def heights_section(rows: list[dict[str, Any]], figures: Path) -> list[str]:
    """The pictures that there are, each with a remark."""
    lines = []
    for name in map(name_of, rows):
        path = heights_picture.path_of(name, figures)
        if path.exists():
            remark = heights_picture.REMARKS.get(name, "")
            picture = f"![{name}: raw, aligned by values, aligned by default](../{figures.name}/{path.name})"
            lines += [f"**{name}.** {remark}".strip(), "", picture, ""]
    return [HEIGHTS, *lines] if lines else []


def machine_lines(machine: dict[str, Any]) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    built = f"{machine['system']}, {machine['compiler']}"
    where = f"{machine['cpu']}, {machine['cores']} cores, {built}"
    return [f"{where}; {versions}; commit {machine['commit']}, {machine['date']}"]
