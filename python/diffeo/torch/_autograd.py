"""The operators with their derivatives, as functions of tensors.

Called as they are, the functions are `torch.autograd.Function`s, which `torch.func` knows how to transform:
their gradients, directional derivatives and rules for a further batch axis are below. A compiler, an exporter
or a tracer sees one operator of `torch.ops.diffeo` instead, which has the same gradients.

First derivatives only: those of `*_backward` and `*_along` are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeAlias

import torch
from torch import Tensor

from ._kernels import LIBRARY

Axes: TypeAlias = Sequence[int | None]

_FLOW_RANKS = (2, 2, 1)  # of velocities, points and time that have the axis of the batch
_SAMPLE_RANKS = (3, 2)  # of series and positions
_WARP_RANKS = (3, 2, 1)  # of series, velocities and time


def is_traced() -> bool:
    """Whether somebody writes down what is computed, instead of computing it."""
    return bool(torch.compiler.is_compiling() or torch.jit.is_tracing())  # type: ignore[attr-defined, no-untyped-call]


def _refuse_onnx(name: str) -> None:
    if torch.onnx.is_in_onnx_export():
        raise RuntimeError(
            f"diffeo.torch.{name}: ONNX has no operator for it; export the network with torch.export instead"
        )


# --- a further axis of the batch ----------------------------------------------------------------------------


def _folded(tensors: Sequence[Tensor], axes: Axes, ranks: Sequence[int], count: int) -> list[Tensor]:
    """Many batches as one: every tensor with the axis of the batch, `count` times as long."""
    many = [
        tensor.unsqueeze(0).expand(count, *tensor.shape) if axis is None else tensor.movedim(axis, 0)
        for tensor, axis in zip(tensors, axes, strict=True)
    ]
    batch = many[0].shape[1]  # which the first always has
    return [
        (one if one.dim() > rank else one.unsqueeze(1).expand(count, batch, *one.shape[1:])).flatten(0, 1)
        for one, rank in zip(many, ranks, strict=True)
    ]


def _unfolded(result: Tensor, count: int) -> Tensor:
    return result.reshape(count, result.shape[0] // count, *result.shape[1:])


def _is_shared(tensor: Tensor, axis: int | None, rank: int) -> bool:
    return tensor.dim() - (axis is not None) < rank


def _vmap_values(call: Callable[..., Tensor], ranks: Sequence[int]) -> Callable[..., tuple[Tensor, int]]:
    def rule(info: Any, axes: Axes, *arguments: Any) -> tuple[Tensor, int]:
        tensors, options = arguments[: len(ranks)], arguments[len(ranks) :]
        result = call(*_folded(tensors, axes[: len(ranks)], ranks, info.batch_size), *options)
        return _unfolded(result, info.batch_size), 0

    return rule


def _vmap_gradients(
    call: Callable[..., tuple[Tensor, ...]], ranks: Sequence[int]
) -> Callable[..., tuple[tuple[Tensor, ...], tuple[int | None, ...]]]:
    """Ranks: of the cotangents and of what gradients are by. The last argument says which are wanted."""

    def rule(info: Any, axes: Axes, *arguments: Any) -> tuple[tuple[Tensor, ...], tuple[int | None, ...]]:
        tensors, options, wanted = arguments[: len(ranks)], arguments[len(ranks) : -1], arguments[-1]
        found = call(*_folded(tensors, axes[: len(ranks)], ranks, info.batch_size), *options, wanted)
        gradients = [
            _unfolded(gradient, info.batch_size) if want else gradient
            for gradient, want in zip(found, wanted, strict=True)
        ]
        for number, (tensor, axis, rank) in enumerate(zip(tensors, axes, ranks, strict=False)):
            if number > 0 and wanted[number - 1] and _is_shared(tensor, axis, rank):
                gradients[number - 1] = gradients[number - 1].sum(1)
        return tuple(gradients), tuple(0 if want else None for want in wanted)

    return rule


# --- operators as functions ---------------------------------------------------------------------------------


def _function(
    name: str, setup_context: Callable[..., None], **rules: Callable[..., Any]
) -> Callable[..., Any]:
    """The operator as an autograd function with these rules."""
    operator = getattr(torch.ops.diffeo, name)

    def forward(*arguments: Any) -> Any:
        return operator(*arguments)

    members = {"forward": forward, "setup_context": setup_context, **rules}
    made = type(name, (torch.autograd.Function,), {key: staticmethod(rule) for key, rule in members.items()})
    apply: Callable[..., Any] = made.apply  # type: ignore[attr-defined]
    return apply


def _without_derivatives(name: str, vmap: Callable[..., Any]) -> Callable[..., Any]:
    def refuse(*_: Any) -> NoReturn:
        raise RuntimeError(f"diffeo::{name}: expected a first derivative, got asked for a second one")

    def keep_nothing(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        pass

    torch.library.register_autograd(f"diffeo::{name}", refuse, lib=LIBRARY)
    return _function(name, keep_nothing, backward=refuse, jvp=refuse, vmap=vmap)


def _gradients(name: str, ranks: Sequence[int]) -> Callable[..., Any]:
    rule = _vmap_gradients(lambda *arguments: gradients(*arguments), ranks)
    gradients = _without_derivatives(f"{name}_backward", rule)
    return gradients


def _differentiable(
    name: str, ranks: Sequence[int], gradients: Callable[..., Any], along: Callable[..., Tensor]
) -> Callable[..., Any]:
    """The operator, whose first arguments are tensors of these ranks, with its gradients, and with
    along(tensors, tangents, options) as its directional derivative."""
    count = len(ranks)
    operator = getattr(torch.ops.diffeo, name)
    backward_operator = getattr(torch.ops.diffeo, f"{name}_backward").default
    options_taken = len(backward_operator._schema.arguments) - count - 2  # beside cotangents and `wanted`

    def keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.save_for_backward(*inputs[:count])
        ctx.save_for_forward(*inputs[:count])
        ctx.options = inputs[count:]

    def backward_by(gradients_of: Callable[..., tuple[Tensor, ...]]) -> Callable[..., tuple[Any, ...]]:
        def backward(ctx: Any, cotangents: Tensor) -> tuple[Any, ...]:
            wanted = [bool(wants) for wants in ctx.needs_input_grad[:count]]
            found = gradients_of(cotangents, *ctx.saved_tensors, *ctx.options[:options_taken], wanted)
            own = [gradient if wants else None for gradient, wants in zip(found, wanted, strict=True)]
            return (*own, *(None for _ in ctx.options))

        return backward

    def jvp(ctx: Any, *tangents: Any) -> Tensor:
        tensors = ctx.saved_tensors
        known = [
            torch.zeros_like(tensor) if tangent is None else tangent
            for tensor, tangent in zip(tensors, tangents, strict=False)
        ]
        return along(tensors, known, ctx.options)

    torch.library.register_autograd(
        f"diffeo::{name}", backward_by(backward_operator), setup_context=keep, lib=LIBRARY
    )
    if hasattr(torch.library, "register_vmap"):  # since torch 2.5; inside a graph
        torch.library.register_vmap(f"diffeo::{name}", _vmap_values(operator, ranks), lib=LIBRARY)
    apply: Callable[..., Tensor] = _function(
        name,
        keep,
        backward=backward_by(gradients),
        jvp=jvp,
        vmap=_vmap_values(lambda *arguments: apply(*arguments), ranks),
    )

    def call(*arguments: Any) -> Any:
        _refuse_onnx(name)
        return operator(*arguments) if is_traced() else apply(*arguments)

    return call


def _along(name: str) -> Callable[..., Any]:
    ranks = (*_FLOW_RANKS, *_FLOW_RANKS)
    along = _without_derivatives(name, _vmap_values(lambda *arguments: along(*arguments), ranks))
    return along


_flow_gradients = _gradients("flow", (2, *_FLOW_RANKS))
_flow_log_slope_gradients = _gradients("flow_log_slope", (2, *_FLOW_RANKS))
_sample_gradients = _gradients("sample", (3, *_SAMPLE_RANKS))
_warp_gradients = _gradients("warp", (3, *_WARP_RANKS))
_flow_along = _along("flow_along")
_flow_log_slope_along = _along("flow_log_slope_along")


def _along_flow(tensors: Sequence[Tensor], tangents: Sequence[Tensor], options: tuple[Any, ...]) -> Tensor:
    lower, upper, method, _ = options
    if method != "exact":
        raise NotImplementedError(
            f"diffeo.torch.flow: expected method 'exact' for derivatives in forward mode, got {method!r}"
        )
    result: Tensor = _flow_along(*tensors, *tangents, lower, upper)
    return result


def _along_log_slope(
    tensors: Sequence[Tensor], tangents: Sequence[Tensor], options: tuple[Any, ...]
) -> Tensor:
    result: Tensor = _flow_log_slope_along(*tensors, *tangents, *options)
    return result


def _along_sample(tensors: Sequence[Tensor], tangents: Sequence[Tensor], _: tuple[Any, ...]) -> Tensor:
    """The tangent of the series, read at the positions, plus the slopes there times their tangent."""
    series, positions = tensors
    by_series, by_positions = tangents
    channels = series.shape[1]
    ones = torch.ones_like(series[:, :1, :1]).expand(-1, 1, positions.shape[-1])
    places = positions.expand(series.shape[0], -1)  # of each case its own slopes, even at shared positions
    slopes = [
        _sample_gradients(ones, series[:, channel : channel + 1], places, [False, True])[1]
        for channel in range(channels)
    ]
    moved = torch.stack(slopes, 1) * by_positions.unsqueeze(-2)
    read: Tensor = sample(by_series, positions) + moved
    return read.masked_fill(sample(series, positions).isnan(), 0.0)


def _along_warp(tensors: Sequence[Tensor], tangents: Sequence[Tensor], options: tuple[Any, ...]) -> Tensor:
    """That of reading the series along its flow, of which the warp is made."""
    series, velocities, time = tensors
    by_series, by_velocities, by_time = tangents
    grid = torch.linspace(0.0, 1.0, options[0], dtype=series.dtype, device=series.device)
    positions = flow(velocities, grid, time, 0.0, 1.0, "exact", 0)
    moved = _flow_along(velocities, grid, time, by_velocities, torch.zeros_like(grid), by_time, 0.0, 1.0)
    return _along_sample((series, positions), (by_series, moved), ())


flow = _differentiable("flow", _FLOW_RANKS, _flow_gradients, _along_flow)
flow_log_slope = _differentiable("flow_log_slope", _FLOW_RANKS, _flow_log_slope_gradients, _along_log_slope)
sample = _differentiable("sample", _SAMPLE_RANKS, _sample_gradients, _along_sample)
warp = _differentiable("warp", _WARP_RANKS, _warp_gradients, _along_warp)
