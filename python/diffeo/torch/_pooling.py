"""Max pooling by two and ReLU, in one pass where tensors are computed with as they are.

The values are those of torch's own, which take half of a training step of the default network.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

from .. import _core
from ._kernels import array
from ._network_input import are_values_at_hand


def rectified_pooling(features: Tensor) -> Tensor:
    """(cases, channels, steps) to (cases, channels, steps / 2)."""
    if are_values_at_hand(features) and features.dtype in (torch.float32, torch.float64):
        pooled: Tensor = _RectifiedPooling.apply(features)  # type: ignore[no-untyped-call]
        return pooled
    return functional.max_pool1d(features, 2).relu()


def _rows(tensor: Tensor) -> Any:
    return array(tensor.flatten(0, 1))


class _RectifiedPooling(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, features: Tensor) -> Tensor:
        ctx.save_for_backward(features)
        ctx.save_for_forward(features)
        pooled = torch.from_numpy(_core.rectified_pooling(_rows(features), torch.get_num_threads()))
        return pooled.view(*features.shape[:2], pooled.shape[1])

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, cotangents: Tensor) -> Tensor:
        (features,) = ctx.saved_tensors
        gradients = _core.rectified_pooling_vjp(_rows(features), _rows(cotangents), torch.get_num_threads())
        return torch.from_numpy(gradients).view(features.shape)

    @staticmethod
    def jvp(ctx: Any, tangents: Tensor) -> Tensor:
        (features,) = ctx.saved_tensors
        shape = (*features.shape[:2], features.shape[2] // 2, 2)
        pairs, along = (tensor[..., : 2 * shape[2]].reshape(shape) for tensor in (features, tangents))
        larger, chosen = pairs.max(-1, keepdim=True)
        return along.gather(-1, chosen).masked_fill(larger <= 0, 0.0).squeeze(-1)
