"""Sets of series in files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import FloatArray, true_or_false
from ._dataset import Form, Labels, SeriesSet, as_dataset, series_of

PathLike: TypeAlias = str | os.PathLike[str]


def load(
    path: PathLike,
    label: str | int | None = None,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    columns: Sequence[str | int] | None = None,
    id: str | int | None = None,
    time: str | int | None = None,
    value: str | int | None = None,
    max_size: int | None = None,
) -> tuple[FloatArray | list[FloatArray], NDArray[np.str_] | None]:
    """The series and the labels of a file; its extension says in which form they are.

    path        .tsv (UCR archive), .csv, .ts (aeon, sktime), .arff (UCR and UEA archives), .npy, or .npz
                with the arrays X, y where there are labels, and lengths (cases,) where X is padded; or any of
                these compressed, .csv.gz
    label       of a table: the label column's name, or its number from 0 (-1 is the last); False without
                labels. By default the column called label, class, target or y, or without names that of text
    delimiter   between fields: a character
    decimal     "." or ","
    header      whether the first line has names
    columns     those with values, by name or number, or as "first:last"; others are left out
    id          the column that says of which case a row is, if every row is a time step
    time        the column with the time of a row
    value       the only column with values
    max_size    at most so many bytes of memory: a compressed file of a megabyte may otherwise take gigabytes.
                None, the default, is 64 times the size of the file, at least 1 GiB

    A table is a .csv, or a .tsv with a header. Options that are None are found out from its first lines; what
    could be read in two ways is refused.

    Returns X and y. X is (cases, channels, time) in float64, or a list of (channels, time) arrays where
    lengths differ; NaN is missing. y is (cases,), the labels as text, or None where the file has none. NaN
    at the end of a line of .tsv, and empty fields at the end of a line of .csv, are padding.

    OSError where the file cannot be read; ValueError, with file, line and column, where its content is not as
    its form has it, or takes more than max_size; MemoryError where there is not enough. Text without a
    newline at its end, which may have been cut within its last number, gives a UserWarning.

    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "two.tsv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("up\\t1\\t2.5\\t4\\ndown\\t4\\t2\\t0\\n")
    >>> X, y = diffeo.load(path)
    >>> X.shape, y
    ((2, 1, 3), array(['up', 'down'], dtype='<U4'))
    >>> folder.cleanup()
    """
    dataset = _core.read_dataset(
        os.fspath(path),
        label_column(label),
        _character("delimiter", delimiter),
        _character("decimal", decimal, ".,"),
        None if header is None else true_or_false("header", header),
        [_column("columns", column) for column in columns or ()],
        _column("id", id),
        _column("time", time),
        _column("value", value),
        _max_size(max_size),
    )
    labels = np.array(dataset.labels()) if dataset.labeled else None
    return series_of(dataset, Form(np.dtype(np.float64), flat=False)), labels


def save(path: PathLike, X: SeriesSet, y: Labels = None) -> None:
    """Writes series, and their labels where they have any, in the form that the extension says.

    path    .tsv, .csv, .ts, .arff, .npy or .npz; a file that is there is replaced when the new one is whole
    X       (cases, channels, time), (cases, time), or a list of (channels, time) or (time,) arrays of
            different lengths; NaN means missing
    y       (cases,), any labels: their text is written; None for none

    `load` gives the same numbers back, bit for bit. ValueError where a form cannot hold the series: .tsv and
    .csv have one channel, .arff and .npy one length, .npy no labels, and a series of .tsv cannot end in NaN.
    .npz holds everything.

    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "waves.npz")
    >>> diffeo.save(path, [np.ones((2, 5)), np.zeros((2, 3))], ["up", "down"])
    >>> X, y = diffeo.load(path)
    >>> [series.shape for series in X]
    [(2, 5), (2, 3)]
    >>> folder.cleanup()
    """
    dataset, _ = as_dataset(X, y)
    _core.write_dataset(os.fspath(path), dataset)


def _max_size(size: Any) -> int:
    """0 for the default."""
    if size is None:
        return 0
    if not isinstance(size, int | np.integer) or not 1 <= size < 2**64:
        raise ValueError(f"max_size: expected at least 1, as a whole number, or None, got {size!r}")
    return int(size)


def _character(name: str, text: str | None, among: str = "") -> str:
    if text is None:
        return "\0"
    if not isinstance(text, str) or len(text) != 1 or not text.isascii() or (among and text not in among):
        raise ValueError(f"{name}: expected {' or '.join(among) or 'a character'}, got {text!r}")
    return text


def _column(name: str, column: str | int | None) -> str:
    """A name, or a number as text, as the core takes columns."""
    if isinstance(column, bool) or not isinstance(column, str | int | np.integer | None):
        raise ValueError(f"{name}: expected a column's name or number, or None, got {column!r}")
    return "" if column is None else str(column)


def label_column(label: Any) -> str | int | None:
    if label is True or not isinstance(label, str | int | np.integer | None):
        raise ValueError(f"label: expected a column's name or number, False or None, got {label!r}")
    return int(label) if isinstance(label, np.integer) else label
