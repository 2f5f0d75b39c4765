"""Draws the figures of docs/guide/align.md: the trap of least variance, generated and real series, averages.

    .venv/bin/python tools/guide_figures.py [FOLDER]     docs/figures if not given

The real ones are the first class of the UCR set Trace, found through DIFFEO_SHARED (default ../shared);
without it their figures are left as they are.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

import diffeo

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "examples"))

import demo  # noqa: E402
from alignment_picture import Row, colors, draw_alignment  # noqa: E402
from svg import INK, QUIET, Panel, Picture  # noqa: E402

SHARED = Path(os.environ.get("DIFFEO_SHARED", ROOT.parent / "shared"))
AVERAGES = (
    ("euclidean", "Euclidean mean", "sample by sample"),
    ("dba", "DBA", "dynamic time warping"),
    ("soft-dtw", "Soft-DTW barycenter", "gamma 1"),
    ("warp", "Warp mean", "diffeo.align"),
)

TRAP = (("values", "Least variance", 'criterion="values"'), ("auto", "True time", "the default"))


def trap() -> Picture:
    """The same series raw, with the least variance, and in true time; below, what time it truly is."""
    made = diffeo.generate_warped("two-peaks", 21, 3, height=0.4, noise=0.02)
    grid = np.linspace(0.0, 1.0, made.X.shape[2])
    palette = colors(made.warps)
    columns = [
        ("Raw", f"{len(made.X)} series, each in its own time", made.X[:, 0], np.tile(grid, (len(made.X), 1)))
    ]
    for criterion, title, subtitle in TRAP:
        result = diffeo.align(made.X, criterion=criterion)
        columns.append((title, subtitle, result.aligned[:, 0], diffeo.flow(result.velocities, grid)))
    picture = Picture(1240, 580)
    for number, (title, subtitle, series, warps) in enumerate(columns):
        left, last = 62 + 402 * number, "common time" if number else "own time"
        values = Panel(picture, left, 66, 344, 190, (0.0, 1.0), (-0.15, float(made.X.max()) * 1.03))
        values.heading(title, f"{subtitle}: variance {series.var(axis=0).sum():.1f}")
        values.axes(x_ticks=(0, 0.5, 1), y_ticks=(0, 1, 2), y_label="" if number else "value")
        times = Panel(picture, left, 344, 344, 180, (0.0, 1.0), (0.0, 1.0))
        share = diffeo.true_time_spread(warps, made.warps).share
        picture.text(left, 326, f"spread of true times: {share:.0%} of raw", size=12.5, color=QUIET)
        y_label = "" if number else "true time"
        times.axes(x_ticks=(0, 0.5, 1), y_ticks=(0, 0.5, 1), x_label=last, y_label=y_label)
        nodes = np.linspace(0.0, 1.0, made.warps.shape[1])
        for item, color in enumerate(palette):
            values.line(grid, series[item], color=color, width=1.0, opacity=0.75)
            times.line(grid, np.interp(warps[item], nodes, made.warps[item]), color=color, opacity=0.85)
        values.line(grid, series.mean(axis=0), color=INK, width=2.4)
    return picture


def trace() -> np.ndarray | None:
    path = SHARED / "ucr" / "Trace" / "Trace_TRAIN.tsv"
    if not path.exists():
        return None
    X, y = diffeo.load(path)
    return X[y == "1", 0]


def alignment_of(series: np.ndarray) -> Picture:
    result = diffeo.align(series)
    warps = diffeo.flow(result.velocities, np.linspace(0.0, 1.0, series.shape[1]))
    return draw_alignment([Row(series, warps, result.aligned)])


def averages_of(series: np.ndarray) -> Picture:
    picture = Picture(1240, 290)
    grid = np.linspace(0.0, 1.0, series.shape[1])
    reach = 1.1 * float(np.abs(series).max())
    for number, (method, title, subtitle) in enumerate(AVERAGES):
        panel = Panel(picture, 44 + 302 * number, 66, 262, 170, (0.0, 1.0), (-reach, reach))
        panel.heading(title, subtitle)
        panel.axes(x_ticks=(0, 0.5, 1), y_ticks=(-3, 0, 3), x_label="time")
        for values in series:
            panel.line(grid, values, color=QUIET, width=0.5, opacity=0.35)
        panel.line(grid, np.asarray(diffeo.average(series, method=method)), color=INK, width=2.0)
    return picture


def main(figures: Path) -> None:
    trap().write(figures / "trap.svg")
    bumps = demo.generate()
    demo.draw(bumps, diffeo.align(bumps.X, bumps.y)).write(figures / "align.svg")
    series = trace()
    if series is None:
        print(f"no Trace in {SHARED}: align_trace.svg and averages.svg left as they are")
        return
    alignment_of(series).write(figures / "align_trace.svg")
    averages_of(series).write(figures / "averages.svg")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "figures")
