"""An independent float64 flow to judge every library by: walk each point from cell to cell.

It shares no code and no method with what is measured. Directional derivatives come from the complex step: a
field with an imaginary part of 1e-30 gives dφ as the imaginary part of φ, free of cancellation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workload import Array

STEP = 1e-30
SERIES_BELOW = 1e-3  # where the five-term series are right to 1e-16 and the quotients are not

AnyArray = NDArray[Any]


def exp_quotient(z: AnyArray) -> AnyArray:
    """E(z) = expm1(z)/z."""
    near = np.abs(z) < SERIES_BELOW
    safe = np.where(near, 1.0, z)
    series = 1 + z * (1 / 2 + z * (1 / 6 + z * (1 / 24 + z * (1 / 120 + z / 720))))
    return np.where(near, series, np.expm1(safe) / safe)


def log_quotient(w: AnyArray) -> AnyArray:
    """L(w) = log1p(w)/w."""
    near = np.abs(w) < SERIES_BELOW
    safe = np.where(near, 1.0, w)
    series = 1 + w * (-1 / 2 + w * (1 / 3 + w * (-1 / 4 + w * (1 / 5 - w / 6))))
    return np.where(near, series, np.log(1 + safe) / safe)


def walk(velocities: AnyArray, points: Array) -> AnyArray:
    """φ(points, 1) of one field that vanishes at both ends of [0, 1]; real or complex velocities."""
    cells = len(velocities) - 1
    width = 1.0 / cells
    cell = np.clip(np.floor(points * cells).astype(int), 0, cells - 1)
    local = (points - cell * width).astype(velocities.dtype)
    time = np.ones_like(local)
    result: AnyArray = np.empty_like(local)
    active = np.arange(len(points))
    while len(active):
        here = cell[active]
        slope = (velocities[here + 1] - velocities[here]) / width
        speed = velocities[here] + slope * local[active]
        forward = speed.real > 0
        border_speed = velocities[here + forward]
        leaves = speed.real * border_speed.real > 0
        ratio = (forward * width - local[active]) / np.where(leaves, speed, 1.0)
        crossing = np.where(leaves, ratio * log_quotient(np.where(leaves, slope * ratio, 0.0)), np.inf)
        stays = ~(crossing.real < time[active].real)
        done, left = active[stays], time[active[stays]]
        moved = local[done] + speed[stays] * left * exp_quotient(slope[stays] * left)
        result[done] = here[stays] * width + moved
        goes = active[~stays]
        time[goes] -= crossing[~stays]
        cell[goes] += np.where(forward[~stays], 1, -1)
        local[goes] = np.where(forward[~stays], 0.0, width)
        active = goes
    return result


def positions(velocities: Array, points: Array) -> Array:
    """φ(points, 1) for every field: (batch, points)."""
    return np.stack([walk(field, points) for field in velocities])


def directional(velocities: Array, tangents: Array, points: Array, cotangents: Array) -> Array:
    """Σ over points of cotangent · dφ for each field moved along its tangent: (batch,)."""
    shifted = velocities + 1j * STEP * tangents
    derivatives: Array = np.stack([walk(field, points) for field in shifted]).imag / STEP
    weighted: Array = np.einsum("ij,ij->i", derivatives, cotangents)
    return weighted
