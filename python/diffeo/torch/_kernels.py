"""The operators of `torch.ops.diffeo`: their schemas, their kernels, and their shapes without values.

On the CPU they call `diffeo._core` on the memory of the tensors; only tensors that are not contiguous are
copied. So one build serves every torch. For CUDA they call the C++ operators of `diffeo._torch`, if these
were built with kernels for it. The C++ operators have a namespace of their own, `torch.ops.diffeo_cpp`, so
nothing is registered twice, whatever else a process loads.

    velocities   (batch, cells + 1)
    points       (n) for the whole batch, or (batch, n)
    time         () for the whole batch, or (batch)
    series       (cases, channels, time)

Gradients have the shape of their argument; those of a shared argument are summed over the batch. Those that
are not wanted are empty. `_autograd.py` says which operators are the derivatives of which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .. import _core
from .._compiled_torch import compiled_torch

LIBRARY: Any = torch.library.Library("diffeo", "FRAGMENT")  # type: ignore[no-untyped-call]

_PRECISIONS = (torch.float32, torch.float64)
_CUDA = torch._C.DispatchKeySet(torch._C.DispatchKey.CUDA)

# By method: flow, its gradients, and the name of its count.
_SOLVERS: dict[str, tuple[Callable[..., Any], Callable[..., Any], str | None]] = {
    "exact": (_core.flow, _core.flow_vjp, None),
    "numeric": (_core.flow_numeric, _core.flow_numeric_vjp, "steps"),
    "scaling-squaring": (_core.flow_scaling_squaring, _core.flow_scaling_squaring_vjp, "squarings"),
}


# --- what arguments must be like: all that can be known without values --------------------------------------


def precision_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def shape_text(shape: Sequence[Any]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _check_precision(name: str, tensor: Tensor) -> None:
    if tensor.dtype not in _PRECISIONS:
        raise TypeError(f"{name}: expected float32 or float64, got {precision_name(tensor.dtype)}")


def _check_same(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    if tensor.dtype != other.dtype:
        raise TypeError(
            f"{name}: expected {precision_name(other.dtype)} as the {other_name} have, "
            f"got {precision_name(tensor.dtype)}"
        )
    if tensor.device != other.device:
        raise ValueError(
            f"{name}: expected device {other.device} as the {other_name} have, got {tensor.device}"
        )


def _check_time(time: Tensor, items: int) -> None:
    if time.dim() > 1 or (time.dim() == 1 and time.shape[0] != items):
        raise ValueError(f"time: expected a number or shape ({items},), got {shape_text(time.shape)}")
    _check_precision("time", time)


def _check_rows(name: str, tensor: Tensor, items: int) -> None:
    if tensor.dim() not in (1, 2) or (tensor.dim() == 2 and tensor.shape[0] != items):
        raise ValueError(f"{name}: expected shape (n,) or ({items}, n), got {shape_text(tensor.shape)}")


def _check_flow(velocities: Tensor, points: Tensor, time: Tensor) -> None:
    if velocities.dim() != 2:
        raise ValueError(f"velocities: expected shape (batch, cells + 1), got {shape_text(velocities.shape)}")
    _check_rows("points", points, velocities.shape[0])
    _check_precision("velocities", velocities)
    _check_same("points", points, "velocities", velocities)
    _check_time(time, velocities.shape[0])


def _check_series(series: Tensor) -> None:
    if series.dim() != 3:
        raise ValueError(f"series: expected shape (cases, channels, time), got {shape_text(series.shape)}")
    _check_precision("series", series)


def _check_sample(series: Tensor, positions: Tensor) -> None:
    _check_series(series)
    _check_rows("positions", positions, series.shape[0])
    _check_same("positions", positions, "series", series)


def _check_warp(series: Tensor, velocities: Tensor, time: Tensor, length: int) -> None:
    _check_series(series)
    if velocities.dim() != 2 or velocities.shape[0] != series.shape[0]:
        raise ValueError(
            f"velocities: expected shape ({series.shape[0]}, cells + 1), got {shape_text(velocities.shape)}"
        )
    if length < 1:
        raise ValueError(f"length: expected at least 1, got {length}")
    _check_same("velocities", velocities, "series", series)
    _check_time(time, series.shape[0])


def _solver(method: str) -> tuple[Callable[..., Any], Callable[..., Any], str | None]:
    if method not in _SOLVERS:
        raise ValueError(f"method: expected exact, numeric or scaling-squaring, got {method}")
    return _SOLVERS[method]


# --- tensors as arrays and back -----------------------------------------------------------------------------


def array(tensor: Tensor) -> NDArray[Any]:
    """The memory of the tensor."""
    return tensor.detach().contiguous().numpy()


def _rows(tensor: Tensor) -> NDArray[Any]:
    return array(tensor if tensor.dim() == 2 else tensor.unsqueeze(0))


def _times(time: Tensor) -> NDArray[np.float64]:
    return array(time.detach().reshape(-1).to(torch.float64))


def _gradients(found: Sequence[NDArray[Any] | None], arguments: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Of the shapes and precisions of the arguments; empty if not wanted."""
    return tuple(
        argument.new_empty((0,))
        if gradient is None
        else torch.from_numpy(gradient).reshape(argument.shape).to(argument.dtype)
        for gradient, argument in zip(found, arguments, strict=True)
    )


def _three(wanted: Sequence[bool]) -> tuple[bool, bool, bool]:
    first, second, third = wanted
    return first, second, third


def _like_if(wanted: Sequence[bool], arguments: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """All where the first is; the time may be elsewhere."""
    return tuple(
        arguments[0].new_empty(argument.shape if want else (0,), dtype=argument.dtype)
        for want, argument in zip(wanted, arguments, strict=True)
    )


def _refuse_cuda(name: str, reason: str) -> NoReturn:
    raise NotImplementedError(
        f"diffeo::{name}: {reason}. Move the tensors to the CPU, or build diffeo with DIFFEO_BUILD_CUDA=ON "
        "against a torch that has CUDA."
    )


def _on_cuda(name: str) -> Callable[..., Any]:
    def kernel(*arguments: Any) -> Any:
        try:
            compiled_torch("diffeo.torch")
        except ImportError as error:
            _refuse_cuda(name, f"there are no kernels for CUDA ({error})")
        if not hasattr(torch.ops.diffeo_cpp, name):
            _refuse_cuda(name, "there are no kernels for CUDA")
        return getattr(torch.ops.diffeo_cpp, name).default.redispatch(_CUDA, *arguments)

    return kernel


def _define(schema: str, kernel: Callable[..., Any], shapes: Callable[..., Any]) -> None:
    name = schema.partition("(")[0]
    LIBRARY.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    LIBRARY.impl(name, kernel, "CPU")
    LIBRARY.impl(name, _on_cuda(name), "CUDA")
    torch.library.register_fake(f"diffeo::{name}", shapes, lib=LIBRARY)


# --- flow ---------------------------------------------------------------------------------------------------


def _flow(
    velocities: Tensor,
    points: Tensor,
    time: Tensor,
    lower: float = 0.0,
    upper: float = 1.0,
    method: str = "exact",
    steps: int = 0,
) -> Tensor:
    _check_flow(velocities, points, time)
    solve, _, count = _solver(method)
    options = {} if count is None else {count: steps}
    arguments = array(velocities), _rows(points), _times(time), lower, upper, torch.get_num_threads()
    return torch.from_numpy(solve(*arguments, **options))


def _flow_shape(
    velocities: Tensor,
    points: Tensor,
    time: Tensor,
    lower: float = 0.0,
    upper: float = 1.0,
    method: str = "exact",
    steps: int = 0,
) -> Tensor:
    _check_flow(velocities, points, time)
    _solver(method)
    return velocities.new_empty((velocities.shape[0], points.shape[-1]))


def _flow_backward(
    cotangents: Tensor,
    velocities: Tensor,
    points: Tensor,
    time: Tensor,
    lower: float,
    upper: float,
    method: str,
    steps: int,
    wanted: Sequence[bool],
) -> tuple[Tensor, ...]:
    _, vjp, count = _solver(method)
    options = {} if count is None else {count: steps}
    problem = array(velocities), _rows(points), _times(time), array(cotangents), lower, upper
    found = vjp(*problem, *wanted, torch.get_num_threads(), **options)
    return _gradients(found, (velocities, points, time))


def _flow_backward_shape(
    cotangents: Tensor, velocities: Tensor, points: Tensor, time: Tensor, *options: Any
) -> tuple[Tensor, ...]:
    return _like_if(options[-1], (velocities, points, time))


def _along(jvp: Callable[..., NDArray[Any]]) -> Callable[..., Tensor]:
    """The kernel of the directional derivative that `jvp` of the core computes."""

    def kernel(
        velocities: Tensor,
        points: Tensor,
        time: Tensor,
        by_velocities: Tensor,
        by_points: Tensor,
        by_time: Tensor,
        lower: float,
        upper: float,
    ) -> Tensor:
        problem = array(velocities), _rows(points), _times(time)
        tangents = array(by_velocities), _rows(by_points), _times(by_time)
        return torch.from_numpy(jvp(*problem, *tangents, lower, upper, torch.get_num_threads()))

    return kernel


def _along_shape(velocities: Tensor, points: Tensor, *others: Any) -> Tensor:
    return velocities.new_empty((velocities.shape[0], points.shape[-1]))


def _flow_log_slope(
    velocities: Tensor, points: Tensor, time: Tensor, lower: float = 0.0, upper: float = 1.0
) -> Tensor:
    _check_flow(velocities, points, time)
    arguments = array(velocities), _rows(points), _times(time), lower, upper, torch.get_num_threads()
    return torch.from_numpy(_core.flow_log_slope(*arguments))


def _flow_log_slope_shape(
    velocities: Tensor, points: Tensor, time: Tensor, lower: float = 0.0, upper: float = 1.0
) -> Tensor:
    _check_flow(velocities, points, time)
    return velocities.new_empty((velocities.shape[0], points.shape[-1]))


def _flow_log_slope_backward(
    cotangents: Tensor,
    velocities: Tensor,
    points: Tensor,
    time: Tensor,
    lower: float,
    upper: float,
    wanted: Sequence[bool],
) -> tuple[Tensor, ...]:
    problem = array(velocities), _rows(points), _times(time), array(cotangents), lower, upper
    found = _core.flow_log_slope_vjp(*problem, *_three(wanted), torch.get_num_threads())
    return _gradients(found, (velocities, points, time))


# --- warp and sample ----------------------------------------------------------------------------------------


def _warp(series: Tensor, velocities: Tensor, time: Tensor, length: int) -> Tensor:
    _check_warp(series, velocities, time, length)
    arguments = array(series), array(velocities), _times(time), length, torch.get_num_threads()
    return torch.from_numpy(_core.warp(*arguments))


def _warp_shape(series: Tensor, velocities: Tensor, time: Tensor, length: int) -> Tensor:
    _check_warp(series, velocities, time, length)
    return series.new_empty((series.shape[0], series.shape[1], length))


def _warp_backward(
    cotangents: Tensor, series: Tensor, velocities: Tensor, time: Tensor, wanted: Sequence[bool]
) -> tuple[Tensor, ...]:
    problem = array(series), array(velocities), _times(time), array(cotangents)
    found = _core.warp_vjp(*problem, *_three(wanted), torch.get_num_threads())
    return _gradients(found, (series, velocities, time))


def _warp_backward_shape(
    cotangents: Tensor, series: Tensor, velocities: Tensor, time: Tensor, wanted: Sequence[bool]
) -> tuple[Tensor, ...]:
    return _like_if(wanted, (series, velocities, time))


def _sample(series: Tensor, positions: Tensor) -> Tensor:
    _check_sample(series, positions)
    return torch.from_numpy(_core.sample(array(series), _rows(positions), None, torch.get_num_threads()))


def _sample_shape(series: Tensor, positions: Tensor) -> Tensor:
    _check_sample(series, positions)
    return series.new_empty((series.shape[0], series.shape[1], positions.shape[-1]))


def _sample_backward(
    cotangents: Tensor, series: Tensor, positions: Tensor, wanted: Sequence[bool]
) -> tuple[Tensor, ...]:
    problem = array(series), _rows(positions), array(cotangents), None
    by_series, by_positions = wanted
    *found, _ = _core.sample_vjp(*problem, by_series, by_positions, False, torch.get_num_threads())
    return _gradients(found, (series, positions))


def _sample_backward_shape(
    cotangents: Tensor, series: Tensor, positions: Tensor, wanted: Sequence[bool]
) -> tuple[Tensor, ...]:
    return _like_if(wanted, (series, positions))


_FIELD = "Tensor velocities, Tensor points, Tensor time"
_TANGENTS = "Tensor by_velocities, Tensor by_points, Tensor by_time"
_THREE = "(Tensor, Tensor, Tensor)"

_define(
    f'flow({_FIELD}, float lower=0.0, float upper=1.0, str method="exact", int steps=0) -> Tensor',
    _flow,
    _flow_shape,
)
_define(
    f"flow_backward(Tensor cotangents, {_FIELD}, float lower, float upper, str method, int steps, "
    f"bool[3] wanted) -> {_THREE}",
    _flow_backward,
    _flow_backward_shape,
)
_define(
    f"flow_along({_FIELD}, {_TANGENTS}, float lower, float upper) -> Tensor",
    _along(_core.flow_jvp),
    _along_shape,
)
_define(
    f"flow_log_slope({_FIELD}, float lower=0.0, float upper=1.0) -> Tensor",
    _flow_log_slope,
    _flow_log_slope_shape,
)
_define(
    f"flow_log_slope_backward(Tensor cotangents, {_FIELD}, float lower, float upper, bool[3] wanted) "
    f"-> {_THREE}",
    _flow_log_slope_backward,
    _flow_backward_shape,
)
_define(
    f"flow_log_slope_along({_FIELD}, {_TANGENTS}, float lower, float upper) -> Tensor",
    _along(_core.flow_log_slope_jvp),
    _along_shape,
)
_define("sample(Tensor series, Tensor positions) -> Tensor", _sample, _sample_shape)
_define(
    "sample_backward(Tensor cotangents, Tensor series, Tensor positions, bool[2] wanted) -> (Tensor, Tensor)",
    _sample_backward,
    _sample_backward_shape,
)
_define("warp(Tensor series, Tensor velocities, Tensor time, SymInt length) -> Tensor", _warp, _warp_shape)
_define(
    "warp_backward(Tensor cotangents, Tensor series, Tensor velocities, Tensor time, bool[3] wanted) "
    f"-> {_THREE}",
    _warp_backward,
    _warp_backward_shape,
)
