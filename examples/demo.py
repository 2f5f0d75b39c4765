"""Draws what the library is for: one signal seen through many clocks, and the exact way back.

    python examples/demo.py --output demo/warp.svg

A template is warped by 20 random smooth warps, with 20 heights whose mean is 1. The mean of the warped series
is a blur; the inverse of each warp (time=-1) brings its series back, and the mean is the template again.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import diffeo
from svg import INK, QUIET, Panel, Picture

Array = NDArray[np.floating[Any]]

CASES = 20
CELLS = 16
LENGTH = 1201
SEED = 11
DRAWN = slice(None, None, 4)  # samples of a series that a picture of this size can show
PALETTE = np.array(
    [[0x1F, 0x77, 0xB4], [0x3F, 0xA7, 0x9B], [0x9C, 0x6B, 0xC4], [0xE3, 0x6A, 0x2E]]
)  # early to late
ACCENT, DASHES = "#ffd23f", "5 5"


@dataclass(frozen=True)
class Story:
    grid: Array  # (LENGTH,)
    template: Array  # (LENGTH,)
    velocities: Array  # (CASES, CELLS + 1)
    warps: Array  # (CASES, LENGTH): the positions φ
    observed: Array  # (CASES, LENGTH)
    restored: Array  # (CASES, LENGTH)


def bumps(x: Array) -> Array:
    """Peaks of different heights and widths, and a dip."""
    shape = (
        (0.16, 0.035, 0.9),
        (0.31, 0.05, -0.45),
        (0.46, 0.03, 1.3),
        (0.56, 0.025, 0.55),
        (0.8, 0.06, 0.75),
    )
    return np.sum(
        [height * np.exp(-(((x - centre) / width) ** 2)) for centre, width, height in shape], axis=0
    )


def tell() -> Story:
    grid = np.linspace(0.0, 1.0, LENGTH)
    template = bumps(grid)
    space = diffeo.WarpSpace(CELLS)
    velocities = space.velocities(space.prior(variance=0.3, length_scale=0.25).sample(CASES, seed=SEED))
    heights = 1.0 + 0.22 * np.random.default_rng(SEED).permutation(np.linspace(-1.0, 1.0, CASES))
    observed = diffeo.warp(heights[:, None] * template, velocities)
    restored = diffeo.warp(observed, velocities, time=-1.0)
    return Story(grid, template, velocities, diffeo.flow(velocities, grid), observed, restored)


def colours(story: Story) -> list[str]:
    """From early to late: where each warp moves the middle, by rank."""
    rank = np.argsort(np.argsort(story.warps[:, LENGTH // 2])) / (CASES - 1)
    stops = np.linspace(0.0, 1.0, len(PALETTE))
    mixed = np.stack([np.interp(rank, stops, channel) for channel in PALETTE.T], axis=1)
    return ["#{:02x}{:02x}{:02x}".format(*rgb) for rgb in np.rint(mixed).astype(int)]


def draw_series(panel: Panel, story: Story, series: Array, palette: list[str]) -> None:
    panel.axes(x_ticks=(0, 0.25, 0.5, 0.75, 1), y_ticks=(-0.5, 0, 0.5, 1, 1.5), x_label="time")
    for values, colour in zip(series, palette, strict=True):
        panel.line(story.grid[DRAWN], values[DRAWN], colour=colour, width=1.0, opacity=0.7)
    panel.line(story.grid[DRAWN], series.mean(axis=0)[DRAWN], colour=INK, width=2.6)


def draw_key(panel: Panel, *, template: bool) -> None:
    """In the upper right corner, from right to left."""
    right, y = panel.left + panel.width, panel.top + 8
    for words in ("template", "mean") if template else ("mean",):
        panel.picture.polyline([(right - 24, y), (right, y)], colour=INK, width=2.6)
        if words == "template":
            panel.picture.polyline([(right - 24, y), (right, y)], colour=ACCENT, width=1.2, dashes=DASHES)
        panel.picture.text(right - 31, y + 4, words, size=12, colour=QUIET, anchor="end")
        right -= 98


def draw_warps(flows: Panel, fields: Panel, story: Story, palette: list[str]) -> None:
    flows.axes(x_ticks=(), y_ticks=(0, 0.5, 1), y_label="φ(x)")
    largest = fields.y_range[1]
    fields.axes(
        x_ticks=(0, 0.25, 0.5, 0.75, 1), y_ticks=(-largest, 0, largest), x_label="time x", y_label="v(x)"
    )
    flows.line((0, 1), (0, 1), colour=QUIET, dashes="3 4")
    vertices = np.linspace(0.0, 1.0, CELLS + 1)
    for warp, velocities, colour in zip(story.warps, story.velocities, palette, strict=True):
        flows.line(story.grid[::20], warp[::20], colour=colour, opacity=0.8)
        fields.line(vertices, velocities, colour=colour, opacity=0.8)


def draw(story: Story) -> Picture:
    picture = Picture(1240, 420)
    palette = colours(story)
    top, height, across = 66, 300, (0.0, 1.0)
    y_range = (-0.6, 1.7)
    before = Panel(picture, 44, top, 400, height, across, y_range)
    after = Panel(picture, 824, top, 400, height, across, y_range)
    flows = Panel(picture, 516, top, 236, 178, across, across)
    largest = float(np.ceil(np.abs(story.velocities).max() * 10) / 10)
    fields = Panel(picture, 516, top + 206, 236, 94, across, (-largest, largest))

    before.heading("One signal, 20 clocks", "the same template, warped in time and scaled")
    flows.heading("The warps", "φ, the exact flow of a velocity field v")
    after.heading("And back", "each series through the exact inverse of its warp, time = −1")
    draw_series(before, story, story.observed, palette)
    draw_warps(flows, fields, story, palette)
    draw_series(after, story, story.restored, palette)
    draw_key(before, template=False)
    after.line(story.grid[DRAWN], story.template[DRAWN], colour=ACCENT, width=1.2, dashes=DASHES)
    draw_key(after, template=True)
    return picture


def distance_from_template(story: Story, series: Array) -> float:
    """Root mean square, relative to the template's own variation."""
    return float(np.sqrt(np.mean((series.mean(axis=0) - story.template) ** 2)) / np.std(story.template))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("demo/warp.svg"))
    options = parser.parse_args()
    story = tell()
    blurred, clear = (distance_from_template(story, series) for series in (story.observed, story.restored))
    draw(story).write(options.output)
    print(f"{CASES} warped copies of one series: their mean is {blurred:.0%} of a standard deviation off it")
    print(f"after the inverse warps: {clear:.2%}")
    print(f"wrote {options.output}")
    return 0 if clear < 0.01 < blurred else 1


if __name__ == "__main__":
    sys.exit(main())
