"""Alignment without a network: one series to another, a set to its own mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._align_options import AlignStep, Criterion, Progress, align_options
from ._arrays import FloatArray, real_arrays
from ._dataset import Labels, SeriesSet, as_classes, as_labeled_dataset
from ._flow import flow
from ._shown import Shown
from ._template import as_templates


def _verdict(reliable: int, cases: int) -> str:
    if reliable == cases:
        return "reliable"
    return f"{cases - reliable} of {cases} not reliable: look at .reliable before you use them"


@dataclass(frozen=True, repr=False)
class PairAlignment(Shown):
    """What `align_pair` gives: source(warp) corresponds to target.

    `reliable` is False if the source fits no better than without a warp, if the target explains no more of
    it than a warp may explain of noise, if features of either were squeezed away, or if a much better
    alignment is known and was missed.

    >>> time = np.linspace(0, 1, 50)
    >>> pair = diffeo.align_pair(np.sin(9 * time**1.3), np.sin(9 * time), cells=8)
    >>> pair.aligned.shape, pair.velocities.shape, pair.warp.shape
    ((50,), (9,), (50,))
    """

    aligned: FloatArray  #: source ∘ φ, in the target's shape
    velocities: FloatArray  #: (cells + 1,): of φ, as `diffeo.flow` and `diffeo.warp` take them
    warp: FloatArray  #: φ(j / (length - 1)): positions in the source
    inverse: FloatArray  #: φ⁻¹ there, exactly: positions in the target
    initial_cost: float  #: of the warp that moves nothing
    cost: float  #: of this one, the sum of the next two
    difference: float  #: between the aligned source and the target
    penalty: float  #: for warps that are not smooth
    converged: bool  #: False: iterations ran out, or `progress` asked to stop
    reliable: bool  #: whether the warp can be trusted
    inverse_consistent_error: float  #: target in the source's own time against the source: squared, summed
    error_before: float  #: the same without a warp
    displacement: float  #: the farthest that anything moves, as a fraction of the duration
    stretch: float  #: largest slope of the warp
    squeeze: float  #: least slope of the warp
    history: list[AlignStep]  #: every step of the solver

    def __repr__(self) -> str:
        return "\n".join(
            (
                f"PairAlignment: {self.warp.size} time steps, {self.velocities.size - 1} cells",
                f"  inverse-consistent error {self.error_before:.4g} before, "
                f"{self.inverse_consistent_error:.4g} after",
                f"  moves by up to {self.displacement:.1%} of the duration",
                f"  time runs at {self.squeeze:.2g} to {self.stretch:.2g} times its pace",
                f"  {'converged' if self.converged else 'not converged'}, {_verdict(self.reliable, 1)}",
            )
        )

    def plot(self, *, channel: int = 0, axes: Any = None) -> NDArray[Any]:
        """Pictures of the aligned source and of its warp, on matplotlib.

        channel   the one that is shown, from 0
        axes      two of matplotlib's Axes; None, the default, makes a new figure

        Returns the axes as an array (2,): aligned, warp. ImportError where matplotlib is missing.

        >>> time = np.linspace(0, 1, 50)
        >>> pair = diffeo.align_pair(np.sin(9 * time**1.3), np.sin(9 * time), cells=8)
        >>> [drawn.get_title() for drawn in pair.plot()]
        ['Aligned', 'Warp']
        """
        from . import plot

        with plot._panels(2, axes) as panels:
            plot.series(np.atleast_2d(self.aligned)[np.newaxis], channel=channel, ax=panels[0])
            plot.warps(self.warp[np.newaxis], ax=panels[1])
            for drawn, title in zip(panels, ("Aligned", "Warp"), strict=True):
                drawn.set_title(title)
            return panels


@dataclass(frozen=True, repr=False)
class Alignment(Shown):
    """What `align` gives. With labels every class has been aligned by itself.

    A case is not `reliable` if it fits its mean no better than without a warp, if the others explain no more
    of it than a warp may explain of noise, if features of it or of the mean were squeezed away, or if a much
    better alignment is known and was missed.

    >>> bumps = diffeo.generate_bumps(6, seed=2, classes=2, length=32)
    >>> result = diffeo.align(bumps.X, bumps.y, cells=4)
    >>> result.classes.tolist(), result.velocities.shape, bool(result.variance < result.variance_before)
    (['1', '2'], (6, 5), True)
    """

    #: (cases, channels, length), or (cases, length) where X had no channels; a frame where X was one
    aligned: FloatArray
    mean: FloatArray  #: of the aligned series: (channels, length); (classes, channels, length) with labels
    velocities: FloatArray  #: (cases, cells + 1): aligned is diffeo.warp(X, velocities)
    classes: NDArray[Any] | None  #: the labels that y holds, sorted, in the order of `mean`
    variance_before: float  #: variance within the classes, summed over time, of the raw series
    variance: float  #: … and of the aligned ones
    converged: bool  #: of every class
    reliable: NDArray[np.bool_]  #: (cases,): whether each warp can be trusted
    inverse_consistent_error: float  #: mean in each series' own time against it, averaged over the cases
    error_before: float  #: the same without warps
    displacement: FloatArray  #: (cases,): the farthest that anything moves, as a fraction of the duration
    stretch: FloatArray  #: (cases,): largest slope of each warp
    squeeze: FloatArray  #: (cases,): least slope of each warp
    history: list[AlignStep]  #: one class after the other
    labels: NDArray[Any] | None = None  #: (cases,): y as it was given

    def __repr__(self) -> str:
        cases, classes = len(self.velocities), 1 if self.classes is None else len(self.classes)
        return "\n".join(
            (
                f"Alignment: {cases} series of {self.aligned.shape[-1]} time steps, {classes} "
                f"{'mean' if classes == 1 else 'means'}",
                f"  inverse-consistent error {self.error_before:.4g} before, "
                f"{self.inverse_consistent_error:.4g} after; variance {self.variance_before:.4g}, "
                f"{self.variance:.4g}",
                f"  moves by up to {self.displacement.max():.1%} of the duration, half of the series by more "
                f"than {np.median(self.displacement):.1%}",
                f"  time runs at {self.squeeze.min():.2g} to {self.stretch.max():.2g} times its pace",
                f"  {'converged' if self.converged else 'not converged'}, "
                f"{_verdict(int(self.reliable.sum()), cases)}",
            )
        )

    def plot(self, *, channel: int = 0, axes: Any = None) -> NDArray[Any]:
        """Pictures of the aligned series with their means, and of the warps, on matplotlib.

        channel   the one that is shown, from 0
        axes      two of matplotlib's Axes; None, the default, makes a new figure

        Returns the axes as an array (2,): aligned, warps. ImportError where matplotlib is missing.
        `diffeo.plot.before_after` shows the series as they came beside them.

        >>> bumps = diffeo.generate_bumps(6, seed=2, classes=2, length=32)
        >>> [drawn.get_title() for drawn in diffeo.align(bumps.X, bumps.y, cells=4).plot()]
        ['Aligned', 'Warps']
        """
        from . import plot

        with plot._panels(2, axes) as panels:
            plot.series(self.aligned, self.labels, channel=channel, ax=panels[0]).set_title("Aligned")
            plot._without_legend(panels[0])  # it is that of its neighbor
            grid = np.linspace(0.0, 1.0, max(2, self.aligned.shape[-1]))
            plot.warps(flow(self.velocities, grid), self.labels, ax=panels[1])
            return panels


def align_pair(
    source: ArrayLike,
    target: ArrayLike,
    *,
    criterion: Criterion = "auto",
    cells: SupportsIndex = 16,
    zero_boundary: bool = True,
    prior_weight: float | None = None,
    length_scale: float | None = None,
    smoothing: float | None = None,
    own_time: float = 0.5,
    length: SupportsIndex | None = None,
    max_iterations: SupportsIndex = 100,
    tolerance: float = 1e-5,
    threads: SupportsIndex | None = None,
    progress: Progress | None = None,
) -> PairAlignment:
    """The warp φ that makes source ∘ φ like target, and the source warped by it.

    Starts from the globally best path on a grid and refines it with the exact gradient. Lengths may differ;
    NaN means missing and is ignored.

    source, target   (time,) or (channels, time)
    criterion        what series are compared by:
                     "auto"     for a pair, a template, or fewer than four series: slopes, then values if
                                heights turn out to agree; for a group: mixed
                     "values"   the squared difference: right if heights agree, else time bends for them
                     "slopes"   square-root slopes: right if heights vary, lost on plateaus
                     "mixed"    a model of heights, noise and warps, whose likelihood decides
    cells            cells of the velocity fields: how finely warps can bend
    zero_boundary    whether the ends of the series stay in place
    prior_weight     strength of the smoothness prior: larger means gentler warps; None: from the data
    length_scale     of the prior, as a fraction of the duration; None: from the data
    smoothing        of slopes, as a fraction of the duration; by default as little as the noise allows
    own_time         for criterion "values": share of the difference that is measured in the series' own time,
                     0 to 1; 0 is the plain variance, which squeezing features away can make small
    length           of the aligned series, by default the target's
    max_iterations   steps of the solver, at each resolution
    tolerance        done when a step lowers the cost by less than this fraction of it
    threads          None: all cores the process may use; results do not depend on it
    progress         called with an AlignStep after every step; returning False stops

    Returns `PairAlignment`. ValueError or TypeError for invalid series and options. What `progress`
    raises comes through.

    >>> time = np.linspace(0, 1, 100)
    >>> pair = diffeo.align_pair(np.sin(9 * time**1.3), np.sin(9 * time))
    >>> pair.converged, bool(pair.cost < 0.05 * pair.initial_cost)
    (True, True)
    >>> bool(np.abs(pair.warp**1.3 - time).max() < 0.01)
    True
    """
    arrays = real_arrays(source=source, target=target)
    first, second = (array.astype(np.float64, copy=False) for array in arrays)
    for name, array in (("source", first), ("target", second)):
        if array.ndim not in (1, 2) or array.size == 0:
            raise ValueError(f"{name}: expected shape (time,) or (channels, time), got {array.shape}")
    result = _core.align_pair(
        np.atleast_2d(first),
        np.atleast_2d(second),
        align_options(
            criterion, cells, zero_boundary, prior_weight, length_scale, smoothing, own_time, length,
            max_iterations, tolerance, threads, progress,
        ),
    )  # fmt: skip
    history = [AlignStep(*step) for step in result.pop("history")]
    if second.ndim == 1:
        result["aligned"] = result["aligned"][0]
    for name in ("aligned", "velocities", "warp", "inverse"):
        result[name] = result[name].astype(arrays[0].dtype, copy=False)
    quality = {name: float(column[0]) for name, column in result.pop("quality").items()}
    return PairAlignment(
        **result,
        reliable=quality["reliable"] > 0,
        inverse_consistent_error=quality["inverse_consistent_error"],
        error_before=quality["error_at_rest"],
        displacement=quality["displacement"],
        stretch=quality["stretch"],
        squeeze=quality["squeeze"],
        history=history,
    )


def align(
    X: SeriesSet,
    y: Labels = None,
    *,
    template: ArrayLike | None = None,
    criterion: Criterion = "auto",
    cells: SupportsIndex = 16,
    zero_boundary: bool = True,
    prior_weight: float | None = None,
    length_scale: float | None = None,
    smoothing: float | None = None,
    own_time: float = 0.5,
    length: SupportsIndex | None = None,
    max_iterations: SupportsIndex = 100,
    tolerance: float = 1e-5,
    threads: SupportsIndex | None = None,
    progress: Progress | None = None,
) -> Alignment:
    """Every series of X warped in time so that all of them agree; with labels y, those of each class.

    Finds warps and mean together, by a model of what the series have in common, how their heights vary, and
    noise: heights may differ, time comes out right. Velocities average to zero over a class, so that the
    common time is in the middle of the series' own times. Missing values (NaN) are ignored; lengths may
    differ, and are brought to one.

    X          (cases, channels, time), (cases, time), or a list of series of different lengths
    y          a label for each case, or None
    template   (channels, time), or (time,) where X has no channels: what all series are aligned to. With
               labels also one for each class in sorted order: (classes, channels, time) or (classes, time).
               None: their mean. With a template velocities do not average to zero: common time is its own
    length     of the aligned series, by default that of the template, else that of the longest

    The other arguments are those of `align_pair`.

    Returns `Alignment`. ValueError or TypeError for invalid series, labels and options. What
    `progress` raises comes through.

    >>> bumps = diffeo.generate_bumps(20, seed=1, classes=1)
    >>> result = diffeo.align(bumps.X)
    >>> result.aligned.shape, result.mean.shape
    ((20, 1, 128), (1, 128))
    >>> bool(result.variance < 0.2 * result.variance_before), bool(result.reliable.all())
    (True, True)
    >>> to_first = diffeo.align(bumps.X[1:], template=bumps.X[0])
    >>> bool(np.mean((to_first.aligned - bumps.X[0]) ** 2) < 0.3 * np.mean((bumps.X[1:] - bumps.X[0]) ** 2))
    True
    """
    dataset, form, labels = as_labeled_dataset(X, y)
    options = align_options(
        criterion, cells, zero_boundary, prior_weight, length_scale, smoothing, own_time, length,
        max_iterations, tolerance, threads, progress,
    )  # fmt: skip
    result = _core.align(dataset, options, as_templates(template, form, labels))
    mean, classes = result.mean.array(), None
    if labels is None:
        mean = mean[0]
    else:
        classes, order = as_classes(labels, result.mean.labels())
        mean = mean[order]
    quality = result.quality()
    return Alignment(
        aligned=form.of_cases(result.aligned.array()),
        mean=form.of(mean),
        velocities=result.velocities().astype(form.precision, copy=False),
        classes=classes,
        variance_before=sum(one.variance_before for one in result.classes),
        variance=sum(one.variance for one in result.classes),
        converged=all(one.converged for one in result.classes),
        reliable=quality["reliable"] > 0,
        inverse_consistent_error=float(quality["inverse_consistent_error"].mean()),
        error_before=float(quality["error_at_rest"].mean()),
        displacement=quality["displacement"],
        stretch=quality["stretch"],
        squeeze=quality["squeeze"],
        history=[AlignStep(*step) for one in result.classes for step in one.history()],
        labels=labels,
    )
