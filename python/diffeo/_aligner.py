"""What aligners have in common, with a network and without."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._alignment_quality import AlignmentQuality, alignment_quality
from ._arrays import Float64Array, FloatArray, real_array, true_or_false
from ._containers import plain
from ._dataset import Form, Labels, SeriesSet, as_dataset
from ._estimator import UNUSED, Estimator, TransformerMixin, table_is_wanted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Aligner = TypeVar("_Aligner", bound="WarpingAligner")

_ROUNDING = 1e-6  # of times that were computed, in single precision perhaps


class WarpingAligner(TransformerMixin, Estimator, ABC):  # type: ignore[misc]
    """Fits to series, warps others into common time, and shows what it does."""

    classes_: NDArray[Any] | None
    centroids_: FloatArray

    __metadata_request__inverse_transform = {"Z": UNUSED}  # noqa: RUF012  an argument, no metadata

    @abstractmethod
    def fit(self: _Aligner, X: SeriesSet, y: Labels = None) -> _Aligner: ...

    @abstractmethod
    def transform(self, X: SeriesSet) -> FloatArray: ...

    @abstractmethod
    def _aligned(self, X: SeriesSet) -> FloatArray:
        """What transform gives, always as an array."""

    @abstractmethod
    def warps(self, X: SeriesSet) -> FloatArray: ...

    def fit_transform(self, X: SeriesSet, y: Labels = None) -> FloatArray:
        """fit(X, y), then transform(X): the training series as new ones would be treated.

        X   (cases, channels, time), (cases, time), or a list of series of different lengths
        y   (cases,): a label for each case, or None, the default

        Returns (cases, channels, length), or (cases, length) where X has no channels. Raises what `fit` does,
        such as ValueError for series that cannot be.

        >>> bumps = diffeo.generate_bumps(6, seed=2, classes=1, length=32)
        >>> diffeo.JointAligner(cells=4).fit_transform(bumps.X).shape
        (6, 1, 32)
        """
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names for the columns of a table made by transform: time0, time1 and so on.

        input_features   not used: common time has steps of its own; None is the default

        `set_output(transform="pandas")` makes tables of series without an axis for channels, a row for each.
        Returns (length,). ValueError before fit, and for series with channels, which make no table.

        >>> X = diffeo.generate_bumps(6, seed=2, classes=1, length=32).X[:, 0]
        >>> aligner = diffeo.JointAligner(cells=4, length=3).fit(X)
        >>> aligner.get_feature_names_out().tolist()
        ['time0', 'time1', 'time2']
        """
        self._require_fitted()
        if self.centroids_.ndim - (self.classes_ is not None) != 1:
            raise ValueError(
                "get_feature_names_out: expected a fit to (cases, time), got series with channels"
            )
        return np.array([f"time{step}" for step in range(self.centroids_.shape[-1])], dtype=object)

    def _as_output(self, aligned: FloatArray) -> FloatArray:
        """For transform, which scikit-learn makes a table of if `set_output` asks for it."""
        if aligned.ndim == 3 and table_is_wanted(self):
            raise ValueError(
                f"set_output: expected series (cases, time) to make a table of, got shape {aligned.shape}; "
                'use set_output(transform="default")'
            )
        return aligned

    def warp_times(self, X: SeriesSet, times: ArrayLike, inverse: bool = False) -> Float64Array:
        """Times carried between common time and the time of each series of X, either way.

        X         (cases, channels, time), (cases, time), or a list of series of different lengths
        times     (n,) for all series, or (cases, n), as fractions of the duration of a series. 0 is its first
                  time step, 1 its last: step k of n has time k / (n - 1)
        inverse   False, the default: from common time into each series' own; True: from its own into common

        Returns (cases, n), always in float64. One direction undoes the other to rounding; with
        method="numeric" or "scaling-squaring" of a TemporalAligner only up to the error of the scheme, which
        for scaling-squaring is large where times are few, since it interpolates between them. With
        zero_boundary=False, where warps go a little outside [0, 1], times may be any finite numbers.
        ValueError before fit, for times that are not finite, and, where the ends of series stay in place, for
        times outside [0, 1].

        >>> bumps = diffeo.generate_bumps(6, seed=2, classes=1, length=32)
        >>> aligner = diffeo.JointAligner(cells=4).fit(bumps.X)
        >>> own = aligner.warp_times(bumps.X, [0.25, 0.5])
        >>> bool(np.abs(aligner.warp_times(bumps.X, own, inverse=True) - [0.25, 0.5]).max() < 1e-12)
        True
        """
        self._require_fitted()
        dataset, _ = as_dataset(X)
        points, backwards = times_of_each(times, dataset.cases), true_or_false("inverse", inverse)
        if self._keeps_ends():
            _require_fractions(points)
        return self._carry(dataset, points, backwards)

    def quality(self, X: SeriesSet, y: Labels = None) -> AlignmentQuality:
        """How well it aligns the series X: what its warps gain, and what they do to time.

        X   (cases, channels, time), (cases, time), or a list of series of different lengths
        y   (cases,): a label for each case; None, the default, measures all series together

        Labels are used by the measures alone, never by the warps. Give the labels if fit had them: series of
        different classes do not become alike. Takes as long as three calls of transform, and about 2 ms more
        for each series of 500 time steps.

        Returns `AlignmentQuality`. ValueError before fit, and for series and labels that do not belong
        together.

        >>> bumps = diffeo.generate_bumps(20, seed=1, classes=2)
        >>> quality = diffeo.JointAligner().fit(bumps.X, bumps.y).quality(bumps.X, bumps.y)
        >>> bool(quality.slope_variance < 0.3 * quality.slope_variance_before)
        True
        """
        self._require_fitted()
        return alignment_quality(self, X, y)

    def plot(
        self, X: SeriesSet | None = None, y: Labels = None, *, channel: int = 0, axes: Any = None
    ) -> NDArray[Any]:
        """Pictures of what it does, on matplotlib: what fit learnt, and, given series, what it makes of them.

        X         series to show before and after, with their warps: (cases, channels, time), (cases, time),
                  or a list; None, the default, shows the centroids and how the fit went
        y         (cases,): a label for each case, which decides its color; None, the default, for none
        channel   the one that is shown, from 0
        axes      where to draw: four of matplotlib's Axes with X, two without; None makes a new figure

        Returns the axes as an array: (before, after, warps, centroids), or (centroids, fit). In a new figure
        words below say what fit found, or, given series, their `quality`. ImportError where matplotlib is
        missing; ValueError before fit. `diffeo.plot` draws each of them by itself.

        >>> bumps = diffeo.generate_bumps(6, seed=2, classes=2, length=32)
        >>> aligner = diffeo.JointAligner(cells=4).fit(bumps.X, bumps.y)
        >>> [drawn.get_title() for drawn in aligner.plot(bumps.X, bumps.y)]
        ['Before', 'After', 'Warps', 'Centroids']
        """
        from . import plot

        self._require_fitted()
        if X is None:
            with plot._panels(2, axes) as panels:
                plot.centroids(self.centroids_, self.classes_, channel=channel, ax=panels[0])
                self._plot_fit(panels[1])
                if axes is None:
                    plot._write_below(panels[1], self._found())
                return panels
        known = self.classes_
        with plot._panels(4, axes) as panels:
            plot.before_after(X, self._aligned(X), y, classes=known, channel=channel, axes=panels[:2])
            plot.warps(self.warps(X), y, classes=known, ax=panels[2])
            plot.centroids(self.centroids_, self.classes_, channel=channel, ax=panels[3])
            if axes is None:
                quality = self.quality(X, y)
                plot._write_below(panels[1], quality._gains())
                plot._write_below(panels[2], quality._moves())
            return panels

    def _series_at_once(self) -> int:
        """How many series transform looks at together: sets cut after multiples of it give the same bits."""
        return 1

    @abstractmethod
    def _carry(self, series: _core.Dataset, times: Float64Array, inverse: bool) -> Float64Array: ...

    @abstractmethod
    def _keeps_ends(self) -> bool:
        """Whether the warps that fit has learnt keep both ends of every series in place."""

    @abstractmethod
    def _plot_fit(self, ax: Axes) -> None: ...

    @abstractmethod
    def _found(self) -> list[str]:
        """What fit found, in words."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def one_for_each(Z: ArrayLike, series: _core.Dataset, form: Form) -> NDArray[Any]:
    """One series in common time for each of those given, in their form: Z, or Z again and again."""
    given = items = real_array("Z", plain_block(Z))
    cases, channels = series.cases, series.channels
    if channels == 1 and given.ndim == 1:
        items = given[np.newaxis]
    elif channels == 1 and given.ndim == 2 and len(given) == cases:
        items = given[:, np.newaxis]
    if items.ndim == 2:
        items = np.broadcast_to(items, (cases, *items.shape))
    free = given.ndim == 3 and not form.flat  # then other quantities than X's can be told from its cases
    if items.ndim != 3 or len(items) != cases or not (free or items.shape[1] == channels):
        shapes = f"({channels}, length) or ({cases}, {channels}, length)"
        if channels == 1:
            shapes = f"(length,), ({cases}, length), {shapes}"
        raise ValueError(
            f"Z: expected one series or {cases}, one for each of X: shape {shapes}, got {given.shape}"
        )
    return items[:, 0] if form.flat else items


def plain_block(Z: ArrayLike) -> ArrayLike:
    """Series of one length as one array, out of whatever container they come in."""
    items: ArrayLike = plain("Z", Z)
    if not isinstance(items, list):
        return items
    shapes = {np.shape(real_array(f"Z[{number}]", item)) for number, item in enumerate(items)}
    if len(shapes) > 1:
        raise ValueError(f"Z: expected series of one shape, got {' and '.join(map(str, sorted(shapes)))}")
    return np.asarray(items)


def times_of_each(times: ArrayLike, cases: int) -> Float64Array:
    """(cases, n) of times (n,) or (cases, n)."""
    points = np.asarray(real_array("times", plain("times", times)), dtype=np.float64)
    if points.ndim not in (1, 2) or (points.ndim == 2 and len(points) != cases):
        raise ValueError(f"times: expected shape (n,) or ({cases}, n) for {cases} series, got {points.shape}")
    if not np.isfinite(points).all():
        raise ValueError(f"times: expected finite numbers, got {points[~np.isfinite(points)][0]}")
    return np.ascontiguousarray(np.broadcast_to(points, (cases, points.shape[-1])))


def _require_fractions(times: Float64Array) -> None:
    """ValueError for seconds and time steps, which would be carried to nowhere."""
    outside = times[(times < -_ROUNDING) | (times > 1.0 + _ROUNDING)]
    if outside.size > 0:
        raise ValueError(
            "times: expected fractions of the duration of a series, from 0 to 1, where step k of n has time "
            f"k / (n - 1), got {outside[0]}"
        )
