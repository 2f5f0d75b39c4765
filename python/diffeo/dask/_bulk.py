"""Many series through one model."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np
from distributed import Client
from numpy.typing import NDArray

from .. import _core
from .._aligner import WarpingAligner
from .._arrays import FloatArray
from .._classify import NearestCentroid
from .._dataset import SeriesSet
from .._files import PathLike, label_column
from .._temporal_aligner import TemporalAligner
from ._collections import aligned, is_collection, labeled
from ._models import Model, classifying, transforming
from ._parts import Cut, Filed, Held
from ._stream import Results, client_or_default, in_order, threads_of

if TYPE_CHECKING:
    from dask.array import Array


@overload
def transform(  # arrays of Dask are ArrayLike too, so they come first
    model: WarpingAligner | PathLike,
    X: Array,
    *,
    n_jobs: SupportsIndex | None = ...,
    client: Client | None = ...,
) -> Array: ...
@overload
def transform(
    model: WarpingAligner | PathLike,
    X: PathLike,
    *,
    output: PathLike,
    label: str | int | None = ...,
    n_jobs: SupportsIndex | None = ...,
    client: Client | None = ...,
) -> None: ...
@overload
def transform(
    model: WarpingAligner | PathLike,
    X: SeriesSet | PathLike,
    *,
    output: None = ...,
    label: str | int | None = ...,
    n_jobs: SupportsIndex | None = ...,
    client: Client | None = ...,
) -> FloatArray: ...
def transform(
    model: WarpingAligner | PathLike,
    X: SeriesSet | PathLike | Array,
    *,
    output: PathLike | None = None,
    label: str | int | None = None,
    n_jobs: SupportsIndex | None = None,
    client: Client | None = None,
) -> FloatArray | Array | None:
    """Series into the common time of a model, on a cluster: model.transform(X).

    model    a fitted TemporalAligner or JointAligner, or the path of a file that the first was saved to
    X        series: (cases, channels, time), (cases, time), or a list of series of different lengths; an
             array of Dask of these shapes; or the path of a file of any size that `diffeo.load` could read
    output   where the results of a file go, part by part: the path of another, in a form that `diffeo.save`
             writes; labels go with them. Not X itself, nor the model. None, the default, returns the results
    label    of .csv: as `diffeo.load` has it; None, the default, takes the usual column
    n_jobs   threads of every task: None means 1, -1 all the cores that a worker may use
    client   of dask.distributed; None, the default, takes the one that was made last

    Returns (cases, channels, length), without channels where X has none; None with `output`; for an array of
    Dask another one, in chunks of cases, which needs no client until it is computed. Bits are those of
    model.transform on as many threads. Files are read and written here: workers need not see them.

    ValueError for invalid arguments and series, TypeError if the model is none; OSError where a file
    cannot be read or written. After an exception `output` is as it was before.

    >>> from dask.distributed import Client
    >>> bumps = diffeo.generate_bumps(8, seed=2, classes=1, length=32)
    >>> aligner = diffeo.JointAligner(cells=4).fit(bumps.X)
    >>> with Client(processes=False, n_workers=1, dashboard_address=None):
    ...     aligned = diffeo.dask.transform(aligner, bumps.X)
    >>> bool((aligned == aligner.transform(bumps.X)).all())
    True
    """
    sent, length = transforming(model, n_jobs)
    if is_collection(X):
        _require_none(output=output, label=label)
        return aligned(sent, X, length)
    _require_other_file(output, model, X)
    cluster, source = client_or_default(client), _source(X, label=label, output=output)
    if output is None or isinstance(source, Held):
        return _gathered(cluster, "transform", sent, source)
    _write(cluster, sent, source, length, output)
    return None


@overload
def classify(
    model: NearestCentroid | TemporalAligner | PathLike,
    X: Array,
    *,
    n_jobs: SupportsIndex | None = ...,
    client: Client | None = ...,
) -> Array: ...
@overload
def classify(
    model: NearestCentroid | TemporalAligner | PathLike,
    X: SeriesSet | PathLike,
    *,
    label: str | int | None = ...,
    n_jobs: SupportsIndex | None = ...,
    client: Client | None = ...,
) -> NDArray[Any]: ...
def classify(
    model: NearestCentroid | TemporalAligner | PathLike,
    X: SeriesSet | PathLike | Array,
    *,
    label: str | int | None = None,
    n_jobs: SupportsIndex | None = None,
    client: Client | None = None,
) -> NDArray[Any] | Array:
    """The label of every series, found on a cluster: model.predict(X).

    model    a fitted NearestCentroid; or a TemporalAligner that was fitted with labels, or the path of a file
             that one was saved to: then labels are those of the nearest of its centroids
    X        series: (cases, channels, time), (cases, time), or a list of series of different lengths; an
             array of Dask of these shapes; or the path of a file of any size that `diffeo.load` could read
    label    of .csv: as `diffeo.load` has it; None, the default, takes the usual column
    n_jobs   threads of every task: None means 1, -1 all the cores that a worker may use
    client   of dask.distributed; None, the default, takes the one that was made last

    Returns (cases,), labels of the type that fit was given, text where the model comes from a file; for an
    array of Dask another one, which needs no client until it is computed.

    ValueError for invalid arguments and series, TypeError if the model is none; OSError where a file
    cannot be read.

    >>> from dask.distributed import Client
    >>> classifier = diffeo.NearestCentroid().fit([[0.0, 1.0], [8.0, 8.0]], [3, 5])
    >>> with Client(processes=False, n_workers=1, dashboard_address=None):
    ...     diffeo.dask.classify(classifier, [[1.0, 1.0], [7.0, 9.0]])
    array([3, 5])
    """
    sent, dtype = classifying(model, n_jobs)
    if is_collection(X):
        _require_none(label=label)
        return labeled(sent, X, dtype)
    return _gathered(client_or_default(client), "classify", sent, _source(X, label=label))


def _source(X: Any, *, label: str | int | None, **of_files: Any) -> Held | Filed:
    if isinstance(X, str | os.PathLike):
        return Filed(X, label_column(label))
    _require_none(label=label, **of_files)
    return Held(X)


def _require_none(**of_files: Any) -> None:
    for name, value in of_files.items():
        if value is not None:
            raise ValueError(f"{name}: expected None for series that come from no file, got {value!r}")


def _require_other_file(output: Any, *others: Any) -> None:
    """Files that are read stay: an output that is one of them, under whatever name, is refused."""
    if output is None:
        return
    for other in others:
        if isinstance(other, str | os.PathLike) and _is_same_file(output, other):
            raise ValueError(f"output: expected another file than {other}, which would be lost")


def _is_same_file(one: PathLike, other: PathLike) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:  # one is not there yet
        return False


def _results(client: Client, verb: str, model: Model, source: Held | Filed) -> closing[Results]:
    cut = Cut(model.at_once, threads_of(client))
    return closing(in_order(client, verb, model.sent, source.parts(cut)))


def _gathered(client: Client, verb: str, model: Model, source: Held | Filed) -> NDArray[Any]:
    with _results(client, verb, model, source) as results:
        return _joined(results, source.cases)


def _joined(results: Results, cases: int) -> NDArray[Any]:
    """One array, which is all that is held of them."""
    whole: NDArray[Any] | None = None
    for part, values in results:
        if whole is None:
            whole = np.empty((cases, *values.shape[1:]), values.dtype)
        whole[part.first : part.first + len(values)] = values
    assert whole is not None
    return whole


def _write(client: Client, model: Model, source: Filed, length: int, output: PathLike) -> None:
    writer = _core.SeriesWriter(os.fspath(output), source.outline.of_results(length))
    try:
        with _results(client, "transform", model, source) as results:
            for part, values in results:
                writer.write(_core.Dataset(values, part.labels))
        writer.finish()
    finally:
        writer.close()
