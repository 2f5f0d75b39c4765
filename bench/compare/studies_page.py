"""Makes docs/results/studies.md from what `diffeo study` and sweep.py wrote to docs/results/studies.

Every number on the page comes from a file, except those quoted from the paper. What has not been measured is
said to be missing. Needs only the standard library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from report import RESULTS, number, table
from studies_claims import FOLDER, all_of, claims_section, read
from timing_figure import sweeps_picture

JsonObject = dict[str, Any]

SOURCES = {"prior": "the smoothness prior", "normal": "independent normal numbers", "ones": "theta of ones"}

INTRODUCTION = """# Numerical studies

How far other ways to flow are from the closed form, what they cost, and whether the paper's figures about it
hold. Made by `make studies`: `diffeo study` writes the files in `docs/results/studies`,
`bench/compare/sweep.py` the times of other libraries, `bench/compare/studies_page.py` this page. Do not edit.
"""

PRECISION = """## Numerical integration

For every field the largest absolute difference from the closed form over its points, then the mean over the
fields: the paper's measure. *Gradient* is the exact gradient of the scheme by theta; *by differences* is
(φ(θ + h) − φ(θ)) / h with h = 0.01, as libcpab (compiled) and difw compute it. The alternating
solver takes *N* large steps, each analytic inside a cell, else *n* small midpoint steps. The closed form in
float32 stands beside: what rounding alone costs.

A vertex that is crossed inside a step costs an error of the order of the step squared that depends on where
in the step it lies. Ten times the steps give positions two more decimals, and gradients one: order 2 and
order 1, as the tests check. Differences stop gaining where h itself is the error.
"""

SQUARING = """## Scaling and squaring

Root mean squares over points, fields and, for gradients, the entries of theta. The points are equally spaced
and are the grid on which the method composes. Without squarings the method is the closed form. Every further
squaring adds about as much to the error while the small step goes farther than the points are apart, then
less and less; on smooth fields half of what the one before added, so that the error levels off there.
"""

TIMES = """## Time

Milliseconds for all fields and points at a time, the least of all repetitions; the gradient is one
vector–Jacobian product. All in float64, one thread unless a file says otherwise.
"""


def setting_text(found: JsonObject) -> str:
    setting = found["setting"]
    fields = f"{setting['fields']} fields" if setting["fields"] > 1 else "one field"
    text = f"{fields} of {setting['cells']} cells from {SOURCES[setting['source']]}"
    if "length_scale" in setting:
        text += f" (length scale {setting['length_scale']:g})"
    text += f", basis {setting['basis']}, {setting['points']:,} points"
    return text + (f", seed {setting['seed']}" if "seed" in setting else "")


def picture(name: str, words: str) -> list[str]:
    return [f"![{words}](studies/{name}.svg)", ""] if (FOLDER / f"{name}.svg").exists() else []


def precision_rows(found: JsonObject) -> list[list[str]]:
    errors = found["errors"]

    def row(name: str, values: Callable[[str], float]) -> list[str]:
        return [name, *(number(values(key)) for key in ("value", "gradient", "by_differences"))]

    rows = [row("closed form, float32", lambda key: errors["single_precision"][key])]
    alternating = errors["alternating"]
    for n in (1, 2, 5, 10, 20):
        if n <= len(alternating["value"]):
            rows.append(row(f"alternating, N = n = {n}", lambda key, n=n: alternating[key][n - 1][n - 1]))
    for each in errors["runge_kutta"]:
        rows.append(row(f"Runge–Kutta, {each['steps']} steps", lambda key, each=each: each[key]))
    return rows


def precision_section() -> list[str]:
    lines = [PRECISION]
    for name, found in all_of("precision").items():
        errors = found["errors"]
        moved, steep = number(errors["displacement"]), number(errors["largest_gradient"])
        lines += [
            f"### {SOURCES[found['setting']['source']].capitalize()}, {found['setting']['cells']} cells",
            "",
            f"{setting_text(found)}, size {found['setting']['size']:g}. On average the farthest point "
            f"of a field moves by {moved}, and the largest entry of the gradient is {steep}.",
            "",
            *picture(f"{name}_value", "Map of the error of positions over N and n"),
            *picture(f"{name}_gradient", "Map of the error of gradients over N and n"),
            *picture(f"{name}_by_differences", "Map of the error of gradients by differences over N and n"),
            *table(["scheme", "positions", "gradient", "by differences"], precision_rows(found)),
        ]
    return lines


def squaring_section() -> list[str]:
    lines = [SQUARING]
    for name, found in all_of("squaring").items():
        errors = found["errors"]
        squarings = range(1, len(errors["value"][0]))
        lines += [
            f"### {SOURCES[found['setting']['source']].capitalize()}, {found['setting']['cells']} cells",
            "",
            f"{setting_text(found)}.",
            "",
            *picture(f"{name}_value", "Error of positions over squarings, a line for every size"),
            *picture(f"{name}_gradient", "Error of gradients over squarings, a line for every size"),
        ]
        head = ["size", "displacement", *(f"N = {n}" for n in squarings)]
        for quantity, title in (("value", "Positions"), ("gradient", "Gradients")):
            rows = [
                [f"{size:g}", number(errors["displacement"][i]), *map(number, errors[quantity][i][1:])]
                for i, size in enumerate(found["sizes"])
            ]
            lines += [f"{title}:", "", *table(head, rows)]
    return lines


def scheme_name(time: JsonObject) -> str:
    if time["scheme"] == "alternating":
        return f"alternating, N = {time['steps']}, n = {time['inner_steps']}"
    return f"Runge–Kutta, {time['steps']} steps" if time["scheme"] == "runge-kutta" else "closed form"


def times_section() -> list[str]:
    lines = [TIMES]
    precision, squaring = read("precision_times"), read("squaring_times")
    if precision:
        rows = [
            [scheme_name(each), number(each["forward_ms"]), number(each["gradient_ms"])]
            for each in precision["times"]
        ]
        lines += [f"{setting_text(precision)}:", "", *table(["scheme", "forward", "gradient"], rows)]
    if squaring:
        times = squaring["times"]
        head = ["size", *(f"N = {n}" for n in range(len(times["forward_ms"][0])))]
        lines += [f"Scaling and squaring, {setting_text(squaring)}:", ""]
        lines += picture("squaring_times_forward_ms", "Milliseconds forward over squarings")
        lines += picture("squaring_times_gradient_ms", "Milliseconds of the gradient over squarings")
        for key, title in (("forward_ms", "Forward"), ("gradient_ms", "Gradient")):
            rows = [
                [f"{size:g}", *map(number, row)]
                for size, row in zip(squaring["sizes"], times[key], strict=True)
            ]
            lines += [f"{title}:", "", *table(head, rows)]
    if not (precision or squaring):
        lines += ["Not measured yet.", ""]
    return lines + peers_section()


def peers_section() -> list[str]:
    found = read("timing_peers")
    if not found:
        return []
    sweeps_picture(found["times"]).write(FOLDER / "timing_peers.svg")
    text = (
        "Against other libraries, one of the three numbers varied at a time around the paper's 30 cells, "
        "1000 points and 40 warps; float32, one thread. How, and what the libraries are: [speed](speed.md)."
    )
    words = "Milliseconds of diffeo, difw and libcpab over points, cells and warps, logarithmic"
    return ["### Points, cells, warps", "", text, "", *picture("timing_peers", words)]


def main() -> None:
    lines = [INTRODUCTION, *claims_section(), *precision_section(), *squaring_section(), *times_section()]
    output = RESULTS / "studies.md"
    beside = output.with_suffix(".tmp")
    beside.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    beside.replace(output)


if __name__ == "__main__":
    main()
