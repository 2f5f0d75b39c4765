"""Makes docs/results/truth.md from truth.json; called by truth.py."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from alignment_page import machine_lines
from report import number, table
from truth_contestants import NAMES, SLOW

INTRODUCTION = """# Alignment against known true times

Series with known warps W_i are aligned by φ_i. Then C_i = W_i∘φ_i should be the same for all i. *Spread*
is the mean of |C_i − mean C| over series and time, as a share of that before alignment: 0 is perfect, 1
is no better than doing nothing (`diffeo.true_time_spread`).

All contestants get the same series and their own defaults, one thread each:

- *none*: no alignment
- *diffeo*: `diffeo.align`, `diffeo.align_pair`
- *fdasrsf*: `srsf_align`, `pairwise_align_functions`
- *scikit-fda*: `FisherRaoElasticRegistration`
- *DTW*: tslearn's path to the medoid of the set, or to the target
- *DBA*: tslearn's barycenter, then the path to it

Made by `.venv-peers/bin/python bench/compare/truth.py` (after `bench/compare/setup.sh`), which `make
bench` calls. `truth.jsonl` keeps every result; `--fresh-diffeo` measures diffeo again and keeps the
others. The best figure of a row is bold.
"""

REQUIRED = """## What must hold

Two peaks: 21 series of 101 samples, the heights of their peaks with the standard deviation given, warped
by (e^{ax} − 1)/(e^a − 1), a from −1 to 1 (`diffeo.generate_warped("two-peaks", …)`). Beats: both R waves
0.3 to 3 times as tall as in the template, up to 20 % of the length apart. Bumps:
`diffeo.generate_bumps`, 12 series, noise 5 %, one class; `diffeo.relative_warp_error`. Narrow peaks:
squared difference after alignment as a share of before.
"""

SELECTION = """## Other series

12 series each, `diffeo.generate_warped` with the family and the displacement given; what is not given
has the default of the kind. Spread left; in parentheses the 95th percentile of |C_i − mean C| in percent
of the length, and the share of series that failed: more than 5 % of the length away from the mean on
average.
"""

RECORDINGS = """## Recordings

Variance over the cases, inverse-consistent error (the mean warped back, against the raw series) and
variance of the square-root slopes, each as a share of what it was before alignment. A small variance alone
may mean that features were squeezed away. True times are not known here, but some features can be found by
rule: the highest or lowest point in a part of the duration, or half height (`FEATURES` in
`bench/compare/truth_rows.py`). *Features* is the spread of their common times, a share of that before, as
root mean square over the features.
"""

RECORDING_MEASURES = ("features", "variance", "inverse_error", "slope_variance")

SECONDS = """## Seconds

Mean time of a repetition: a set, or 20 pairs. Times compare within one run only. Here they come from several:
`--fresh-diffeo` measures diffeo later than the others, and the load of the machine differed. Read orders of
magnitude from them, no ratios; nothing is bold.
"""

Row = dict[str, Any]


def write(results_path: Path, page_path: Path) -> None:
    results = json.loads(results_path.read_text(encoding="utf-8"))
    rows = results["rows"]
    lines = [INTRODUCTION, REQUIRED, *required_section(of(rows, "required"))]
    lines += [SELECTION, *selection_section(of(rows, "selection"))]
    if recordings := of(rows, "recordings"):
        lines += [RECORDINGS, *recordings_section(recordings)]
    lines += [SECONDS, *seconds_section(rows)]
    lines += ["## Measured on", "", *machine_lines(results["machine"])]
    beside = page_path.with_suffix(".tmp")
    beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
    beside.replace(page_path)


def of(rows: Sequence[Row], section: str) -> list[Row]:
    return [row for row in rows if row["section"] == section]


def cells(
    row: Row, value: Callable[[Row], float], text: Callable[[Row], str], *, smaller: bool = True
) -> list[str]:
    """One text per contestant, the best one bold; "none" does not compete."""
    found = row["contestants"]
    competing = {
        name: value(found[name]) for name in NAMES[1:] if name in found and "cannot" not in found[name]
    }
    best = (min if smaller else max)(competing.values(), default=None)
    made = []
    for name in NAMES:
        each = found.get(name)
        if each is None:
            made.append("")
        elif "cannot" in each:
            made.append(f"cannot: {each['cannot']}")
        else:
            bold = name in competing and competing[name] == best
            made.append(f"**{text(each)}**" if bold else text(each))
    return made


def standing(row: Row, value: Callable[[Row], float], *, smaller: bool = True) -> str:
    """By how much the best of the others beats diffeo, if it does."""
    found = row["contestants"]
    if "diffeo" not in found or "cannot" in found["diffeo"]:
        return ""
    others = {n: value(each) for n, each in found.items() if n != "diffeo" and "cannot" not in each}
    ours = value(found["diffeo"])
    better = {n: each for n, each in others.items() if (each < ours if smaller else each > ours)}
    if not better:
        return ""
    name = (min if smaller else max)(better, key=better.__getitem__)
    by = f", {number(ours / better[name])} ×" if smaller and better[name] > 0 else ""
    return f"beaten by {name}: {number(ours)} against {number(better[name])}{by}"


def required_section(rows: Sequence[Row]) -> list[str]:
    head = ["series", "sets or pairs", "measure", "must", "met", *NAMES, "remark"]
    lines = []
    for row in rows:
        for index, must in enumerate(row["musts"]):
            lines.append(required_line(row, index, must))
    return table(head, lines)


def required_line(row: Row, index: int, must: Row) -> list[str]:
    def value(each: Row) -> float:
        return each["musts"][index]

    ours = row["contestants"].get("diffeo")
    met = "" if ours is None else "yes" if ours["met"][index] else "**no**"
    sign = "≤" if must["at_most"] else "≥"
    smaller = must["at_most"]
    return [
        row["row"],
        counts(row),
        must["label"],
        f"{sign} {number(must['limit'])}",
        met,
        *cells(row, value, lambda each: number(value(each)), smaller=smaller),
        standing(row, value, smaller=smaller),
    ]


def counts(row: Row) -> str:
    """How many sets or pairs stand behind the figures, and behind those of the slow contestants if fewer."""
    found = {name: each["count"] for name, each in row["contestants"].items() if "cannot" not in each}
    slow = [found[name] for name in SLOW if name in found]
    ours = found.get("diffeo", 0)
    return str(ours) if not slow or min(slow) == ours else f"{ours}; {' and '.join(SLOW)} {min(slow)}"


def share(each: Row) -> float:
    return each["mean"]["share"]


def selection_text(each: Row) -> str:
    percentile, failures = (number(100 * each["mean"][key]) for key in ("percentile_95", "failures"))
    return f"{number(share(each))} ({percentile} %; {failures} %)"


def selection_section(rows: Sequence[Row]) -> list[str]:
    head = ["series", "sets", *NAMES, "remark"]
    lines = [
        [row["row"], counts(row), *cells(row, share, selection_text), standing(row, share)] for row in rows
    ]
    return table(head, lines)


def recordings_section(rows: Sequence[Row]) -> list[str]:
    lines = []
    for row in rows:
        found = next(each["mean"] for each in row["contestants"].values() if "mean" in each)
        lines += [recording_line(row, key) for key in RECORDING_MEASURES if key in found]
    return table(["recording", "share left of", *NAMES, "remark"], lines)


def recording_line(row: Row, key: str) -> list[str]:
    def value(each: Row) -> float:
        return each["mean"][key]

    text = [row["row"], key.replace("_", " ")]
    return [*text, *cells(row, value, lambda each: number(value(each))), standing(row, value)]


def seconds_section(rows: Sequence[Row]) -> list[str]:
    def text(each: Row | None) -> str:
        return "" if each is None or "cannot" in each else number(each["seconds"])

    lines = [[row["row"], *(text(row["contestants"].get(name)) for name in NAMES)] for row in rows]
    return table(["series", *NAMES], lines)


def line(rows: Sequence[Row]) -> str:
    """What a row has found, for the terminal."""
    parts = []
    for row in rows:
        for name, each in row["contestants"].items():
            shown = each.get("cannot") or each["musts"] or each["mean"]
            parts.append(f"  {name:12}{shown}")
        parts.insert(0, row["row"])
    return "\n".join(parts)
