"""One picture of an alignment: a row per class, with the series before, the warps, and the series after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svg import INK, QUIET, Panel, Picture

Array = NDArray[np.floating[Any]]

PALETTE = np.array(
    [[0x1F, 0x77, 0xB4], [0x3F, 0xA7, 0x9B], [0x9C, 0x6B, 0xC4], [0xE3, 0x6A, 0x2E]]
)  # early to late
ACCENT, DASHES = "#ffd23f", "5 5"
ROW_HEIGHT, ROW_GAP, TOP = 150, 34, 66


@dataclass(frozen=True)
class Row:
    before: Array  # (cases, time)
    warps: Array  # (cases, time): positions in [0, 1]
    after: Array  # (cases, time)
    template: Array | None = None  # (time,), where it is known


def draw_alignment(rows: Sequence[Row]) -> Picture:
    picture = Picture(1240, TOP + len(rows) * (ROW_HEIGHT + ROW_GAP) + 20)
    reach = max(float(np.nanmax(np.abs(row.before))) for row in rows) * 1.08
    for number, row in enumerate(rows):
        palette = colors(row.warps)
        top, last = TOP + number * (ROW_HEIGHT + ROW_GAP), number == len(rows) - 1
        before = Panel(picture, 44, top, 430, ROW_HEIGHT, (0.0, 1.0), (-reach, reach))
        middle = Panel(picture, 536, top, 190, ROW_HEIGHT, (0.0, 1.0), (0.0, 1.0))
        after = Panel(picture, 788, top, 430, ROW_HEIGHT, (0.0, 1.0), (-reach, reach))
        if number == 0:
            each = " a class" if len(rows) > 1 else ""
            before.heading("Before", f"{len(row.before)} series{each}, each in its own time")
            middle.heading("The warps found", "a series' own time")
            after.heading("After", "the same series in common time")
            draw_key(before, ("mean",))
            draw_key(after, ("mean",) if row.template is None else ("template", "mean"))
        draw_series(before, row.before, palette, x_label="time" if last else "")
        draw_warps(middle, row.warps, palette, x_label="common time" if last else "")
        draw_series(after, row.after, palette, x_label="time" if last else "")
        if row.template is not None:
            grid = np.linspace(0.0, 1.0, len(row.template))
            after.line(grid, row.template, color=ACCENT, width=1.2, dashes=DASHES)
    return picture


def colors(warps: Array) -> list[str]:
    """From early to late: where each warp moves the middle, by rank."""
    rank = np.argsort(np.argsort(warps[:, warps.shape[1] // 2])) / max(len(warps) - 1, 1)
    stops = np.linspace(0.0, 1.0, len(PALETTE))
    mixed = np.stack([np.interp(rank, stops, channel) for channel in PALETTE.T], axis=1)
    return ["#{:02x}{:02x}{:02x}".format(*rgb) for rgb in np.rint(mixed).astype(int)]


def draw_series(panel: Panel, series: Array, palette: list[str], *, x_label: str) -> None:
    grid = np.linspace(0.0, 1.0, series.shape[1])
    whole = float(np.floor(panel.y_range[1]))
    panel.axes(
        x_ticks=(0, 0.25, 0.5, 0.75, 1) if x_label else (), y_ticks=(-whole, 0, whole), x_label=x_label
    )
    for values, color in zip(series, palette, strict=True):
        panel.line(grid, values, color=color, width=0.8, opacity=0.6)
    panel.line(grid, series.mean(axis=0), color=INK, width=2.4)


def draw_warps(panel: Panel, warps: Array, palette: list[str], *, x_label: str) -> None:
    panel.axes(x_ticks=(0, 0.5, 1) if x_label else (), y_ticks=(0, 0.5, 1), x_label=x_label)
    panel.line((0, 1), (0, 1), color=QUIET, dashes="3 4")
    grid = np.linspace(0.0, 1.0, warps.shape[1])
    for positions, color in zip(warps, palette, strict=True):
        panel.line(grid[::4], positions[::4], color=color, opacity=0.8)


def draw_key(panel: Panel, names: tuple[str, ...]) -> None:
    """Above the upper right corner, from right to left."""
    right, y = panel.left + panel.width, panel.top - 36
    for name in names:
        panel.picture.polyline([(right - 24, y), (right, y)], color=INK, width=2.4)
        if name == "template":
            panel.picture.polyline([(right - 24, y), (right, y)], color=ACCENT, width=1.2, dashes=DASHES)
        panel.picture.text(right - 31, y + 4, name, size=12, color=QUIET, anchor="end")
        right -= 98
