"""What diffeo promises, and whether a measurement keeps it: one record per promise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Criterion:
    """A quantity of the result file with what it must reach and what it is hoped to reach."""

    title: str
    quantity: str  # a key of the measured quantities
    must: float
    goal: float
    unit: str = "×"
    at_most: bool = False  # smaller is better

    def meets(self, measured: float, limit: float) -> bool:
        return measured <= limit if self.at_most else measured >= limit

    def judge(self, measured: float) -> dict[str, Any]:
        limits = {"goal": self.goal, "must": self.must}
        reached = next((name for name, limit in limits.items() if self.meets(measured, limit)), "no")
        return {
            "title": self.title,
            "unit": self.unit,
            "at_most": self.at_most,
            "must": self.must,
            "goal": self.goal,
            "measured": measured,
            "met": reached,
        }


CRITERIA = (
    Criterion("forward, 30 cells × 1000 points × 40 warps, against difw", "forward 30x1000x40", 13, 25),
    Criterion("VJP, 30 cells × 1000 points × 40 warps, against difw", "gradient 30x1000x40", 39, 80),
    Criterion("forward, 256 cells × 1000 points × 40 warps, against difw", "forward 256x1000x40", 5, 15),
    Criterion("VJP, 256 cells × 1000 points × 40 warps, against difw", "gradient 256x1000x40", 80, 150),
    Criterion(
        "VJP, 1024 cells × 10,000 points × 40 warps, against difw", "gradient 1024x10000x40", 1000, 2000
    ),
    Criterion(
        "memory of that VJP: float32 numbers per warp and (points + cells)",
        "memory",
        must=16,
        goal=4,
        unit="",
        at_most=True,
    ),
    Criterion(
        "forward, time per point at 1024 cells × 10,000 points, against 30 cells × 1000 points",
        "time per point",
        must=4,
        goal=2,
        at_most=True,
    ),
    Criterion("forward, 2 threads against 1, 30 cells × 1000 points × 1000 warps", "threads", 1.6, 1.9),
)


def judge(quantities: dict[str, float]) -> list[dict[str, Any]]:
    """The criteria whose quantity was measured."""
    return [each.judge(quantities[each.quantity]) for each in CRITERIA if each.quantity in quantities]
