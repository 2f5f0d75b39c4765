"""Aligns generated series and draws what happened: before, the warps found, after.

    python examples/demo.py --output build/demo

Three classes of series (`diffeo.generate_bumps`): each is the template of its class, seen through a clock of
its own, in noise. Their means are mush. `diffeo.align` finds the warps, class by class; because the true ones
are known here, the error is measured, not guessed.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

import diffeo
from alignment_picture import Row, draw_alignment
from svg import Picture

CASES, LENGTH, BUMPS, SEED = 60, 300, 7, 8


def generate() -> diffeo.Bumps:
    return diffeo.generate_bumps(CASES, seed=SEED, length=LENGTH, bumps=BUMPS)


def draw(bumps: diffeo.Bumps, result: diffeo.Alignment) -> Picture:
    warps = diffeo.flow(result.velocities, np.linspace(0.0, 1.0, LENGTH))
    classes = [
        (bumps.y == label, template[0]) for label, template in zip("123", bumps.templates, strict=True)
    ]
    return draw_alignment(
        [Row(bumps.X[own, 0], warps[own], result.aligned[own, 0], template) for own, template in classes]
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("build/demo"), help="a directory")
    options = parser.parse_args()

    bumps = generate()
    start = time.perf_counter()
    result = diffeo.align(bumps.X, bumps.y)
    seconds = time.perf_counter() - start
    errors = [
        diffeo.relative_warp_error(result.velocities[bumps.y == label], bumps.velocities[bumps.y == label])
        for label in result.classes
    ]

    options.output.mkdir(parents=True, exist_ok=True)
    diffeo.save(options.output / "series.tsv", bumps.X, bumps.y)
    diffeo.save(options.output / "aligned.tsv", result.aligned, bumps.y)
    diffeo.save(options.output / "means.tsv", result.mean, result.classes)
    draw(bumps, result).write(options.output / "align.svg")

    print(f"aligned {CASES} series of {len(errors)} classes, {LENGTH} samples each, in {seconds:.2f} s")
    print(f"variance within the classes: {result.variance_before:.1f} before, {result.variance:.2f} after")
    print(f"error against the true warps: {100 * np.mean(errors):.2f} % of the length (they move up to 10 %)")
    print(f"wrote align.svg, series.tsv, aligned.tsv and means.tsv to {options.output}")
    return 0 if result.converged and np.mean(errors) < 0.01 else 1


if __name__ == "__main__":
    sys.exit(main())
