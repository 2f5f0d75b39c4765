"""Exact, fast diffeomorphic time warps for aligning time series.

A warp φ is the flow of a continuous, piecewise affine velocity field, evaluated in closed form:

>>> space = diffeo.WarpSpace(cells=8)
>>> velocities = space.velocities(space.prior(variance=0.1).sample(1, seed=7)[0])
>>> series = np.sin(np.linspace(0, 6, 100))
>>> warped = diffeo.warp(series, velocities)
>>> positions = diffeo.flow(velocities, np.linspace(0, 1, 100))
>>> bool((np.diff(positions) > 0).all())
True

Everything here imports without torch.
"""

from ._classify import NearestCentroid
from ._core import __version__, available_threads, instruction_set
from ._files import load, save
from ._flow import (
    FlowDerivatives,
    FlowGradients,
    flow,
    flow_derivatives,
    flow_jacobian,
    flow_jvp,
    flow_vjp,
    velocity,
)
from ._generate import Bumps, generate_bumps, generate_cbf, generate_synthetic_control
from ._prepare import fill_missing, resample, z_normalise
from ._series import SampleGradients, WarpGradients, sample, sample_vjp, warp, warp_vjp
from ._space import Prior, WarpSpace

__all__ = [
    "Bumps",
    "FlowDerivatives",
    "FlowGradients",
    "NearestCentroid",
    "Prior",
    "SampleGradients",
    "WarpGradients",
    "WarpSpace",
    "__version__",
    "available_threads",
    "fill_missing",
    "flow",
    "flow_derivatives",
    "flow_jacobian",
    "flow_jvp",
    "flow_vjp",
    "generate_bumps",
    "generate_cbf",
    "generate_synthetic_control",
    "instruction_set",
    "load",
    "resample",
    "sample",
    "sample_vjp",
    "save",
    "velocity",
    "warp",
    "warp_vjp",
    "z_normalise",
]
