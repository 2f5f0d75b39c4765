"""The command `diffeo` after `pip install`: the program's own entry point, in this process.

A package of its own, so that the command starts without NumPy and without `import torch`, which would take
longer than most of what it is asked to do. Networks need torch's libraries alone; they are loaded from where
torch is installed, if it is the one version that they were built against. Only a fit in several processes
imports torch, which joins them (`_processes.py`).
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Protocol


class _Command(Protocol):
    def run(
        self, arguments: list[bytes], group: str = "", processes_here: int = 1, is_restart: bool = False
    ) -> int: ...


def main() -> int:
    """What the program does with the arguments of this process; answers the exit code."""
    _take_signals_as_programs_do()
    os.environ.setdefault("DIFFEO_PYTHON", sys.executable)  # does what the command leaves to Python
    words = [os.fsencode(word) for word in ("diffeo", *sys.argv[1:])]
    try:
        command = _load()
        if "RANK" not in os.environ:
            return command.run(words)
        from ._processes import run_launched

        return run_launched(sys.argv[1:], lambda launch: command.run(words, *launch))
    except (ImportError, OSError, RuntimeError) as problem:
        print(f"diffeo: {_first_line(problem)}", file=sys.stderr)
        return 1


def _first_line(problem: Exception) -> str:
    """Of what it says; of one that says nothing, what it is."""
    return (str(problem).splitlines() or [type(problem).__name__])[0]


def _take_signals_as_programs_do() -> None:
    """Python's handlers only take note of a signal, for bytecode that does not come; an interrupt that was
    ignored from the start, as under nohup, stays so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def _load() -> _Command:
    """The command with networks where their torch is installed, else the one that says what they need."""
    from . import _without_torch

    version = _without_torch.needed_torch
    folder = _torch_folder(version) if version else None
    if folder is None:
        return _without_torch
    try:
        return _load_with(folder)
    except OSError as problem:
        raise OSError(f"torch {version} is installed in {folder}, but cannot be loaded: {problem}") from None


def _load_with(folder: Path) -> _Command:
    """The command with networks, on the libraries of torch in that folder.

    Those for GPUs take long to load, so that only a command that was built for them gets them.
    """
    import ctypes

    ctypes.CDLL(str(folder / "lib" / "libtorch_cpu.so"))
    of_gpus = [folder / "lib" / name for name in ("libc10_cuda.so", "libtorch_cuda.so")]
    try:
        return _with_networks()
    except ImportError:
        if not all(library.exists() for library in of_gpus):
            raise
    for library in of_gpus:
        ctypes.CDLL(str(library))
    return _with_networks()


def _with_networks() -> _Command:
    from . import _with_torch

    return _with_torch


def _torch_folder(version: str) -> Path | None:
    """Where torch of that version is installed; None where there is none, or another."""
    import importlib.util
    import runpy

    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent
    says = runpy.run_path(str(folder / "version.py"))["__version__"]
    return folder if says.partition("+")[0] == version else None
