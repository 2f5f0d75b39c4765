"""Arguments on their way to the compiled core: precision, memory layout, shape.

The core takes aligned C-contiguous arrays in native byte order, all float32 or all float64, with a fixed
number of dimensions. Here arguments are brought into that form: arrays that already have it are passed on
without a copy, others are copied, and what cannot be understood is refused by name. Values are checked by
the core.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.floating[Any]]
Float64Array: TypeAlias = NDArray[np.float64]

_SINGLE = np.dtype(np.float32)
_DOUBLE = np.dtype(np.float64)
_MAXIMUM_COUNT = 2**63 - 1


def real_array(name: str, value: ArrayLike) -> NDArray[Any]:
    """`value` as an array of real numbers, not copied yet where it is an array already."""
    if type(value) is np.ndarray and (value.dtype is _SINGLE or value.dtype is _DOUBLE):
        return value  # as almost always: nothing to find out
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name}: expected a plain array, got a masked one; fill the masked values first")
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(
            f"{name}: expected an array of numbers, got nested sequences of different lengths"
        ) from error
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > _DOUBLE.itemsize:
        raise TypeError(f"{name}: expected float32, float64 or integer numbers, got dtype {array.dtype}")
    return array


def precision_of(array: NDArray[Any]) -> np.dtype[np.floating[Any]]:
    """float32 for arrays of float32 (and float16), float64 for all others."""
    return _SINGLE if array.dtype.kind == "f" and array.dtype.itemsize <= _SINGLE.itemsize else _DOUBLE


def in_core_form(array: NDArray[Any], precision: np.dtype[Any]) -> FloatArray:
    """The array itself where the core can read it in place, a copy otherwise."""
    if array.dtype == precision and array.flags.c_contiguous and array.flags.aligned:
        return array
    return np.array(array, dtype=precision, order="C")


def real_arrays(**arguments: ArrayLike) -> tuple[FloatArray, ...]:
    """The named arguments in core form, all in one precision: float32 only where every one of them is."""
    arrays = [real_array(name, value) for name, value in arguments.items()]
    precision = _SINGLE if all(precision_of(array) is _SINGLE for array in arrays) else _DOUBLE
    return tuple(in_core_form(array, precision) for array in arrays)


def as_rows(array: FloatArray) -> FloatArray:
    """A 1-D array as one row."""
    return array[np.newaxis] if array.ndim == 1 else array


def require_fields(velocities: FloatArray) -> None:
    if velocities.ndim not in (1, 2) or velocities.size == 0:
        raise ValueError(
            f"velocities: expected shape (cells + 1,) or (batch, cells + 1), got {velocities.shape}"
        )


def require_shape(name: str, array: FloatArray, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"{name}: expected shape {shape}, got {array.shape}")


def require_per_row(name: str, array: FloatArray, rows: int | None, columns: str, what: str) -> None:
    """`array` is (columns,), or (rows, columns) where there are rows; `what` names them in the message."""
    if array.ndim == 1 or (array.ndim == 2 and rows is not None and array.shape[0] == rows):
        return
    if rows is None:
        raise ValueError(f"{name}: expected shape ({columns},) for one {what}, got {array.shape}")
    things = "velocity fields" if what == "velocity field" and rows > 1 else what
    raise ValueError(
        f"{name}: expected shape ({columns},) or ({rows}, {columns}) for {rows} {things}, got {array.shape}"
    )


def real_times(name: str, value: ArrayLike, rows: int | None) -> tuple[Float64Array, bool]:
    """Times, one or one per row, and whether one number was given for all; always in double precision."""
    if type(value) is float:
        return np.array([value]), True
    array = real_array(name, value)
    if array.ndim == 0:
        return np.array([array], dtype=np.float64), True
    if rows is None:
        raise ValueError(f"{name}: expected a number, got shape {array.shape}")
    if array.shape != (rows,):
        raise ValueError(f"{name}: expected a number or shape ({rows},), got shape {array.shape}")
    return np.array(array, dtype=np.float64), False


def in_time_shape(times: Float64Array | None, is_number: bool) -> Float64Array | float | None:
    """What belongs to a time: a float where time was a number."""
    return float(times[0]) if times is not None and is_number else times


def real_number(name: str, value: float) -> float:
    array = real_array(name, value)
    if array.ndim != 0:
        raise ValueError(f"{name}: expected a number, got shape {array.shape}")
    return float(array)


def domain_bounds(domain: Sequence[float]) -> tuple[float, float]:
    if type(domain) is tuple and len(domain) == 2 and type(domain[0]) is type(domain[1]) is float:
        return domain  # as almost always; making an array of it would cost more than a small flow
    bounds = real_array("domain", domain)
    if bounds.shape != (2,):
        raise ValueError(f"domain: expected (lower, upper), got {domain!r}")
    return float(bounds[0]), float(bounds[1])


def whole_number(name: str, value: SupportsIndex, minimum: int, maximum: int = _MAXIMUM_COUNT) -> int:
    """`value` as an int within the limits; the core sets narrower ones where it has them."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or not minimum <= number <= maximum:
        limit = f"of at least {minimum}" if maximum == _MAXIMUM_COUNT else f"from {minimum} to {maximum}"
        raise ValueError(f"{name}: expected a whole number {limit}, got {value!r}")
    return number


def true_or_false(name: str, value: bool) -> bool:
    """`value`, which is no text, since "no" would count as true."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}: expected True or False, got {value!r}")
    return bool(value)


def require_callable(name: str, value: object) -> None:
    """TypeError before any work, not at the first call; None is nobody to be called."""
    if value is not None and not callable(value):
        raise TypeError(f"{name}: expected a function or None, got {value!r}")


def thread_count(threads: SupportsIndex | None) -> int:
    """As the core counts: 0 for all the cores the process may use."""
    return 0 if threads is None else whole_number("threads", threads, 1)


def wanted_flags(wanted: Sequence[str] | None, names: tuple[str, ...]) -> tuple[bool, bool, bool]:
    """For each of three names, whether it is among the wanted; None wants them all."""
    if wanted is None:
        return True, True, True
    if isinstance(wanted, str) or not set(wanted) <= set(names):
        raise ValueError(f"wanted: expected a tuple of names among {', '.join(names)}, got {wanted!r}")
    first, second, third = (name in wanted for name in names)
    return first, second, third
