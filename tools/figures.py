"""Draws the figures of docs/math.md: the bases' velocity fields, their sparsity, and what making one costs.

    .venv/bin/python tools/figures.py [FOLDER]     docs/figures if not given

The set-up times come from docs/results/micro.json, which `make bench` writes.
"""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path

import numpy as np

import diffeo

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "examples"))

from svg import INK, QUIET, RULE, Panel, Picture  # noqa: E402

BASES = ("svd", "qr", "rref", "sparse")
COLORS = ("#1c6dd0", "#d1495b", "#2a9d6f", "#b7791f")
CELLS = 5


def basis_vectors() -> Picture:
    """One panel per basis: the velocity field of every column of W, scaled to its largest value."""
    picture = Picture(1000, 270)
    for index, basis in enumerate(BASES):
        fields = diffeo.WarpSpace(CELLS, basis=basis).vertex_basis
        fields = fields / np.abs(fields).max(axis=0)
        panel = Panel(picture, 60 + 240 * index, 60, 190, 150, (0.0, 1.0), (-1.1, 1.1))
        panel.axes(x_ticks=(0, 0.5, 1), y_ticks=(-1, 0, 1), x_label="time")
        picture.text(panel.left, 36, basis, size=15, weight="bold")
        for column, color in zip(fields.T, COLORS, strict=True):
            panel.line(np.linspace(0, 1, CELLS + 1), column, color=color, width=1.8)
    return picture


def square(picture: Picture, x: float, y: float, size: float, fill: str) -> None:
    picture.elements.append(
        f'<rect x="{x:g}" y="{y:g}" width="{size:g}" height="{size:g}" fill="{fill}" stroke="{RULE}"/>'
    )


def basis_sparsity() -> Picture:
    """Which entries of B are not zero: rows are the coefficients, columns the basis vectors."""
    picture = Picture(760, 290)
    for index, basis in enumerate(BASES):
        matrix = np.abs(diffeo.WarpSpace(CELLS, basis=basis).affine_basis)
        left, top, size = 70 + 180 * index, 50, 20
        filled = matrix > 1e-12 * matrix.max()
        picture.text(left, 34, f"{basis}", size=15, weight="bold")
        for row, column in np.ndindex(*filled.shape):
            fill = INK if filled[row, column] else "#ffffff"
            square(picture, left + size * column, top + size * row, size, fill)
        below = top + size * len(matrix) + 18
        picture.text(left, below, f"{filled.mean():.0%} filled", size=12, color=QUIET)
        if index == 0:
            for row in range(len(matrix)):
                name = f"{'ab'[row % 2]}{row // 2 + 1}"
                picture.text(left - 8, top + size * row + 14, name, size=11, color=QUIET, anchor="end")
    return picture


def setup_times(results: Path) -> dict[str, list[tuple[int, float]]]:
    """Per basis, (cells, microseconds), the least of the repetitions."""
    best: dict[tuple[str, int], float] = {}
    for run in json.loads(results.read_text(encoding="utf-8"))["benchmarks"]:
        match = re.match(r"affine_basis<(\w+)>/cells:(\d+)", run["name"])
        if match is None or run.get("run_type") == "aggregate":
            continue
        key = (match[1], int(match[2]))
        best[key] = min(best.get(key, math.inf), float(run["real_time"]))
    return {
        basis: sorted((cells, time) for (name, cells), time in best.items() if name == basis)
        for basis in BASES
    }


def basis_setup(times: dict[str, list[tuple[int, float]]]) -> Picture:
    """Time to make a space and its matrix B against the number of cells, both logarithmic."""
    picture = Picture(640, 360)
    cells = [c for runs in times.values() for c, _ in runs]
    seconds = [t for runs in times.values() for _, t in runs]
    low, high = math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds)))
    panel = Panel(picture, 80, 50, 430, 240, (math.log2(min(cells)), math.log2(max(cells))), (low, high))
    picture.text(80, 30, "Making the matrix B", size=15, weight="bold")
    for exponent in range(low, high + 1):
        _, y = panel.place(panel.x_range[0], exponent)
        picture.polyline([(80, y), (510, y)], color=RULE, width=0.8)
        label = f"{10**exponent:g} µs" if exponent < 3 else f"{10 ** (exponent - 3):g} ms"
        picture.text(72, y + 4, label, size=11, color=QUIET, anchor="end")
    for count in sorted(set(cells)):
        x, _ = panel.place(math.log2(count), low)
        picture.text(x, 308, str(count), size=11, color=QUIET, anchor="middle")
    picture.text(295, 332, "cells", color=QUIET, anchor="middle")
    label = -math.inf  # below the one before, where lines end close to each other
    ends = sorted(zip(times.items(), COLORS, strict=True), key=lambda end: -end[0][1][-1][1])
    for (basis, runs), color in ends:
        panel.line([math.log2(c) for c, _ in runs], [math.log10(t) for _, t in runs], color=color, width=2)
        x, y = panel.place(math.log2(runs[-1][0]), math.log10(runs[-1][1]))
        label = max(y + 4, label + 16)
        picture.text(x + 8, label, basis, size=13, color=color, weight="bold")
    return picture


def main(figures: Path) -> None:
    basis_vectors().write(figures / "basis_vectors.svg")
    basis_sparsity().write(figures / "basis_sparsity.svg")
    results = ROOT / "docs" / "results" / "micro.json"
    if results.exists():
        basis_setup(setup_times(results)).write(figures / "basis_setup.svg")
    else:
        print("docs/results/micro.json is missing (`make bench` writes it): basis_setup.svg left as it is")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "figures")
