"""Times that can be compared on a noisy machine: one process, contestants in turn, the minimum of many calls.

A round gives every contestant one slice of time; the slices of a round see the same disturbances. The least
time of all calls is the best estimate of the undisturbed one; the ratio of two least times is reported.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

SLICE_SECONDS = 0.05
LEAST_ROUNDS = 3


@dataclass
class Timing:
    """The best time of each round, in milliseconds, and how many calls there were."""

    rounds: list[float] = field(default_factory=list)
    calls: int = 0

    @property
    def best(self) -> float:
        return min(self.rounds)

    def scaled(self, factor: float) -> Timing:
        return Timing([value * factor for value in self.rounds], self.calls)

    def as_json(self, evaluations: int) -> dict[str, float | int]:
        """Numbers for the result file; evaluations is how many points one call warps."""
        return {
            "ms": self.best,
            "median_ms": statistics.median(self.rounds),
            "ns_per_point": self.best * 1e6 / evaluations,
            "rounds": len(self.rounds),
            "calls": self.calls,
        }


def time_slice(call: Callable[[], Any], timing: Timing, clock: Callable[[], float] = perf_counter) -> None:
    """Call for one slice of time, at least once, and record the best call."""
    best = float("inf")
    end = clock() + SLICE_SECONDS
    while True:
        start = clock()
        call()
        stop = clock()
        best = min(best, stop - start)
        timing.calls += 1
        if stop >= end:
            break
    timing.rounds.append(best * 1e3)


def alternate(
    calls: Mapping[str, Callable[[], Any]], seconds: float, clock: Callable[[], float] = perf_counter
) -> dict[str, Timing]:
    """Time the calls in turn for about so many seconds in all, after one call each to warm up.

    Calls of many milliseconds are never undisturbed on a busy machine: with `process_time` as the clock it
    counts what the processor spent on them.
    """
    timings = {name: Timing() for name in calls}
    for call in calls.values():
        call()
    gc.collect()
    gc.disable()
    try:
        end = perf_counter() + seconds
        while perf_counter() < end or len(next(iter(timings.values())).rounds) < LEAST_ROUNDS:
            for name, call in calls.items():
                time_slice(call, timings[name], clock)
    finally:
        gc.enable()
    return timings


def ratio(slower: Timing, faster: Timing) -> dict[str, float]:
    """How many times faster: of the least times, and the median of the rounds' own ratios."""
    by_round = [one / other for one, other in zip(slower.rounds, faster.rounds, strict=True)]
    return {"of_minima": slower.best / faster.best, "median_of_rounds": statistics.median(by_round)}
