"""What the paper says about other ways to flow, beside what was measured here: a table for studies_page.py.

Quoted from the paper are the statements, with their place; everything else is read from result files.
"""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

from report import RESULTS, number, table

JsonObject = dict[str, Any]

FOLDER = RESULTS / "studies"
RECOMMENDED = 10  # steps and inner steps, by the authors of the alternating solver
NEAR = 2.0  # a measured number within this factor of the paper's confirms it
APPENDIX = {
    "precision": "appendix “Comparing ODE Numerical and Closed-Form Methods”",
    "squaring": "appendix “Scaling-and-Squaring Integration Method”",
}
TEXT = (
    "Numbers hold where what was measured is within a factor of two. "
    "The paper does not say how many cells its fields had, nor in which basis theta was; it calls the "
    "distribution the prior in one place and standard normal in another, so `--source` has both. "
    "libcpab is the package as it comes, which runs its Python path."
)


def read(name: str) -> JsonObject | None:
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def all_of(study: str) -> dict[str, JsonObject]:
    """The files of a study that hold errors, by name."""
    found = {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))
    }
    return {name: each for name, each in found.items() if each.get("study") == study and "errors" in each}


def decimals(error: float) -> tuple[int, int]:
    """How many decimals an error leaves: to the nearest power of ten, and rounded down. 0.002: 3 and 2."""
    digits = -math.log10(error)
    return round(digits), math.floor(digits)


def decimals_verdict(error: float, told: int) -> str:
    nearest, strict = decimals(error)
    if nearest == strict:
        return "holds" if strict == told else "more" if strict > told else "fewer"
    if told not in (nearest, strict):
        return "more" if strict > told else "fewer"
    return f"holds to the nearest power of ten; {strict} rounded down" if told == nearest else "holds"


def recommended(found: JsonObject, quantity: str) -> float:
    return float(found["errors"]["alternating"][quantity][RECOMMENDED - 1][RECOMMENDED - 1])


def near(found: float, told: float) -> str:
    if told / NEAR <= found <= told * NEAR:
        return "holds"
    return f"{number(found / told)} times as much" if found > told else f"{number(told / found)} times less"


def decimal_claims() -> list[list[str]]:
    rows = []
    place = f"section 4.2 and {APPENDIX['precision']}, for N = n = 10"
    claims = (
        ("value", 5, "5 decimals for the integration"),
        ("gradient", 3, "3 decimals for the gradient"),
        ("by_differences", 3, "the same, by differences"),
    )
    for quantity, told, words in claims:
        for found in all_of("precision").values():
            error, setting = recommended(found, quantity), found["setting"]
            where = f"{setting['source']}, {setting['cells']} cells"
            rows.append([words, place, f"{number(error)} ({where})", decimals_verdict(error, told)])
    return rows


def growth_claims() -> list[list[str]]:
    words = "more squarings give larger errors, forward and backward"
    rows = []
    for found in all_of("squaring").values():
        grows = {}
        for quantity in ("value", "gradient"):
            lines = [
                line[1:]
                for line, size in zip(found["errors"][quantity], found["sizes"], strict=True)
                if size > 0
            ]
            pairs = [(a, b) for line in lines for a, b in pairwise(line)]
            grows[quantity] = f"{sum(b > a for a, b in pairs)} of {len(pairs)}"
        where = f"{found['setting']['source']}, {found['setting']['cells']} cells"
        text = f"grew in {grows['value']} steps forward, {grows['gradient']} backward ({where})"
        all_grow = all(counts.split(" of ")[0] == counts.split(" of ")[1] for counts in grows.values())
        rows.append([words, APPENDIX["squaring"], text, "holds" if all_grow else "mostly"])
    return rows


def rms_claims() -> list[list[str]]:
    rows = []
    for found in all_of("squaring").values():
        errors, sizes, setting = found["errors"], found["sizes"], found["setting"]
        if setting["source"] != "ones" or 4 not in sizes or len(errors["gradient"][0]) <= 8:
            continue
        error = errors["gradient"][sizes.index(4)][8]
        words = "0.0035 root-mean-square error of the gradient for ε = 4, N = 8"
        where = f"{setting['cells']} cells, basis {setting['basis']}, {setting['points']:,} points"
        got = f"{number(error)} ({where})"
        rows.append([words, APPENDIX["squaring"], got, near(error, 0.0035)])
    return rows


def time_claims() -> list[list[str]]:
    found = read("squaring_times")
    place = APPENDIX["squaring"]
    small = "time grows with the squarings for ε = 0"
    large = "half the time of the gradient for ε = 4 with N = 8 (2.5 ms of 5 ms)"
    if not found:
        return [[words, place, "not measured yet", ""] for words in (small, large)]
    gradient, sizes = found["times"]["gradient_ms"], found["sizes"]
    none, most = gradient[sizes.index(0)], gradient[sizes.index(4)]
    share = most[8] / most[0]
    verdict = (
        "holds" if share <= 0.75 else "less is gained" if share < 1 else "does not hold: it takes longer"
    )
    return [
        [small, place, f"{number(none[0])} ms for N = 0, {number(none[8])} ms for N = 8",
         "holds" if none[8] > none[0] else "does not hold"],
        [large, place, f"{number(share)} of the time: {number(most[8])} of {number(most[0])} ms",
         verdict],
    ]  # fmt: skip


def speed_claims() -> list[list[str]]:
    """difw against libcpab, from the page about speed."""
    path = RESULTS / "speed.json"
    if not path.exists():
        return []
    rows = []
    for time in json.loads(path.read_text(encoding="utf-8"))["times"]:
        told = {"forward": 18, "gradient": 10}[time["work"]]
        if (time["cells"], time["points"], time["warps"]) != (30, 1000, 40):
            continue
        libraries = {name: each["ms"] for name, each in time["libraries"].items()}
        ratio = libraries["libcpab"] / libraries["difw"]
        ours = libraries["libcpab"] / libraries["diffeo"]
        words = f"difw {told} times faster than libcpab, {time['work']}, on a CPU"
        rows.append(
            [words, "section 4.1", f"{number(ratio)} times; diffeo {number(ours)} times", near(ratio, told)]
        )
    return rows


def claims_section() -> list[str]:
    rows = [*decimal_claims(), *rms_claims(), *growth_claims(), *time_claims(), *speed_claims()]
    return ["## What the paper says", "", TEXT, "", *table(["the paper", "where", "found here", ""], rows)]
