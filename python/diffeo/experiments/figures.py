"""Figures about experiments, on matplotlib.

Every function returns a `matplotlib.figure.Figure` of its own. `svg` makes an SVG element of it whose colors
follow those of the page around it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from matplotlib.colors import Colormap, ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from ._svg import BETTER, BLANK, CARD, CLASSES, INK, QUIET, WORSE, describe, styled, svg_of, tip
from .statistics import REGIONS, Comparison, CriticalDifference, compare_methods, correlations

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

_ROW = 22  # pixels of a row of names
_STRONGEST_SHADE = 0.6  # text on it can be read, in light and dark
_MOST_NAMED_CLASSES = 14
_MARKERS = "osD^vPX"  # with the colors: whoever confuses colors can tell classes apart
_LEAST_P_VALUE = 1e-4

svg = svg_of


def p_value_text(p_value: float) -> str:
    """The p-value in words: "p = 0.031", "p < 0.0001"."""
    return "p < 0.0001" if p_value < _LEAST_P_VALUE else f"p = {p_value:.2g}"


def correlation_text(found: tuple[Any, Any] | None) -> str:
    """Spearman's and Pearson's correlation in words; empty for None."""
    if found is None:
        return ""
    parts = (
        f"{name} {_fixed(each.statistic, 2)} ({p_value_text(each.pvalue)})"
        for name, each in zip(("Spearman", "Pearson"), found, strict=True)
    )
    return ", ".join(parts)


@styled
def critical_difference_diagram(found: CriticalDifference) -> Figure:
    """Methods by mean rank; a bar joins those that do not differ significantly."""
    count = len(found.ranks)
    is_nemenyi = found.correction == "nemenyi"
    test = "Nemenyi" if is_nemenyi else "Wilcoxon and Holm"
    left_rows = (count + 1) // 2
    bars = 0.5 * len(found.cliques)
    top = 2.4 if is_nemenyi else 1.4
    figure, axes = _canvas(560, _ROW * (left_rows + bars + top + 2.2))
    axes.set(xlim=(0.0, max(2, count) + 1.0), ylim=(-left_rows - bars - 1.6, top))
    axes.axis("off")
    axes.plot([1, max(2, count)], [0, 0], color=INK, lw=1.5)
    for rank in range(1, max(2, count) + 1):
        axes.plot([rank, rank], [0, 0.3], color=INK, lw=1)
        axes.text(rank, 0.4, str(rank), ha="center", va="bottom", size=11)
    axes.text((1 + max(2, count)) / 2, 1.2, "mean rank, 1 is best", ha="center", va="bottom", color=INK)
    if is_nemenyi:
        _draw_ruler(axes, found.nemenyi_difference)
    for number, clique in enumerate(found.cliques):
        ends = found.ranks[clique].to_numpy()[[0, -1]] + np.array([-0.05, 0.05])
        bar = axes.plot(ends, [-0.6 - 0.5 * number] * 2, color=INK, lw=4.5)[0]
        tip(bar, f"not told apart: {', '.join(clique)}")
    for place, (method, rank) in enumerate(found.ranks.items()):
        is_left = place < left_rows
        row = place if is_left else count - 1 - place
        _draw_rank(axes, str(method), rank, (is_left, -bars - 1.2 - row), place == 0, max(2, count))
    axes.text(
        (1 + max(2, count)) / 2,
        -left_rows - bars - 1.3,
        f"Friedman: χ² = {found.friedman.statistic:.4g}, {p_value_text(found.friedman.p_value)}; "
        f"bars join what {test} does not tell apart at {found.level:g}",
        ha="center",
        size=11,
    )
    apart = "; ".join(["", *(f"not told apart: {', '.join(clique)}" for clique in found.cliques)])
    ranks = ", ".join(f"{method} {rank:.2f}" for method, rank in found.ranks.items())
    describe(figure, f"Critical-difference diagram, {test}", f"Mean ranks, best first: {ranks}{apart}.")
    return figure


def _draw_ruler(axes: Axes, difference: float) -> None:
    axes.plot([1, 1 + difference], [2.3, 2.3], color=INK, lw=1.5, marker="|", clip_on=False)
    axes.text(1.1 + difference, 2.3, f"critical difference {difference:.3g}", va="center", color=INK)


def _draw_rank(
    axes: Axes, method: str, rank: float, place: tuple[bool, float], is_best: bool, highest: int
) -> None:
    """A line from the axis to the name; names of the better half are on the left."""
    is_left, y = place
    end = 0.85 if is_left else highest + 0.15
    text = f"{method}: mean rank {rank:.2f}"
    tip(axes.plot([rank, rank, end], [0, y, y], color=QUIET, lw=1)[0], text)
    tip(axes.plot([rank], [0], "o", color=BETTER if is_best else INK, mew=0)[0], text)
    axes.text(
        end + (-0.08 if is_left else 0.08),
        y,
        f"{_fitted(method, 22)} ({rank:.2f})",
        ha="right" if is_left else "left",
        va="center",
        color=INK,
        weight="bold" if is_best else "normal",
    )


@styled
def score_scatter(scores: pd.DataFrame, horizontal: str, vertical: str) -> Figure:
    """A point per data set; above the diagonal the vertical method is better."""
    across, upward = scores[horizontal].to_numpy(float), scores[vertical].to_numpy(float)
    found = compare_methods(scores, vertical, horizontal)
    low, high = min(across.min(), upward.min()), max(across.max(), upward.max())
    room = 0.05 * ((high - low) or 1.0)
    figure, axes = _canvas(360, 380)
    limits = (max(low - room, 0.0) if low >= 0 else low - room, high + room)
    axes.set(
        xlim=limits, ylim=limits, xlabel=_fitted(horizontal, 40), ylabel=_fitted(vertical, 40), aspect="equal"
    )
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.plot(limits, limits, color=QUIET, ls="--", lw=1)
    for wanted, color in ((1, BETTER), (0, QUIET), (-1, WORSE)):
        places = np.flatnonzero(np.sign(upward - across) == wanted)
        texts = [
            f"{scores.index[i]}: {vertical} {upward[i]:.3f}, {horizontal} {across[i]:.3f}" for i in places
        ]
        _points(axes, across[places], upward[places], color, texts)
    better = axes.text(0, 1.03, f"{_fitted(vertical, 12)} better: {found.wins}", transform=axes.transAxes)
    worse = axes.text(
        1, 1.03, f"{_fitted(horizontal, 12)} better: {found.losses}", transform=axes.transAxes, ha="right"
    )
    better.set(color=BETTER, weight="bold", size=11)
    worse.set(color=WORSE, weight="bold", size=11)
    describe(
        figure,
        f"{vertical} against {horizontal}",
        f"Scores on {len(scores)} data sets: {vertical} is better on {found.wins}, {horizontal} on "
        f"{found.losses}, equal on {found.ties}.",
    )
    return figure


@styled
def comparison_matrix(scores: pd.DataFrame, quantity: Literal["wins", "relative change"]) -> Figure:
    """Every method against every other: the row against the column."""
    methods = list(scores.columns)
    pairs = {
        (row, column): compare_methods(scores, methods[row], methods[column])
        for row in range(len(methods))
        for column in range(len(methods))
        if row != column
    }
    largest = max((abs(pair.relative_change) for pair in pairs.values()), default=0.0) or 1.0
    widest = max(map(len, methods))
    figure, axes = _canvas(70 + 58 * len(methods) + 7 * min(widest, 20), 70 + 32 * len(methods))
    axes.set(xlim=(0, len(methods)), ylim=(len(methods), 0))
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labeltop=True, labelbottom=False, labelcolor=INK)
    names = [_fitted(method, 20) for method in methods]
    axes.set_xticks(np.arange(len(methods)) + 0.5, names, rotation=40, ha="left", rotation_mode="anchor")
    axes.set_yticks(np.arange(len(methods)) + 0.5, names)
    for number in range(len(methods)):
        axes.add_patch(_cell(number, number, BLANK, 0.5))
    for (row, column), pair in pairs.items():
        text, strength = _matrix_cell(pair, quantity, largest)
        axes.add_patch(_cell(column, row, BLANK, 0.5))
        shade = _cell(column, row, BETTER if strength >= 0 else WORSE, _STRONGEST_SHADE * abs(strength))
        axes.add_patch(shade)
        words = axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=INK)
        said = (
            f"{methods[row]} against {methods[column]}: {pair.wins} wins, {pair.ties} ties, "
            f"{pair.losses} losses, mean difference {_fixed(pair.mean_difference, 4)}"
        )
        tip(shade, said)
        tip(words, said)
    names_of = {
        "wins": "On how many data sets the row is better than the column",
        "relative change": "Change of the row's mean score from the column's",
    }
    describe(
        figure,
        names_of[quantity],
        f"{len(methods)} methods against each other; blue where the row is better.",
    )
    return figure


def _cell(column: int, row: int, color: str, opacity: float) -> Rectangle:
    return Rectangle((column + 0.02, row + 0.03), 0.96, 0.94, facecolor=color, alpha=opacity, linewidth=0)


def _matrix_cell(pair: Comparison, quantity: str, largest: float) -> tuple[str, float]:
    if quantity == "wins":
        return str(pair.wins), pair.lead
    return f"{_signed(100 * pair.relative_change, 1)} %", pair.relative_change / largest


@styled
def sharpshooter_plot(shots: pd.DataFrame, method: str, baseline: str) -> Figure:
    """The gain that cross-validation promised, against the gain on the test set (see `sharpshooter`)."""
    counts = {region: int((shots["region"] == region).sum()) for region in REGIONS}
    figure, axes = _canvas(400, 380)
    axes.set(xlabel="expected gain (training data)", ylabel="actual gain (test data)")
    x_limits, y_limits = (_around_one(shots[name].to_numpy(float)) for name in ("expected", "actual"))
    axes.set(xlim=x_limits, ylim=y_limits)
    corners = {
        "true positive": (CLASSES[0], (1, 1), "rightly expected"),
        "false negative": (CLASSES[4], (0, 1), "missed"),
        "true negative": (CLASSES[2], (0, 0), "rightly none"),
        "false positive": (CLASSES[1], (1, 0), "wrongly expected"),
    }
    for region, (color, (right, above), words) in corners.items():
        width = x_limits[1] - 1 if right else x_limits[0] - 1
        height = y_limits[1] - 1 if above else y_limits[0] - 1
        axes.add_patch(Rectangle((1, 1), width, height, facecolor=color, alpha=0.08, linewidth=0))
        text = axes.text(
            0.98 * right + 0.01,
            0.96 * above + 0.02,
            f"{words}: {counts[region]}",
            transform=axes.transAxes,
            ha="right" if right else "left",
        )
        text.set(color=color, weight="bold", size=11, va="center")
        rows = shots[shots["region"] == region]
        texts = [
            f"{name}: expected {row.expected:.3f}, actual {row.actual:.3f}"
            for name, row in zip(rows.index, rows.itertuples(), strict=True)
        ]
        _points(axes, rows["expected"].to_numpy(float), rows["actual"].to_numpy(float), color, texts)
    axes.axvline(1, color=QUIET, ls="--", lw=1)
    axes.axhline(1, color=QUIET, ls="--", lw=1)
    describe(
        figure,
        f"Texas sharpshooter plot: {method} over {baseline}",
        f"Of {len(shots)} data sets a gain was expected and came on {counts['true positive']}, was expected "
        f"and did not come on {counts['false positive']}, came unexpected on {counts['false negative']}, and "
        f"was neither expected nor came on {counts['true negative']}.",
    )
    return figure


def _around_one(gains: NDArray[np.float64]) -> tuple[float, float]:
    """With 1, where nothing changes, well inside."""
    low, high = min(gains.min(initial=1.0), 1.0), max(gains.max(initial=1.0), 1.0)
    width = (high - low) or 1.0
    return min(low - 0.08 * width, 1 - 0.45 * width), max(high + 0.08 * width, 1 + 0.45 * width)


@styled
def gain_plot(gains: pd.Series, values: pd.Series, names: tuple[str, str, str]) -> Figure:
    """How the gain of a method over a baseline depends on a property: names are those of all three."""
    method, baseline, name = names
    found = correlation_text(correlations(values, gains))
    figure, axes = _canvas(380, 300)
    axes.set(xlabel=name, ylabel=f"gain over {_fitted(baseline, 20)}")
    axes.axhline(0, color=INK, ls="--", lw=1)
    for wanted, color in ((1, BETTER), (0, QUIET), (-1, WORSE)):
        some = gains.index[np.sign(gains) == wanted]
        texts = [f"{each}: {values[each]:g} {name}, gain {_fixed(gains[each], 3)}" for each in some]
        _points(axes, values[some].to_numpy(float), gains[some].to_numpy(float), color, texts)
    if (values > 0).all():
        _logarithmic(axes)
    title = f"Gain of {method} over {baseline} by {name}"
    describe(figure, title, f"{len(gains)} data sets. {found}.")
    return figure


@styled
def score_strips(scores: pd.DataFrame, types: pd.Series) -> Figure:
    """Scores by type of data: a point is a data set, a bar the mean of a method."""
    kinds = list(dict.fromkeys(types))
    methods = list(scores.columns)
    step = max(13 * len(methods), 70) + 22
    figure, axes = _canvas(max(70 + step * len(kinds), 340), 330)
    offsets = (np.arange(len(methods)) - 0.5 * (len(methods) - 1)) * 13 / step
    for method, offset, color in zip(methods, offsets, _cycled(CLASSES, len(methods)), strict=True):
        for place, kind in enumerate(kinds):
            some = scores.loc[types == kind, method]
            texts = [f"{name}, {method}: {score:.3f}" for name, score in some.items()]
            _points(axes, np.full(len(some), place + offset), some.to_numpy(float), color, texts, 5, 0.5)
            bar = axes.plot(place + offset + np.array([-6, 6]) / step, [some.mean()] * 2, color=color, lw=3)[
                0
            ]
            tip(bar, f"{kind}, {method}: mean {some.mean():.3f}")
        axes.plot([], [], "o", color=color, mew=0, label=_fitted(method, 20))
    labels = [f"{kind}\n{n} set{'s' * (n != 1)}" for kind in kinds for n in [int((types == kind).sum())]]
    axes.set_xticks(range(len(kinds)), labels)
    axes.set(ylabel="accuracy", xlim=(-0.6, len(kinds) - 0.4))
    axes.grid(False, axis="x")
    columns = max(1, round((step * len(kinds)) / 110))
    figure.legend(loc="outside upper left", ncols=min(columns, len(methods)))
    describe(
        figure,
        "Scores by kind of data",
        f"{len(scores)} data sets of {len(kinds)} kinds, {len(methods)} methods.",
    )
    return figure


@styled
def before_after_plot(quantity: str, rows: pd.DataFrame) -> Figure:
    """A quantity of every data set before and after alignment, in the order of the rows."""
    figure, axes = _canvas(640, 60 + 18 * len(rows))
    is_lower = rows["after"] <= rows["before"]
    places = np.arange(len(rows))
    for place, (name, row) in enumerate(rows.iterrows()):
        color = BETTER if row["after"] <= row["before"] else WORSE
        left = f", {100 * row['after'] / row['before']:.4g} % left" if row["before"] > 0 else ""
        line = axes.plot([row["before"], row["after"]], [place, place], color=color, lw=2)[0]
        tip(line, f"{name}: {row['before']:.4g} before, {row['after']:.4g} after{left}")
    axes.plot(rows["before"], places, "o", mfc=CARD, mec=QUIET, mew=1.5, ms=6, label="before", clip_on=False)
    for some, color, name in ((is_lower, BETTER, "after, lower"), (~is_lower, WORSE, "after, higher")):
        axes.plot(rows["after"][some], places[some], "o", color=color, mew=0, ms=8, label=name, clip_on=False)
    _logarithmic(axes)
    axes.set_yticks(places, [_fitted(str(name), 32) for name in rows.index])
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.set(ylim=(len(rows) - 0.4, -0.6), xlabel=quantity)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    figure.legend(loc="outside upper center", ncols=3)
    lower = int((rows["after"] < rows["before"]).sum())
    describe(
        figure,
        f"{quantity} before and after",
        f"Lower after than before on {lower} of {len(rows)} data sets.",
    )
    return figure


@styled
def winning_frequency(factors: Sequence[Mapping[str, Any]]) -> Figure:
    """How often each value of a hyperparameter is in the setting that was chosen (see `diffeo grid`)."""
    rows: list[tuple[float, str, str, int, int]] = []
    y = 0.0
    for factor in factors:
        total = sum(each["wins"] for each in factor["values"])
        y += 1.5 if rows else 1.0
        for each in factor["values"]:
            rows.append((y, factor["name"], each["value"], each["wins"], total))
            y += 1
    figure, axes = _canvas(520, 20 + 19 * y)
    axes.set(xlim=(0, 1.06), ylim=(y - 0.3, -0.6))
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.set_xticks([])
    axes.set_yticks([row[0] for row in rows], [_fitted(row[2], 32) for row in rows])
    axes.tick_params(axis="y", length=0)
    for place, name, value, wins, total in rows:
        axes.barh(place, 1, 0.8, color=BLANK)
        bar = axes.barh(place, wins / total if total else 0, 0.8, color=BETTER)
        tip(bar.patches[0], f"{name} {value}: {wins} of {total}")
        axes.text(1.02, place, str(wins), va="center", color=INK)
    for name in dict.fromkeys(row[1] for row in rows):
        first = next(row[0] for row in rows if row[1] == name)
        axes.text(-0.02, first - 1, name, color=INK, weight="bold", va="center", ha="right")
    most = [(each["name"], max(each["values"], key=lambda value: value["wins"])["value"]) for each in factors]
    describe(
        figure,
        "How often each value of a hyperparameter wins",
        " ".join(f"{name}: most often {value}." for name, value in most),
    )
    return figure


@styled
def heat_maps(
    dataset: str, classes: Sequence[str], before: NDArray[np.float64], after: NDArray[np.float64]
) -> Figure:
    """Series before and after alignment, a row each, class after class; missing values are blank."""
    order = np.argsort([_sorted_names(classes).index(name) for name in classes], kind="stable")
    names = [classes[i] for i in order]
    groups = _sorted_names(classes)
    low, high = np.nanmin([before, after]), np.nanmax([before, after])
    figure = Figure(figsize=(670 / 72, 270 / 72))
    for axes, rows, title in zip(
        figure.subplots(1, 2, sharey=True), (before, after), ("before", "after"), strict=True
    ):
        axes.imshow(
            np.asarray(rows)[order], aspect="auto", interpolation="none", vmin=low, vmax=high, cmap=_heat()
        )
        axes.set_title(title, loc="left", size=12, weight="bold", color=INK)
        axes.set_xticks([])
        axes.grid(False)
        axes.spines[:].set_visible(False)
        axes.tick_params(axis="y", length=0)
        borders = [i for i in range(1, len(names)) if names[i] != names[i - 1]]
        for border in borders if len(groups) <= _MOST_NAMED_CLASSES else []:
            axes.axhline(border - 0.5, color=CARD, lw=1.5)
    middles = [np.mean([i for i, name in enumerate(names) if name == group]) for group in groups]
    shown = groups if len(groups) <= _MOST_NAMED_CLASSES else []
    figure.axes[0].set_yticks(middles[: len(shown)], [_fitted(name, 14) for name in shown])
    describe(
        figure,
        f"{dataset}: series before and after alignment",
        f"{len(names)} series of {len(groups)} classes; color is value.",
    )
    return figure


@styled
def embedding_plot(
    dataset: str, classes: Sequence[str], before: NDArray[np.float64], after: NDArray[np.float64]
) -> Figure:
    """Series as points of a plane, before and after alignment."""
    groups = _sorted_names(classes)
    labels = np.asarray(classes)
    figure = Figure(figsize=(630 / 72, 310 / 72))
    for axes, points, title in zip(figure.subplots(1, 2), (before, after), ("before", "after"), strict=True):
        axes.set_title(title, loc="left", size=12, weight="bold", color=INK)
        axes.grid(False)
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        axes.add_patch(
            Rectangle((0, 0), 1, 1, transform=axes.transAxes, facecolor=BLANK, alpha=0.5, zorder=-1)
        )
        for number, group in enumerate(groups):
            some = np.asarray(points)[labels == group]
            dots = axes.plot(
                some[:, 0],
                some[:, 1],
                _MARKERS[number % 7],
                color=CLASSES[number % 7],
                ms=5,
                mew=0,
                alpha=0.85,
                label=_fitted(group, 20) if title == "before" else None,
            )
            tip(dots[0], group)
    if len(groups) <= _MOST_NAMED_CLASSES:
        figure.legend(loc="outside lower left", ncols=7)
    describe(
        figure,
        f"{dataset}: series as points, before and after alignment",
        f"t-SNE of {len(labels)} series of {len(groups)} classes; each panel has its own axes.",
    )
    return figure


@styled
def curves(
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    title: str,
    axes_names: tuple[str, str],
    *,
    is_x_logarithmic: bool = False,
    is_y_logarithmic: bool = False,
) -> Figure:
    """Lines with a marker at every value; the legend names them if there are several."""
    figure, axes = _canvas(440, 300 if len(lines) == 1 else 330)
    axes.set(xlabel=axes_names[0], ylabel=axes_names[1])
    for number, (name, (x, y)) in enumerate(lines.items()):
        color = CLASSES[number % 7]
        if is_y_logarithmic:  # which has no place for zeros
            x, y = zip(*((at, value) for at, value in zip(x, y, strict=True) if value > 0), strict=True)
        axes.plot(x, y, color=color, lw=2)
        dots = axes.plot(
            x, y, _MARKERS[number % 7], color=color, ms=6, mew=0, label=_fitted(name, 32), clip_on=False
        )
        tip(
            dots[0],
            *(f"{name}: {at:.6g} {axes_names[0]}, {value:.4g}" for at, value in zip(x, y, strict=True)),
        )
    if is_x_logarithmic:
        _logarithmic(axes, "x")
    if is_y_logarithmic:
        _logarithmic(axes, "y")
    if len(lines) > 1:
        figure.legend(loc="outside upper left", ncols=3 if len(lines) == 3 else 4)
    described = "; ".join(
        f"{name} from {y[0]:.4g} to {y[-1]:.4g}" for name, (_, y) in lines.items() if len(y)
    )
    describe(figure, title, f"{axes_names[1]} over {axes_names[0]}: {described}.")
    return figure


@styled
def error_map(values: NDArray[np.float64], title: str, axes_names: tuple[str, str]) -> Figure:
    """A map of errors over two counts from 1, in powers of ten."""
    figure, axes = _canvas(470, 400)
    with np.errstate(divide="ignore"):
        levels = np.where(values > 0, np.log10(values), np.nan)
    image = axes.imshow(
        levels.T,
        origin="lower",
        aspect="auto",
        interpolation="none",
        cmap=_heat(),
        extent=(0.5, values.shape[0] + 0.5, 0.5, values.shape[1] + 0.5),
    )
    axes.grid(False)
    axes.set(xlabel=axes_names[0], ylabel=axes_names[1])
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(8, integer=True))
    bar = figure.colorbar(image, ax=axes, format=FuncFormatter(lambda power, _: f"{10**power:.1g}"))
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)
    describe(
        figure,
        title,
        f"From {values.min():.3g} to {values.max():.3g} over {axes_names[0]} and {axes_names[1]}.",
    )
    return figure


# --- what they share ---------------------------------------------------------------------------------------


def _canvas(width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width / 72, height / 72))  # pixels of the page
    return figure, figure.subplots()


def _points(
    axes: Axes,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    color: str,
    texts: Sequence[str],
    size: float = 8,
    opacity: float = 0.75,
) -> None:
    if len(x):
        dots = axes.plot(x, y, "o", color=color, ms=size, mew=0, alpha=opacity, clip_on=False)[0]
        tip(dots, *texts)


def _logarithmic(axes: Axes, which: Literal["x", "y"] = "x") -> None:
    """With numbers that people read: 20, 50, 0.001."""
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = axis.get_data_interval()
    is_wide = high > 300 * max(low, np.finfo(float).tiny)
    axis.set_major_locator(LogLocator(subs=(1,) if is_wide else (1, 2, 5), numticks=9))
    axis.set_major_formatter(FuncFormatter(_power_text))
    axis.set_minor_locator(NullLocator())


def _power_text(value: float, _: object = None) -> str:
    return (
        f"{value:,.10g}" if 1e-4 <= value < 1e6 else f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    )


def _heat() -> Colormap:
    from matplotlib import colormaps

    heat = ListedColormap(colormaps["viridis"](np.linspace(0, 1, 255)))
    return heat.with_extremes(bad=(0, 0, 0, 0))


def _cycled(colors: Sequence[str], count: int) -> list[str]:
    return [colors[number % len(colors)] for number in range(count)]


def _sorted_names(classes: Sequence[str]) -> list[str]:
    """Class names in the order of the page: numbers by value, before other names."""

    def key(name: str) -> tuple[bool, float, str]:
        try:
            number = float(name)
        except ValueError:
            number = math.nan
        return (math.isnan(number), 0.0 if math.isnan(number) else number, name)

    return sorted(set(classes), key=key)


def _fitted(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: letters - 1] + "…"


def _fixed(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "\u2212")


def _signed(value: float, digits: int) -> str:
    return ("+" if value > 0 else "") + _fixed(value, digits)
