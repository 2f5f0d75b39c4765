"""Are they computing the same thing? Checked before anything is timed.

Every library is judged against the float64 walk of reference.py, diffeo in float32 also against diffeo in
float64 and against each peer. A disagreement that the peer's known error does not explain stops the run.
Position errors are absolute (the domain is [0, 1]); gradient errors are relative to the largest gradient.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import reference
from workload import SEED, Array, Case

REFERENCE_POINTS = 160_000  # as many warps of a case as keep the walk to a few seconds
DIRECTIONS = 3  # random directions in theta along which gradients are compared with the reference

JsonObject = dict[str, Any]


@dataclass(frozen=True)
class Limits:
    """What an error may be."""

    positions: float
    gradients: float


# diffeo in float64: the walk adds one rounding per crossed cell, its derivative divides by slow velocities.
DOUBLE = Limits(positions=1e-12, gradients=1e-9)
# diffeo in float32: rounding the velocities alone moves a point by 2⁻²⁴ · e^(slope); sums over points add up.
SINGLE = Limits(positions=4e-6, gradients=1e-4)
# How far a peer may be from diffeo in float32, by what is known of the peer's own error:
PEERS: dict[str, Limits | None] = {
    "difw": None,  # its exponential is wrong when compiled as it comes: nothing can be required
    "difw-strict": Limits(positions=2e-4, gradients=1e-3),  # a·x + b cancels; borders are nudged by 2⁻²³
    "libcpab": Limits(positions=1e-3, gradients=1e-1),  # a step that crosses a border is not split there
}


class Disagreement(RuntimeError):
    """Two libraries that should compute the same do not."""


@dataclass(frozen=True)
class Values:
    """What one library computed, (warps, points) and (warps, d), and the basis its gradient refers to."""

    positions: Array
    gradients: Array
    basis: Array


def worst(got: Array, wanted: Array) -> float:
    return float(np.abs(np.asarray(got, float) - wanted).max())


def relative(got: Array, wanted: Array) -> float:
    return worst(got, wanted) / float(np.abs(wanted).max())


class Reference:
    """The float64 walk over the first warps of a case."""

    def __init__(self, case: Case) -> None:
        self.warps = max(1, min(case.warps, REFERENCE_POINTS // case.points))
        self._case = case.with_warps(self.warps)
        self._cotangents = case.cotangents[: self.warps]
        self._positions = reference.positions(self._case.velocities, case.grid)

    def errors(self, values: Values) -> JsonObject:
        """How far the values are from the walk; gradients along random directions."""
        warps = min(self.warps, len(values.gradients))
        random = np.random.default_rng(SEED)
        got, wanted = [], []
        for _ in range(DIRECTIONS):
            direction = random.standard_normal((warps, values.basis.shape[1]))
            tangents = direction @ values.basis.T
            fields = self._case.velocities[:warps]
            wanted.append(reference.directional(fields, tangents, self._case.grid, self._cotangents[:warps]))
            got.append((values.gradients[:warps].astype(float) * direction).sum(axis=1))
        positions = worst(values.positions[: self.warps], self._positions)
        return {"positions": positions, "gradients": relative(np.stack(got), np.stack(wanted))}


def difference(ours: Values, velocity_gradients: Array, other: Values) -> JsonObject:
    """Largest differences between diffeo and another library, gradients in the other's theta."""
    warps = len(other.gradients)
    mapped = velocity_gradients[:warps].astype(float) @ other.basis
    return {
        "positions": worst(other.positions, ours.positions),
        "gradients": relative(other.gradients, mapped),
    }


def require(what: str, errors: Mapping[str, float], limits: Limits) -> None:
    """Stop when an error is beyond its limit, or not a number."""
    for quantity in ("positions", "gradients"):
        limit = getattr(limits, quantity)
        if not errors[quantity] <= limit:
            raise Disagreement(f"{what}: {quantity} differ by {errors[quantity]:.3g}, more than {limit:.3g}")
