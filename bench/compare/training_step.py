"""What one training step costs, and how little of it is the warp: docs/results/training_step.json and .md.

    bench/compare/setup.sh
    .venv-peers/bin/python bench/compare/training_step.py        # two minutes, one thread

A step is forward, loss, backward and AdamW. The part that is not the network is the same step from a theta
that is given: velocities, warp, losses, and back to theta. Measured with the classes that train, in C++
(bench/micro/training_step.cpp); and in Python, where one network, one optimizer and the same losses stand
around the warp of diffeo and that of difw as it comes. Contestants take turns; the least
processor times count.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import machine
import training_step_page
from peers import Difw
from run import ensure_one_thread, write
from timing import Timing, alternate
from workload import PROJECT, vertex_basis

RESULTS = PROJECT / "docs" / "results"
BATCH, CHANNELS, LENGTH, CELLS, CLASSES = 32, 1, 300, 32, 4
WIDTHS, KERNELS, HIDDEN, DROPOUT = (32, 64, 64), (7, 5, 3), 32, 0.2
VELOCITY_SCALE, CROSS_ENTROPY_WEIGHT, PRIOR_WEIGHT = 4.0, 30.0, 3e-4
CLASS_COUNT = 25.0  # series of each class in the training set that the centroids are means of
MOST_SHARE = 0.05  # of a step that may be anything but the network
AGREEMENT = 1e-3  # of series of unit height: float32 positions, times the steepest slope
SEED = 20240229

JsonObject = dict[str, Any]


def series_and_labels(torch: Any) -> tuple[Any, Any]:
    """Waves of one shape per class, each shifted a little."""
    generator = torch.Generator().manual_seed(SEED)
    labels = torch.arange(BATCH) % CLASSES
    shift = 0.3 * torch.rand(BATCH, 1, generator=generator)
    time = torch.linspace(0.0, 2.0 * math.pi, LENGTH)
    waves = torch.sin((2.0 + labels[:, None]) * (time + shift))
    noise = 0.05 * torch.randn(BATCH, LENGTH, generator=generator)
    return (waves + noise).unsqueeze(1), labels


def network(torch: Any, outputs: int) -> Any:
    """The default localization network (src/torch/conv_net.cpp), the same weights every time."""
    torch.manual_seed(SEED)
    blocks, channels, steps = [], CHANNELS, LENGTH
    for width, kernel in zip(WIDTHS, KERNELS, strict=True):
        blocks += [
            torch.nn.Conv1d(channels, width, kernel, padding=kernel // 2),
            torch.nn.BatchNorm1d(width),
            torch.nn.MaxPool1d(2),
            torch.nn.ReLU(),
        ]
        channels, steps = width, steps // 2
    head = [torch.nn.Flatten(), torch.nn.Dropout(DROPOUT), torch.nn.Linear(channels * steps, HIDDEN)]
    return torch.nn.Sequential(
        *blocks, *head, torch.nn.ReLU(), torch.nn.Linear(HIDDEN, outputs), torch.nn.Tanh()
    )


class Loss:
    """Variance, cross-entropy and prior by the formulas of src/torch/losses.cpp, for series without gaps."""

    def __init__(self, torch: Any, labels: Any, centroids: Any, precision: Any) -> None:
        self.torch, self.labels, self.centroids, self.precision = torch, labels, centroids, precision
        self.log_sharpness = torch.zeros((), requires_grad=True)

    def __call__(self, aligned: Any, theta: Any) -> Any:
        prior = (theta.matmul(self.precision) * theta).sum(1).mean() / len(self.precision)
        return (
            self.variance(aligned)
            + CROSS_ENTROPY_WEIGHT * self.cross_entropy(self.distances(aligned))
            + PRIOR_WEIGHT * prior
        )

    def members(self) -> Any:
        return self.torch.nn.functional.one_hot(self.labels, CLASSES).to(self.torch.float32)

    def variance(self, aligned: Any) -> Any:
        rows = self.present(aligned)
        member = self.members()
        means = (member.T.matmul(rows) / member.sum(0).unsqueeze(1)).index_select(0, self.labels)
        values = self.present(rows - means).square().mean(1)
        counts = self.members().sum(0)
        counted = (counts >= 2).to(values.dtype)
        unbiased = values.matmul(member) / (counts - 1).clamp_min(1)
        return (unbiased * counted).sum() / counted.sum().clamp_min(1)

    def present(self, values: Any) -> Any:
        """The check for gaps is part of the cost."""
        rows = values.flatten(1)
        if rows.isnan().any():
            raise ValueError("expected series without gaps")
        return rows

    def distances(self, aligned: Any) -> Any:
        rows, means = self.present(aligned), self.present(self.centroids)
        squares = rows.square().sum(1, keepdim=True) + means.square().sum(1)
        return (squares - 2.0 * rows.matmul(means.T)).clamp_min(0.0) / rows.shape[1]

    def cross_entropy(self, distances: Any) -> Any:
        counts = self.torch.full((CLASSES,), CLASS_COUNT).index_select(0, self.labels)
        factor = (counts.clamp_min(2) / (counts - 1).clamp_min(1)).square()
        without_itself = distances * (1.0 + self.members() * (factor - 1.0).unsqueeze(1))
        scores = -without_itself * self.log_sharpness.exp()
        return self.torch.nn.functional.cross_entropy(scores, self.labels)


class Step:
    """One contestant: a warp of its own, everything else the same."""

    def __init__(self, torch: Any, warp: Callable[[Any, Any], Any], basis: Any, precision: Any) -> None:
        self.torch, self.warp = torch, warp
        self.series, labels = series_and_labels(torch)
        centroids = torch.stack([self.series[labels == each].mean(0) for each in range(CLASSES)])
        self.loss = Loss(torch, labels, centroids, precision)
        self.network = network(torch, basis.shape[1])
        self.optimizer = torch.optim.AdamW([*self.network.parameters(), self.loss.log_sharpness], lr=1e-3)
        self.theta = self.network(self.series).detach().requires_grad_()

    def whole(self) -> None:
        self.optimizer.zero_grad()
        theta = self.network(self.series)
        self.loss(self.warp(self.series, theta), theta).backward()
        self.optimizer.step()

    def without_network(self) -> None:
        self.theta.grad = None
        self.loss(self.warp(self.series, self.theta), self.theta).backward()

    def warp_alone(self) -> None:
        """Velocities, flow and sampling, there and back, with the simplest cotangent."""
        self.theta.grad = None
        self.warp(self.series, self.theta).sum().backward()


def contestants(torch: Any, diffeo: Any) -> dict[str, Step]:
    """Both on difw's basis, so that the same theta means the same warp; checked before anything is timed."""
    difw, strict = Difw(), Difw(strict=True)
    space = difw._difw.Cpab(CELLS, backend="pytorch", device="cpu", zero_boundary=True, basis="svd")
    basis = torch.tensor(vertex_basis(space.tess.B), dtype=torch.float32)
    prior = diffeo.WarpSpace(CELLS).prior(variance=1.0, length_scale=0.1)
    precision = torch.tensor(prior.precision, dtype=torch.float32)

    def ours(series: Any, theta: Any) -> Any:
        return diffeo.torch.warp(series, VELOCITY_SCALE * theta.matmul(basis.T))

    def theirs(series: Any, theta: Any) -> Any:
        turned = series.transpose(1, 2)
        return space.transform_data(turned, VELOCITY_SCALE * theta, LENGTH, method="closed_form").transpose(
            1, 2
        )

    steps = {name: Step(torch, warp, basis, precision) for name, warp in (("diffeo", ours), ("difw", theirs))}
    step = steps["diffeo"]
    with torch.no_grad(), strict._selected():
        theta = 0.05 * torch.randn(step.theta.shape, generator=torch.Generator().manual_seed(SEED))
        apart = float((ours(step.series, theta) - theirs(step.series, theta)).abs().max())
    if apart > AGREEMENT:
        raise RuntimeError(f"diffeo and difw-strict warp differently, by {apart:.2g}")
    return steps


def measure(steps: dict[str, Step], seconds: float) -> JsonObject:
    works = {"step": "whole", "without network": "without_network", "warp": "warp_alone"}
    calls = {
        f"{work} {name}": getattr(step, method)
        for work, method in works.items()
        for name, step in steps.items()
    }
    timings = alternate(calls, seconds, clock=process_time)
    return {
        work: {name: described(timings[f"{work} {name}"]) for name in steps} | ratios(work, timings)
        for work in works
    }


def described(timing: Timing) -> JsonObject:
    found = timing.as_json(1)
    return {key: found[key] for key in ("ms", "median_ms", "rounds", "calls")}


def ratios(work: str, timings: dict[str, Timing]) -> JsonObject:
    return {"difw_over_diffeo": timings[f"{work} difw"].best / timings[f"{work} diffeo"].best}


def measure_classes(program: Path, seconds: float) -> dict[str, float]:
    """Milliseconds of the same works with the C++ classes."""
    command = [str(program), *map(str, (BATCH, LENGTH, CELLS, CLASSES, seconds))]
    found: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return found


def run(options: argparse.Namespace) -> JsonObject:
    sys.path.insert(0, str(options.module))
    import torch

    diffeo = importlib.import_module("diffeo")
    importlib.import_module("diffeo.torch")
    torch.set_num_threads(1)
    times = measure(contestants(torch, diffeo), options.seconds)
    shares = {
        name: times["without network"][name]["ms"] / times["step"][name]["ms"] for name in ("diffeo", "difw")
    }
    classes = measure_classes(options.program, options.seconds)
    shares["classes"] = classes["without network"] / classes["step"]
    return {
        "machine": machine.describe(options.module.parent, diffeo.__version__, ("numpy", "torch", "difw")),
        "settings": {
            "batch": BATCH,
            "channels": CHANNELS,
            "length": LENGTH,
            "cells": CELLS,
            "classes": CLASSES,
            "widths": WIDTHS,
            "kernels": KERNELS,
            "hidden": HIDDEN,
            "dropout": DROPOUT,
            "precision": "float32",
            "threads": 1,
            "seconds": options.seconds,
        },
        "times": times,
        "classes_ms": classes,
        "shares": shares,
        "most_share": MOST_SHARE,
    }


def main() -> int:
    ensure_one_thread()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", type=Path, default=PROJECT / "build" / "python", help="holds diffeo")
    parser.add_argument("--program", type=Path, default=PROJECT / "build" / "bin" / "training_step")
    parser.add_argument("--output", type=Path, default=RESULTS / "training_step.json")
    parser.add_argument("--seconds", type=float, default=60.0, help="in Python, and again in C++")
    options = parser.parse_args()
    results = run(options)
    write(results, options.output)
    training_step_page.write(options.output, options.output.with_suffix(".md"))
    if results["shares"]["classes"] > MOST_SHARE:
        print(f"not met: {results['shares']['classes']:.1%} of a step is not the network", file=sys.stderr)
    print(json.dumps(results["shares"]), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
