"""Series as networks see them: complete, and all of one length.

Gaps are filled by linear interpolation, with the nearest value at the ends of a channel; a channel without
any value becomes zero. Then the series is read at `length` equally spaced times of its own duration. Only the
network sees that: warps are applied to the series themselves.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ._autograd import is_traced
from ._operators import sample


def are_values_at_hand(tensor: Tensor) -> bool:
    """Whether to look at the values of a tensor waits for nothing, and decides about this call alone."""
    return (
        type(tensor) is Tensor
        and tensor.device.type == "cpu"
        and not is_traced()
        and not torch._C._are_functorch_transforms_active()
    )


def network_input(series: Tensor, length: int, lengths: Tensor | None = None) -> Tensor:
    """(cases, channels, length) without NaN, of (cases, channels, time). `lengths`: as `read_fractions`."""
    if are_values_at_hand(series) and not series.isnan().any():
        if series.shape[2] == length and lengths is None:
            return series
        filled = series
    else:
        filled = _without_gaps(series)
    grid = torch.linspace(0.0, 1.0, length, dtype=series.dtype, device=series.device)
    return sample(filled, own_time(grid, series.shape[2], lengths))


def own_time(positions: Tensor, steps: int, lengths: Tensor | None) -> Tensor:
    """Positions in the duration of each series, as positions among all `steps` of a batch.

    lengths   (cases): how many steps belong to each series; None means all
    """
    if lengths is None:
        return positions
    last = (lengths - 1).clamp(min=0).to(positions.dtype)
    return positions * (last / max(steps - 1, 1)).unsqueeze(1)


def _without_gaps(series: Tensor) -> Tensor:
    steps = series.shape[2]
    present = ~series.isnan()
    step = torch.arange(steps, device=series.device)
    before = torch.where(present, step, -1).cummax(2).values
    after = torch.where(present, step, steps).flip(2).cummin(2).values.flip(2)
    # At the ends one neighbor stands for both; in an empty channel, the zeros put in below do.
    left = torch.where(before >= 0, before, after).clamp(0, steps - 1)
    right = torch.where(after < steps, after, before).clamp(0, steps - 1)
    values = torch.where(present, series, torch.zeros_like(series))
    left_value, right_value = values.gather(2, left), values.gather(2, right)
    fraction = (step - left).to(series.dtype) / (right - left).clamp(min=1)
    return left_value + (right_value - left_value) * fraction
