"""`diffeo study`: the options, and what it writes: a document of JSON, a table for people, figures."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import diffeo
from diffeo import _core

from . import figures, studies
from .studies import PrecisionError, SchemeTime, SquaringErrors, StudySetting, SweepTime

Json = dict[str, Any]
_BEGINNING = '{\n  "study": "'  # of a file
_MOST_SQUARINGS = 30
_FIELDS = {"precision": 100, "squaring": 10}  # gradients of grids take time
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
    from .__main__ import write_text

    _refuse_options_of_others(options)
    _require_writable(options)
    document, table, drawn = {"precision": _precision, "squaring": _squaring, "timing": _timing}[
        options.study
    ](options)
    document = {"study": options.study, "version": diffeo.__version__, "compiler": _core.compiler(),
                "instruction_set": diffeo.instruction_set(), **document}  # fmt: skip
    if options.output:
        write_text(
            options.output, _file_text(document), option="--output", kind="a study", beginning=_BEGINNING
        )
    if options.figures:
        for name, figure in drawn():
            write_text(f"{options.figures}_{name}.svg", figures.svg(figure) + "\n", option="--figures",
                       kind="a picture", beginning="<svg")  # fmt: skip
    if options.output != "-":
        print(json.dumps(document, separators=(",", ":")) if options.json else table)


def _refuse_options_of_others(options: argparse.Namespace) -> None:
    for name, names in _OF.items():
        if getattr(options, name) is not None and options.study not in names:
            raise WrongUsage(
                f"--{name.replace('_', '-')}: expected with {' or '.join(names)} only, got {options.study}"
            )


def _require_writable(options: argparse.Namespace) -> None:
    """Say so before the work begins whose result would be lost."""
    from .__main__ import require_own_kind

    if options.output:
        require_own_kind(options.output, option="--output", kind="a study", beginning=_BEGINNING)


Result = tuple[Json, str, Callable[[], Iterator[tuple[str, Figure]]]]


def _precision(options: argparse.Namespace) -> Result:
    setting = _setting(options)
    steps, inner = options.steps or 20, options.inner_steps or 20
    measures, threads = options.measure or "both", options.threads or None
    document: Json = {"setting": {**_setting_document(setting), "size": setting.size}}
    rows: list[list[str]] = []
    errors = None
    if measures != "times":
        errors = studies.precision_errors(setting, steps, inner, threads, _progress(options, "errors"))
        document["errors"] = {
            "displacement": errors.displacement,
            "largest_gradient": errors.largest_gradient,
            "single_precision": asdict(errors.single_precision),
            "runge_kutta": [
                {"steps": n, **asdict(each)}
                for n, each in zip(studies.RUNGE_KUTTA_STEPS, errors.runge_kutta, strict=True)
            ],
            "alternating": _columns(errors.alternating, ("value", "gradient", "by_differences")),
        }
        rows += _error_rows(errors)
    if measures != "errors":
        times = studies.precision_times(
            setting, min(steps, inner), options.repetitions, threads, _progress(options, "times")
        )
        document |= {"threads": options.threads, "times": [_time_document(each) for each in times]}
        rows.append(["milliseconds", "forward", "gradient"])
        rows += [[_scheme_name(each.scheme), f"{each.forward:.4f}", f"{each.gradient:.4f}"] for each in times]

    def drawn() -> Iterator[tuple[str, Figure]]:
        if errors is None:
            return
        for name, words in (
            ("value", "positions"),
            ("gradient", "gradients"),
            ("by_differences", "gradients by differences"),
        ):
            values = np.array([[getattr(each, name) for each in row] for row in errors.alternating])
            yield (
                name,
                figures.error_map(
                    values, f"Error of the alternating solver: {words}", ("steps", "inner steps")
                ),
            )
        lines = {
            words: (studies.RUNGE_KUTTA_STEPS, [getattr(each, name) for each in errors.runge_kutta])
            for name, words in (
                ("value", "positions"),
                ("gradient", "gradients"),
                ("by_differences", "by differences"),
            )
        }
        yield "runge_kutta", figures.curves(lines, "Error of Runge-Kutta integration", ("steps", "error"),
                                            is_x_logarithmic=True, is_y_logarithmic=True)  # fmt: skip

    return document, _table(rows), drawn


def _squaring(options: argparse.Namespace) -> Result:
    setting = _setting(options)
    sizes = options.sizes or [0.0, 1.0, 2.0, 3.0, 4.0]
    squarings = 8 if options.squarings is None else options.squarings
    measures, threads = options.measure or "both", options.threads or None
    document: Json = {"setting": _setting_document(setting), "sizes": sizes}
    heads = ["size, squarings"]
    cells = [[f"{size:g}, {count}"] for size in sizes for count in range(squarings + 1)]
    errors: SquaringErrors | None = None
    times: list[list[SchemeTime]] | None = None
    if measures != "times":
        errors = studies.squaring_errors(setting, sizes, squarings, threads, _progress(options, "errors"))
        document["errors"] = {
            "displacement": errors.displacements,
            "gradient_size": errors.gradients,
            **_columns(errors.sizes, ("value", "gradient", "largest_value", "largest_gradient")),
        }
        heads += ["value, rms", "gradient, rms"]
        for row, found in zip(cells, (each for size in errors.sizes for each in size), strict=True):
            row += [f"{found.value:.2e}", f"{found.gradient:.2e}"]
    if measures != "errors":
        times = studies.squaring_times(
            setting, sizes, squarings, options.repetitions, threads, _progress(options, "times")
        )
        milliseconds = _columns(times, ("forward", "gradient"))
        document |= {
            "threads": options.threads,
            "times": {f"{name}_ms": rows for name, rows in milliseconds.items()},
        }
        heads += ["forward, ms", "gradient, ms"]
        for row, took in zip(cells, (each for size in times for each in size), strict=True):
            row += [f"{took.forward:.4f}", f"{took.gradient:.4f}"]

    def curves(name: str, title: str, unit: str, rows: Sequence[Sequence[Any]], member: str) -> Iterator[Any]:
        is_error = unit == "root mean square"
        lines = {
            f"size {size:g}": (range(squarings + 1), [getattr(each, member) for each in row])
            for size, row in zip(sizes, rows, strict=True)
        }
        lines = {words: line for words, line in lines.items() if not is_error or max(line[1]) > 0}
        if lines:
            yield name, figures.curves(lines, title, ("squarings", unit), is_y_logarithmic=is_error)

    def drawn() -> Iterator[tuple[str, Figure]]:
        if errors:
            of = "Error of scaling and squaring"
            yield from curves("value", f"{of}: positions", "root mean square", errors.sizes, "value")
            yield from curves("gradient", f"{of}: gradients", "root mean square", errors.sizes, "gradient")
        if times:
            of = "Time of scaling and squaring"
            yield from curves("forward_ms", f"{of}: positions", "milliseconds", times, "forward")
            yield from curves("gradient_ms", f"{of}: gradient", "milliseconds", times, "gradient")

    return document, _table([heads, *cells]), drawn


def _timing(options: argparse.Namespace) -> Result:
    times = studies.timing_sweep(options.repetitions, options.threads or None, _progress(options, "times"))
    document = {
        "precision": "float32",
        "threads": options.threads,
        "times": [_sweep_document(each) for each in times],
    }
    rows = [["cells x points x warps", "forward, ms", "gradient, ms"]]
    rows += [
        [f"{each.cells} x {each.points} x {each.warps}", f"{each.forward:.4f}", f"{each.gradient:.4f}"]
        for each in times
    ]

    def drawn() -> Iterator[tuple[str, Figure]]:
        for varied in ("points", "cells", "warps"):
            some = [each for each in times if each.varied == varied]
            x = [getattr(each, varied) for each in some]
            lines = {
                "forward": (x, [each.forward for each in some]),
                "gradient": (x, [each.gradient for each in some]),
            }
            yield varied, figures.curves(lines, f"Time over {varied}", (varied, "milliseconds"),
                                         is_x_logarithmic=True, is_y_logarithmic=True)  # fmt: skip

    return document, _table(rows), drawn


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


def _progress(options: argparse.Namespace, part: str) -> studies.Progress:
    """Show how far a part is, on a terminal."""
    if options.quiet or not sys.stderr.isatty():
        return lambda done: None

    def show(done: float) -> None:
        sys.stderr.write(f"\r{part}, {100 * done:.0f} %\x1b[K")
        if done >= 1:
            sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()

    return show


# --- documents and tables ----------------------------------------------------------------------------------


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
    document: Json = {
        "scheme": {"exact": "closed-form", "numeric": "runge-kutta"}.get(scheme.method, scheme.method)
    }
    document |= {
        name: value for name, value in (("steps", scheme.steps), ("inner_steps", scheme.inner_steps)) if value
    }
    return document | {"forward_ms": found.forward, "gradient_ms": found.gradient}


def _sweep_document(found: SweepTime) -> Json:
    document = asdict(found)
    return document | {"forward_ms": document.pop("forward"), "gradient_ms": document.pop("gradient")}


def _error_rows(errors: studies.PrecisionErrors) -> Iterator[list[str]]:
    def row(name: str, error: PrecisionError) -> list[str]:
        return [name, *(f"{value:.2e}" for value in (error.value, error.gradient, error.by_differences))]

    yield ["error", "value", "gradient", "by differences"]
    yield row("closed form, float32", errors.single_precision)
    for n in studies.TIMED_STEPS:
        if n <= min(len(errors.alternating), len(errors.alternating[0])):
            yield row(f"alternating {n} x {n}", errors.alternating[n - 1][n - 1])
    for steps, error in zip(studies.RUNGE_KUTTA_STEPS, errors.runge_kutta, strict=True):
        yield row(f"Runge-Kutta {steps}", error)


def _scheme_name(scheme: studies.Scheme) -> str:
    if scheme.method == "alternating":
        return f"alternating {scheme.steps} x {scheme.inner_steps}"
    return f"Runge-Kutta {scheme.steps}" if scheme.method == "numeric" else "closed form"


def _table(rows: Sequence[Sequence[str]]) -> str:
    """A line per row, the first column to the left, the others to the right."""
    return "\n".join(f"{row[0]:<28}" + "".join(f"{each:>16}" for each in row[1:]) for row in rows)


def _file_text(document: Json) -> str:
    """A line per key: diffs of large tables stay small."""
    lines = ",\n  ".join(
        f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in document.items()
    )
    return "{\n  " + lines + "\n}\n"
