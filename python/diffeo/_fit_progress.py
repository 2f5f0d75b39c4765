"""What fits tell while they run, and keep for afterwards."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ._align_options import AlignStep, Progress
from ._arrays import whole_number
from ._live_bar import LiveBar, is_watched

#: Called after every epoch, on the thread that called fit; what it raises ends the training.
Callback: TypeAlias = Callable[["FitProgress"], object]

_LINES = 10  # that verbose=1 prints in all, more or less, where there is no tqdm
_PART_FORMAT = "{desc}{percentage:3.0f} %|{bar}| {elapsed}<{remaining}{postfix}"
_STEPS_FORMAT = "{desc}{n_fmt} steps, {elapsed}{postfix}"


class EpochRecord(NamedTuple):
    """One epoch of one member: terms of the loss before their weights, averaged over the epoch's steps.

    In units in which each channel of the training set has mean 0 and standard deviation 1.

    >>> X, y = diffeo.generate_cbf(12, seed=1, length=32)
    >>> aligner = diffeo.TemporalAligner(widths=(4,), kernels=(3,), epochs=2, least_steps=0, members=1)
    >>> [record.epoch for record in aligner.fit(X, y).history_]
    [1, 2]
    """

    member: int  #: from 0
    epoch: int  #: from 1
    loss: float  #: the weighted sum
    warps: float  #: squared distance to the warps taught, of their size; 0 if not part of the loss
    variance: float
    slopes: float  #: variance of slopes; 0 where it is not part of the loss
    inverse_consistency: float  #: 0 where it is not part of the loss
    cross_entropy: float  #: 0 where it is not part of the loss
    recognition: float  #: 0 where it is not part of the loss
    prior: float
    accuracy: float  #: of nearest centroids on the epoch's training batches; 0 without labels
    validation_loss: float  #: 0 where nothing is held out
    learning_rate: float


class FitProgress(NamedTuple):
    """What a callback hears after every epoch of every member.

    >>> X, y = diffeo.generate_cbf(12, seed=1, length=32)
    >>> heard = []
    >>> _ = diffeo.TemporalAligner(
    ...     widths=(4,), kernels=(3,), epochs=2, least_steps=0, members=1, callback=heard.append
    ... ).fit(X, y)
    >>> [(progress.record.epoch, progress.epochs, progress.done) for progress in heard]
    [(1, 2, 0.5), (2, 2, 1.0)]
    """

    record: EpochRecord
    members: int
    epochs: int  #: of this member
    done: float  #: part of all the work, from 0 to 1
    seconds_left: float  #: at the rate so far


def verbosity(verbose: int | bool | None) -> int | None:
    """How much is told: 0, 1, 2 or more; True is 1. None: a bar if the fit is long and somebody watches."""
    if verbose is None:
        return None
    return whole_number("verbose", int(verbose) if isinstance(verbose, bool | np.bool_) else verbose, 0)


@contextmanager
def telling_epochs(
    callback: Callback | None, verbose: int | None, beginning: str
) -> Iterator[Callback | None]:
    """The callback, and before it a bar of tqdm (verbose=1) or lines on stderr; None where nobody listens.

    beginning   what the fit does before its first epoch, for bars
    """
    if verbose is None and is_watched():
        with LiveBar(beginning, has_end=True) as live:
            yield _watched_epochs(callback, live)
        return
    if not verbose:
        yield callback
        return
    with _bar(_PART_FORMAT, verbose, total=1.0) as bar:
        told = -1
        if bar is not None:
            bar.set_postfix_str(beginning)

        def tell(progress: FitProgress) -> None:
            nonlocal told
            part = int(_LINES * progress.done)
            if bar is not None:
                bar.set_postfix_str(_state(progress), refresh=False)
                bar.update(progress.done - bar.n)
            elif verbose > 1 or part > told:
                told = part
                percent, seconds = 100 * progress.done, progress.seconds_left
                _print(f"{_state(progress)}, {percent:.0f} % done, {seconds:.0f} s left")
            if callback is not None:
                callback(progress)

        yield tell


@contextmanager
def telling_steps(progress: Progress | None, verbose: int | None) -> Iterator[Progress | None]:
    """As `telling_epochs`, of a solver's steps: lines at new resolutions and steps 1, 2, 4, 8 and so on.

    With verbose=2 always.
    """
    if verbose is None and is_watched():
        with LiveBar("aligning", has_end=False) as live:
            yield _watched_steps(progress, live)
        return
    if not verbose:
        yield progress
        return
    with _bar(_STEPS_FORMAT, verbose) as bar:
        number, resolution = 0, (0, 0.0)

        def tell(step: AlignStep) -> bool | None:
            nonlocal number, resolution
            number += 1
            if bar is not None:
                bar.set_postfix_str(_step_state(step), refresh=False)
                bar.update()
            elif verbose > 1 or resolution != step[:2] or number & (number - 1) == 0:
                resolution = step.cells, step.smoothing
                _print(f"step {number}: {_step_state(step)}")
            return None if progress is None else progress(step)

        yield tell


@contextmanager
def showing_time(doing: str, verbose: int | None) -> Iterator[None]:
    """How long it has been going on, for those who watch work that tells nothing of itself."""
    if verbose == 0 or not is_watched():
        yield
        return
    with LiveBar(doing, has_end=False):
        yield


def _watched_epochs(callback: Callback | None, live: LiveBar) -> Callback:
    def tell(progress: FitProgress) -> None:
        live.done, live.text = progress.done, _state(progress)
        live.end = time.monotonic() + progress.seconds_left
        if callback is not None:
            callback(progress)

    return tell


def _watched_steps(progress: Progress | None, live: LiveBar) -> Progress:
    number = 0

    def tell(step: AlignStep) -> bool | None:
        nonlocal number
        number += 1
        live.text = f"step {number}: {_step_state(step)}"
        return None if progress is None else progress(step)

    return tell


@contextmanager
def _bar(form: str, verbose: int, total: float | None = None) -> Iterator[Any]:
    """A bar of tqdm, the one of notebooks where in one; None where lines are wanted or tqdm is missing."""
    if verbose > 1:
        yield None
        return
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped]
    except ImportError:
        yield None
        return
    with tqdm(total=total, bar_format=form) as bar:
        yield bar


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _state(progress: FitProgress) -> str:
    record = progress.record
    member = f"member {record.member + 1}/{progress.members}, " if progress.members > 1 else ""
    return (
        f"{member}epoch {record.epoch}/{progress.epochs}: loss {record.loss:.4g}, "
        f"accuracy {record.accuracy:.3f}"
    )


def _step_state(step: AlignStep) -> str:
    return f"{step.cells} cells, smoothing {step.smoothing:.3g}, cost {step.cost:.4g}"
