"""On a GPU: torch's operators and the transformer beside the processor, then times beside difw's CUDA build.

Run by `make gpu-check`. Values first: what disagrees with the processor is not timed. Then the fields, points
and cotangents of workload.py, more of them; the time of a call is that of the GPU, between two events. Writes
docs/results/gpu_timing.json.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from typing import Any

import torch

import diffeo
import diffeo.torch
from machine import commit
from peers import check_velocities, import_difw
from workload import PROJECT, Case, theta_of, vertex_basis

CASES = [Case(30, 1000, 1000), Case(30, 1000, 100_000), Case(256, 10_000, 100)]
ROUNDS = 20
# Positions: the same operations in the same order, but for the exponentials that points beyond the domain
# need. Gradients: sums of thousands of terms in another order.
POSITION_TOLERANCE = {torch.float32: 1e-6, torch.float64: 1e-14}
GRADIENT_TOLERANCE = {torch.float32: 1e-4, torch.float64: 1e-11}


def require_close(what: str, got: torch.Tensor, wanted: torch.Tensor, tolerance: float) -> None:
    size = wanted.abs().max().item()
    error = (got.cpu() - wanted).abs().max().item()
    if not error <= tolerance * (1 + size):
        sys.exit(f"gpu: {what}: off by {error:.3g}, where values are up to {size:.3g}")
    print(f"{what}: off by {error:.2g} at most")


def with_gradients(function: Callable[..., torch.Tensor], *arguments: torch.Tensor) -> list[torch.Tensor]:
    """What a function gives, and its gradients for fixed cotangents."""
    leaves = [argument.detach().clone().requires_grad_() for argument in arguments]
    result = function(*leaves)
    weights = torch.cos(torch.arange(result.numel(), device=result.device, dtype=result.dtype))
    return [result.detach(), *torch.autograd.grad(result, leaves, weights.reshape(result.shape))]


def check_operators(precision: torch.dtype) -> None:
    torch.manual_seed(1)
    velocities = 0.4 * torch.randn(64, 17, dtype=precision)
    points = 1.2 * torch.rand(64, 500, dtype=precision) - 0.1
    series = torch.randn(64, 3, 200, dtype=precision)
    time = torch.rand(64, dtype=precision)
    calls: dict[str, tuple[Callable[..., torch.Tensor], tuple[torch.Tensor, ...]]] = {
        "flow": (diffeo.torch.flow, (velocities, points, time)),
        "warp": (lambda s, v, t: diffeo.torch.warp(s, v, time=t, length=333), (series, velocities, time)),
        "sample": (diffeo.torch.sample, (series, points)),
    }
    for name, (function, arguments) in calls.items():
        here = with_gradients(function, *arguments)
        there = with_gradients(function, *(argument.cuda() for argument in arguments))
        for i, (got, wanted) in enumerate(zip(there, here, strict=True)):
            tolerance = (GRADIENT_TOLERANCE if i else POSITION_TOLERANCE)[precision]
            what = f"gradient {i}" if i else "values"
            require_close(f"{name}, {precision}, {what}", got, wanted, tolerance)


def check_transformer() -> None:
    """On both machines a transformer gives the same series, and gradients for its weights."""
    torch.backends.cudnn.allow_tf32 = False  # which would leave convolutions three digits
    torch.manual_seed(2)
    series = torch.randn(16, 2, 120)
    here = diffeo.torch.TemporalTransformer(2, 100, cells=16, layers=2)
    there = diffeo.torch.TemporalTransformer(2, 100, cells=16, layers=2)
    there.load_state_dict(here.state_dict())
    there.to("cuda")
    for module, inputs in ((here, series), (there, series.cuda())):
        module(inputs).square().mean().backward()
    require_close("transformer", there(series.cuda()).detach(), here(series).detach(), 1e-3)
    for (name, one), (_, other) in zip(there.named_parameters(), here.named_parameters(), strict=True):
        require_close(f"transformer, {name}", one.grad, other.grad, 1e-3)


def milliseconds(call: Callable[[], Any]) -> float:
    """The median of several rounds, in time of the GPU."""
    call()
    times = []
    for _ in range(ROUNDS):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def on_gpu(values: Any) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32, device="cuda")


def time_case(case: Case, difw: Any) -> dict[str, Any]:
    space = difw.Cpab(case.cells, backend="pytorch", device="gpu", zero_boundary=True, basis="svd")
    basis = vertex_basis(space.tess.B if not hasattr(space.tess.B, "cpu") else space.tess.B.cpu().numpy())
    theta, weights = on_gpu(theta_of(case.velocities, basis)), on_gpu(basis)
    grid, cotangents = on_gpu(case.grid), on_gpu(case.cotangents)
    vertices = torch.linspace(0.0, 1.0, case.cells + 1, device="cuda")
    check_velocities("difw", space.calc_velocity(vertices, theta).cpu().numpy(), case.velocities)

    def ours(leaf: torch.Tensor) -> torch.Tensor:
        return diffeo.torch.flow(leaf @ weights.T, grid)

    def theirs(leaf: torch.Tensor) -> torch.Tensor:
        return space.transform_grid(grid, leaf, method="closed_form")

    times: dict[str, Any] = {"cells": case.cells, "points": case.points, "warps": case.warps}
    for name, flow in (("diffeo", ours), ("difw", theirs)):
        leaf = theta.clone().requires_grad_()
        try:
            tracked = flow(leaf)
            times[name] = {
                "forward_ms": milliseconds(lambda flow=flow: flow(theta)),
                "gradient_ms": milliseconds(
                    lambda tracked=tracked, leaf=leaf: torch.autograd.grad(
                        tracked, leaf, cotangents, retain_graph=True
                    )
                ),
            }
        except torch.cuda.OutOfMemoryError:
            times[name] = None  # difw keeps the whole Jacobian
    print(json.dumps(times))
    return times


def main() -> None:
    if not torch.cuda.is_available():
        sys.exit("gpu: no GPU that this torch can use")
    for precision in (torch.float32, torch.float64):
        check_operators(precision)
    check_transformer()
    difw, transformer = import_difw()
    if not transformer._gpu_success:
        sys.exit("gpu: difw could not compile its CUDA extension: nvcc and ninja are needed")
    result = {
        "gpu": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "diffeo": diffeo.__version__,
        "commit": commit(),
        "cases": [time_case(case, difw) for case in CASES],
    }
    path = PROJECT / "docs" / "results" / "gpu_timing.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"gpu: {path}")


if __name__ == "__main__":
    main()
