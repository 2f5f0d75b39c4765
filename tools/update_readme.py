"""Writes the measured figures into README.md, between its markers, from docs/results; --check only compares.

No number in the README is typed by hand. A file of results that does not exist yet leaves its figures out.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
README = PROJECT / "README.md"
BEGIN, END = "<!-- figures: make bench -->", "<!-- end of figures -->"

JsonObject = dict[str, Any]
Figure = tuple[str, str, str]  # what was measured, the value, the command


def number(value: float) -> str:
    """Two significant digits below 10, whole numbers above."""
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def read(path: Path) -> JsonObject | None:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def ratio_figure(speed: JsonObject, work: str, case: str, title: str) -> list[Figure]:
    """How many times faster than difw, one thread, float32."""
    for each in speed["times"]:
        if each["work"] == work and each["case"] == case and "difw" in each.get("ratios", {}):
            return [(title, f"{number(each['ratios']['difw']['of_minima'])} × as fast as difw", "make bench")]
    return []


def truth_figure(truth: JsonObject) -> list[Figure]:
    """Noisy series whose heights vary: how much of the spread of true times is left, beside fdasrsf."""
    for row in truth["rows"]:
        if row["row"] != "two peaks, height 0.25, noise 0.05":
            continue
        ours, theirs = (row["contestants"][name]["mean"]["share"] for name in ("diffeo", "fdasrsf"))
        title = f"series of varying height, timing error left (fdasrsf leaves {theirs:.2f})"
        return [(title, f"{ours:.2f} of it", "make bench")]
    return []


def figures(results: Path) -> list[Figure]:
    found: list[Figure] = []
    if speed := read(results / "speed.json"):
        found += ratio_figure(speed, "forward", "30x1000x40", "warps, 30 cells × 1000 points × 40")
        found += ratio_figure(
            speed, "gradient", "1024x10000x40", "gradients, 1024 cells × 10,000 points × 40"
        )
    if truth := read(results / "truth.json"):
        found += truth_figure(truth)
    return found


def section(found: list[Figure]) -> str:
    if not found:
        return "Nothing measured yet: `make bench` fills this in."
    rows = [f"| {title} | **{value}** | `{command}` |" for title, value, command in found]
    return "\n".join(["| measured | | with |", "|---|---|---|", *rows])


def updated(text: str, found: list[Figure]) -> str:
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n{section(found)}\n{END}{after}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say whether README.md is up to date")
    options = parser.parse_args()
    old = README.read_text(encoding="utf-8")
    new = updated(old, figures(PROJECT / "docs" / "results"))
    if options.check:
        print(
            "README.md: up to date" if new == old else "README.md: figures differ; run tools/update_readme.py"
        )
        return int(new != old)
    README.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
