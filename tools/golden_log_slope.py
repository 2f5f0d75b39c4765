"""Writes tests/golden/log_slope.json: log-slopes of flows with 220 digits, by a walk from cell to cell.

The fields and points are those of tests/golden/flow.json, and some that are hard for log-slopes. Nothing is
shared with the library but the definition of the field: vertices are exact fractions, and derivatives are
central differences of the walk with a step of 1e-80. A derivative is written as null where the differences
from both sides disagree, or where a rounding of the start or of the time changes it: there is a kink.

    python tools/golden_log_slope.py
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

from mpmath import mp, mpf

GOLDEN = Path(__file__).resolve().parent.parent / "tests" / "golden"
STEP = mpf(10) ** -80
KINK = mpf(10) ** -30  # differences are right to about 1e-60
ULPS = mpf(2) ** -50  # a few units in the last place
JUMP = mpf(10) ** -6  # of the largest: more than such a rounding does to a smooth derivative
MOST_VERTICES = 101  # of the fields taken from flow.json

mp.dps = 220


def exact(number: float) -> mpf:
    return mpf(number)


def vertices(lower: float, upper: float, cells: int) -> list[mpf]:
    """Exact where a vertex is a binary fraction, so that points on it are seen to be."""
    span = Fraction(upper) - Fraction(lower)
    places = [Fraction(lower) + span * j / cells for j in range(cells + 1)]
    return [mpf(place.numerator) / place.denominator for place in places]


def log_slope(velocities: list[mpf], places: list[mpf], x: mpf, time: mpf) -> mpf:
    """The sum of slope times time over the cells a point visits."""
    sign = -1 if time < 0 else 1
    left = abs(time)
    cells = len(places) - 1
    width = (places[-1] - places[0]) / cells
    cell = max((c for c in range(cells) if places[c] <= x), default=0)
    velocity = None
    total = mpf(0)
    while True:
        start, end = sign * velocities[cell], sign * velocities[cell + 1]
        slope = (end - start) / width
        if velocity is None:  # from the nearer vertex: exact at both
            from_left, to_right = x - places[cell], places[cell + 1] - x
            velocity = start + slope * from_left if from_left < to_right else end - slope * to_right
        right = velocity > 0
        border, border_velocity = (cell + 1, end) if right else (cell, start)
        if velocity * border_velocity <= 0 or border in (0, cells):
            return total + slope * left
        seconds = mp.log(border_velocity / velocity) / slope if slope else (places[border] - x) / velocity
        if seconds > left:
            return total + slope * left
        total += slope * seconds
        left -= seconds
        x, velocity = places[border], border_velocity
        cell += 1 if right else -1


def difference(function: Any, at: mpf) -> mpf | None:
    """The derivative; None where it differs from either side."""
    here = function(at)
    above, below = (function(at + STEP) - here) / STEP, (here - function(at - STEP)) / STEP
    if abs(above - below) > KINK * (1 + abs(above) + abs(below)):
        return None
    value = (above + below) / 2
    return value if abs(value) > KINK else mpf(0)


class Trajectory:
    """A field, a start and a time: what the log-slope depends on."""

    def __init__(self, velocities: list[mpf], places: list[mpf], x: mpf, time: mpf) -> None:
        self.velocities, self.places, self.x, self.time = velocities, places, x, time

    def log_slope(self) -> mpf:
        return log_slope(self.velocities, self.places, self.x, self.time)

    def derivatives(self) -> list[mpf | None]:
        """By every velocity, by the point and by time."""

        def by_vertex(j: int) -> mpf | None:
            def at(value: mpf) -> mpf:
                velocities = [*self.velocities[:j], value, *self.velocities[j + 1 :]]
                return log_slope(velocities, self.places, self.x, self.time)

            return difference(at, self.velocities[j])

        by_x = difference(lambda value: log_slope(self.velocities, self.places, value, self.time), self.x)
        by_t = difference(lambda value: log_slope(self.velocities, self.places, self.x, value), self.time)
        return [*(by_vertex(j) for j in range(len(self.velocities))), by_x, by_t]

    def rounded_otherwise(self) -> list[Trajectory]:
        """The same with the start or the time off by a few units in the last place."""
        reach = max(abs(self.x), self.places[1] - self.places[0], abs(self.places[0]))
        step, factor = ULPS * reach, 1 + ULPS
        starts = [(self.x - step, self.time), (self.x + step, self.time)]
        ends = [(self.x, self.time / factor), (self.x, self.time * factor)]
        return [Trajectory(self.velocities, self.places, x, time) for x, time in starts + ends]


def away_from_kinks(trajectory: Trajectory) -> tuple[list[mpf | None], list[mpf]]:
    """Derivatives, None where rounding decides which side of a kink the trajectory is on; and their sizes."""
    exact = trajectory.derivatives()
    others = [other.derivatives() for other in trajectory.rounded_otherwise()]
    sizes, kept = [], []
    largest = max((abs(value) for value in exact if value is not None), default=mpf(0))
    for j, value in enumerate(exact):
        sides = [row[j] for row in [exact, *others] if row[j] is not None]
        sizes.append(max((abs(side) for side in sides), default=mpf(0)))
        jumps = value is None or any(abs(side - value) > JUMP * max(largest, abs(value)) for side in sides)
        kept.append(None if jumps else value)
    return kept, sizes


def case(
    tag: str, lower: float, upper: float, v: list[float], t: float, points: list[float]
) -> dict[str, Any]:
    places = vertices(lower, upper, len(v) - 1)
    width = places[1] - places[0]
    velocities, time = [exact(value) for value in v], exact(t)
    result: dict[str, Any] = {"tag": tag, "xmin": lower, "xmax": upper, "v": v, "t": t, "x": points}
    for name in ("log_slope", "by_x", "by_t", "by_v", "largest_by_v", "cond"):
        result[name] = []
    for point in points:
        x = exact(point)
        trajectory = Trajectory(velocities, places, x, time)
        derivatives, sizes = away_from_kinks(trajectory)
        cond = sum(abs(value) * size for value, size in zip(velocities, sizes[:-2], strict=True))
        cond += (abs(x) + width) * sizes[-2] + abs(time) * sizes[-1]
        result["log_slope"].append(float(trajectory.log_slope()))
        result["by_v"].append([number(value) for value in derivatives[:-2]])
        result["by_x"].append(number(derivatives[-2]))
        result["by_t"].append(number(derivatives[-1]))
        result["largest_by_v"].append(float(max(sizes[:-2])))
        result["cond"].append(float(cond))
    return result


def number(value: mpf | None) -> float | None:
    rounded = None if value is None else float(value)
    return rounded if rounded is not None and math.isfinite(rounded) else None


def hard_cases() -> list[dict[str, Any]]:
    """Where the closed form could go wrong, one thing at a time."""
    free = [0.4, 0.7, -0.4, 0.3, 0.9, -0.2]
    grid = [j / 16 for j in range(17)]
    beside = [0.0, 1e-300, 1e-30, 1e-12, 1e-6, 1e-3, 0.1, 0.999, 1 - 2.0**-53, 1.0]
    valley = [1.0, 1.0, 1e-9, 1.0, 1.0, 0.5, 1.0, 1.0, 1.0]
    mixed = [0.5, 0.25, -0.5, -0.25, 0.0, 0.5, 1.0, 0.25, 0.125]
    waves = [0.3 + 0.2 * math.sin(j) for j in range(31)]
    return [
        case("fixed_points", 0.0, 1.0, [0.0, 0.3, 0.5, 0.2, 0.0], 2.0, beside),
        case("fixed_points_back", 0.0, 1.0, [0.0, 0.3, 0.5, 0.2, 0.0], -2.0, beside),
        case("fixed_point_linear", 0.0, 1.0, [0.0, 1.0, 2.0, 3.0, 4.0], 5.0, beside[1:]),
        case("zero_slope", 0.0, 1.0, [0.25, 0.25, 0.25, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25], 0.7, grid),
        case("nearly_zero_slope", 0.0, 1.0, [0.3 + 1e-12 * j * j for j in range(9)], 1.3, grid),
        case("tiny_velocities", 0.0, 1.0, [1e-9 * value for value in waves], 8e8, grid),
        case("valley", 0.0, 1.0, valley, 6.0, grid),
        case("starts_on_vertices", 0.0, 1.0, mixed, 1.1, grid[::2]),
        case("ends_on_vertices", 0.0, 1.0, [0.25] * 9, 0.5, grid),
        case("back_in_time", -1.0, 2.0, free, -1.3, [-1.5, -1.0, -0.4, 0.1, 0.5, 0.9, 1.4, 1.9, 2.0, 2.5]),
        case("time_zero", 0.0, 1.0, free, 0.0, [0.05, 0.33, 0.5, 0.71, 0.9]),
        case("many_cells", 0.0, 1.0, waves, 1.7, grid),
        case("long_time", 0.0, 1.0, free, 40.0, grid),
    ]


def main() -> None:
    flow = json.loads((GOLDEN / "flow.json").read_text())
    cases = [
        case(entry["tag"], entry["xmin"], entry["xmax"], entry["v"], entry["t"], entry["x"])
        for entry in flow["cases"]
        if len(entry["v"]) <= MOST_VERTICES
    ]
    cases += hard_cases()
    about = (
        "log d phi / d x of the CPA flow, by a walk from cell to cell with 220 digits "
        "(tools/golden_log_slope.py). "
        "by_v, by_x and by_t are derivatives of log_slope; null: a kink, or beyond the float64 range. "
        "largest_by_v is the largest of a row of by_v, from either side of a kink. "
        "cond = (|x| + cell width) |by_x| + sum |v_j by_v_j| + |t by_t|."
    )
    lines = ",\n".join(json.dumps(entry) for entry in cases)
    text = f'{{"meta": {json.dumps({"about": about, "n_cases": len(cases)})},\n"cases": [\n{lines}\n]}}\n'
    (GOLDEN / "log_slope.json").write_text(text)


if __name__ == "__main__":
    main()
