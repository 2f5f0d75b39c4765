"""What a page about experiments is made from: folder, settings, work, and what was left out."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ._numbers import counted
from .folder import Experiment, setting_words
from .results import MethodSummary, ResultsSummary

_MOST_NAMED = 20  # failures, and settings that are not shown

Row = tuple[str, str, str]


def provenance_of(experiment: Experiment) -> Iterator[Row]:
    """Rows of names, values and remarks."""
    summary = experiment.summary
    yield "results", str(experiment.folder), ""
    for method in summary.methods:
        options = ", ".join(f"{name} {value}" for name, value in sorted(method.options.items()))
        yield method.name, options or "no options", _work_text(method)
    for names, reason in (
        (summary.left_out, "some method has no result there"),
        (summary.methods_left_out, "tried on less than half of the data sets"),
        (summary.fewer_seeds, "fewer seeds there than on other data sets"),
    ):
        if names:
            yield "left out", ", ".join(names), reason
    failed = [("failed", f"{method} on {dataset}", error) for dataset, method, error in summary.failed]
    yield from _first_of(failed)
    yield from _first_of(list(_other_settings(summary)))


def _other_settings(summary: ResultsSummary) -> Iterator[Row]:
    kind = "cross-validation" if summary.is_cross_validated else "test"
    for each in summary.other_settings:
        words = setting_words(each.method, each.options)
        found = (
            f"mean accuracy {each.mean_accuracy:.4f} on {counted(each.datasets, 'data set')}, "
            f"of {counted(each.results, kind)}"
        )
        yield "other setting", f"{each.method}, {words}" if words else each.method, found


def _work_text(method: MethodSummary) -> str:
    """How much work a method was, and what measured it."""
    minutes = math.floor(method.seconds / 60 + 0.5)
    text = f"{minutes} minute{'s' * (minutes != 1)} of " if minutes else "less than a minute of "
    if method.with_processor_time == method.results:
        return f"{text}processor time"
    if method.with_processor_time == 0:
        return f"{text}work, on the clock"
    return (
        f"{text}work: processor time of {method.with_processor_time} of {method.results} results, "
        "of the others that on the clock"
    )


def _first_of(rows: list[Row]) -> Iterator[Row]:
    yield from rows[:_MOST_NAMED]
    if len(rows) > _MOST_NAMED:
        yield rows[0][0], f"and {len(rows) - _MOST_NAMED} more", ""
