"""What the compiled core finds on this machine."""

from __future__ import annotations

from . import _core


def available_threads() -> int:
    """The number of cores this process may run on: its affinity mask, where the system has one.

    What `threads=None` and `n_jobs=-1` mean.

    >>> diffeo.available_threads() >= 1
    True
    """
    return _core.available_threads()


def instruction_set() -> str:
    """The kernels that this machine runs: "baseline", "avx2" or "avx512".

    The best that the processor has, found when the package is imported.

    >>> diffeo.instruction_set() in ("baseline", "avx2", "avx512")
    True
    """
    return _core.instruction_set()
