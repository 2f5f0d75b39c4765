"""The inputs that every library gets: fields, points and cotangents of one case.

The fields are the 40 of the paper's setting (30 cells, a file of vertex velocities). For finer tessellations
the same fields are interpolated linearly at the new vertices, so that the deformation stays the same
and only the number of cells a point crosses grows. Everything is deterministic.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PROJECT = Path(__file__).resolve().parents[2]
FIELDS = PROJECT / "tests" / "golden" / "bench_velocities_30x40.txt"
SEED = 20240229


@dataclass(frozen=True)
class Case:
    """A number of warps of the same points: (warps, cells + 1) velocities, (points,) points."""

    cells: int
    points: int
    warps: int

    @property
    def name(self) -> str:
        return f"{self.cells}x{self.points}x{self.warps}"

    @property
    def title(self) -> str:
        return f"{self.cells} cells × {self.points} points × {self.warps} warps"

    @property
    def evaluations(self) -> int:
        return self.points * self.warps

    def with_warps(self, warps: int) -> Case:
        """The first warps of this case."""
        return self if warps >= self.warps else replace(self, warps=warps)

    @cached_property
    def velocities(self) -> Array:
        fields = np.loadtxt(FIELDS)
        old = np.linspace(0.0, 1.0, fields.shape[1])
        new = np.linspace(0.0, 1.0, self.cells + 1)
        chosen = fields[np.arange(self.warps) % len(fields)]
        return np.stack([np.interp(new, old, field) for field in chosen])

    @cached_property
    def grid(self) -> Array:
        return np.linspace(0.0, 1.0, self.points)

    @cached_property
    def cotangents(self) -> Array:
        return np.random.default_rng(SEED).standard_normal((self.warps, self.points))


def vertex_basis(affine_basis: Array) -> Array:
    """W of `vertex velocities = W @ theta`, from a basis of the cells' (slope, intercept) pairs on [0, 1]."""
    cells = len(affine_basis) // 2
    vertices = np.linspace(0.0, 1.0, cells + 1)
    slopes, intercepts = affine_basis[0::2], affine_basis[1::2]
    left_ends = slopes * vertices[:-1, None] + intercepts
    return np.vstack([left_ends, slopes[-1] + intercepts[-1]])


def inner_vertices(cells: int) -> Array:
    """The simplest W, for what does not depend on the basis: theta holds the inner vertices' velocities."""
    return np.eye(cells + 1)[:, 1:-1]


def theta_of(velocities: Array, basis: Array) -> Array:
    """The theta whose field has these vertex velocities; refuses a basis that cannot express them."""
    theta: Array = np.linalg.lstsq(basis, velocities.T, rcond=None)[0].T.astype(np.float64)
    residual = float(np.abs(theta @ basis.T - velocities).max())
    if residual > 1e-12 * len(basis):
        raise ValueError(f"the basis misses the vertex velocities by {residual:.2g}")
    return theta
