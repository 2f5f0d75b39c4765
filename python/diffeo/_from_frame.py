"""Frames of other libraries as the arrays that estimators take."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._arrays import FloatArray
from ._containers import Layout, in_layout, read
from ._dataset import arrays_of, class_labels
from ._frames import Asked, Name, Names, Reading
from ._tables import is_frame, is_of

_LAYOUTS = ("channels-first", "channels-last", "tslearn")


class _SeriesAndLabels(NamedTuple):
    X: (
        FloatArray | list[FloatArray]
    )  #: (cases, channels, time), or a list of (channels, time) if lengths differ
    y: NDArray[Any] | None  #: (cases,), None without labels


class FrameSeries(_SeriesAndLabels):
    """What `from_frame` gives: X and y, in this order, and besides them `times`.

    >>> import pandas
    >>> wide = pandas.DataFrame([[1.0, 2.0, 4.0]], columns=[0.0, 0.5, 1.0])
    >>> series = diffeo.from_frame(wide)
    >>> series.X.shape, series.y, series.times
    ((1, 1, 3), None, array([0. , 0.5, 1. ]))
    >>> X, y = series
    """

    #: (time,), numbers or dates, as the frame has them; a list with those of each case if they differ; None
    #: if the frame has none
    times: NDArray[Any] | list[NDArray[Any]] | None

    def __new__(
        cls,
        X: FloatArray | list[FloatArray],
        y: NDArray[Any] | None,
        times: NDArray[Any] | list[NDArray[Any]] | None = None,
    ) -> FrameSeries:
        made = super().__new__(cls, X, y)
        made.times = times
        return made


def from_frame(
    frame: Any,
    *,
    id: Name | None = None,
    time: Name | None = None,
    value: Names | None = None,
    label: Name | None = None,
    channels: Names | None = None,
    layout: Layout | None = None,
) -> FrameSeries:
    """Series X and labels y of a frame: wide, long or nested, of pandas, polars, Arrow or xarray.

    frame      pandas, polars: a DataFrame; Arrow: a Table; xarray: a DataArray or Dataset; or, with `layout`,
               an array, a tensor or a list
    id         the column, or level of the index, that says of which case a row is; of xarray the dimension of
               cases
    time       the one with the time of a row; of xarray the dimension of time
    value      the columns with the values: the time steps of wide cases, or with id or time the channels
    label      the column with the label of each case; of xarray the coordinate
    channels   a list: the columns with the channels; without id all rows are one case. A name: the column
               that says of which channel a row is; of xarray the dimension of channels
    layout     of arrays and lists: "channels-first", (cases, channels, time); "channels-last", (cases, time,
               channels), or a list of (time, channels), as sktime's df-list; "tslearn", the same, where NaN
               at the end is padding

    Columns that are None are found by what they are called (id, case, time, date, label, class, target,
    …) and what they hold. Times have to be equally spaced.

    Returns `FrameSeries`: X and y, and `times` with them. ValueError, or TypeError for text among values, if
    the frame can be read in several ways, or in none.

    >>> import pandas
    >>> rows = [("a", 0, 1.0), ("a", 1, 2.0), ("a", 2, 4.0), ("b", 0, 3.0), ("b", 1, 3.0), ("b", 2, 3.0)]
    >>> X, y = diffeo.from_frame(pandas.DataFrame(rows, columns=["id", "time", "value"]))
    >>> X
    array([[[1., 2., 4.]],
    <BLANKLINE>
           [[3., 3., 3.]]])
    >>> diffeo.from_frame(np.zeros((5, 100, 2)), layout="channels-last").X.shape
    (5, 2, 100)
    """
    asked = Asked(id, time, value, label, channels)
    if layout is not None:
        if layout not in _LAYOUTS:
            raise ValueError(f"layout: expected one of {', '.join(_LAYOUTS)}, got {layout!r}")
        if asked.names():
            raise ValueError(f"{asked.names()[0]}: expected none together with layout")
        return _series_in(Reading(in_layout("frame", frame, layout), is_named=True))
    if asked.names() and not _has_names(frame):
        raise TypeError(
            f"frame: expected a frame with names, got {type(frame).__name__}; use layout= for its axes"
        )
    return _series_in(read("frame", frame, asked))


def _series_in(reading: Reading) -> FrameSeries:
    arrays, form = arrays_of(reading, "frame", is_known=reading.is_named)
    if isinstance(arrays, list):
        items = [np.atleast_2d(array).astype(form.precision, copy=False) for array in arrays]
        X: Any = np.stack(items) if len({item.shape for item in items}) == 1 else items
    else:
        X = (arrays[:, np.newaxis] if form.flat else arrays).astype(form.precision, copy=False)
    return FrameSeries(X, class_labels(reading.labels), reading.times)


def _has_names(frame: Any) -> bool:
    return is_frame(frame) or is_of("xarray", "DataArray Dataset", frame) or is_of("pandas", "Series", frame)
