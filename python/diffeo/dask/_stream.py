"""Parts through a cluster, and their results in the order of the parts.

A few parts are on the cluster at a time, whatever their number, so that neither side fills up. A part travels
inside its task: the scheduler keeps it, and gives it to another worker where one is lost. The model is a task
of its own, on which all others depend: a worker gets it with its first part and keeps it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable
from typing import Any, TypeAlias
from uuid import uuid4

from distributed import Client, default_client
from numpy.typing import NDArray

from ._models import Sent
from ._parts import Part

Results: TypeAlias = Generator[tuple[Part, NDArray[Any]], None, None]

_PARTS_OF_A_THREAD = 2  # on the cluster at a time: one at work, one on its way


def client_or_default(client: Any) -> Client:
    """The client given, or the one that was made last."""
    if client is None:
        try:
            client = default_client()  # type: ignore[no-untyped-call]
        except ValueError:
            raise ValueError(
                "client: expected a Client of dask.distributed, or one that was made before, got neither"
            ) from None
    if not isinstance(client, Client):
        raise TypeError(f"client: expected a Client of dask.distributed, got {client!r}")
    if client.status in ("closing", "closed"):
        raise ValueError("client: expected one that is open, got one that is closed")
    if client.asynchronous:
        raise ValueError("client: expected one that is not asynchronous")
    return client


def threads_of(client: Any) -> int:
    """Of all workers that there are now; 1 where they are still to come."""
    threads: int = sum(client.nthreads().values())
    return max(1, threads)


def in_order(client: Any, verb: str, sent: Sent, parts: Iterable[Part]) -> Results:
    """Every part and what a worker made of it. Closed early, it takes back what is left."""
    run = uuid4().hex
    model = client.submit(itself, sent, key=f"diffeo-model-{run}")
    waiting: deque[tuple[Part, Any]] = deque()
    try:
        for part in parts:
            task = client.submit(result_of, model, part, key=f"diffeo-{verb}-{run}-{part.first}")
            waiting.append((part, task))
            while len(waiting) >= _PARTS_OF_A_THREAD * threads_of(client):
                yield _first_of(waiting)
        while waiting:
            yield _first_of(waiting)
    finally:
        client.cancel([task for _, task in waiting])


def itself(sent: Sent) -> Sent:
    return sent


def result_of(sent: Sent, part: Part) -> NDArray[Any]:
    """What a worker does; errors count cases of the whole, of which it does not know."""
    try:
        return sent.work()(part.series)
    except ValueError as problem:
        if part.first == 0:
            raise
        raise ValueError(f"after {part.first} cases, {problem}") from None


def _first_of(waiting: deque[tuple[Part, Any]]) -> tuple[Part, NDArray[Any]]:
    part, task = waiting[0]  # stays there, to be canceled, until its result is here
    result = task.result()
    waiting.popleft()
    return part, result
