"""The processes that torchrun starts, joined into a group in which `diffeo fit` trains.

torchrun, or whatever else sets the variables of torch's `env://`, tells each process who it is and where the
first one listens. torch forms the group here, in Python; the command finds it by its name.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any, NamedTuple

_JOINABLE = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
_DONE = "diffeo/done"


class Launch(NamedTuple):
    """What the command is told beside its arguments."""

    group: str = ""  #: torch's name for the group; empty: this process alone
    processes_here: int = 1  #: of the group, on this machine
    is_restart: bool = False  #: the launcher has started the group again after a failure


def verb_of(arguments: list[str]) -> str:
    """The verb that arguments begin with; empty where they begin with an option."""
    return arguments[0] if arguments and not arguments[0].startswith("-") else ""


def run_launched(arguments: list[str], command: Callable[[Launch], int]) -> int:
    """The exit code of a command that is told how this process was started, and with which others.

    RuntimeError where they cannot be joined, or where what they are asked for is a matter of one process.
    """
    is_restart = _number("TORCHELASTIC_RESTART_COUNT", 0) > 0
    size = _number("WORLD_SIZE", 1) if all(name in os.environ for name in _JOINABLE) else 1
    if size == 1:
        return command(Launch(is_restart=is_restart))
    verb = verb_of(arguments)
    if verb != "fit":
        if verb and "TORCHELASTIC_RUN_ID" in os.environ:
            raise RuntimeError(f"{verb}: expected one process, got {size}; only fit works in several")
        return command(Launch())
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError:  # the command says what it needs
        return command(Launch())
    here = _number("LOCAL_WORLD_SIZE", 1)
    store = _join(torch)
    code = 0
    # Who is lost on the way out has the group started again, with nothing left to do.
    if not (is_restart and store.check([_DONE])):
        code = command(Launch(torch.distributed.group.WORLD.group_name, here, is_restart))
        if code == 0 and torch.distributed.get_rank() == 0:
            store.set(_DONE, "")
    torch.distributed.destroy_process_group()
    return code


def _number(name: str, lowest: int) -> int:
    """A variable of the environment; the lowest value it may have where it is not set."""
    text = os.environ.get(name, str(lowest))
    if not text.isdecimal() or int(text) < lowest:
        raise RuntimeError(f"{name}: expected a whole number of at least {lowest}, got {text!r}")
    return int(text)


def _join(torch: Any) -> Any:
    """Forms the group: Gloo for tensors of the processor, and NCCL for those of GPUs where there are any.

    Returns where it met, which a launcher keeps while it starts the group again.
    """
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        raise RuntimeError(
            f"fit: expected torch with torch.distributed and Gloo to join processes, "
            f"got torch {torch.__version__} without"
        )
    for name in ("RANK", "MASTER_PORT"):  # where torch would have a traceback
        _number(name, 0)
    has_nccl = torch.cuda.is_available() and torch.distributed.is_nccl_available()
    store, rank, size = next(torch.distributed.rendezvous("env://"))
    # torchrun keeps one store over all restarts: under the same names a process may find where one of the
    # attempt before was listening, and wait for it.
    attempt = f"diffeo/{os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}/{size}"
    torch.distributed.init_process_group(
        "cpu:gloo,cuda:nccl" if has_nccl else "gloo",
        store=torch.distributed.PrefixStore(attempt, store),
        rank=rank,
        world_size=size,
    )
    return store
