"""The processes that torchrun starts, joined into a group in which `diffeo fit` trains.

torchrun, or whatever else sets the variables of torch's `env://`, tells each process who it is and where the
first one listens. torch forms the group here, in Python; the command finds it by its name.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

_JOINABLE = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
_RUN = "TORCHELASTIC_RUN_ID"
_UNNAMED = "none"  # torchrun's name of a run that was given none
_DONE = "done"
_LOOK_INTERVAL = 0.05  # seconds until a process looks again whether the others are there


class Launch(NamedTuple):
    """What the command is told beside its arguments."""

    group: str = ""  #: torch's name for the group; empty: this process alone
    processes_here: int = 1  #: of the group, on this machine
    is_restart: bool = False  #: the launcher has started the group again after a failure


class Attempt(NamedTuple):
    """One start of the group, of which all its processes know the same."""

    number: int  #: from 1
    is_restart: bool
    run: str  #: the name of what was launched, the same for all its attempts


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
        if os.environ.get(_RUN) == _UNNAMED:
            os.environ[_RUN] = _name_of_run()
        return command(Launch(is_restart=is_restart))
    verb = verb_of(arguments)
    if verb != "fit":
        if verb and _RUN in os.environ:
            raise RuntimeError(f"{verb}: expected one process, got {size}; only fit works in several")
        return command(Launch())
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError:  # the command says what it needs
        return command(Launch())
    here = _number("LOCAL_WORLD_SIZE", 1)
    store, attempt = _join(torch, is_restart)
    os.environ[_RUN] = attempt.run  # where the command looks for it
    code = 0
    # Who is lost on the way out has the group started again, with nothing left to do.
    if not (attempt.is_restart and store.check([_DONE])):
        code = command(Launch(torch.distributed.group.WORLD.group_name, here, attempt.is_restart))
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


def _name_of_run() -> str:
    """What torchrun calls the run; where that is nothing, a name of the process that has launched it.

    Every run that was given no name has the same, and would take the checkpoint of another for its own.
    """
    name = os.environ.get(_RUN, _UNNAMED)
    if name != _UNNAMED:
        return name
    launcher = os.getppid()
    host = re.sub(r"[^A-Za-z0-9.-]", "-", platform.node())
    return f"{host}-{launcher}-{_start_of(launcher)}"


def _start_of(process: int) -> str:
    """When a process was started, in ticks of the system's clock: numbers of processes come again."""
    try:
        words = Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return words[19]  # the 22nd field; the second, in brackets, may have blanks
    except (OSError, IndexError):  # a launcher that cannot be seen from here
        return uuid4().hex


def _join(torch: Any, is_restart: bool) -> tuple[Any, Attempt]:
    """Forms the group: Gloo for tensors of the processor, and NCCL for those of GPUs where there are any.

    Returns where it met, which a launcher keeps while it starts the group again, and which attempt this is.
    """
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        raise RuntimeError(
            f"fit: expected torch with torch.distributed and Gloo to join processes, "
            f"got torch {torch.__version__} without"
        )
    for name in ("RANK", "MASTER_PORT"):  # where torch would have a traceback
        _number(name, 0)
    has_nccl = torch.cuda.is_available() and torch.distributed.is_nccl_available()
    shared, rank, size = next(torch.distributed.rendezvous("env://"))
    # Runs of different names may meet at one place.
    store = torch.distributed.PrefixStore(f"diffeo/{os.environ.get(_RUN, _UNNAMED)}", shared)
    attempt = agreed_attempt(store, rank, size, is_restart)
    torch.distributed.init_process_group(
        "cpu:gloo,cuda:nccl" if has_nccl else "gloo",
        store=torch.distributed.PrefixStore(f"{attempt.number}/group", store),
        rank=rank,
        world_size=size,
    )
    return store, attempt


def agreed_attempt(store: Any, rank: int, size: int, is_restart: bool) -> Attempt:
    """The attempt that this process is part of, with all the others of its group.

    torchrun keeps one store over all restarts: under the same names a process may find where one of the
    attempt before was listening, and wait for it. How often it was restarted does not tell attempts apart:
    every agent counts its own failures, so that the counts of two machines differ after the first. So the
    first process counts attempts in the store, and names all who have come. Who is not named has found an
    attempt that others have left, and waits for the next.

    RuntimeError where they have not met in the store's timeout.
    """
    return _called(store, size, is_restart) if rank == 0 else _followed(store, rank)


def _called(store: Any, size: int, is_restart: bool) -> Attempt:
    """A new attempt, as soon as all the others have come to it."""
    number = store.add("attempts", 1)
    places = [_place(number, rank) for rank in range(1, size)]
    for _ in _looks(store):
        if store.check(places):
            run = store.compare_set("run", "", _name_of_run()).decode()  # of whichever machine was first
            attempt = Attempt(number, is_restart or number > 1, run)
            come = [store.get(place).decode() for place in places]
            store.set(_start(number), json.dumps([come, *attempt]))
            return attempt
    come = [place for place in places if store.check([place])]
    raise RuntimeError(
        f"fit: expected {size} processes to meet in {_seconds(store):g} s, got {1 + len(come)}"
    )


def _followed(store: Any, rank: int) -> Attempt:
    """The attempt of the first process that has counted on this one."""
    name, last = uuid4().hex, 0
    for _ in _looks(store):
        number = store.add("attempts", 0)
        if number > last:
            store.set(_place(number, rank), name)
            last = number
        if store.check([_start(number)]):
            come, *attempt = json.loads(store.get(_start(number)))
            if name in come:
                return Attempt(*attempt)
    raise RuntimeError(
        f"fit: expected the first process to call process {rank} in {_seconds(store):g} s, got no call"
    )


def _place(number: int, rank: int) -> str:
    """Where a process says that it has come to an attempt."""
    return f"{number}/come/{rank}"


def _start(number: int) -> str:
    """Where the first process says that an attempt begins, and with whom."""
    return f"{number}/start"


def _seconds(store: Any) -> float:
    return float(store.timeout.total_seconds())


def _looks(store: Any) -> Iterator[None]:
    """One for every time to look at a store, until its timeout."""
    end = time.monotonic() + _seconds(store)
    while time.monotonic() < end:
        yield
        time.sleep(_LOOK_INTERVAL)
