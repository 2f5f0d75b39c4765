"""How well warps align series that nobody trained on: a section of docs/results/ncc.md."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from report import table

Json = dict[str, Any]

TEXT = """\
## How well it aligns new series

Test series after they were warped, against the same series before: the first three figures are after/before.
1 is no change; above 1, series lie further apart than before.

- *variance*: of values, within classes. Squeezing time makes it small
- *slope variance*: of square-root slopes, within classes. Squeezing all series alike does not change it, and
  heights that differ are not mistaken for times
- *inverse-consistent error*: the mean of a class, brought back into each series' own time, against that
  series
- *least slope*: of all warps of a set, between two samples. 1 is no warp, 0 squeezes time away
- *displacement*: the farthest that a series moves, averaged over the series, as a fraction of the length
- *mean warp*: the distance of the mean of all warps from no warp, as a fraction of the length

[alignment_measures.hpp](../../include/diffeo/alignment_measures.hpp) defines them. Ratios and displacements
are means over seeds, slopes and mean warps the worst of the seeds. Over the sets, ratios are geometric means,
with the number of sets above 1 in brackets. Ratios within {rounding} of 1 come from warps that move almost
nothing, and do not count.

"""
ROUNDING = 1e-4
RATIOS = {  # how lines name them: what the page calls them
    "variance": "variance",
    "slope_variance": "slope variance",
    "inverse_consistent_error": "inverse-consistent error",
}


@dataclass(frozen=True)
class Aligned:
    """A data set, over the seeds."""

    seeds: frozenset[int]
    ratios: dict[str, float]  # after / before; NaN where nothing differed before
    least_slope: float
    largest_slope: float
    displacement: float
    mean_warp: float
    training_mean_warp: float


def section(groups: dict[str, list[Json]], detailed: str) -> str:
    """Of the lines of each group, and every set of the one named; empty where no line has the measures."""
    found = {name: aligned_sets(lines) for name, lines in groups.items()}
    found = {name: sets for name, sets in found.items() if sets}
    if not found:
        return ""
    lines = [*worse(found), *lower(found, detailed)]
    text = TEXT.format(rounding=ROUNDING) + "\n".join(summary(found)) + "\n" + "\n".join(lines) + "\n"
    if detailed in found:
        text += f"\nEvery set, {detailed}:\n\n" + "\n".join(every_set(found[detailed]))
    return text + "\n"


def aligned_sets(lines: Iterable[Json]) -> dict[str, Aligned]:
    by_set: dict[str, list[Json]] = defaultdict(list)
    for line in lines:
        if "alignment" in line:
            by_set[line["dataset"]].append(line)
    return {name: over_seeds(by_set[name]) for name in sorted(by_set)}


def over_seeds(lines: list[Json]) -> Aligned:
    def values(name: str) -> np.ndarray:
        return np.array([measure(line, name) for line in lines])

    return Aligned(
        seeds=frozenset(line["seed"] for line in lines),
        ratios={name: ratio(values(f"{name}_before"), values(f"{name}_after")) for name in RATIOS},
        least_slope=float(values("least_slope").min()),
        largest_slope=float(values("largest_slope").max()),
        displacement=float(values("displacement").mean()),
        mean_warp=float(values("mean_warp_distance").max()),
        training_mean_warp=float(values("training_mean_warp_distance").max()),
    )


def measure(line: Json, name: str) -> float:
    """Variances stand in the line itself, and a number that is not finite is null."""
    value = line.get(name) if name.startswith("variance") else line["alignment"][name]
    return float("nan") if value is None else float(value)


def ratio(before: np.ndarray, after: np.ndarray) -> float:
    return float(after.mean() / before.mean()) if before.mean() > 0 else float("nan")


def geometric_mean(values: Iterable[float]) -> float:
    """Of the values that are defined."""
    kept = np.array([value for value in values if not np.isnan(value)])
    with np.errstate(divide="ignore"):
        return float(np.exp(np.log(kept).mean())) if kept.size else float("nan")


def sets_above_one(sets: dict[str, Aligned], name: str) -> list[str]:
    return [dataset for dataset, each in sets.items() if each.ratios[name] > 1 + ROUNDING]


def summary(found: dict[str, dict[str, Aligned]]) -> list[str]:
    headings = [
        "diffeo with", "seeds", "sets", *RATIOS.values(), "least slope", "its median",
        "displacement", "largest mean warp, training series",
    ]  # fmt: skip
    return table(headings, [summary_row(name, sets) for name, sets in found.items()])


def summary_row(name: str, sets: dict[str, Aligned]) -> list[str]:
    seeds = sorted(frozenset().union(*(each.seeds for each in sets.values())))
    slopes = [each.least_slope for each in sets.values()]
    left = {
        key: (geometric_mean(each.ratios[key] for each in sets.values()), len(sets_above_one(sets, key)))
        for key in RATIOS
    }
    return [
        name,
        ", ".join(str(seed) for seed in seeds),
        str(len(sets)),
        *(f"**{mean:.3f}** ({above})" for mean, above in left.values()),
        f"{min(slopes):.3f}",
        f"{np.median(slopes):.3f}",
        f"{np.mean([each.displacement for each in sets.values()]):.3f}",
        f"{max(each.training_mean_warp for each in sets.values()):.4f}",
    ]


def worse(found: dict[str, dict[str, Aligned]]) -> list[str]:
    """A list of the sets that a group leaves further apart."""
    lines = []
    for name, sets in found.items():
        parts = [
            f"{called} on {', '.join(sets_above_one(sets, key)) or 'none'}" for key, called in RATIOS.items()
        ]
        lines.append(f"- Above 1, {name}: {'; '.join(parts)}.")
    return lines


def lower(found: dict[str, dict[str, Aligned]], detailed: str) -> list[str]:
    """A list of the measures other than variance in which others leave less, on the sets of both."""
    lines = []
    for key, called in RATIOS.items():
        for name, sets in found.items():
            common = sets.keys() & found.get(detailed, {}).keys()
            if key == "variance" or name == detailed or not common:
                continue
            own, other = (
                geometric_mean(group[dataset].ratios[key] for dataset in common)
                for group in (found[detailed], sets)
            )
            if other < own:
                lines.append(
                    f"- Lower than {detailed}: the {called} of {name}, {other:.3f} against {own:.3f}."
                )
    return lines


def every_set(sets: dict[str, Aligned]) -> list[str]:
    headings = [
        "set", *RATIOS.values(), "least slope", "largest slope", "displacement", "mean warp",
        "mean warp, training series",
    ]  # fmt: skip
    rows = [
        [
            dataset,
            *(f"{each.ratios[key]:.3f}" for key in RATIOS),
            f"{each.least_slope:.3f}",
            f"{each.largest_slope:.2f}",
            f"{each.displacement:.3f}",
            f"{each.mean_warp:.4f}",
            f"{each.training_mean_warp:.4f}",
        ]
        for dataset, each in sets.items()
    ]
    return table(headings, rows)
