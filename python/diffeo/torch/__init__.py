"""The flow, its log-slope, the sampler and the warp on torch tensors, differentiable in every tensor
argument, and a module of torch that learns how to warp.

>>> velocities = torch.zeros(3, 9, dtype=torch.float64, requires_grad=True)
>>> positions = diffeo.torch.flow(velocities, torch.linspace(0, 1, 5, dtype=torch.float64))
>>> positions.sum().backward()
>>> velocities.grad.shape
torch.Size([3, 9])

Needs torch 2.4 or newer. Only training in C++, `diffeo.TemporalAligner`, needs the one version of torch that
this package was built against.
"""

from ._load import require_torch

require_torch()

from ._operators import flow, flow_log_slope, sample, warp  # noqa: E402  torch has to be there first
from ._transformer import TemporalTransformer, Transformed  # noqa: E402

__all__ = ["TemporalTransformer", "Transformed", "flow", "flow_log_slope", "sample", "warp"]
