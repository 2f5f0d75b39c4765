"""The operators with the shapes and defaults that people use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, SupportsIndex, TypeAlias

import torch
from torch import Tensor

from .._arrays import whole_number
from . import _autograd
from ._kernels import precision_name

Method: TypeAlias = Literal["exact", "numeric", "scaling-squaring"]

# What each method counts: the name of its option, the default of `diffeo.flow`, and the least.
_COUNTS = {"exact": None, "numeric": ("steps", 100, 1), "scaling-squaring": ("squarings", 8, 0)}


_LOW = frozenset((torch.float16, torch.bfloat16))


def flow(
    velocities: Tensor,
    points: Tensor,
    time: Tensor | float = 1.0,
    *,
    domain: Sequence[float] = (0.0, 1.0),
    method: Method = "exact",
    steps: SupportsIndex | None = None,
    squarings: SupportsIndex | None = None,
) -> Tensor:
    """Where points are after flowing along the velocity fields. As `diffeo.flow`, on tensors.

    velocities   (batch, cells + 1), or (cells + 1,) for one field
    points       (n,) for the whole batch, or (batch, n)
    time         a number, a tensor of no dimension, or (batch,); -1 inverts the flow of 1
    domain       (lower, upper): where the first and the last vertex lie
    method       "exact", the closed form, or an approximation to compare with: "numeric", Runge-Kutta of
                 order 4 in `steps` steps (100); "scaling-squaring" with `squarings` (8)
    steps        of "numeric"; None, the default, means 100
    squarings    of "scaling-squaring"; None, the default, means 8

    Returns (batch, n), or (n,) for one field. Differentiable in velocities, points and time; not twice.

    ValueError for shapes that do not go together, values that are not finite, and options of another method;
    TypeError for tensors of different precision.

    >>> field = torch.tensor([0.0, 0.2, 0.1, 0.0], dtype=torch.float64)
    >>> there = diffeo.torch.flow(field, torch.tensor([0.25, 0.5], dtype=torch.float64))
    >>> diffeo.torch.flow(field, there, -1.0)
    tensor([0.2500, 0.5000], dtype=torch.float64)
    """
    lower, upper = domain
    count = _count(method, steps=steps, squarings=squarings)
    is_one = velocities.dim() == 1
    fields, points, precision = _in_float32("points", points, "velocities", velocities)
    fields = fields.unsqueeze(0) if is_one else fields
    positions: Tensor = _autograd.flow(
        fields, points, _time(time, fields), float(lower), float(upper), method, count
    )
    return (positions.squeeze(0) if is_one else positions).to(precision)


def flow_log_slope(
    velocities: Tensor,
    points: Tensor,
    time: Tensor | float = 1.0,
    *,
    domain: Sequence[float] = (0.0, 1.0),
) -> Tensor:
    """The logarithm of a warp's slope, log ∂φ(x, t)/∂x. As `diffeo.flow_log_slope`, on tensors.

    velocities   (batch, cells + 1), or (cells + 1,) for one field
    points       (n,) for the whole batch, or (batch, n)
    time         a number, a tensor of no dimension, or (batch,)
    domain       (lower, upper): where the first and the last vertex lie

    Returns (batch, n), or (n,) for one field. Differentiable in velocities, points and time; not twice.

    ValueError for shapes that do not go together and values that are not finite; TypeError for tensors of
    different precision.

    >>> field = torch.tensor([0.0, 0.5], dtype=torch.float64, requires_grad=True)
    >>> log_slope = diffeo.torch.flow_log_slope(field, torch.tensor([0.25, 0.5], dtype=torch.float64))
    >>> log_slope.sum().backward()
    >>> field.grad
    tensor([-2.,  2.], dtype=torch.float64)
    """
    lower, upper = domain
    is_one = velocities.dim() == 1
    fields, points, precision = _in_float32("points", points, "velocities", velocities)
    fields = fields.unsqueeze(0) if is_one else fields
    log_slopes: Tensor = _autograd.flow_log_slope(
        fields, points, _time(time, fields), float(lower), float(upper)
    )
    return (log_slopes.squeeze(0) if is_one else log_slopes).to(precision)


def warp(
    series: Tensor,
    velocities: Tensor,
    *,
    length: int | None = None,
    time: Tensor | float = 1.0,
) -> Tensor:
    """The series read along the flow of their velocity fields. As `diffeo.warp`, on tensors.

    series       (cases, channels, time), (cases, time), or (time,) with one field
    velocities   (cases, cells + 1), or (cells + 1,) for all
    length       of the result, by default that of the series
    time         a number, a tensor of no dimension, or (cases,); -1 applies the inverse warp

    Returns the shape of the series with `length` at its end. Differentiable in series, velocities and time.

    ValueError for shapes that do not go together and values that are not finite; TypeError for tensors
    of different precision.

    >>> series = torch.sin(torch.linspace(0, 9, 100)).repeat(4, 2, 1)
    >>> diffeo.torch.warp(series, torch.zeros(4, 9), length=50).shape
    torch.Size([4, 2, 50])
    """
    block, fields, precision = _in_float32("velocities", velocities, "series", _block(series))
    fields = fields.unsqueeze(0) if fields.dim() == 1 else fields
    fields = fields.expand(block.shape[0], -1) if fields.shape[0] == 1 else fields
    count = block.shape[-1] if length is None else length
    warped: Tensor = _autograd.warp(block, fields, _time(time, fields), count)
    return warped.reshape((*series.shape[:-1], count)).to(precision)


def sample(series: Tensor, positions: Tensor) -> Tensor:
    """The series read at positions in [0, 1] by linear interpolation. As `diffeo.sample`, on tensors.

    series      (cases, channels, time), (cases, time), or (time,)
    positions   (n,) for all series, or (cases, n); beyond the ends the first or last value is read

    Returns the shape of the series with n at its end. A missing neighbor (NaN) gives NaN, whose gradient is
    zero. Differentiable in series and positions; not twice.

    ValueError for shapes that do not go together and positions that are not finite; TypeError for
    tensors of different precision.

    >>> diffeo.torch.sample(torch.tensor([0.0, 10.0, 20.0]), torch.tensor([0.25, 0.5]))
    tensor([ 5., 10.])
    """
    block, positions, precision = _in_float32("positions", positions, "series", _block(series))
    samples: Tensor = _autograd.sample(block, positions)
    return samples.reshape((*series.shape[:-1], samples.shape[-1])).to(precision)


def _count(method: str, **given: SupportsIndex | None) -> int:
    """The number that goes with the method; an option that it does not take is refused."""
    if method not in _COUNTS:
        raise ValueError(f"method: expected one of {', '.join(map(repr, _COUNTS))}, got {method!r}")
    takes = _COUNTS[method]
    for name, value in given.items():
        if value is not None and (takes is None or name != takes[0]):
            what = f"it takes {takes[0]}" if takes else "it takes no options"
            raise ValueError(f"{name}: expected none with method {method!r} ({what}), got {value!r}")
    if takes is None:
        return 0
    name, default, least = takes
    value = given[name]
    return default if value is None else whole_number(name, value, least)


def _block(series: Tensor) -> Tensor:
    """(cases, channels, time), whatever axes are missing."""
    axes = series.dim()
    if axes not in (1, 2, 3):
        raise ValueError(
            f"series: expected (cases, channels, time), (cases, time) or (time,), got {tuple(series.shape)}"
        )
    return series if axes == 3 else series.reshape((-1, 1, series.shape[-1]))


def _in_float32(
    name: str, tensor: Tensor, other_name: str, other: Tensor
) -> tuple[Tensor, Tensor, torch.dtype]:
    """`other` and `tensor` as they are computed with, and the precision of the result.

    Half precision is computed in float32 and the result rounded back; under autocast, which decides on
    precisions itself, the result stays in float32.
    """
    if _LOW.isdisjoint((tensor.dtype, other.dtype)):
        return other, tensor, other.dtype
    is_autocast = is_autocast_on(other)
    if tensor.dtype != other.dtype and not is_autocast:
        raise TypeError(
            f"{name}: expected {precision_name(other.dtype)} as the {other_name} have, "
            f"got {precision_name(tensor.dtype)}"
        )
    other, tensor, precision = _raised(other), _raised(tensor), other.dtype
    return other, tensor, other.dtype if is_autocast else precision


def is_autocast_on(tensor: Tensor) -> bool:
    """Whether torch decides on precisions where the tensor is."""
    kind = tensor.device.type
    return kind != "meta" and torch.is_autocast_enabled(kind)


def _raised(tensor: Tensor) -> Tensor:
    return tensor.to(torch.float32) if tensor.dtype in _LOW else tensor


def _time(time: Tensor | float, like: Tensor) -> Tensor:
    if isinstance(time, Tensor):
        return _raised(time)
    # Written where it is needed: to copy it there would be to wait for all that a GPU has still to do.
    return torch.full((), float(time), dtype=torch.float64, device=like.device)
