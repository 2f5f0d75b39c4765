"""A large training set streams in batches: memory is bounded by the data, whatever is done with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import diffeo

ROOT = Path(__file__).parents[2]
PROGRAM = Path(os.environ.get("DIFFEO_PROGRAM", ROOT / "build" / "bin" / "diffeo"))
CASES, LENGTH = 10_000, 1_000
MEBIBYTE = 2**20
DATA = CASES * LENGTH * 8 / MEBIBYTE
# What the program, libtorch and a small network take by themselves varies by this much from run to run.
SPARE = 48.0


def peak_of_fit(tmp_path: Path, cases: int, loss: list[str]) -> float:
    """The peak of resident memory, in MiB, of a program that does nothing but `diffeo fit`."""
    file, model = tmp_path / f"{cases}.npz", tmp_path / f"{cases}.safetensors"
    X, y = diffeo.generate_cbf(cases, seed=1, length=LENGTH)
    diffeo.save(file, X, y)
    del X
    # 40 steps of a network of next to no size: what is left is the data and what is made of it.
    brief = "--epochs 1 --least-steps 0 --batch-size 256 --threads 1 --seed 1 --quiet"
    small = "--widths 2 --kernels 3 --hidden 2 --positions 8 --cells 4"
    command = [PROGRAM, "fit", file, "-o", model, *brief.split(), *small.split(), *loss]
    script = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, command)], check=True, capture_output=True, text=True
    )
    return int(done.stdout) * 1024 / MEBIBYTE


def growth_of_fit(tmp_path: Path, *loss: str) -> float:
    return peak_of_fit(tmp_path, CASES, list(loss)) - peak_of_fit(tmp_path, 300, list(loss))


def test_training_on_values_takes_no_more_than_twice_the_data_and_the_network(tmp_path: Path) -> None:
    growth = growth_of_fit(tmp_path, "--loss", "variance + 30 cross-entropy")
    assert growth <= 2 * DATA + SPARE, f"{growth:.0f} MiB more for {DATA:.0f} MiB of data"


def test_training_on_slopes_too_keeps_what_members_see_beside_the_data(tmp_path: Path) -> None:
    """The data; values and slopes of the first member, slopes of the third; a set that is being warped."""
    growth = growth_of_fit(tmp_path)
    assert growth <= 6 * DATA + SPARE, f"{growth:.0f} MiB more for {DATA:.0f} MiB of data"
