"""A small writer of line charts as SVG: enough for the pictures here, and no plotting library to install.

A `Picture` collects elements; a `Panel` is a rectangle of it with its own coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

INK = "#1f2933"
QUIET = "#6b7785"
RULE = "#cfd6dd"
FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"


def number(value: float) -> str:
    return f"{value:g}".replace("-", "−")


@dataclass
class Picture:
    """Elements in the order they are painted."""

    width: int
    height: int
    elements: list[str] = field(default_factory=list)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 12,
        color: str = INK,
        anchor: str = "start",
        weight: str = "normal",
        turn: float = 0,
    ) -> None:
        turned = f' transform="rotate({turn:g} {x:g} {y:g})"' if turn else ""
        self.elements.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" font-weight="{weight}" fill="{color}" '
            f'text-anchor="{anchor}"{turned}>{escape(words)}</text>'
        )

    def polyline(
        self,
        points: Iterable[tuple[float, float]],
        *,
        color: str,
        width: float = 1.0,
        opacity: float = 1.0,
        dashes: str = "",
    ) -> None:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.elements.append(
            f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width:g}" '
            f'stroke-opacity="{opacity:g}" stroke-linejoin="round" stroke-linecap="round"{dashed}/>'
        )

    def write(self, path: Path) -> None:
        """Beside, then renamed: a reader never sees half a picture."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" font-family="{FONT}">'
        )
        paper = '<rect width="100%" height="100%" fill="#ffffff"/>'
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(".tmp")
        beside.write_text("\n".join([head, paper, *self.elements, "</svg>"]) + "\n", encoding="utf-8")
        beside.replace(path)


@dataclass(frozen=True)
class Panel:
    """Data coordinates (x_range, y_range) drawn into a rectangle of the picture."""

    picture: Picture
    left: float
    top: float
    width: float
    height: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def place(self, x: float, y: float) -> tuple[float, float]:
        (x0, x1), (y0, y1) = self.x_range, self.y_range
        across, up = (x - x0) / (x1 - x0), (y - y0) / (y1 - y0)
        return self.left + across * self.width, self.top + (1 - up) * self.height

    def line(
        self,
        xs: Iterable[float],
        ys: Iterable[float],
        *,
        color: str = INK,
        width: float = 1.0,
        opacity: float = 1.0,
        dashes: str = "",
    ) -> None:
        points = [self.place(float(x), float(y)) for x, y in zip(xs, ys, strict=True)]
        self.picture.polyline(points, color=color, width=width, opacity=opacity, dashes=dashes)

    def axes(
        self, *, x_ticks: Sequence[float], y_ticks: Sequence[float], x_label: str = "", y_label: str = ""
    ) -> None:
        """Ticks with quiet rules behind the data; call before drawing lines."""
        bottom, middle = self.top + self.height, self.left + self.width / 2
        for value in y_ticks:
            _, y = self.place(self.x_range[0], value)
            self.picture.polyline([(self.left, y), (self.left + self.width, y)], color=RULE, width=0.8)
            self.picture.text(self.left - 7, y + 3.5, number(value), size=11, color=QUIET, anchor="end")
        for value in x_ticks:
            x, _ = self.place(value, self.y_range[0])
            self.picture.polyline([(x, bottom), (x, bottom + 4)], color=RULE, width=0.8)
            self.picture.text(x, bottom + 17, number(value), size=11, color=QUIET, anchor="middle")
        if x_label:
            self.picture.text(middle, bottom + 35, x_label, color=QUIET, anchor="middle")
        if y_label:
            y = self.top + self.height / 2
            self.picture.text(self.left - 36, y, y_label, color=QUIET, anchor="middle", turn=-90)

    def heading(self, title: str, subtitle: str) -> None:
        self.picture.text(self.left, self.top - 32, title, size=16, weight="bold")
        self.picture.text(self.left, self.top - 13, subtitle, size=12.5, color=QUIET)
