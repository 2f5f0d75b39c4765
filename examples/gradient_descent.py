"""Aligns one series to another by gradient descent on the velocities: the twin of gradient_descent.cpp.

    loss(theta) = mean square of (warp(source, W theta) - target)

warp_vjp carries the gradient of the loss back to the velocities, and the transpose of W from there to theta.
"""

import sys

import numpy as np
from numpy.typing import NDArray

import diffeo

Array = NDArray[np.float64]

LENGTH, STEPS, STEP_LENGTH = 200, 300, 0.5


def two_bumps(first: float, second: float) -> Array:
    """A high and a low bump around the given centers."""
    x = np.linspace(0.0, 1.0, LENGTH)
    return np.exp(-(((x - first) / 0.08) ** 2)) + 0.6 * np.exp(-(((x - second) / 0.08) ** 2))


def main() -> int:
    source, target = two_bumps(0.30, 0.62), two_bumps(0.38, 0.75)
    space = diffeo.WarpSpace(cells=12)
    theta = np.zeros(space.dimension)
    losses = []
    for step in range(STEPS + 1):
        velocities = space.velocities(theta)
        difference = diffeo.warp(source, velocities) - target
        losses.append(np.mean(difference**2))
        if step % 50 == 0:
            print(f"step {step:3d}   loss {losses[-1]:.6f}")
        gradient = diffeo.warp_vjp(source, velocities, 2.0 * difference / LENGTH)
        theta -= STEP_LENGTH * (space.vertex_basis.T @ gradient.velocities)

    aligned = losses[-1] < 0.01 * losses[0]
    print(
        f"{'aligned' if aligned else 'not aligned'}: {losses[-1] / losses[0]:.2g} of the difference is left"
    )
    return 0 if aligned else 1


if __name__ == "__main__":
    sys.exit(main())
