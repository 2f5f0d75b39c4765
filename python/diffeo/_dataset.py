"""Sets of series on their way to the compiled core and back.

The core takes one kind of thing, a `Dataset` in double precision. Here every form that people have is
brought into it: arrays (cases, channels, time) or (cases, time), lists of series of different lengths, and
what `_containers` takes them out of. A `Form` remembers what results have to look like.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import Float64Array, FloatArray, in_core_form, precision_of, real_array
from ._containers import plain_labels, read
from ._doubts import settle_doubts
from ._frames import Reading

SeriesSet: TypeAlias = ArrayLike | Sequence[ArrayLike]
Labels: TypeAlias = Iterable[Any] | None
Precision: TypeAlias = np.dtype[np.floating[Any]]

_SINGLE: Precision = np.dtype(np.float32)
_DOUBLE: Precision = np.dtype(np.float64)


class Form(NamedTuple):
    """How a set of series came, and results go back."""

    precision: Precision
    flat: bool  #: without an axis for channels: (cases, time), or a list of (time,)
    #: puts (cases, channels, length) into a frame like the one that X came in; None for arrays and lists
    frame: Callable[[NDArray[Any]], Any] | None = None

    def of(self, values: Float64Array) -> FloatArray:
        """Values (…, channels, time) in this form; float64 is not copied."""
        return (values[..., 0, :] if self.flat else values).astype(self.precision, copy=False)

    def of_cases(self, values: Float64Array) -> Any:
        """Values (cases, channels, time), one for each case of X, in the container that X came in."""
        if self.frame is None:
            return self.of(values)
        return self.frame(values.astype(self.precision, copy=False))


def as_dataset(
    X: SeriesSet, y: Labels = None, *, name: str = "X", is_known: bool = False
) -> tuple[_core.Dataset, Form]:
    """X and the labels y, where there are any, as the core takes them; and the form of the results.

    `is_known` says that X is of our own making: there is no doubt which axis is time.
    """
    return _dataset_of(*series_arrays(X, name, is_known=is_known), y)


def as_labeled_dataset(X: SeriesSet, y: Labels) -> tuple[_core.Dataset, Form, NDArray[Any] | None]:
    """The same, and the labels: y, or those that the frame X has."""
    reading = read("X", X)
    labels = class_labels(reading.labels if y is None else y)
    series, form = arrays_of(reading, "X")
    return *_dataset_of(series, form, labels), labels


def _dataset_of(
    series: NDArray[Any] | list[NDArray[Any]], form: Form, y: Labels
) -> tuple[_core.Dataset, Form]:
    if isinstance(series, list):
        rows = [np.atleast_2d(_doubles(array)) for array in series]
        return _core.Dataset(rows, as_labels(y, len(rows))), form
    block = _doubles(series)
    block = block[:, np.newaxis] if block.ndim == 2 else block
    return _core.Dataset(block, as_labels(y, len(block))), form


def series_arrays(
    X: SeriesSet, name: str = "X", *, is_known: bool = False
) -> tuple[NDArray[Any] | list[NDArray[Any]], Form]:
    """X as one array, or a list of them where it is one, checked for shape; and the form of the results."""
    return arrays_of(read(name, X), name, is_known=is_known)


def arrays_of(
    reading: Reading, name: str, *, is_known: bool = False
) -> tuple[NDArray[Any] | list[NDArray[Any]], Form]:
    items = reading.series
    arrays: NDArray[Any] | list[NDArray[Any]]
    if isinstance(items, list) and len(items) > 0 and not np.isscalar(items[0]):
        arrays, form = _checked_list([real_array(f"{name}[{i}]", item) for i, item in enumerate(items)], name)
    else:
        arrays, form = _checked_array(real_array(name, items), name)
    if not (is_known or reading.is_named):
        settle_doubts(name, arrays)
    return arrays, form._replace(frame=reading.results)


def series_of(dataset: _core.Dataset, form: Form) -> FloatArray | list[FloatArray]:
    """(cases, channels, time), or a list of (channels, time) where lengths differ, in the form given."""
    if dataset.equally_long:
        return form.of_cases(dataset.array())  # type: ignore[no-any-return]
    return [form.of(series) for series in dataset.series()]


def as_labels(y: Labels, cases: int) -> list[str] | None:
    """One text per case: what str() makes of each label, bytes taken as UTF-8."""
    if y is None:
        return None
    if isinstance(y, str | bytes) or not isinstance(y, Iterable) or getattr(y, "ndim", 1) != 1:
        raise ValueError(f"y: expected a sequence of {cases} labels, one per case, got {y!r}")
    labels = [_label_text(label, case) for case, label in enumerate(plain_labels(y))]
    if len(labels) != cases:
        raise ValueError(f"y: expected {cases} labels, one per case, got {len(labels)}")
    return labels


def label_array(y: Labels) -> NDArray[Any] | None:
    """The labels of any container as one array (cases,), of their own type."""
    if y is None:
        return None
    labels = plain_labels(y)
    if isinstance(labels, str | bytes) or not (isinstance(labels, Iterable) or hasattr(labels, "__array__")):
        raise ValueError(f"y: expected a sequence of labels, one per case, got {y!r}")
    try:
        array = np.asarray(labels if hasattr(labels, "__array__") else list(labels))
    except ValueError as error:  # sequences of different lengths
        raise ValueError(f"y: expected a label for every case, got sequences: {error}") from None
    if array.ndim != 1:
        raise ValueError(f"y: expected shape (cases,), a label for every case, got {array.shape}")
    return array


def class_labels(y: Labels) -> NDArray[Any] | None:
    """`label_array`, of labels that `as_classes` can sort: found out before any work, not after it.

    Labels that are equal come out as one and the same: objects may be equal and look otherwise, as 1 and 1.0
    do, and classes are told apart by how they look.
    """
    labels = label_array(y)
    if labels is None or labels.dtype != object:
        return labels
    for case, label in enumerate(labels):
        _label_text(label, case)  # a missing one cannot be sorted either, but is better called missing
    try:
        classes, numbers = np.unique(labels, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"y: expected labels that can be sorted, got {error}") from None
    same: NDArray[Any] = classes[numbers]
    return same


def is_missing(label: Any) -> bool:
    """None, NaN, and pandas' NA, which cannot say whether it is equal to itself."""
    try:
        return label is None or bool(label != label)
    except TypeError:
        return True


def as_classes(y: NDArray[Any], names: list[str]) -> tuple[NDArray[Any], list[int]]:
    """The labels that y holds, sorted, and where each stands among `names`."""
    classes = np.unique(y)
    place = {name: number for number, name in enumerate(names)}
    return classes, [place[_label_text(label, 0)] for label in classes]


def _checked_array(array: NDArray[Any], name: str) -> tuple[NDArray[Any], Form]:
    if array.ndim not in (2, 3) or array.size == 0:
        raise ValueError(
            f"{name}: expected shape (cases, channels, time) or (cases, time), at least one of each, or a "
            f"list of series (channels, time) or (time,), got shape {array.shape}"
        )
    return array, Form(precision_of(array), array.ndim == 2)


def _checked_list(arrays: list[NDArray[Any]], name: str) -> tuple[list[NDArray[Any]], Form]:
    first = arrays[0]
    for i, array in enumerate(arrays):
        if array.ndim not in (1, 2) or array.size == 0:
            raise ValueError(f"{name}[{i}]: expected shape (channels, time) or (time,), got {array.shape}")
        if array.shape[:-1] != first.shape[:-1]:
            form = f"({first.shape[0]}, time)" if first.ndim == 2 else "(time,)"
            raise ValueError(f"{name}[{i}]: expected shape {form} as {name}[0] has, got {array.shape}")
    precision = _SINGLE if all(precision_of(array) == _SINGLE for array in arrays) else _DOUBLE
    return arrays, Form(precision, first.ndim == 1)


def _doubles(array: NDArray[Any]) -> Float64Array:
    return in_core_form(array, _DOUBLE)  # type: ignore[return-value]


def _label_text(label: Any, case: int) -> str:
    if isinstance(label, bytes):
        return label.decode()
    if isinstance(label, list | tuple | np.ndarray) or is_missing(label):
        raise ValueError(f"y: expected a label for every case, got {label!r} for case {case}")
    return str(label)
