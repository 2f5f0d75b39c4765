"""What training tells while it runs, and keeps for afterwards."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

#: Called after every epoch, on the thread that called fit; what it raises ends the training.
Callback: TypeAlias = Callable[["FitProgress"], object]

_LINES = 10  # that verbose=1 prints in all, more or less


class EpochRecord(NamedTuple):
    """One epoch of one member: terms of the loss before their weights, averaged over the epoch's steps."""

    member: int  #: from 0
    epoch: int  #: from 1
    loss: float  #: the weighted sum
    variance: float
    inverse_consistency: float  #: 0 where it is not part of the loss
    cross_entropy: float  #: 0 where it is not part of the loss
    prior: float
    accuracy: float  #: of nearest centroids on the epoch's training batches; 0 without labels
    validation_loss: float  #: 0 where nothing is held out
    learning_rate: float


class FitProgress(NamedTuple):
    """What a callback hears after every epoch of every member."""

    record: EpochRecord
    members: int
    epochs: int  #: of this member
    done: float  #: part of all the work, from 0 to 1
    seconds_left: float  #: at the rate so far


def with_lines(callback: Callback | None, verbose: int) -> Callback | None:
    """The callback, and before it a line on stderr: at every tenth of the work, or with verbose=2 always."""
    if not verbose:
        return callback
    told = -1

    def tell(progress: FitProgress) -> None:
        nonlocal told
        part = int(_LINES * progress.done)
        if verbose > 1 or part > told:
            told = part
            print(_line(progress), file=sys.stderr, flush=True)
        if callback is not None:
            callback(progress)

    return tell


def _line(progress: FitProgress) -> str:
    record = progress.record
    member = f"member {record.member + 1}/{progress.members}, " if progress.members > 1 else ""
    return (
        f"{member}epoch {record.epoch}/{progress.epochs}: loss {record.loss:.4g}, "
        f"accuracy {record.accuracy:.3f}, {100 * progress.done:.0f} % done, "
        f"{progress.seconds_left:.0f} s left"
    )
