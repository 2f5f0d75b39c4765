"""Pictures of alignments on matplotlib: series before and after, warps, centroids, and how a fit went.

>>> bumps = diffeo.generate_bumps(12, seed=1, classes=2)
>>> result = diffeo.align(bumps.X, bumps.y)
>>> before, after = diffeo.plot.before_after(bumps.X, result.aligned, bumps.y)
>>> after.get_title()
'After'

Every function draws into the axes that it is given, or into a new figure, and returns the axes. Time goes
from 0, the first step of a series, to 1, its last. Classes differ in color and in the style of their lines,
both chosen so that people who confuse colors can tell them apart. matplotlib is imported by the first call:
an ImportError says so where it is missing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._align_options import AlignStep
from ._alignment_quality import AlignmentQuality
from ._arrays import FloatArray, real_array, whole_number
from ._baselines import euclidean_mean
from ._containers import plain
from ._dataset import Form, Labels, SeriesSet, as_dataset, label_array
from ._fit_progress import EpochRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["before_after", "centroids", "costs", "losses", "series", "warps"]

# The colors of Okabe and Ito, which people with any kind of color vision tell apart; without the yellow,
# which is hard to see on white.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_STYLES = ("-", "--", "-.", ":")  # as many as share no factor with the colors: 28 classes differ
_MOST_NAMES = 10  # in a legend; more would hide the picture
_PANEL = (4.8, 3.2)  # inches
_INK = 8.0  # how many series on top of each other are opaque
_CAPTION = -38.0  # points below the axes, where their names end
_TIME = "time (0 first step, 1 last)"


def series(
    X: SeriesSet,
    y: Labels = None,
    *,
    classes: Labels = None,
    channel: int = 0,
    means: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Series on top of each other, a color for each class, and the mean of each class as a thick line.

    X         (cases, channels, time), (cases, time), or a list of series of different lengths
    y         (cases,): a label for each case, or None, the default
    classes   (classes,): all labels, in the order of their colors; None, the default, takes those of y
    channel   the one that is shown, from 0
    means     whether means are drawn, sample by sample as `diffeo.euclidean_mean` has them; True by default
    ax        where to draw; None, the default, makes a new figure

    Returns the axes. ImportError where matplotlib is missing; ValueError for series and labels that do not
    belong together, and for a channel that there is not.

    >>> X, y = diffeo.generate_cbf(12, seed=1)
    >>> diffeo.plot.series(X, y).get_ylabel()
    'value'
    """
    from_matplotlib = _matplotlib()
    items, quantity = _one_channel(X, channel)
    names, numbers = _classes_of(y, len(items), classes)
    drawn = _axes(ax)
    for number in range(len(names)):
        own = [item for item, owner in zip(items, numbers, strict=True) if owner == number]
        if len(own) == 0:
            continue
        lines = [np.column_stack([np.linspace(0.0, 1.0, len(item)), item]) for item in own]
        opacity = max(0.05, min(0.6, _INK / len(items)))
        drawn.add_collection(
            from_matplotlib.LineCollection(lines, colors=_color(number), linewidths=0.8, alpha=opacity)
        )
        if means:
            mean = euclidean_mean(own).barycenter
            _line(drawn, mean, number, names[number], from_matplotlib.outline)
    drawn.autoscale_view()
    return _finished(drawn, "Series", quantity)


def before_after(
    X: SeriesSet,
    aligned: SeriesSet,
    y: Labels = None,
    *,
    classes: Labels = None,
    channel: int = 0,
    axes: Any = None,
) -> NDArray[Any]:
    """Series as they came, and beside them aligned, on the same scale.

    X         (cases, channels, time), (cases, time), or a list of series of different lengths
    aligned   (cases, channels, length) or (cases, length): what transform makes of X
    y         (cases,): a label for each case, or None, the default
    classes   (classes,): all labels, in the order of their colors; None, the default, takes those of y
    channel   the one that is shown, from 0
    axes      two of matplotlib's Axes; None, the default, makes a new figure

    Returns the two axes as an array. ImportError where matplotlib is missing; ValueError for series and
    labels that do not belong together.

    >>> bumps = diffeo.generate_bumps(6, seed=2, classes=1, length=32)
    >>> axes = diffeo.plot.before_after(bumps.X, diffeo.align(bumps.X, cells=4).aligned)
    >>> axes.shape
    (2,)
    """
    with _panels(2, axes) as panels:
        for ax, items, title in zip(panels, (X, aligned), ("Before", "After"), strict=True):
            series(items, y, classes=classes, channel=channel, ax=ax).set_title(title)
        _without_legend(panels[0])  # it is that of its neighbor
        limits = [limit for ax in panels for limit in ax.get_ylim()]
        for ax in panels:
            ax.set_ylim(min(limits), max(limits))
        return panels


def warps(warps: ArrayLike, y: Labels = None, *, classes: Labels = None, ax: Axes | None = None) -> Axes:
    """How far warps move: for every moment of common time, how much later the series is read there.

    warps     (cases, length): positions in [0, 1], as `warps` of an aligner gives them
    y         (cases,): a label for each case, or None, the default
    classes   (classes,): all labels, in the order of their colors; None, the default, takes those of y
    ax        where to draw; None, the default, makes a new figure

    Returns the axes. The unit is the duration of a series: 0.1 is a tenth of it later than without a warp,
    which is the dashed line. ImportError where matplotlib is missing; ValueError for warps that are not
    (cases, length).

    >>> bumps = diffeo.generate_bumps(6, seed=2, classes=1, length=32)
    >>> aligner = diffeo.JointAligner(cells=4).fit(bumps.X)
    >>> diffeo.plot.warps(aligner.warps(bumps.X)).get_ylabel()
    'own time − common time'
    """
    from_matplotlib = _matplotlib()
    positions = real_array("warps", plain("warps", warps))
    if positions.ndim != 2 or positions.size == 0:
        raise ValueError(f"warps: expected shape (cases, length), got {positions.shape}")
    names, numbers = _classes_of(y, len(positions), classes)
    drawn = _axes(ax)
    grid = np.linspace(0.0, 1.0, positions.shape[1])
    for number in range(len(names)):
        lines = [np.column_stack([grid, row - grid]) for row in positions[numbers == number]]
        opacity = max(0.15, min(0.8, 2 * _INK / len(positions)))
        drawn.add_collection(
            from_matplotlib.LineCollection(lines, colors=_color(number), linewidths=1.0, alpha=opacity)
        )
        if lines:
            drawn.plot([], [], color=_color(number), label=names[number])  # for the legend, opaque
    drawn.axhline(0.0, color="0.35", linestyle=(0, (4, 3)), linewidth=1.0)
    drawn.autoscale_view()
    finished = _finished(drawn, "Warps", "own time − common time")
    finished.set_xlabel("common time")
    return finished


def centroids(
    centroids: ArrayLike, classes: Labels = None, *, channel: int = 0, ax: Axes | None = None
) -> Axes:
    """The mean of every class, each in its own color and style.

    centroids   (classes, channels, length) or (classes, length), as `centroids_` of an estimator is; where
                classes is None, one centroid: (channels, length) or (length,)
    classes     (classes,): their labels, as `classes_` of an estimator is; None, the default, for one
    channel     the one that is shown, from 0
    ax          where to draw; None, the default, makes a new figure

    Returns the axes. ImportError where matplotlib is missing; ValueError for labels and centroids that do
    not belong together.

    >>> X, y = diffeo.generate_cbf(12, seed=1)
    >>> classifier = diffeo.NearestCentroid().fit(X, y)
    >>> diffeo.plot.centroids(classifier.centroids_, classifier.classes_).get_title()
    'Centroids'
    """
    from_matplotlib = _matplotlib()
    values = real_array("centroids", plain("centroids", centroids))
    items, quantity = _one_channel(values[np.newaxis] if classes is None else values, channel, "centroids")
    names = [""] if classes is None else [str(label) for label in label_array(classes)]  # type: ignore[union-attr]
    if len(names) != len(items):
        raise ValueError(f"classes: expected {len(items)} labels, one per centroid, got {len(names)}")
    drawn = _axes(ax)
    for number, (item, name) in enumerate(zip(items, names, strict=True)):
        _line(drawn, item, number, name, from_matplotlib.outline)
    return _finished(drawn, "Centroids", quantity)


def losses(
    history: Sequence[EpochRecord], *, quality: AlignmentQuality | None = None, ax: Axes | None = None
) -> Axes:
    """The loss of every epoch of a training, a line for each member, and dashed that of series held out.

    history   `history_` of a TemporalAligner
    quality   `quality(X, y)` of it, to be written below; None, the default, writes nothing
    ax        where to draw; None, the default, makes a new figure

    Returns the axes. ImportError where matplotlib is missing; ValueError for a history without epochs.

    >>> X, y = diffeo.generate_cbf(12, seed=1, length=32)
    >>> aligner = diffeo.TemporalAligner(widths=(4,), kernels=(3,), epochs=2, least_steps=0).fit(X, y)
    >>> diffeo.plot.losses(aligner.history_).get_xlabel()
    'epoch'
    """
    _matplotlib()
    if len(history) == 0:
        raise ValueError("history: expected at least one epoch, got none")
    drawn = _axes(ax)
    members = sorted({record.member for record in history})
    holds_out = any(record.validation_loss for record in history)
    for number, member in enumerate(members):
        own = sorted((record for record in history if record.member == member), key=lambda one: one.epoch)
        epochs = [record.epoch for record in own]
        name = f"member {member + 1}" if len(members) > 1 else ("training" if holds_out else "")
        drawn.plot(epochs, [record.loss for record in own], color=_color(number), label=name)
        if holds_out:
            held_out = [record.validation_loss for record in own]
            drawn.plot(epochs, held_out, color=_color(number), linestyle="--")
    if holds_out:
        drawn.plot([], [], color="0.35", linestyle="--", label="held out")
    finished = _finished(drawn, "Training", "loss")
    finished.set_xlabel("epoch")
    if quality is not None:
        _write_below(finished, [*quality._gains(), *quality._moves()])
    return finished


def costs(history: Sequence[AlignStep], *, ax: Axes | None = None) -> Axes:
    """The cost after every step of an alignment without a network, a piece for each resolution.

    history   `history_` of a JointAligner, `history` of `diffeo.align`
    ax        where to draw; None, the default, makes a new figure

    Returns the axes. Costs of different smoothing are not comparable, which is why the pieces do not meet.
    ImportError where matplotlib is missing; ValueError for a history without steps.

    >>> bumps = diffeo.generate_bumps(6, seed=2, classes=1, length=32)
    >>> diffeo.plot.costs(diffeo.align(bumps.X, cells=4).history).get_xlabel()
    'step'
    """
    _matplotlib()
    if len(history) == 0:
        raise ValueError("history: expected at least one step, got none")
    drawn = _axes(ax)
    starts = [0, *(n for n in range(1, len(history)) if history[n][:2] != history[n - 1][:2]), len(history)]
    for first, end in itertools.pairwise(starts):
        steps = range(first + 1, end + 1)
        drawn.plot(steps, [step.cost for step in history[first:end]], ".-", color=_COLORS[0], markersize=3)
    if min(step.cost for step in history) > 0:
        drawn.set_yscale("log")
    finished = _finished(drawn, "Alignment", "cost")
    finished.set_xlabel("step")
    return finished


class _Matplotlib:
    """What is used of it, imported."""

    def __init__(self) -> None:
        from matplotlib.collections import LineCollection
        from matplotlib.patheffects import Normal, Stroke

        self.LineCollection = LineCollection
        self.outline = [Stroke(linewidth=3.6, foreground="white"), Normal()]


def _matplotlib() -> _Matplotlib:
    try:
        return _Matplotlib()
    except ImportError as error:
        raise ImportError(
            f"diffeo.plot: expected matplotlib, found none ({error}); pip install matplotlib"
        ) from None


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    _, made = plt.subplots(figsize=_PANEL, layout="constrained")
    return made


@contextmanager
def _panels(count: int, axes: Any) -> Iterator[NDArray[Any]]:
    """`count` axes in a row: those given, or those of a new figure, which is closed where drawing fails."""
    _matplotlib()
    if axes is not None:
        given = np.array(axes, dtype=object).ravel()
        if len(given) != count:
            raise ValueError(f"axes: expected {count}, got {len(given)}")
        yield given
        return
    import matplotlib.pyplot as plt

    rows, columns = count // 2, 2
    size = columns * _PANEL[0], rows * _PANEL[1]
    figure, made = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    try:
        yield made.ravel()
    except BaseException:
        plt.close(figure)
        raise


def _one_channel(X: SeriesSet, channel: int, name: str = "X") -> tuple[list[FloatArray], str]:
    """One channel of every series, each of its own length, and what its values are called."""
    dataset, _ = as_dataset(X, name=name)
    number = whole_number("channel", channel, 0, dataset.channels - 1)
    form = Form(np.dtype(np.float64), flat=False)
    quantity = "value" if dataset.channels == 1 else f"value of channel {number} of {dataset.channels}"
    return [form.of(item)[number] for item in dataset.series()], quantity


def _classes_of(y: Labels, cases: int, classes: Labels = None) -> tuple[list[str], NDArray[np.int64]]:
    """The name of every class, and the number of each case's; one without a name where there are no labels.

    Classes come in the order given, by their text, since models that were loaded know no more; those that are
    not among them come last.
    """
    labels = label_array(y)
    if labels is None:
        return [""], np.zeros(cases, dtype=np.int64)
    if len(labels) != cases:
        raise ValueError(f"y: expected {cases} labels, one per case, got {len(labels)}")
    given = label_array(classes)
    names = [str(label) for label in (() if given is None else given)]
    names += [str(label) for label in np.unique(labels) if str(label) not in names]
    return names, np.array([names.index(str(label)) for label in labels], dtype=np.int64)


def _color(number: int) -> str:
    return _COLORS[number % len(_COLORS)]


def _line(ax: Axes, values: FloatArray, number: int, name: str, outline: list[Any]) -> None:
    """A thick line that stands out from whatever is below it."""
    grid = np.linspace(0.0, 1.0, len(values))
    style = _STYLES[number % len(_STYLES)]
    ax.plot(
        grid, values, style, color=_color(number), linewidth=2.0, label=name, path_effects=outline, zorder=3
    )


def _finished(ax: Axes, title: str, quantity: str) -> Axes:
    """Names on the axes, and beside them those of the lines where there are several."""
    ax.set_title(title)
    ax.set_xlabel(_TIME)
    ax.set_ylabel(quantity)
    ax.grid(alpha=0.25, linewidth=0.6)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    handles, names = ax.get_legend_handles_labels()
    if names and names != [""]:
        more = len(names) - _MOST_NAMES
        shown = [*names[:_MOST_NAMES], *([f"and {more} more"] if more > 0 else [])]
        handles = [*handles[:_MOST_NAMES], *([ax.plot([], [], linestyle="none")[0]] if more > 0 else [])]
        ax.legend(
            handles,
            shown,
            loc="upper left",
            bbox_to_anchor=(1.0, 1.0),
            frameon=False,
            fontsize="small",
            handlelength=2.6,
        )
    return ax


def _write_below(ax: Axes, lines: Sequence[str]) -> None:
    """Words under a picture, below the names of its axis."""
    ax.annotate(
        "\n".join(lines),
        xy=(0.0, 0.0),
        xycoords="axes fraction",
        xytext=(0.0, _CAPTION),
        textcoords="offset points",
        verticalalignment="top",
        fontsize="small",
        color="0.35",
    )


def _without_legend(ax: Axes) -> None:
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()
