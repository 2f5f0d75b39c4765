"""The libraries to compare with, each behind the same two calls: theta to positions, and cotangents to theta.

difw          as it comes: its C++ extension, compiled by torch with -Ofast. Under these flags its own
              exponential is wrong, and so are its positions and gradients; the work done is not affected.
difw-strict   the same sources compiled without -ffast-math, for values that can be compared.
libcpab       the package on PyPI carries no C++ sources, so it runs its Python path: 50 steps of matrix
              exponentials, differentiated by autograd.

Running this file compiles what has to be compiled.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from workload import Array, Case, theta_of, vertex_basis

STRICT_FLAGS = ["-O3"]
BYTES = 4  # of a float32
VELOCITY_LIMIT = 1e-5  # of a vertex velocity: a float32 product of up to 1024 terms


@dataclass(frozen=True)
class Calls:
    """What is timed: the two calls on inputs that are ready, and the basis that the gradient refers to.

    The first gradient runs the tracked forward pass; later ones are the backward pass alone.
    """

    forward: Callable[[], Any]
    gradient: Callable[[], Any]
    basis: Array


class Library(Protocol):
    """One contestant."""

    name: str

    def prepare(self, case: Case) -> Calls: ...

    def gradient_bytes_per_warp(self, case: Case) -> int: ...


def prepare_environment() -> None:
    """One thread; let torch find ninja and keep compiled extensions inside the virtual environment."""
    import torch

    torch.set_num_threads(1)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    os.environ.setdefault("TORCH_EXTENSIONS_DIR", str(Path(sys.prefix) / "extensions"))


def check_velocities(name: str, got: Array, wanted: Array) -> None:
    """Refuse to go on when a peer was given another field."""
    worst = float(np.abs(got - wanted).max())
    if worst > VELOCITY_LIMIT:
        raise RuntimeError(f"{name}: vertex velocities off by {worst:.2g}")


def import_difw() -> tuple[Any, Any]:
    """difw and its torch backend, without the chatter of its import."""
    prepare_environment()
    with contextlib.redirect_stdout(io.StringIO()):
        import difw
        from difw.backend.pytorch import transformer
    if not transformer._cpu_success:
        raise RuntimeError("difw could not compile its C++ extension: ninja and g++ are needed")
    return difw, transformer


def compile_strict(transformer: Any) -> Any:
    """difw's C++ sources as a second extension, without -ffast-math."""
    from torch.utils.cpp_extension import load

    backend = Path(transformer.__file__).parent
    sources = [backend / "transformer.cpp", backend.parents[1] / "core" / "cpab_ops.cpp"]
    return load(name="difw_strict", sources=[str(path) for path in sources], extra_cflags=STRICT_FLAGS)


class Difw:
    """difw 0.0.31: exact walk, full Jacobian contracted with the cotangents."""

    def __init__(self, strict: bool = False) -> None:
        self.name = "difw-strict" if strict else "difw"
        self._difw, self._transformer = import_difw()
        self._extension = compile_strict(self._transformer) if strict else self._transformer.cpab_cpu

    @contextlib.contextmanager
    def _selected(self) -> Iterator[None]:
        previous, self._transformer.cpab_cpu = self._transformer.cpab_cpu, self._extension
        try:
            yield
        finally:
            self._transformer.cpab_cpu = previous

    def prepare(self, case: Case) -> Calls:
        import torch

        space = self._difw.Cpab(case.cells, backend="pytorch", device="cpu", zero_boundary=True, basis="svd")
        basis = vertex_basis(space.tess.B)
        theta = torch.tensor(theta_of(case.velocities, basis), dtype=torch.float32)
        grid = torch.tensor(case.grid, dtype=torch.float32)
        cotangents = torch.tensor(case.cotangents, dtype=torch.float32)
        vertices = torch.linspace(0.0, 1.0, case.cells + 1)
        check_velocities(self.name, space.calc_velocity(vertices, theta).numpy(), case.velocities)

        def forward() -> Any:
            with self._selected():
                return space.transform_grid(grid, theta, method="closed_form")

        @functools.cache
        def tracked() -> tuple[Any, Any]:
            leaf = theta.clone().requires_grad_()
            with self._selected():
                return space.transform_grid(grid, leaf, method="closed_form"), leaf

        def gradient() -> Any:
            positions, leaf = tracked()
            with self._selected():
                return torch.autograd.grad(positions, leaf, cotangents, retain_graph=True)[0]

        return Calls(forward, gradient, basis)

    def gradient_bytes_per_warp(self, case: Case) -> int:
        """The Jacobian, its product with the cotangents, and room for one more."""
        return 3 * case.points * (case.cells - 1) * BYTES


class Libcpab:
    """libcpab 0.1.3: 50 small steps, autograd."""

    name = "libcpab"

    def __init__(self) -> None:
        prepare_environment()
        import libcpab

        self._libcpab = libcpab

    def prepare(self, case: Case) -> Calls:
        import torch

        space = self._libcpab.Cpab([case.cells], device="cpu", zero_boundary=True)
        basis = vertex_basis(space.get_basis())
        theta = torch.tensor(theta_of(case.velocities, basis), dtype=torch.float32)
        grid = torch.tensor(case.grid, dtype=torch.float32)[None]
        cotangents = torch.tensor(case.cotangents, dtype=torch.float32)
        vertices = torch.linspace(0.0, 1.0, case.cells + 1)[None]
        check_velocities(self.name, space.calc_vectorfield(vertices, theta[:1]).numpy(), case.velocities[:1])

        def forward() -> Any:
            return space.transform_grid(grid, theta)[:, 0]

        @functools.cache
        def tracked() -> tuple[Any, Any]:
            leaf = theta.clone().requires_grad_()
            return space.transform_grid(grid, leaf)[:, 0], leaf

        def gradient() -> Any:
            positions, leaf = tracked()
            return torch.autograd.grad(positions, leaf, cotangents, retain_graph=True)[0]

        return Calls(forward, gradient, basis)

    def gradient_bytes_per_warp(self, case: Case) -> int:
        """What autograd keeps for each of 50 steps: a 2 × 2 matrix, a point, an index, and some room."""
        return 50 * 64 * case.points


def all_peers() -> list[Library]:
    return [Difw(), Difw(strict=True), Libcpab()]


if __name__ == "__main__":
    for library in all_peers():
        print(library.name, "ready")
