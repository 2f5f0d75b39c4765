"""diffeo behind the same two calls as its peers, on the same theta.

forward     theta to positions: the product with W, then the flow (peers start from theta, too)
flow        the flow alone, from vertex velocities
gradient    cotangents to theta: the vector-Jacobian product, then the product with Wᵀ
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from peers import Calls
from workload import Array, Case, theta_of


@dataclass(frozen=True)
class OurCalls(Calls):
    """The common calls and two more, for what only diffeo is asked."""

    flow: Callable[[], Any]
    velocity_gradient: Callable[[], Any]


class Diffeo:
    """The module built from this source tree."""

    name = "diffeo"

    def __init__(self, directory: Path) -> None:
        sys.path.insert(0, str(directory))
        self.module = importlib.import_module("diffeo")

    def prepare(
        self, case: Case, basis: Array, precision: DTypeLike = np.float32, threads: int = 1
    ) -> OurCalls:
        module = self.module
        velocities, points = case.velocities.astype(precision), case.grid.astype(precision)
        cotangents, weights = case.cotangents.astype(precision), basis.astype(precision)

        @functools.cache
        def theta_and_weights() -> tuple[Any, Any]:
            return theta_of(case.velocities, basis).astype(precision), np.ascontiguousarray(weights.T)

        def forward() -> Any:
            theta, transposed = theta_and_weights()
            return module.flow(theta @ transposed, points, threads=threads)

        def flow() -> Any:
            return module.flow(velocities, points, threads=threads)

        def velocity_gradient() -> Any:
            result = module.flow_vjp(velocities, points, cotangents, threads=threads, wanted=("velocities",))
            return result.velocities

        def gradient() -> Any:
            return velocity_gradient() @ weights

        return OurCalls(forward, gradient, basis, flow, velocity_gradient)
