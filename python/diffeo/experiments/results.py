"""Read a folder of results into a frame, and summarize it as tables of methods and data sets.

`diffeo evaluate` keeps one line of JSON per fit in `DIR/results.jsonl`. A folder may hold a method with
several settings of its options. One setting counts for each method: that of most data sets, then of most
results, then the latest.
"""

from __future__ import annotations

import errno
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from os import PathLike

#: Methods in the order of tables; methods of other names follow them.
METHODS = ("diffeo", "euclidean", "dba", "soft-dtw", "dtan", "resnet-tw")
_ITEM = ("dataset", "method", "setting", "seed", "cv_folds", "cv_held_out")  # what makes a result unique
_NEEDED = ("dataset", "method", "options", "seed", "seconds", "date")
_NUMBERS = (
    "train_accuracy",
    "cv_accuracy",
    "test_accuracy",
    "variance_before",
    "variance_after",
    "seconds",
    "cpu_seconds",
)
_LONGEST_EXCERPT = 40


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_file_name(name: Any) -> bool:
    """Whether files may be named after it: they stay in their folder."""
    return isinstance(name, str) and name not in ("", ".", "..") and "/" not in name and "\0" not in name


_FILE_NAME = ("the name of a folder in the archive", _is_file_name)
_TEXT = ("text", lambda value: isinstance(value, str))
_ACCURACY = (
    "a number from 0 to 1, or null",
    lambda value: value is None or (_is_number(value) and 0 <= value <= 1),
)
_NUMBER = ("a number, or null", lambda value: value is None or _is_number(value))
#: What entries of a result have to be, and how to tell.
_SOUND: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "dataset": _FILE_NAME,
    "method": _TEXT,
    "options": ("an object", lambda value: isinstance(value, dict)),
    "date": _TEXT,
    "error": _TEXT,
    **{name: _ACCURACY if name.endswith("accuracy") else _NUMBER for name in _NUMBERS},
}


def read_results(folder: str | PathLike[str]) -> pd.DataFrame:
    """Read all results of a folder.

    Parameters
    ----------
    folder : path
        The folder that `diffeo evaluate --results` wrote.

    Returns
    -------
    frame
        A row per fit, in the order they were written. The columns are those of the lines of JSON: dataset,
        method, options (a dictionary), seed, cv_folds and cv_held_out (0 for a test), accuracies, variances,
        seconds, cpu_seconds, date, error (empty without one), and others that a line has. A missing number is
        NaN. `setting` names the options, for grouping.

    Raises
    ------
    OSError
        If the folder cannot be read.
    ValueError
        If a line is not a result.
    """
    place = Path(folder)
    if not place.is_dir():
        raise FileNotFoundError(errno.ENOENT, "expected a folder of results, got none", str(place))
    lines = list(_lines(place))
    columns = {*_ITEM, *_NEEDED, *_NUMBERS, "error"}
    frame = pd.DataFrame(
        lines,
        columns=[
            *dict.fromkeys([*_ITEM, *_NEEDED, *_NUMBERS, "error"]),
            *sorted({name for line in lines for name in line} - columns),
        ],
    )
    frame[list(_NUMBERS)] = frame[list(_NUMBERS)].astype(float)
    return frame.drop_duplicates(list(_ITEM), ignore_index=True)


def _lines(folder: Path) -> Iterator[dict[str, Any]]:
    """The results; a last line without its end counts if it is whole."""
    file = folder / "results.jsonl"
    text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
    for number, line in enumerate(text.split("\n"), 1):
        is_cut_off = number == text.count("\n") + 1  # a process writes it right now, or was killed
        if line and not (is_cut_off and not _is_json(line)):
            yield _result(line, f"{file}:{number}")


def parsed(text: str) -> Any:
    """JSON whose text XML and HTML can hold: letters that are none become U+FFFD."""

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", value)
        if isinstance(value, list):
            return [clean(each) for each in value]
        return {clean(key): clean(each) for key, each in value.items()} if isinstance(value, dict) else value

    return clean(json.loads(text))


def excerpt(text: str) -> str:
    """Of what stands in a file, for messages: its beginning, in quotes, on one line."""
    return ascii(text[:_LONGEST_EXCERPT]) + ("..." if len(text) > _LONGEST_EXCERPT else "")


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _result(line: str, where: str) -> dict[str, Any]:
    try:
        result: dict[str, Any] = parsed(line)
    except (ValueError, RecursionError):
        result = {}
    if not isinstance(result, dict) or not result:
        raise ValueError(f"{where}: expected a result as one JSON object, got {excerpt(line)}")
    missing = [name for name in _NEEDED if name not in result]
    if missing:
        raise ValueError(f"{where}: expected a result with {', '.join(_NEEDED)}, got none of {missing[0]!r}")
    for name, (expectation, is_sound) in _SOUND.items():
        if name in result and not is_sound(result[name]):
            raise ValueError(f"{where}: {name}: expected {expectation}, got {excerpt(str(result[name]))}")
    setting = json.dumps(result["options"], sort_keys=True)
    usual = {"setting": setting, "cv_folds": 0, "cv_held_out": 0, "error": ""}
    return usual | result


# --- summary -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MethodSummary:
    """The setting of a method that counts."""

    name: str
    options: dict[str, str]
    seeds: int  #: at most, of a data set
    results: int
    seconds: float  #: of work, of all its results: processor time, else wall-clock time
    with_processor_time: int  #: results that have it


@dataclass(frozen=True)
class OtherSetting:
    """A setting that does not count."""

    method: str
    options: dict[str, str]
    datasets: int
    results: int
    mean_accuracy: float


@dataclass(frozen=True)
class ResultsSummary:
    """Tables of a folder of results: a row per data set, a column per method.

    Accuracies are means over seeds, rounded to nine decimals, so that equal fractions tie.
    """

    scores: pd.DataFrame  #: without gaps
    is_cross_validated: bool  #: the folder has no test, and scores are those of cross-validation
    methods: list[MethodSummary]  #: as the columns of scores
    spreads: pd.DataFrame  #: standard deviations over seeds; NaN for one seed
    cross_validated: pd.DataFrame  #: accuracy by cross-validation within the training set; NaN where not done
    trained: pd.Series  #: accuracy of the first method on its training series
    variances: pd.DataFrame  #: before and after, within classes of the test series, by the first method
    left_out: list[str] = field(default_factory=list)  #: data sets that lack a method
    methods_left_out: list[str] = field(default_factory=list)  #: on less than half of the data sets
    fewer_seeds: list[str] = field(default_factory=list)  #: "method on data set"
    failed: list[tuple[str, str, str]] = field(default_factory=list)  #: data set, method, error
    other_settings: list[OtherSetting] = field(default_factory=list)


def summarize(results: pd.DataFrame) -> ResultsSummary:
    """Summarize results as tables without gaps.

    A method that ran on less than half of the data sets is left out, and so is a data set that lacks another
    method.

    Parameters
    ----------
    results : frame
        As `read_results` returns it.

    Raises
    ------
    ValueError
        If there is no result, or no data set has results of all methods.
    """
    sound = results[(results["error"] == "") & (results["cv_held_out"] == 0)]
    tests = sound[(sound["cv_folds"] == 0) & sound["test_accuracy"].notna()]
    folds = sound[(sound["cv_folds"] > 0) & sound["cv_accuracy"].notna()]
    is_cross_validated = tests.empty
    compared, accuracy = (folds, "cv_accuracy") if is_cross_validated else (tests, "test_accuracy")
    if compared.empty:
        raise ValueError(
            f"results: expected at least one test or cross-validation, got none among {len(results)}"
        )
    chosen = {name: _counting(compared[compared["method"] == name]) for name in _order(compared)}
    most = max(rows["dataset"].nunique() for rows in chosen.values())
    begun = [name for name, rows in chosen.items() if 2 * rows["dataset"].nunique() < most]
    kept = {name: rows for name, rows in chosen.items() if name not in begun}
    everything = pd.DataFrame({name: _means(rows, accuracy) for name, rows in kept.items()}).sort_index()
    scores = everything.dropna()
    if scores.empty:
        raise ValueError(f"results: expected a data set with results of all {len(kept)} methods, got none")
    first = next(iter(kept.values()))
    return ResultsSummary(
        scores=scores,
        is_cross_validated=is_cross_validated,
        methods=[_method(name, rows) for name, rows in kept.items()],
        spreads=_table(
            {name: rows.groupby("dataset")[accuracy].std() for name, rows in kept.items()}, scores
        ),
        cross_validated=_table({name: _folds_of(rows, folds) for name, rows in kept.items()}, scores),
        trained=_means(first, "train_accuracy").reindex(scores.index),
        variances=_variances(first, scores),
        left_out=list(everything.index.difference(scores.index)),
        methods_left_out=begun,
        fewer_seeds=[each for name, rows in kept.items() for each in _fewer_seeds(name, rows)],
        failed=_failed(results),
        other_settings=[each for name in kept for each in _others(compared, name, kept[name], accuracy)],
    )


def _order(results: pd.DataFrame) -> list[str]:
    there = set(results["method"])
    return [name for name in METHODS if name in there] + sorted(there - set(METHODS))


def _settings(results: pd.DataFrame) -> list[pd.DataFrame]:
    """Results by setting, in the order of the options."""
    groups = [rows for _, rows in results.groupby("setting")]
    return sorted(groups, key=lambda rows: sorted(rows["options"].iloc[0].items()))


def _counting(results: pd.DataFrame) -> pd.DataFrame:
    """Those of the setting that counts."""

    def standing(rows: pd.DataFrame) -> tuple[int, int, str]:
        return rows["dataset"].nunique(), len(rows), max(rows["date"])

    return max(_settings(results), key=standing)


def comparable(accuracies: pd.Series) -> pd.Series:
    """Round accuracies so that equal fractions are equal numbers, whatever order they were summed in.

    Rounding to multiples of 2^-30 first is safe: a fraction with a denominator below 2^20 is never within a
    sum's error of where it changes.
    """
    return (np.rint(accuracies * 2.0**30) / 2.0**30).round(9)


def _means(rows: pd.DataFrame, column: str) -> pd.Series:
    return comparable(rows.groupby("dataset")[column].mean())


def _table(columns: dict[str, pd.Series], scores: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(columns, columns=scores.columns).reindex(scores.index).astype(float)


def _folds_of(rows: pd.DataFrame, folds: pd.DataFrame) -> pd.Series:
    """Cross-validated accuracies of the same setting."""
    first = rows.iloc[0]
    if first["cv_folds"] > 0:  # scores are these already
        return pd.Series(dtype=float)
    same = folds[(folds["method"] == first["method"]) & (folds["setting"] == first["setting"])]
    return _means(same, "cv_accuracy")


def _method(name: str, rows: pd.DataFrame) -> MethodSummary:
    return MethodSummary(
        name=name,
        options=rows["options"].iloc[0],
        seeds=int(rows.groupby("dataset").size().max()),
        results=len(rows),
        seconds=float(rows["cpu_seconds"].fillna(rows["seconds"]).sum()),
        with_processor_time=int(rows["cpu_seconds"].notna().sum()),
    )


def _variances(rows: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    means = rows.groupby("dataset")[["variance_before", "variance_after"]].mean()
    means.columns = ["before", "after"]
    return means.reindex(scores.index).dropna()


def _fewer_seeds(name: str, rows: pd.DataFrame) -> list[str]:
    counts = rows.groupby("dataset").size()
    return [f"{name} on {dataset}" for dataset in counts.index[counts < counts.max()]]


def _failed(results: pd.DataFrame) -> list[tuple[str, str, str]]:
    failed = results[results["error"] != ""].sort_values(["dataset", "method"], kind="stable")
    return list(failed[["dataset", "method", "error"]].itertuples(index=False, name=None))


def _others(compared: pd.DataFrame, name: str, chosen: pd.DataFrame, accuracy: str) -> list[OtherSetting]:
    """Settings of the method that do not count, that of most data sets first."""
    others = [
        OtherSetting(
            name,
            rows["options"].iloc[0],
            rows["dataset"].nunique(),
            len(rows),
            float(_means(rows, accuracy).mean()),
        )
        for rows in _settings(compared[compared["method"] == name])
        if rows["setting"].iloc[0] != chosen["setting"].iloc[0]
    ]
    return sorted(others, key=lambda each: -each.datasets)
