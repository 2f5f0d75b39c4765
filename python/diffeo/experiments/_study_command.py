"""`diffeo study`: the options, and what it writes: a document of JSON, a table for people, figures."""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import diffeo
from diffeo import _core
from diffeo._live_bar import LiveBar, is_watched

from . import figures, studies
from .studies import SchemeTime, StudySetting

Json = dict[str, Any]
_BEGINNING = '{\n  "study": "'  # of a file
_MOST_SQUARINGS = 30
_FIELDS = {"precision": 100, "squaring": 10}  # gradients of grids take time
#: What errors of a scheme are of, in words.
_QUANTITIES = {
    "value": "positions",
    "gradient": "gradients",
    "by_differences": "gradients by differences",
}
_BOTH = ("precision", "squaring")
#: The studies that an option belongs to.
_OF = dict.fromkeys(
    ("measure", "source", "fields", "points", "cells", "basis", "length_scale", "seed"), _BOTH
) | {
    "size": ("precision",),
    "steps": ("precision",),
    "inner_steps": ("precision",),
    "sizes": ("squaring",),
    "squarings": ("squaring",),
}


class WrongUsage(ValueError):
    """Options that do not go together."""


def add_options(verb: argparse.ArgumentParser) -> None:
    """Declare the verb's options."""
    verb.epilog = (
        "Errors are the same on every machine with the same instruction set; times want an idle one."
    )
    verb.add_argument(
        "study",
        type=_one_of("precision", "squaring", "timing"),
        metavar="precision|squaring|timing",
        help="numerical integration, scaling and squaring, or time over points, cells and warps",
    )
    setting = verb.add_argument_group("fields and points, of precision and squaring")
    setting.add_argument(
        "--measure",
        type=_one_of("errors", "times", "both"),
        metavar="errors|times|both",
        help="what to measure [both]",
    )
    setting.add_argument(
        "--source",
        type=_one_of(*studies.SOURCES),
        metavar="|".join(studies.SOURCES),
        help="where theta comes from [prior; of squaring: ones]",
    )
    setting.add_argument(
        "--fields", type=_count(1, 1_000_000), metavar="N", help="how many [100; of squaring: 10; of ones: 1]"
    )
    setting.add_argument(
        "--points", type=_count(1, 1_000_000), metavar="N", help="points of every field [1000]"
    )
    setting.add_argument("--cells", type=_count(2, 4096), metavar="N", help="cells of the fields [5]")
    setting.add_argument(
        "--basis",
        type=_one_of("svd", "qr", "rref", "sparse"),
        metavar="svd|qr|rref|sparse",
        help="what theta means [svd]",
    )
    setting.add_argument(
        "--length-scale",
        type=_number(1e-300, 1e6),
        metavar="X",
        help="smoothness of fields from the prior [0.1]",
    )
    setting.add_argument(
        "--seed",
        type=_count(0, 2**64 - 1),
        metavar="S",
        help="the same seed gives the same fields and points [0]",
    )
    precision = verb.add_argument_group("of precision")
    precision.add_argument(
        "--size", type=_number(0, 1e6), metavar="X", help="standard deviation of theta [1]"
    )
    precision.add_argument("--steps", type=_count(1, 1000), metavar="N", help="most steps [20]")
    precision.add_argument("--inner-steps", type=_count(1, 1000), metavar="N", help="most inner steps [20]")
    squaring = verb.add_argument_group("of squaring")
    squaring.add_argument("--sizes", type=_numbers, metavar="X,X,...", help="sizes of theta [0,1,2,3,4]")
    squaring.add_argument(
        "--squarings", type=_count(0, _MOST_SQUARINGS), metavar="N", help="most squarings [8]"
    )
    verb.add_argument(
        "--repetitions",
        type=_count(1, 1_000_000),
        default=10,
        metavar="N",
        help="of a timing; the fastest counts [10]",
    )
    verb.add_argument(
        "--threads",
        type=_count(0, 1024),
        default=1,
        metavar="N",
        help="threads to use; 0 means all cores [1]",
    )
    verb.add_argument("-o", "--output", metavar="FILE", help="a file of JSON, or -")
    verb.add_argument("--figures", metavar="PREFIX", help="draw it: PREFIX_value.svg and so on")
    verb.add_argument("--json", action="store_true", help="print JSON instead of a table")
    verb.add_argument("--quiet", action="store_true", help="no progress on stderr")
    verb.set_defaults(work=_study)


def _one_of(*names: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in names:
            listed = f"{', '.join(names[:-1])} or {names[-1]}"
            raise argparse.ArgumentTypeError(f"expected {listed}, got {text}")
        return text

    return read


def _count(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"expected a whole number, {least} to {most}, got {text}")
        return int(text)

    return read


def _number(least: float, most: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"expected a number, {least:g} to {most:g}, got {text}")
        return value

    return read


def _numbers(text: str) -> list[float]:
    return [_number(0, 1e6)(part) for part in text.split(",")]


# --- the work ----------------------------------------------------------------------------------------------


def _study(options: argparse.Namespace) -> None:
    from .__main__ import require_own_kind, write_text

    _refuse_options_of_others(options)
    if options.output:  # said before the work begins whose result would be lost
        require_own_kind(options.output, option="--output", kind="a study", beginning=_BEGINNING)
    work = {"precision": _precision, "squaring": _squaring, "timing": _timing}[options.study]
    document: Json = {
        "study": options.study,
        "version": diffeo.__version__,
        "compiler": _core.compiler(),
        "instruction_set": diffeo.instruction_set(),
        **work(options),
    }
    if options.output:
        text = _file_text(document)
        write_text(options.output, text, option="--output", kind="a study", beginning=_BEGINNING)
    if options.figures:
        for name, figure in figures_of(document):
            path, text = f"{options.figures}_{name}.svg", figures.svg(figure) + "\n"
            write_text(path, text, option="--figures", kind="a picture", beginning="<svg")
    if options.output != "-":
        print(json.dumps(document, separators=(",", ":")) if options.json else _table(document))


def _refuse_options_of_others(options: argparse.Namespace) -> None:
    for name, names in _OF.items():
        if getattr(options, name) is not None and options.study not in names:
            raise WrongUsage(
                f"--{name.replace('_', '-')}: expected with {' or '.join(names)} only, got {options.study}"
            )


def _precision(options: argparse.Namespace) -> Json:
    setting = _setting(options)
    steps, inner = options.steps or 20, options.inner_steps or 20
    threads = options.threads or None
    document: Json = {"setting": {**_setting_document(setting), "size": setting.size}}
    if options.measure != "times":
        with _progress(options, "errors") as progress:
            found = studies.precision_errors(setting, steps, inner, threads, progress)
        document["errors"] = {
            "displacement": found.displacement,
            "largest_gradient": found.largest_gradient,
            "single_precision": asdict(found.single_precision),
            "runge_kutta": [
                {"steps": n, **asdict(each)}
                for n, each in zip(studies.RUNGE_KUTTA_STEPS, found.runge_kutta, strict=True)
            ],
            "alternating": _columns(found.alternating, tuple(_QUANTITIES)),
        }
    if options.measure != "errors":
        with _progress(options, "times") as progress:
            times = studies.precision_times(
                setting, min(steps, inner), options.repetitions, threads, progress
            )
        document |= {"threads": options.threads, "times": [_time_document(each) for each in times]}
    return document


def _squaring(options: argparse.Namespace) -> Json:
    setting = _setting(options)
    sizes = options.sizes or [0.0, 1.0, 2.0, 3.0, 4.0]
    squarings = 8 if options.squarings is None else options.squarings
    threads = options.threads or None
    document: Json = {"setting": _setting_document(setting), "sizes": sizes}
    if options.measure != "times":
        with _progress(options, "errors") as progress:
            found = studies.squaring_errors(setting, sizes, squarings, threads, progress)
        document["errors"] = {
            "displacement": found.displacements,
            "gradient_size": found.gradients,
            **_columns(found.sizes, ("value", "gradient", "largest_value", "largest_gradient")),
        }
    if options.measure != "errors":
        with _progress(options, "times") as progress:
            times = studies.squaring_times(setting, sizes, squarings, options.repetitions, threads, progress)
        columns = _columns(times, ("forward", "gradient"))
        document |= {
            "threads": options.threads,
            "times": {f"{name}_ms": rows for name, rows in columns.items()},
        }
    return document


def _timing(options: argparse.Namespace) -> Json:
    with _progress(options, "times") as progress:
        times = studies.timing_sweep(options.repetitions, options.threads or None, progress)
    rows = [asdict(each) for each in times]
    return {
        "precision": "float32",
        "threads": options.threads,
        "times": [
            {**row, "forward_ms": row.pop("forward"), "gradient_ms": row.pop("gradient")} for row in rows
        ],
    }


def _setting(options: argparse.Namespace) -> StudySetting:
    """With what the study itself decides if nothing was said."""
    names = ("points", "cells", "basis", "size", "length_scale", "seed")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    source: studies.Source = options.source or ("ones" if options.study == "squaring" else "prior")
    usual = 1 if source == "ones" else _FIELDS[options.study]
    fields = options.fields if options.fields is not None else usual
    setting = StudySetting(source=source, fields=fields, **given)
    setting.check()
    return setting


@contextmanager
def _progress(options: argparse.Namespace, part: str) -> Iterator[studies.Progress]:
    """Show how far a part is and the time left, if somebody is watching."""
    if options.quiet or not is_watched():
        yield lambda done: None
        return
    start = time.monotonic()
    with LiveBar(part, has_end=True) as bar:

        def show(done: float) -> None:
            bar.done = done
            bar.end = start + (time.monotonic() - start) / done if done else None

        yield show


# --- documents ---------------------------------------------------------------------------------------------


def _setting_document(setting: StudySetting) -> Json:
    document: Json = {
        name: getattr(setting, name) for name in ("source", "fields", "points", "cells", "basis")
    }
    if setting.source == "prior":
        document["length_scale"] = setting.length_scale
    if setting.source != "ones":
        document["seed"] = setting.seed
    return document


def _columns(rows: Sequence[Sequence[Any]], members: Sequence[str]) -> Json:
    return {member: [[getattr(each, member) for each in row] for row in rows] for member in members}


def _time_document(found: SchemeTime) -> Json:
    scheme = found.scheme
    names = {"exact": "closed-form", "numeric": "runge-kutta"}
    counts = {"steps": scheme.steps, "inner_steps": scheme.inner_steps}
    return {
        "scheme": names.get(scheme.method, scheme.method),
        **{name: count for name, count in counts.items() if count},
        "forward_ms": found.forward,
        "gradient_ms": found.gradient,
    }


def _file_text(document: Json) -> str:
    """A line per key: diffs of large tables stay small."""
    lines = (
        f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in document.items()
    )
    return "{\n  " + ",\n  ".join(lines) + "\n}\n"


# --- tables ------------------------------------------------------------------------------------------------


def _table(document: Json) -> str:
    """A line per row, the first column to the left, the others to the right."""
    rows = {"precision": _precision_rows, "squaring": _squaring_rows, "timing": _timing_rows}[
        document["study"]
    ]
    return "\n".join(
        f"{first:<28}" + "".join(f"{each:>16}" for each in others) for first, *others in rows(document)
    )


def _precision_rows(document: Json) -> Iterator[list[str]]:
    if "errors" in document:
        errors = document["errors"]
        yield ["error", "value", "gradient", "by differences"]
        yield ["closed form, float32", *(f"{errors['single_precision'][name]:.2e}" for name in _QUANTITIES)]
        maps = errors["alternating"]
        for n in studies.TIMED_STEPS:
            if n <= min(len(maps["value"]), len(maps["value"][0])):
                yield [f"alternating {n} x {n}", *(f"{maps[name][n - 1][n - 1]:.2e}" for name in _QUANTITIES)]
        for each in errors["runge_kutta"]:
            yield [f"Runge-Kutta {each['steps']}", *(f"{each[name]:.2e}" for name in _QUANTITIES)]
    if "times" in document:
        yield ["milliseconds", "forward", "gradient"]
        for each in document["times"]:
            yield [_scheme_name(each), *_milliseconds(each)]


def _scheme_name(found: Json) -> str:
    if found["scheme"] == "alternating":
        return f"alternating {found['steps']} x {found['inner_steps']}"
    return f"Runge-Kutta {found['steps']}" if found["scheme"] == "runge-kutta" else "closed form"


def _milliseconds(found: Json) -> list[str]:
    return [f"{found['forward_ms']:.4f}", f"{found['gradient_ms']:.4f}"]


def _squaring_rows(document: Json) -> Iterator[list[str]]:
    columns: list[tuple[str, str, list[list[float]]]] = []
    if "errors" in document:
        columns += [(f"{name}, rms", ".2e", document["errors"][name]) for name in ("value", "gradient")]
    if "times" in document:
        columns += [
            (f"{name}, ms", ".4f", document["times"][f"{name}_ms"]) for name in ("forward", "gradient")
        ]
    yield ["size, squarings", *(name for name, _, _ in columns)]
    for place, size in enumerate(document["sizes"]):
        for count in range(len(columns[0][2][place])):
            yield [f"{size:g}, {count}", *(format(values[place][count], kind) for _, kind, values in columns)]


def _timing_rows(document: Json) -> Iterator[list[str]]:
    yield ["cells x points x warps", "forward, ms", "gradient, ms"]
    for each in document["times"]:
        yield [f"{each['cells']} x {each['points']} x {each['warps']}", *_milliseconds(each)]


# --- figures -----------------------------------------------------------------------------------------------


def figures_of(document: Json) -> Iterator[tuple[str, Figure]]:
    """The figures of a study and their names."""
    drawn = {"precision": _precision_figures, "squaring": _squaring_figures, "timing": _timing_figures}
    yield from drawn[document["study"]](document)


def _precision_figures(document: Json) -> Iterator[tuple[str, Figure]]:
    if "errors" not in document:
        return
    errors = document["errors"]
    for name, words in _QUANTITIES.items():
        title = f"Error of the alternating solver: {words}"
        yield name, figures.error_map(np.array(errors["alternating"][name]), title, ("steps", "inner steps"))
    steps = [each["steps"] for each in errors["runge_kutta"]]
    lines = {
        words: (steps, [each[name] for each in errors["runge_kutta"]]) for name, words in _QUANTITIES.items()
    }
    title = "Error of Runge-Kutta integration"
    yield (
        "runge_kutta",
        figures.curves(lines, title, ("steps", "error"), is_x_logarithmic=True, is_y_logarithmic=True),
    )


def _squaring_figures(document: Json) -> Iterator[tuple[str, Figure]]:
    errors, times = document.get("errors", {}), document.get("times", {})
    for name, title, unit, rows in (
        ("value", "Error of scaling and squaring: positions", "root mean square", errors.get("value")),
        ("gradient", "Error of scaling and squaring: gradients", "root mean square", errors.get("gradient")),
        ("forward_ms", "Time of scaling and squaring: positions", "milliseconds", times.get("forward_ms")),
        ("gradient_ms", "Time of scaling and squaring: gradient", "milliseconds", times.get("gradient_ms")),
    ):
        is_error = unit == "root mean square"
        sized = zip(document["sizes"], rows or [], strict=bool(rows))
        # On a logarithmic axis only sizes that have anything to show there.
        lines = {
            f"size {size:g}": (range(len(row)), row) for size, row in sized if not is_error or max(row) > 0
        }
        if lines:
            yield name, figures.curves(lines, title, ("squarings", unit), is_y_logarithmic=is_error)


def _timing_figures(document: Json) -> Iterator[tuple[str, Figure]]:
    for varied in ("points", "cells", "warps"):
        some = [each for each in document["times"] if each["varied"] == varied]
        lines = {
            name: ([each[varied] for each in some], [each[f"{name}_ms"] for each in some])
            for name in ("forward", "gradient")
        }
        names = (varied, "milliseconds")
        drawn = figures.curves(
            lines, f"Time over {varied}", names, is_x_logarithmic=True, is_y_logarithmic=True
        )
        yield varied, drawn
