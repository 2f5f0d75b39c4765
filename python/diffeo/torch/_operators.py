"""The operators with the shapes and defaults that people use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

import torch
from torch import Tensor

from .._arrays import whole_number

Method: TypeAlias = Literal["exact", "numeric", "scaling-squaring"]

# What each method counts: the name of its option, the default of `diffeo.flow`, and the least.
_COUNTS = {"exact": None, "numeric": ("steps", 100, 1), "scaling-squaring": ("squarings", 8, 0)}


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
    fields = velocities.unsqueeze(0) if is_one else velocities
    positions: Tensor = torch.ops.diffeo.flow(
        fields, points, _time(time, fields), float(lower), float(upper), method, count
    )
    return positions.squeeze(0) if is_one else positions


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
    fields = velocities.unsqueeze(0) if is_one else velocities
    log_slopes: Tensor = torch.ops.diffeo.flow_log_slope(
        fields, points, _time(time, fields), float(lower), float(upper)
    )
    return log_slopes.squeeze(0) if is_one else log_slopes


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
    block = _block(series)
    fields = velocities.unsqueeze(0) if velocities.dim() == 1 else velocities
    fields = fields.expand(block.shape[0], -1) if fields.shape[0] == 1 else fields
    count = block.shape[-1] if length is None else length
    warped: Tensor = torch.ops.diffeo.warp(block, fields, _time(time, fields), count)
    return warped.reshape((*series.shape[:-1], count))


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
    block = _block(series)
    samples: Tensor = torch.ops.diffeo.sample(block, positions)
    return samples.reshape((*series.shape[:-1], samples.shape[-1]))


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


def _time(time: Tensor | float, like: Tensor) -> Tensor:
    if isinstance(time, Tensor):
        return time
    # Written where it is needed: to copy it there would be to wait for all that a GPU has still to do.
    return torch.full((), float(time), dtype=torch.float64, device=like.device)


def _flow_batches(
    count: int, in_dims: tuple[int | None, ...], velocities: Tensor, points: Tensor, time: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Fields, points and times of every batch, one batch after the other."""
    fields = _batched(velocities, in_dims[0], count)
    batch = fields.shape[1]
    grid = _batched(points, in_dims[1], count)
    if grid.dim() == 2:
        grid = grid.unsqueeze(1).expand(-1, batch, -1)
    times = _batched(time, in_dims[2], count)
    if times.dim() == 1:
        times = times.unsqueeze(1).expand(-1, batch)
    return fields.flatten(0, 1), grid.flatten(0, 1), times.flatten()


def _vmap_flow(
    info: Any,
    in_dims: tuple[int | None, ...],
    velocities: Tensor,
    points: Tensor,
    time: Tensor,
    lower: float = 0.0,
    upper: float = 1.0,
    method: str = "exact",
    steps: int = 0,
) -> tuple[Tensor, int]:
    """Many batches as one."""
    batches = _flow_batches(info.batch_size, in_dims, velocities, points, time)
    positions = torch.ops.diffeo.flow(*batches, lower, upper, method, steps)
    return positions.unflatten(0, (info.batch_size, batches[0].shape[0] // info.batch_size)), 0


def _vmap_flow_log_slope(
    info: Any,
    in_dims: tuple[int | None, ...],
    velocities: Tensor,
    points: Tensor,
    time: Tensor,
    lower: float = 0.0,
    upper: float = 1.0,
) -> tuple[Tensor, int]:
    batches = _flow_batches(info.batch_size, in_dims, velocities, points, time)
    log_slopes = torch.ops.diffeo.flow_log_slope(*batches, lower, upper)
    return log_slopes.unflatten(0, (info.batch_size, batches[0].shape[0] // info.batch_size)), 0


def _vmap_warp(
    info: Any, in_dims: tuple[int | None, ...], series: Tensor, velocities: Tensor, time: Tensor, length: int
) -> tuple[Tensor, int]:
    count = info.batch_size
    block = _batched(series, in_dims[0], count)
    fields = _batched(velocities, in_dims[1], count)
    times = _batched(time, in_dims[2], count)
    if times.dim() == 1:
        times = times.unsqueeze(1).expand(-1, block.shape[1])
    warped = torch.ops.diffeo.warp(block.flatten(0, 1), fields.flatten(0, 1), times.flatten(), length)
    return warped.unflatten(0, (count, block.shape[1])), 0


def _vmap_sample(
    info: Any, in_dims: tuple[int | None, ...], series: Tensor, positions: Tensor
) -> tuple[Tensor, int]:
    count = info.batch_size
    block = _batched(series, in_dims[0], count)
    places = _batched(positions, in_dims[1], count)
    if places.dim() == 2:
        places = places.unsqueeze(1).expand(-1, block.shape[1], -1)
    samples = torch.ops.diffeo.sample(block.flatten(0, 1), places.flatten(0, 1))
    return samples.unflatten(0, (count, block.shape[1])), 0


def _batched(tensor: Tensor, axis: int | None, count: int) -> Tensor:
    return tensor.unsqueeze(0).expand(count, *tensor.shape) if axis is None else tensor.movedim(axis, 0)


torch.library.register_vmap("diffeo::flow", _vmap_flow)
torch.library.register_vmap("diffeo::flow_log_slope", _vmap_flow_log_slope)
torch.library.register_vmap("diffeo::sample", _vmap_sample)
torch.library.register_vmap("diffeo::warp", _vmap_warp)
