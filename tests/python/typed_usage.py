"""How the package is used, for a strict type checker and for the interpreter."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import diffeo

space = diffeo.WarpSpace(8, zero_boundary=True, basis="qr", domain=(0.0, 1.0))
prior: diffeo.Prior = space.prior(variance=1e-2, length_scale=0.2)
theta: NDArray[np.float64] = prior.sample(3, seed=7)
fields: NDArray[np.floating[Any]] = space.velocities(theta)
points: NDArray[np.float64] = np.linspace(0.0, 1.0, 20)

positions: NDArray[np.floating[Any]] = diffeo.flow(fields, points, time=[1.0, -1.0, 0.5], threads=2)
approximate = diffeo.flow(fields, points, method="numeric", steps=50)
gradients: diffeo.FlowGradients = diffeo.flow_vjp(fields, points, positions, wanted=("velocities",))
assert gradients.velocities is not None
by_theta: NDArray[np.floating[Any]] = space.theta_gradient(gradients.velocities)
derivatives: diffeo.FlowDerivatives = diffeo.flow_derivatives(fields, points)
tangents: NDArray[np.floating[Any]] = diffeo.flow_jvp(
    fields, points, velocity_tangents=fields, time_tangent=1.0
)
jacobian: NDArray[np.floating[Any]] = diffeo.flow_jacobian(fields, points)

series: NDArray[np.float32] = np.zeros((3, 2, 50), dtype=np.float32)
samples: NDArray[np.floating[Any]] = diffeo.sample(series, positions)
sample_gradients: diffeo.SampleGradients = diffeo.sample_vjp(series, positions, samples)
warped: NDArray[np.floating[Any]] = diffeo.warp(series, fields, length=70, time=-1.0)
warp_gradients: diffeo.WarpGradients = diffeo.warp_vjp(series, fields, warped)

penalty: NDArray[np.floating[Any]] | float = prior.penalty(theta)
threads: int = diffeo.available_threads()
version: str = diffeo.__version__
kernels: str = diffeo.instruction_set()
