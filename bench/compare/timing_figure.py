"""Pictures of times against difw and libcpab: of the cases of speed.json, and of the sweeps of sweep.py.

report.py and studies_page.py call it. Needs only the standard library.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "examples"))

from svg import QUIET, RULE, Panel, Picture  # noqa: E402

JsonObject = dict[str, Any]
Series = list[tuple[float, float]]

COLORS = {"diffeo": "#0b6e99", "difw": "#c4541a", "difw-strict": "#d99a6c", "libcpab": "#6b4fa0"}
TITLES = {"forward": "Forward: from theta to positions", "gradient": "Backward: from cotangents to theta"}
WIDTH, HEIGHT = 250, 190
LEFT, TOP, GAP, BELOW = 76, 60, 40, 96


def milliseconds(exponent: int) -> str:
    return f"{10**exponent:g} ms" if exponent < 3 else f"{10 ** (exponent - 3):g} s"


def decades(values: Sequence[float]) -> tuple[int, int]:
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def mark(picture: Picture, x: float, y: float, color: str, words: str) -> None:
    picture.elements.append(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{color}"><title>{words}</title></circle>'
    )


def frame(panel: Panel, ticks: dict[float, str], label: str, *, has_scale: bool) -> None:
    """Rules at the powers of ten, and what stands below and beside."""
    picture, right = panel.picture, panel.left + panel.width
    for exponent in range(int(panel.y_range[0]), int(panel.y_range[1]) + 1):
        _, y = panel.place(panel.x_range[0], exponent)
        picture.polyline([(panel.left, y), (right, y)], color=RULE, width=0.8)
        if has_scale:
            picture.text(panel.left - 8, y + 4, milliseconds(exponent), size=11, color=QUIET, anchor="end")
    below = panel.top + panel.height
    for value, words in ticks.items():
        x, _ = panel.place(value, panel.y_range[0])
        picture.text(x, below + 17, words, size=11, color=QUIET, anchor="middle")
    picture.text(panel.left + panel.width / 2, below + 35, label, color=QUIET, anchor="middle")


def curves(panel: Panel, lines: dict[str, Series]) -> None:
    for name, series in lines.items():
        color = COLORS[name]
        panel.line([x for x, _ in series], [math.log10(y) for _, y in series], color=color, width=2)
        for x, y in series:
            mark(panel.picture, *panel.place(x, math.log10(y)), color, f"{name}: {y:.3g} ms")


def key(picture: Picture, names: Sequence[str], top: float) -> None:
    x = float(LEFT)
    for name in names:
        mark(picture, x + 4, top - 4, COLORS[name], name)
        picture.text(x + 13, top, name, size=12.5, weight="bold", color=COLORS[name])
        x += 34 + 8 * len(name)


def lines_of(times: Sequence[JsonObject], xs: Sequence[float]) -> dict[str, Series]:
    """Of the times of one work, each with its place on the axis."""
    lines: dict[str, Series] = {}
    for place, time in zip(xs, times, strict=True):
        for name, timing in time["libraries"].items():
            if name in COLORS:
                lines.setdefault(name, []).append((place, timing["ms"]))
    return lines


def all_milliseconds(times: Sequence[JsonObject]) -> list[float]:
    return [each["ms"] for time in times for name, each in time["libraries"].items() if name in COLORS]


def names_in(times: Sequence[JsonObject]) -> list[str]:
    return [name for name in COLORS if any(name in time["libraries"] for time in times)]


def cases_picture(times: Sequence[JsonObject]) -> Picture:
    """The cases of speed.json, side by side: forward and backward."""
    picture = Picture(LEFT + 2 * (WIDTH + GAP) + 40, TOP + HEIGHT + BELOW)
    y_range = decades(all_milliseconds(times))
    for index, work in enumerate(TITLES):
        chosen = [time for time in times if time["work"] == work]
        left = LEFT + index * (WIDTH + GAP + 10)
        panel = Panel(picture, left, TOP, WIDTH, HEIGHT, (-0.4, len(chosen) - 0.6), y_range)
        picture.text(left, TOP - 14, TITLES[work], size=14, weight="bold")
        ticks = {float(place): f"{time['cells']} × {time['points']:,}" for place, time in enumerate(chosen)}
        frame(panel, ticks, f"cells × points, {chosen[0]['warps']} warps", has_scale=index == 0)
        curves(panel, lines_of(chosen, range(len(chosen))))
    key(picture, names_in(times), TOP + HEIGHT + BELOW - 22)
    return picture


def sweep_panel(picture: Picture, place: tuple[float, float], times: Sequence[JsonObject], varied: str,
                y_range: tuple[int, int]) -> None:  # fmt: skip
    values = [time[varied] for time in times]
    xs = [math.log10(value) for value in values]
    margin = 0.06 * (xs[-1] - xs[0])
    left, top = place
    panel = Panel(picture, left, top, WIDTH, HEIGHT, (xs[0] - margin, xs[-1] + margin), y_range)
    ticks = {x: f"{value:,}" for x, value in zip(xs, values, strict=True)}
    frame(panel, ticks, varied, has_scale=left == LEFT)
    curves(panel, lines_of(times, xs))


def sweeps_picture(times: Sequence[JsonObject]) -> Picture:
    """A row for each work, a column for what is varied."""
    row_height = HEIGHT + 110
    picture = Picture(LEFT + 3 * (WIDTH + GAP), TOP + 2 * row_height)
    for row, work in enumerate(TITLES):
        of_work = [time for time in times if time["work"] == work]
        y_range = decades(all_milliseconds(of_work))
        top = TOP + row * row_height
        picture.text(LEFT, top - 14, TITLES[work], size=14, weight="bold")
        for column, varied in enumerate(("points", "cells", "warps")):
            chosen = [time for time in of_work if time["varied"] == varied]
            sweep_panel(picture, (LEFT + column * (WIDTH + GAP), top), chosen, varied, y_range)
    key(picture, names_in(times), TOP + 2 * row_height - 40)
    return picture
