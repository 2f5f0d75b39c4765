"""The part of diffeo that needs torch: importing it registers torch.ops.diffeo."""

from torch import Tensor

torch_version: str

def flow(velocities: Tensor, points: Tensor, time: Tensor, lower: float, upper: float) -> Tensor: ...
def warp(series: Tensor, velocities: Tensor, time: Tensor, length: int) -> Tensor: ...
