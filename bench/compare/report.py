"""Makes docs/results/speed.md from the result files of run.py and of the Google Benchmark programs.

Every number on the page comes from a file; nothing is typed by hand. Needs only the standard library.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from timing_figure import cases_picture

PROJECT = Path(__file__).resolve().parents[2]
RESULTS = PROJECT / "docs" / "results"
COMMAND = "make bench"
WORKS = {"forward": "forward", "gradient": "VJP to theta"}
VERDICTS = {"goal": "goal", "must": "must", "no": "**no**"}
NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}

JsonObject = dict[str, Any]


def number(value: float) -> str:
    """Three significant digits, thousands separated, no exponent between 0.001 and a million."""
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        digits = max(0, 2 - int(f"{value:e}".split("e")[1])) if value else 0
        return f"{value:,.{digits}f}"
    return f"{value:.1e}"


def size(count: float) -> str:
    """A number of bytes in the unit that suits it."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{number(count)} {unit}"
        count /= 1000
    return f"{number(count)} GB"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines] + [""]


def shape(case: JsonObject) -> list[str]:
    return [f"{case[key]:,}" for key in ("cells", "points", "warps")]


def criteria_section(results: JsonObject) -> list[str]:
    def row(each: JsonObject) -> list[str]:
        sign, unit = ("≤" if each["at_most"] else "≥"), (f" {each['unit']}" if each["unit"] else "")
        limits = [f"{sign} {each[key]:,g}{unit}" for key in ("must", "goal")]
        return [each["title"], *limits, f"{number(each['measured'])}{unit}", VERDICTS[each["met"]]]

    head = ["work, 1 thread, float32", "must", "goal", "measured", "reached"]
    return ["## Promises", "", *table(head, map(row, results["criteria"]))]


def times_section(results: JsonObject) -> list[str]:
    names = list(dict.fromkeys(name for case in results["times"] for name in case["libraries"]))

    def cell(case: JsonObject, name: str) -> str:
        timing = case["libraries"].get(name)
        if timing is None:
            return ""
        mark = f" (from {timing['scaled_from_batch']} warps)" if "scaled_from_batch" in timing else ""
        return number(timing["ms"]) + mark

    rows = [
        [WORKS[case["work"]], *shape(case), *(cell(case, name) for name in names)]
        for case in results["times"]
    ]
    text = (
        "The least time of all calls, the libraries in turn in one process. `diffeo` and its peers go from "
        "theta to positions, and from cotangents to theta; `diffeo-flow` starts from vertex velocities. "
        "`difw` is the package as it comes; `difw-strict` is the same source compiled without "
        "`-ffast-math`. A peer's VJP is its backward pass alone; where that would take too much memory it "
        "ran on fewer warps and was scaled linearly."
    )
    picture = "![Milliseconds of diffeo, difw and libcpab for the cases below, logarithmic](speed.svg)"
    head = ["work", "cells", "points", "warps", *names]
    return ["## Milliseconds", "", text, "", picture, "", *table(head, rows)]


def ratios_section(results: JsonObject) -> list[str]:
    rows = [
        [WORKS[case["work"]], *shape(case), name, number(each["of_minima"]), number(each["median_of_rounds"])]
        for case in results["times"]
        for name, each in case.get("ratios", {}).items()
    ]
    head = ["work", "cells", "points", "warps", "against", "ratio of minima", "median ratio of rounds"]
    return ["## Times faster", "", *table(head, rows)] if rows else []


def per_point_section(results: JsonObject) -> list[str]:
    found = results["time_per_point"]["ns_per_point"]
    flows = [name.removeprefix("flow ") for name in found if name.startswith("flow ")]
    rows = []
    for name in flows:
        flow, copy = found[f"flow {name}"], found[f"copy {name}"]
        rows.append([name.replace("x", " × "), number(flow), number(copy), number(flow / copy)])
    head = ["cells × points × warps", "flow, ns per point", "copying the points, ns per point", "ratio"]
    return ["## Nanoseconds per point", "", *table(head, rows)]


def threads_section(results: JsonObject) -> list[str]:
    threads = results["threads"]
    rows = []
    for work in ("flow", "gradient"):
        found = threads[work]
        values = (found["one_ms"], found["two_ms"], found["speedup"]["of_minima"])
        rows.append([work, *map(number, values)])
    title = f"## Two threads, {threads['warps']:,} warps"
    return [title, "", *table(["work", "1 thread, ms", "2 threads, ms", "times faster"], rows)]


def memory_section(results: JsonObject) -> list[str]:
    measured = [*results["memory"]["diffeo"], results["memory"]["difw"]]
    rows = [
        [each["library"], *shape(each), *(size(each[key]) for key in ("growth_bytes", "jacobian_bytes"))]
        for each in measured
    ]
    head = ["library", "cells", "points", "warps", "growth of the VJP", "a Jacobian would take"]
    text = "Growth of the peak resident set during one VJP, in a process of its own, inputs already there."
    return ["## Memory", "", text, "", *table(head, rows)]


def pair(errors: JsonObject | None) -> list[str]:
    return [number(errors[key]) for key in ("positions", "gradients")] if errors else ["", ""]


def agreement_section(results: JsonObject) -> list[str]:
    rows = []
    for name, found in results["agreement"].items():
        for library, errors in found["against_reference"].items():
            compared = [
                found.get(key, {}).get(library) for key in ("against_diffeo_float64", "against_diffeo")
            ]
            rows.append([name.replace("x", " × "), library, *chain(*map(pair, (errors, *compared)))])
    head = ["cells × points × warps", "library"]
    for other in ("the walk", "diffeo in float64", "diffeo"):
        head += [f"positions, from {other}", f"gradients, from {other}"]
    text = (
        "Largest differences from an independent float64 walk from cell to cell, from diffeo in float64 and "
        "from diffeo in float32. Positions are absolute on [0, 1]; gradients are relative to the largest "
        "(from the walk: along random directions)."
    )
    return ["## Agreement", "", text, "", *table(head, rows)]


def machine_section(results: JsonObject) -> list[str]:
    machine = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items() if version)
    facts = {
        "processor": machine["cpu"],
        "instruction sets": " ".join(machine["instruction_sets"]),
        "cores": str(machine["cores"]),
        "system": machine["system"],
        "compiler": machine["compiler"] or "unknown",
        "versions": versions,
        "commit": machine["commit"] or "unknown",
        "date": machine["date"],
        "load when started": number(machine["load_average"]),
    }
    return ["## Machine", "", *table(["", ""], [[key, value] for key, value in facts.items()])]


def micro_row(entry: JsonObject) -> list[str]:
    """A benchmark's name, and size and precision where the name tells: flow<float>/cells:30/points:1000."""
    name = entry["name"]
    sizes = {key: int(value) for key, value in re.findall(r"(\w+):(\d+)", name)}
    precision = next((word for word in ("float", "double") if word in name), "")
    points = sizes.get("points", 0) * sizes.get("warps", 1)
    nanoseconds = entry["real_time"] * NANOSECONDS[entry["time_unit"]]
    if "items_per_second" in entry:
        per_point = number(1e9 / entry["items_per_second"])
    else:
        per_point = number(nanoseconds / points) if points else ""
    known = [f"{sizes[key]:,}" if key in sizes else "" for key in ("cells", "points")]
    return [f"`{name.split('/')[0]}`", *known, precision, per_point]


def fastest(entries: Iterable[JsonObject]) -> list[JsonObject]:
    """One entry per benchmark: the fastest of its repetitions."""
    best: dict[str, JsonObject] = {}
    for entry in entries:
        name = str(entry.get("run_name", entry["name"]))
        if entry.get("run_type", "iteration") != "iteration" or "error_occurred" in entry:
            continue
        if name not in best or entry["real_time"] < best[name]["real_time"]:
            best[name] = {**entry, "name": name}
    return list(best.values())


def micro_section(path: Path) -> list[str]:
    if not path.exists():
        return []
    entries = fastest(json.loads(path.read_text())["benchmarks"])
    head = ["benchmark", "cells", "points", "precision", "ns per point"]
    return ["## Kernels (Google Benchmark)", "", *table(head, map(micro_row, entries))]


def page(results: JsonObject, micro: Path) -> str:
    made = f"Made by `{COMMAND}`; `bench/compare/README.md` says how. Do not edit."
    lines = ["# Speed", "", made, ""]
    sections = {
        "criteria": criteria_section,
        "times": times_section,
        "time_per_point": per_point_section,
        "threads": threads_section,
        "memory": memory_section,
        "agreement": agreement_section,
        "machine": machine_section,
    }
    for key, section in sections.items():
        if key in results:
            lines += section(results)
        if key == "times":
            lines += ratios_section(results)
    return "\n".join([*lines, *micro_section(micro)]).rstrip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speed", type=Path, default=RESULTS / "speed.json")
    parser.add_argument("--micro", type=Path, default=RESULTS / "micro.json")
    parser.add_argument("--output", type=Path, default=RESULTS / "speed.md")
    options = parser.parse_args()
    results = json.loads(options.speed.read_text())
    cases_picture(results["times"]).write(options.output.with_suffix(".svg"))
    text = page(results, options.micro)
    beside = options.output.with_suffix(".tmp")
    beside.write_text(text)
    beside.replace(options.output)


if __name__ == "__main__":
    main()
