"""An aligner without a network, in scikit-learn's manner."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._align_options import AlignStep, Criterion, Progress, align_options
from ._aligner import WarpingAligner, one_for_each
from ._arrays import Float64Array, FloatArray, precision_of, require_callable
from ._dataset import Form, Labels, SeriesSet, as_classes, as_dataset, as_labeled_dataset
from ._estimator import fit_labels, job_count
from ._files import PathLike
from ._fit_progress import telling_steps, verbosity
from ._flow import flow
from ._series import warp
from ._template import as_templates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Joint = TypeVar("_Joint", bound="JointAligner")

_DOUBLE = np.dtype(np.float64)


class JointAligner(WarpingAligner):
    """Learns the mean of each class by joint alignment, and aligns new series to the mean they fit best.

    `fit` is `diffeo.align`. A new series has no label: with several classes it is aligned to the mean of
    each, and the warp of the least cost is kept. `transform` never looks at labels, so training and new
    series are treated alike.

    X is (cases, channels, time), (cases, time), a list of series of different lengths, or a frame or tensor
    that holds such; NaN means missing. Results have no axis for channels where X has none, and are float32
    where X is. Nothing here is random.

    template         what series are aligned to instead of their mean: (channels, time), or (time,) where X
                     has no channels; for fit with labels also one for each class in sorted order. None: means
    criterion        what series are compared by: "auto", "values", "slopes" or "mixed", as in `align_pair`
    cells            cells of the velocity fields: how finely warps can bend
    zero_boundary    whether the ends of the series stay in place
    prior_weight     strength of the smoothness prior: larger means gentler warps; None: from the data
    length_scale     of the prior, as a fraction of the duration; None: from the data
    smoothing        of slopes, as a fraction of the duration; by default as little as the noise allows
    own_time         for criterion "values": share of the difference that is measured in the series' own time,
                     0 to 1; 0 is the plain variance
    length           of aligned series; None means that of the template, else of the longest training series
    max_iterations   steps of the solver, at each resolution
    tolerance        done when a step lowers the cost by less than this fraction of it
    n_jobs           threads: None means 1, -1 all the cores the process may use, -2 all but one
    verbose          None shows a progress bar in a terminal or a notebook if fit takes more than 2 s; 0 shows
                     nothing; 1 shows a bar of tqdm, or a line for every resolution if tqdm is not installed;
                     2 prints a line for every step
    progress         called with an AlignStep after every step of fit; returning False stops it there

    After fit
        centroids_    means of the aligned series: (channels, length), or one for each class
        classes_      the labels, sorted, in the order of centroids_; None without labels
        velocities_   (cases, cells + 1): the warps of the training series as `align` found them
        history_      the steps of the solver, one `AlignStep` each
        converged_    whether all classes converged
        reliable_     (cases,): whether the warps of the training series can be trusted, as in `Alignment`

    >>> bumps = diffeo.generate_bumps(60, seed=2)
    >>> aligner = diffeo.JointAligner().fit(bumps.X[:30], bumps.y[:30])
    >>> aligned = aligner.transform(bumps.X[30:])
    >>> aligned.shape, aligner.centroids_.shape
    ((30, 1, 128), (3, 1, 128))
    """

    def __init__(
        self,
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
        n_jobs: SupportsIndex | None = None,
        verbose: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.template = template
        self.criterion = criterion
        self.cells = cells
        self.zero_boundary = zero_boundary
        self.prior_weight = prior_weight
        self.length_scale = length_scale
        self.smoothing = smoothing
        self.own_time = own_time
        self.length = length
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.progress = progress

    velocities_: FloatArray
    history_: list[AlignStep]
    converged_: bool
    reliable_: NDArray[np.bool_]

    def fit(self, X: SeriesSet, y: Labels = None) -> JointAligner:
        """Aligns the series X, those of each class by itself where labels y are given.

        X   (cases, channels, time), (cases, time), or a list of series of different lengths
        y   (cases,): a label for each case, or None, the default

        ValueError or TypeError for invalid parameters or series. After an exception, KeyboardInterrupt
        too, the aligner is as it was before.

        >>> bumps = diffeo.generate_bumps(6, seed=2, classes=2, length=32)
        >>> diffeo.JointAligner(cells=4).fit(bumps.X, bumps.y).centroids_.shape
        (2, 1, 32)
        """
        require_callable("progress", self.progress)
        verbose = verbosity(self.verbose)
        dataset, form, labels = as_labeled_dataset(X, fit_labels(y))
        with telling_steps(self.progress, verbose) as progress:
            aligner = _core.JointAligner(self._options(progress), as_templates(self.template, form, labels))
            aligner.fit(dataset)
        self._keep(aligner, form, labels)
        return self

    def transform(self, X: SeriesSet) -> FloatArray:
        """The series in common time: (cases, channels, length); without channels where X has none.

        X   (cases, channels, time), (cases, time), or a list of series of different lengths

        ValueError before fit, and for series that cannot be aligned.

        >>> bumps = diffeo.generate_bumps(8, seed=2, classes=1, length=32)
        >>> aligner = diffeo.JointAligner(cells=4, length=40).fit(bumps.X[:6])
        >>> aligner.transform(bumps.X[6:]).shape
        (2, 1, 40)
        """
        return self._as_output(self._aligned(X))

    def _aligned(self, X: SeriesSet) -> FloatArray:
        dataset, velocities, form = self._warps_of(X)
        aligned = self._aligner.warped(dataset, velocities, job_count(self.n_jobs))
        return form.of_cases(aligned.array())  # type: ignore[no-any-return]

    def inverse_transform(self, Z: ArrayLike, X: SeriesSet) -> FloatArray | list[FloatArray]:
        """Series Z in common time, brought back into the time of each series of X by the exact inverse.

        Z   one series (channels, length) for all of X, a mean for example, or (cases, channels, length): one
            for each, with as many channels as one likes. Where X has one channel, with an axis for it or
            without, also (length,) for all and (cases, length) for each
        X   (cases, channels, time), (cases, time), or a list of series of different lengths

        Returns series in the form of X and as long, a list where they differ in length, in the precision of
        Z. ValueError before fit, and where Z has another shape than those.

        >>> bumps = diffeo.generate_bumps(6, seed=2, classes=1, length=32)
        >>> aligner = diffeo.JointAligner(cells=4).fit(bumps.X)
        >>> aligner.inverse_transform(aligner.centroids_, bumps.X).shape
        (6, 1, 32)
        """
        dataset, velocities, form = self._warps_of(X)
        items = one_for_each(Z, dataset, form)
        fields = velocities.astype(precision_of(items), copy=False)
        lengths = [series.shape[1] for series in dataset.series()]
        back = [
            warp(item, field, length=length, time=-1.0, threads=self._threads())
            for item, field, length in zip(items, fields, lengths, strict=True)
        ]
        return np.stack(back) if dataset.equally_long else back

    def warps(self, X: SeriesSet) -> FloatArray:
        """(cases, length): for each series of X, the positions at which transform reads it.

        X   (cases, channels, time), (cases, time), or a list of series of different lengths

        0 is the first time step of a series, 1 its last. With zero_boundary=False, where the ends of series
        may move, positions may lie a little outside [0, 1]. ValueError before fit.

        >>> bumps = diffeo.generate_bumps(6, seed=2, classes=1, length=32)
        >>> warps = diffeo.JointAligner(cells=4).fit(bumps.X).warps(bumps.X)
        >>> warps.shape, bool((np.diff(warps) > 0).all())
        ((6, 32), True)
        """
        _, velocities, form = self._warps_of(X)
        length = self._aligner.alignment.mean.array().shape[2]
        grid = np.linspace(0.0, 1.0, length) if length > 1 else np.zeros(1)
        return flow(velocities, grid, threads=self._threads()).astype(form.precision, copy=False)

    def save(self, path: PathLike) -> None:
        """Writes everything that fit has learned into a safetensors file, for `diffeo transform` too.

        path   of the file; one that is there is replaced when the new one is complete

        ValueError before fit; OSError where the file cannot be written.

        >>> bumps = diffeo.generate_bumps(6, seed=2, classes=1, length=32)
        >>> aligner = diffeo.JointAligner(cells=4).fit(bumps.X)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     aligner.save(os.path.join(folder, "model"))
        ...     loaded = diffeo.JointAligner.load(os.path.join(folder, "model"))
        >>> bool((loaded.transform(bumps.X) == aligner.transform(bumps.X)).all())
        True
        """
        self._require_fitted()
        self._aligner.save(os.fspath(path))

    @classmethod
    def load(cls: type[_Joint], path: PathLike) -> _Joint:
        """The aligner of a file that `save`, or `diffeo align --model`, has written.

        path   of the file

        It has the parameters that it was fitted with. Files hold labels as text and series with channels in
        double precision, and so have classes_ (cases,) and centroids_ (classes, channels, length). OSError
        where the file cannot be read, ValueError where it is no such model, was damaged, or comes from a
        newer version.

        >>> bumps = diffeo.generate_bumps(6, seed=2, classes=2, length=32)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     diffeo.JointAligner(cells=4).fit(bumps.X, bumps.y).save(os.path.join(folder, "model"))
        ...     diffeo.JointAligner.load(os.path.join(folder, "model"))
        JointAligner(cells=4)
        """
        aligner = _core.JointAligner.load(os.fspath(path), 1)
        template = None
        if (given := aligner.templates) is not None:
            template = given.array() if given.labeled else given.array()[0]
        loaded = cls(template=template, **aligner.options)
        mean = aligner.alignment.mean
        loaded._keep(aligner, Form(_DOUBLE, flat=False), np.array(mean.labels()) if mean.labeled else None)
        return loaded

    def _keep(self, aligner: _core.JointAligner, form: Form, labels: NDArray[Any] | None) -> None:
        found = aligner.alignment
        means, classes = found.mean.array(), None
        if labels is None:
            means = means[0].copy()  # not a view: people may change it, and the model stays
        else:
            classes, order = as_classes(labels, found.mean.labels())
            means = means[order]
        self._aligner = aligner
        self.classes_, self.centroids_ = classes, form.of(means)
        self.velocities_ = found.velocities().astype(form.precision, copy=False)
        self.history_ = [AlignStep(*step) for one in found.classes for step in one.history()]
        self.converged_ = all(one.converged for one in found.classes)
        self.reliable_ = found.quality()["reliable"] > 0

    def _carry(self, series: _core.Dataset, times: Float64Array, inverse: bool) -> Float64Array:
        time = -1.0 if inverse else 1.0
        velocities = self._aligner.velocities(series, job_count(self.n_jobs))
        moved: Any = flow(velocities, times, time=time, threads=self._threads())
        carried: Float64Array = moved
        return carried

    def _keeps_ends(self) -> bool:
        return bool(self._aligner.options["zero_boundary"])

    def _plot_fit(self, ax: Axes) -> None:
        from . import plot

        plot.costs(self.history_, ax=ax)

    def _found(self) -> list[str]:
        steps, reliable = len(self.history_), int(self.reliable_.sum())
        return [
            f"converged in {steps} steps" if self.converged_ else f"not converged after {steps} steps",
            f"{reliable} of {len(self.reliable_)} warps reliable",
        ]

    def _warps_of(self, X: SeriesSet) -> tuple[_core.Dataset, Float64Array, Form]:
        self._require_fitted()
        dataset, form = as_dataset(X)
        return dataset, self._aligner.velocities(dataset, job_count(self.n_jobs)), form

    def _threads(self) -> int | None:
        return job_count(self.n_jobs) or None

    def _options(self, progress: Progress | None = None) -> _core.AlignOptions:
        return align_options(
            self.criterion, self.cells, self.zero_boundary, self.prior_weight, self.length_scale,
            self.smoothing, self.own_time, self.length, self.max_iterations, self.tolerance, self._threads(),
            progress,
        )  # fmt: skip

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if "_aligner" in state:
            state["_aligner"] = self._aligner.bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_aligner" in state:
            self._aligner = _core.JointAligner.from_bytes(state["_aligner"], 1)
