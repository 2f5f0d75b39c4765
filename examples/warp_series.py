"""Warps a batch of series, each by its own random smooth warp, and undoes it: the twin of warp_series.cpp.

A warp is given by velocities at the vertices of a tessellation. Here they are drawn from the smoothness
prior; the first and last are zero, so that the ends of the series stay where they are. Time -1 is the inverse
of time 1.
"""

import sys

import numpy as np

import diffeo

CASES, LENGTH = 8, 400


def main() -> int:
    series = np.tile(np.sin(4 * np.pi * np.linspace(0.0, 1.0, LENGTH)), (CASES, 1))
    space = diffeo.WarpSpace(cells=16)
    velocities = space.velocities(space.prior(variance=0.3, length_scale=0.2).sample(CASES, seed=7))

    warped = diffeo.warp(series, velocities)
    restored = diffeo.warp(warped, velocities, time=-1.0)

    moved, left = np.abs(warped - series).max(), np.abs(restored - series).max()
    print(f"{CASES} series of {LENGTH} samples: warping changes them by up to {moved:.3f}")
    print(f"the inverse warp brings them back to {left:.4f} (linear interpolation, twice)")
    return 0 if moved > 0.1 and left < 0.02 else 1


if __name__ == "__main__":
    sys.exit(main())
