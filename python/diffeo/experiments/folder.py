"""What a folder of results holds beside them: published values, searches, ablations, pictures, remarks.

A search (`diffeo grid`) and an ablation (`diffeo ablation`) may be in the folder itself, or in `DIR/grid` and
`DIR/ablation`.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from diffeo import _core

from .results import ResultsSummary, excerpt, parsed, read_results, summarize
from .statistics import is_reachable_accuracy

if TYPE_CHECKING:
    from os import PathLike

Json = dict[str, Any]

PROPERTIES = ("type", "train", "test", "length", "classes")
_MOST_DIGITS = 5  # a table written with more may be filled up with zeros
_ROUNDOFF = 1e-12
_LONGEST_PROBLEM = 200  # what is longer quotes the file
_UNREACHABLE = (
    "no classifier can have this accuracy on a test set of this size: it is no whole number of right "
    "answers, rounded or not"
)
_NAMED = "the table names it as one that cannot be compared"
_OTHER_SPLIT = (
    "measured on another split into training and test series than the archive's, which the rest of the row "
    "is of"
)


@dataclass(frozen=True)
class Published:
    """An accuracy that somebody published."""

    value: float | None = None
    fault: str = ""  #: why it cannot be compared; empty where it can
    digits: int | None = None  #: to which it was rounded; None: it is exact

    def is_tie(self, measured: float) -> bool:
        """Whether it may be the measured value, rounded."""
        half_a_unit = 0.5 * 10.0**-self.digits if self.digits is not None else 0.0
        return self.value is not None and abs(measured - self.value) <= half_a_unit + _ROUNDOFF


@dataclass(frozen=True)
class Experiment:
    """Everything that a page about a folder of results shows."""

    folder: Path
    summary: ResultsSummary
    table: str = ""  #: file of the published values
    properties: pd.DataFrame | None = None  #: of each data set: type, train, test, length, classes
    published: pd.DataFrame | None = None  #: `Published` by data set and method
    pictures: list[Json] = field(default_factory=list)
    grid: Json | None = None
    ablation: Json | None = None
    introduction: str = ""
    losses: str = ""


def read_experiment(folder: str | PathLike[str], table: str | PathLike[str] | None = None) -> Experiment:
    """Read a folder of results with everything beside them.

    Parameters
    ----------
    folder : path
        The folder that `diffeo evaluate --results` wrote.
    table : path, optional
        A .csv with the columns dataset, type, train, test, length, classes, published accuracies (a column
        per method) and faults. `DIR/published.csv` if not given and there is one.

    Raises
    ------
    OSError
        If a file cannot be read.
    ValueError
        If a file is not what it should be, with its name.
    """
    place = Path(folder)
    try:
        summary = summarize(read_results(place))
    except ValueError as problem:
        raise ValueError(problem if str(problem).startswith(str(place)) else f"{place}: {problem}") from None
    own = place / "published.csv"
    file = Path(table) if table else own if own.exists() else None
    properties, published = _read_table(file, list(summary.scores.index)) if file else (None, None)
    return Experiment(
        folder=place,
        summary=summary,
        table=str(file or ""),
        properties=properties,
        published=None if summary.is_cross_validated else published,  # published values are of test sets
        pictures=_read_pictures(place, summary),
        grid=_first_document(place / "grid.json", place / "grid" / "grid.json"),
        ablation=_first_document(place / "ablation.json", place / "ablation" / "ablation.json"),
        introduction=_remark(place / "introduction.txt"),
        losses=_remark(place / "losses.txt"),
    )


def setting_words(method: str, options: dict[str, str]) -> str:
    """A setting in a few words: "the defaults with cells 64". Empty for methods without a network.

    Parameters
    ----------
    method : str
        Its name; of a preset, differences from that preset are told, else from the nearest.
    options : dict
        Names and texts of the options, as results hold them.
    """
    if "cells" not in options:
        return ""
    presets = _core.preset_names()
    own = [method] if method in presets else [name for name in presets if name not in ("dtan", "resnet-tw")]
    changes = {name: _changes(name, options) for name in own}
    nearest = min(own, key=lambda name: len(changes[name]))
    words = "the defaults" if nearest == "default" else f"the preset {nearest}"
    return words + (f" with {', '.join(changes[nearest])}" if changes[nearest] else "")


def _changes(preset: str, options: dict[str, str]) -> list[str]:
    usual = _core.TrainingOptions(preset).values()
    given = _core.TrainingOptions(preset)
    names = [each.name for each in _core.hyperparameters() if each.name in options]
    changed = []
    for name in names:
        try:
            given.set(name, options[name])
        except ValueError:  # of another version
            changed.append(name)
    values = given.values()
    return [f"{name} {options[name]}" for name in names if name in changed or values[name] != usual[name]]


# --- published values --------------------------------------------------------------------------------------


def _read_table(file: Path, datasets: list[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Properties of the data sets, and published values."""
    with file.open(newline="", encoding="utf-8") as stream:
        head, *lines = list(csv.reader(stream)) or [[]]
    if head[: 1 + len(PROPERTIES)] != ["dataset", *PROPERTIES] or head[-1] != "faults":
        raise ValueError(
            f"{file}:1: expected the columns dataset,{','.join(PROPERTIES)}, then methods, then faults, "
            f"got {excerpt(head[0]) if head else 'nothing'},..."
        )
    rows: dict[str, Json] = {}
    for number, cells in enumerate(lines, 2):
        if len(cells) != len(head):
            raise ValueError(f"{file}:{number}: expected {len(head)} values, got {len(cells)}")
        rows[cells[0]] = _table_row(head, cells, f"{file}:{number}")
    missing = [name for name in datasets if name not in rows]
    if missing:
        raise ValueError(f"{file}: expected a row for every data set, got none for {missing[0]}")
    frame = pd.DataFrame.from_dict({name: rows[name] for name in datasets}, orient="index")
    return frame[list(PROPERTIES)], frame[head[1 + len(PROPERTIES) : -1]]


def _table_row(head: list[str], cells: list[str], where: str) -> Json:
    texts = dict(zip(head, cells, strict=True))
    counts = {name: _number(texts[name], int, where) for name in PROPERTIES[1:]}
    faults = texts["faults"].split(" ")
    values = {
        name: _published(texts[name], counts["test"], _named_fault(faults, name), where)
        for name in head[1 + len(PROPERTIES) : -1]
    }
    return {"type": texts["type"], **counts, **values}


def _number(text: str, kind: type[int] | type[float], where: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"{where}: expected a number, got {excerpt(text)}") from None


def _named_fault(faults: list[str], method: str) -> str:
    if f"{method}:split" in faults:
        return _OTHER_SPLIT
    return _NAMED if method in faults else ""


def _published(text: str, cases: int, named: str, where: str) -> Published:
    if not text:
        return Published()
    value = _number(text, float, where)
    if not 0 <= value <= 1:
        raise ValueError(f"{where}: expected an accuracy from 0 to 1, got {excerpt(text)}")
    written = len(text.partition(".")[2])
    digits = min(written, _MOST_DIGITS)
    possible = cases == 0 or named == _OTHER_SPLIT or is_reachable_accuracy(value, cases, digits)
    # A bare 1 means all cases, not whatever rounds to it.
    return Published(value, named if possible else _UNREACHABLE, digits if "." in text else None)


# --- documents ---------------------------------------------------------------------------------------------


def _first_document(*files: Path) -> Json | None:
    for file in files:
        if file.exists():
            return _document(file)
    return None


def _document(file: Path) -> Json:
    try:
        document = parsed(file.read_text(encoding="utf-8", errors="replace"))
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise ValueError(f"{file}: expected a JSON document of the experiments, got something else")
    return document


def _read_pictures(folder: Path, summary: ResultsSummary) -> list[Json]:
    """Pictures of alignments with the setting that counts, one per data set at most."""
    options = summary.methods[0].options
    files = [folder / "pictures" / f"{dataset}.json" for dataset in summary.scores.index]
    documents = [(file, _document(file)) for file in files if file.exists()]
    return [_picture(file, each) for file, each in documents if each.get("options", options) == options]


def _picture(file: Path, document: Json) -> Json:
    """With series as arrays, NaN for what is missing."""
    try:
        series = {name: np.array(document[name], dtype=float) for name in ("before", "after")}
        shapes = {each.shape for each in series.values()} | {(len(document["classes"]), document["length"])}
        if len(shapes) != 1 or math.prod(next(iter(shapes))) == 0:
            raise ValueError(f"got series of the shapes {sorted(shapes)}")
        return {**document, **series, "method": document["method"], "dataset": document["dataset"]}
    except (KeyError, TypeError, ValueError) as problem:
        raise ValueError(
            f"{file}: expected series before and after alignment: {str(problem)[:_LONGEST_PROBLEM]}"
        ) from None


def _remark(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace").rstrip("\n") if file.exists() else ""
