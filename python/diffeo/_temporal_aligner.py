"""An aligner with a network, in scikit-learn's manner."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._aligner import one_for_each
from ._arrays import Float64Array, FloatArray, require_callable, true_or_false
from ._compiled_torch import compiled_torch
from ._dataset import Form, Labels, SeriesSet, as_classes, as_dataset, as_labeled_dataset, series_of
from ._estimator import fit_labels, job_count
from ._files import PathLike
from ._fit_progress import EpochRecord, FitProgress, telling_epochs, verbosity
from ._process_group import labels_of_all, of_first
from ._seeds import seed_of
from ._temporal_options import TemporalOptions

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from torch.distributed import ProcessGroup

    from . import _torch

_Aligner = TypeVar("_Aligner", bound="TemporalAligner")

_DOUBLE = np.dtype(np.float64)


class TemporalAligner(TemporalOptions):
    """Learns from a training set how to warp series into common time, and warps new ones in one pass.

    Networks look at a series and decide on its warp. The first learns to align: `diffeo.align` aligns the
    training series, those of each class by itself, and the network learns the warps found, from series warped
    anew in every step. Its warps are those of `transform`; common time is the mean of the training series'
    own times. The others learn to tell classes apart, and `NearestCentroid` compares by them. Labels are used
    by `fit` only: new series, which have none, are treated as the training series are.
    `help(diffeo.TemporalAligner.__init__)` says what each parameter is; `from_preset` starts from a set of
    values with a name.

    X is (cases, channels, time), (cases, time), a list of series of different lengths, or a frame or tensor
    that holds such, of at least 8 time steps; NaN means missing. Results have no axis for channels where X
    has none, and are float32 where X is.

    The same random_state, series, parameters and n_jobs give the same model, to the last bit. With a
    `checkpoint` directory, training can be stopped by Ctrl-C or killed, and the same fit with resume=True
    goes on from there, to the same model as if nothing had happened. The directory stays until you remove it.

    Needs the torch that diffeo was built against: without it fit, load and unpickling raise an ImportError.

    After fit
        centroids_      means of the aligned series: (channels, length), or one for each class
        classes_        the labels, sorted, in the order of centroids_; None without labels
        history_        one `EpochRecord` for every epoch of every member
        shrinkage_      the time at which trained warps are used, from 0 to 1
        random_state_   the seed

    >>> X, y = diffeo.generate_cbf(60, seed=1)
    >>> aligner = diffeo.TemporalAligner(widths=(8, 8), kernels=(5, 3), epochs=5, least_steps=0)
    >>> aligned = aligner.fit(X[:30], y[:30]).transform(X[30:])
    >>> aligned.shape, aligner.centroids_.shape, aligner.history_[-1].epoch
    ((30, 1, 128), (3, 1, 128), 5)
    """

    classes_: NDArray[Any] | None
    centroids_: FloatArray
    history_: list[EpochRecord]
    shrinkage_: float
    random_state_: int

    @classmethod
    def from_preset(cls: type[_Aligner], name: str, **parameters: Any) -> _Aligner:
        """An aligner with the values of a preset, and other parameters by name.

        name         "default"; "ensemble", more networks, trained for longer; "paper", the published
                     optimizer and network; "dtan" and "resnet-tw", which rebuild the methods of those names
        parameters   others by name, instead of the preset's

        ValueError for a preset that there is not, TypeError for a parameter that there is not.

        >>> diffeo.TemporalAligner.from_preset("paper", epochs=50).learning_rate
        1e-05
        """
        return cls(**{**_core.TrainingOptions(name).values(), **parameters})

    def fit(
        self: _Aligner, X: SeriesSet, y: Labels = None, *, process_group: ProcessGroup | None = None
    ) -> _Aligner:
        """Trains on the series X, those of each class by itself where labels y are given.

        X               (cases, channels, time), (cases, time), or a list of series of different lengths
        y               (cases,): a label for each case, or None, the default
        process_group   of torch.distributed: all its processes train one aligner, each with series of its
                        own; None, the default, trains in this process alone

        In a group every process calls fit with the same parameters, its own series and their labels, and
        comes to the same model. Cases count in turns, the first of each process, then the second of each:
        `fit(X[rank::size], y[rank::size], process_group=group)` is what `fit(X, y)` is in one process. The
        first process alone reads and writes the checkpoint, and a random_state of None is the one it draws.

        ValueError or TypeError for invalid parameters or series; RuntimeError where the loss becomes
        infinite; ImportError where torch is missing. After an exception, KeyboardInterrupt too, the aligner
        is as it was before; the `checkpoint`, where there is one, has the epochs that were complete.

        >>> X, y = diffeo.generate_cbf(12, seed=1, length=32)
        >>> aligner = diffeo.TemporalAligner(widths=(4,), kernels=(3,), epochs=2, least_steps=0)
        >>> aligner.fit(X, y).centroids_.shape
        (3, 1, 32)
        """
        require_callable("callback", self.callback)
        verbose, resume = verbosity(self.verbose), true_or_false("resume", self.resume)
        options, checkpoint = self._training_options(), self._checkpoint_directory()
        seed, threads = seed_of(self.random_state), job_count(self.n_jobs)
        if process_group is not None and self.random_state is None:
            seed = of_first(seed, process_group)
        dataset, form, labels = as_labeled_dataset(X, fit_labels(y))
        aligner = _compiled()(options, seed)
        if process_group is not None and verbose is None and process_group.rank() > 0:
            verbose = 0  # one bar for all processes
        beginning = "aligning the training series" if "warps" in options.values()["loss"] else "starting"
        with telling_epochs(self.callback, verbose, beginning) as tell:

            def callback(record: tuple[Any, ...], *progress: Any) -> None:
                if tell is not None:
                    tell(FitProgress(EpochRecord(*record), *progress))

            group = "" if process_group is None else process_group.group_name
            aligner.fit(dataset, threads, checkpoint, resume, callback if tell else None, group)
        if process_group is not None:
            labels = labels_of_all(labels, process_group)
        self._keep(aligner, form, labels)
        return self

    def transform(self, X: SeriesSet) -> FloatArray:
        """The series in common time: (cases, channels, length); without channels where X has none.

        X   (cases, channels, time), (cases, time), or a list of series of different lengths

        ValueError before fit, and for series with another number of channels.

        >>> X, y = diffeo.generate_cbf(12, seed=1, length=32)
        >>> aligner = diffeo.TemporalAligner(widths=(4,), kernels=(3,), epochs=2, least_steps=0, length=40)
        >>> aligner.fit(X[:9], y[:9]).transform(X[9:]).shape
        (3, 1, 40)
        """
        return self._as_output(self._aligned(X))

    def _aligned(self, X: SeriesSet) -> FloatArray:
        self._require_fitted()
        dataset, form = as_dataset(X)
        aligned = self._aligner.transform(dataset, job_count(self.n_jobs))
        return form.of_cases(aligned.array())  # type: ignore[no-any-return]

    def comparison(self, X: SeriesSet) -> FloatArray:
        """What `NearestCentroid` compares: what each member sees of the series, as it warps them.

        X   (cases, channels, time), (cases, time), or a list of series of different lengths

        Returns (cases, features, length): the features of the members that tell classes apart, values or
        square-root slopes as `loss` says, or those of all members if none does. Members are scaled alike:
        the training series are at a mean squared distance of 1 from the means of their classes, for each
        member. Several members tell classes apart better than one, because what one gets wrong others get
        right. ValueError before fit, and for series with another number of channels.

        >>> X, y = diffeo.generate_cbf(12, seed=1, length=32)
        >>> loss = "warps | variance + 30 cross-entropy | variance + 30 cross-entropy on values and slopes"
        >>> aligner = diffeo.TemporalAligner(widths=(4,), kernels=(3,), epochs=2, least_steps=0, loss=loss)
        >>> aligner.fit(X, y).comparison(X).shape
        (12, 3, 32)
        """
        self._require_fitted()
        dataset, form = as_dataset(X)
        compared: FloatArray = self._aligner.comparison(dataset, job_count(self.n_jobs)).array()
        return compared.astype(form.precision, copy=False)

    def inverse_transform(self, Z: ArrayLike, X: SeriesSet) -> FloatArray | list[FloatArray]:
        """Series Z in common time, brought back into the time of each series of X by the inverse warps.

        Z   one series (channels, length) for all of X, a mean for example, or (cases, channels, length): one
            for each, with as many channels as one likes. Where X has one channel, with an axis for it or
            without, also (length,) for all and (cases, length) for each
        X   (cases, channels, time), (cases, time), or a list of series of different lengths

        Returns series in the form of X and as long, a list where they differ in length, in the precision of
        Z. The inverse is exact; with method="numeric" or "scaling-squaring" up to the error of the scheme.
        ValueError before fit, and where Z has another shape than those.

        >>> X, y = diffeo.generate_cbf(12, seed=1, length=32)
        >>> aligner = diffeo.TemporalAligner(widths=(4,), kernels=(3,), epochs=2, least_steps=0).fit(X, y)
        >>> aligner.inverse_transform(aligner.centroids_[0], X).shape
        (12, 1, 32)
        """
        self._require_fitted()
        dataset, form = as_dataset(X)
        aligned, own = as_dataset(one_for_each(Z, dataset, form), name="Z")
        back = self._aligner.inverse_transform(aligned, dataset, job_count(self.n_jobs))
        return series_of(back, own)

    def warps(self, X: SeriesSet) -> FloatArray:
        """(cases, length): for each series of X, the positions at which transform reads it.

        X   (cases, channels, time), (cases, time), or a list of series of different lengths

        0 is the first time step of a series, 1 its last. With zero_boundary=False, where the ends of series
        may move, positions may lie a little outside [0, 1]. ValueError before fit.

        >>> X, y = diffeo.generate_cbf(12, seed=1, length=32)
        >>> aligner = diffeo.TemporalAligner(widths=(4,), kernels=(3,), epochs=2, least_steps=0).fit(X, y)
        >>> aligner.warps(X).shape, bool((np.diff(aligner.warps(X)) > 0).all())
        ((12, 32), True)
        """
        self._require_fitted()
        dataset, form = as_dataset(X)
        return self._aligner.warps(dataset, job_count(self.n_jobs)).astype(form.precision, copy=False)

    def velocities(self, X: SeriesSet) -> FloatArray:
        """(layers, cases, cells + 1): the velocities of the warps; `diffeo.flow` at time 1 follows them.

        X   (cases, channels, time), (cases, time), or a list of series of different lengths

        At time -1 it is the exact inverse. With method="numeric" or "scaling-squaring" the warps and their
        inverses are those of the scheme, which `diffeo.flow` has too: they differ from the exact flow, and
        from being inverse to each other, by its error. ValueError before fit.

        >>> X, y = diffeo.generate_cbf(12, seed=1, length=32)
        >>> aligner = diffeo.TemporalAligner(cells=8, widths=(4,), kernels=(3,), epochs=2, least_steps=0)
        >>> velocities = aligner.fit(X, y).velocities(X)
        >>> velocities.shape
        (1, 12, 9)
        >>> own = diffeo.flow(velocities[0], [0.25, 0.5])
        >>> bool(np.abs(own - aligner.warp_times(X, [0.25, 0.5])).max() < 1e-12)
        True
        """
        self._require_fitted()
        dataset, form = as_dataset(X)
        fields = np.stack(self._aligner.velocities(dataset, job_count(self.n_jobs)))
        return fields.astype(form.precision, copy=False)

    def save(self, path: PathLike) -> None:
        """Writes all that fit has learnt into one safetensors file.

        path   of the file; one that is there is replaced when the new one is whole

        ValueError before fit; OSError where the file cannot be written.

        >>> X, y = diffeo.generate_cbf(12, seed=1, length=32)
        >>> aligner = diffeo.TemporalAligner(widths=(4,), kernels=(3,), epochs=2, least_steps=0).fit(X, y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     aligner.save(os.path.join(folder, "model.safetensors"))
        ...     loaded = diffeo.TemporalAligner.load(os.path.join(folder, "model.safetensors"))
        >>> bool((loaded.transform(X) == aligner.transform(X)).all())
        True
        """
        self._require_fitted()
        self._aligner.save(os.fspath(path))

    @classmethod
    def load(cls: type[_Aligner], path: PathLike) -> _Aligner:
        """The aligner of a file that `save`, or the program `diffeo`, has written.

        path   of the file

        It has the parameters that it was trained with. Files hold labels as text and series with channels in
        double precision, and so have classes_ (cases,) and centroids_ (classes, channels, length). OSError
        where the file cannot be read, ValueError where it is no model, was damaged, or comes from a newer
        version; ImportError where torch is missing.

        >>> X, y = diffeo.generate_cbf(12, seed=1, length=32)
        >>> aligner = diffeo.TemporalAligner(widths=(4,), kernels=(3,), epochs=2, least_steps=0).fit(X, y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     aligner.save(os.path.join(folder, "model.safetensors"))
        ...     diffeo.TemporalAligner.load(os.path.join(folder, "model.safetensors")).classes_.tolist()
        ['1', '2', '3']
        """
        aligner = _compiled().load(os.fspath(path))
        loaded = cls(**aligner.options.values(), random_state=aligner.seed)
        names = np.array(aligner.centroids.labels()) if aligner.centroids.labeled else None
        loaded._keep(aligner, Form(_DOUBLE, flat=False), names)
        return loaded

    def _series_at_once(self) -> int:
        return self._aligner.series_at_once

    def _carry(self, series: _core.Dataset, times: Float64Array, inverse: bool) -> Float64Array:
        return self._aligner.warp_times(series, times, inverse, job_count(self.n_jobs))

    def _keeps_ends(self) -> bool:
        return bool(self._aligner.options.values()["zero_boundary"])

    def _plot_fit(self, ax: Axes) -> None:
        from . import plot

        plot.losses(self.history_, ax=ax)

    def _found(self) -> list[str]:
        epochs = sorted(
            max(record.epoch for record in self.history_ if record.member == member)
            for member in {record.member for record in self.history_}
        )
        networks = "1 network" if len(epochs) == 1 else f"{len(epochs)} networks"
        count = f"{epochs[0]}" if epochs[0] == epochs[-1] else f"{epochs[0]} to {epochs[-1]}"
        return [
            f"{networks}, {count} epochs each, seed {self.random_state_}",
            f"warps used at {self.shrinkage_:.0%} of their strength",
        ]

    def _keep(self, aligner: _torch.TemporalAligner, form: Form, labels: NDArray[Any] | None) -> None:
        means = aligner.centroids.array()
        if labels is None:
            self.classes_ = None
            means = means[0].copy()  # not a view: people may change it, and the model stays
        else:
            self.classes_, order = as_classes(labels, aligner.centroids.labels())
            means = means[order]
        self._aligner = aligner
        self.centroids_ = form.of(means)
        self.history_ = [EpochRecord(*record) for record in aligner.history()]
        self.shrinkage_ = aligner.shrinkage
        self.random_state_ = aligner.seed

    def _training_options(self) -> _core.TrainingOptions:
        options = _core.TrainingOptions("default")
        for row in _core.hyperparameters():
            options.set(row.name, as_typed(getattr(self, row.name), row.type == "text"))
        options.check()
        return options

    def _checkpoint_directory(self) -> str | None:
        if self.checkpoint is None:
            if self.resume:
                raise ValueError("checkpoint: expected a directory with resume=True, got None")
            return None
        if not isinstance(self.checkpoint, str | os.PathLike):
            raise TypeError(f"checkpoint: expected the path of a directory or None, got {self.checkpoint!r}")
        if not isinstance(self.random_state, SupportsIndex):
            raise ValueError(
                "random_state: expected a whole number with a checkpoint, since only the same one resumes, "
                f"got {self.random_state!r}"
            )
        Path(self.checkpoint).mkdir(parents=True, exist_ok=True)
        return os.fspath(self.checkpoint)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if "_aligner" in state:
            state["_aligner"] = _file_bytes(self._aligner)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_aligner" in state:
            self._aligner = _from_file_bytes(state["_aligner"])


def _compiled() -> type[_torch.TemporalAligner]:
    """ImportError without the torch that the C++ code was built against: the package is usable without."""
    compiled: type[_torch.TemporalAligner] = compiled_torch("diffeo.TemporalAligner").TemporalAligner
    return compiled


def as_typed(value: Any, is_text: bool) -> str:
    """A value as people would type it on the command line; the table reads it, or refuses it by name."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, list | tuple | np.ndarray):
        return ",".join(as_typed(item, False) for item in value)
    if isinstance(value, float | np.floating):
        return repr(float(value))
    return repr(value) if isinstance(value, str) and not is_text else str(value)


def _file_bytes(aligner: _torch.TemporalAligner) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        aligner.save(str(path))
        return path.read_bytes()


def _from_file_bytes(content: bytes) -> _torch.TemporalAligner:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        path.write_bytes(content)
        return _compiled().load(str(path))
