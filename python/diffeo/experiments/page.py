"""Make the page about a folder of results: one HTML file that loads nothing else.

The words and tables are in `page.html`, a Jinja2 template; this module computes what they show. The same
folder gives the same bytes. Pictures of alignments are left out if the page would exceed 5 MB, and the page
says so.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from markupsafe import Markup
from matplotlib.figure import Figure

import diffeo

from . import figures
from .embedding import embed
from .folder import Experiment, Json, Published, read_experiment, setting_words
from .results import MethodSummary
from .statistics import (
    Comparison,
    CriticalDifference,
    compare_methods,
    correlations,
    critical_difference,
    geometric_mean_ranks,
    holm,
    mean_ranks,
    sharpshooter,
    wilcoxon,
)

if TYPE_CHECKING:
    from os import PathLike

LEVEL = 0.05
_ROOM = 4_800_000  # bytes; the rest of 5 MB is for style sheets and what surrounds
_CELL = 120  # bytes of a cell of a table
_MOST_PANELS = 12  # of figures that exist once for each other method
_MOST_STRIP_POINTS = 5000  # nobody could tell more apart
_MOST_NAMED = 20  # failures, and settings that are not shown
_LEARNED_BY_HEART = 0.1  # accuracy on the training set above that on the test set
_LEAST_SHOWN = 0.001  # of accuracies
_HERE = Path(__file__).parent


def make_page(
    folder: str | PathLike[str], *, table: str | PathLike[str] | None = None, title: str | None = None
) -> str:
    """Make the page about a folder of results.

    Parameters
    ----------
    folder : path
        The folder that `diffeo evaluate --results` wrote.
    table : path, optional
        A .csv of data sets and published accuracies; `DIR/published.csv` if there is one.
    title : str, optional
        Of the page. Names the number of data sets if not given.

    Returns
    -------
    str
        HTML that needs nothing else.

    Raises
    ------
    OSError
        If a file cannot be read.
    ValueError
        If a file is not what it should be, with its name.
    """
    return page_of(read_experiment(folder, table), title)


def page_of(experiment: Experiment, title: str | None = None) -> str:
    """The page about an experiment; the title names the number of data sets if not given."""
    page = Page(experiment)
    title = title or f"Nearest centroids on {counted(page.datasets, 'data set')}"
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "accuracy": accuracy,
        "rank": rank,
        "probability": probability,
        "percent": percent,
    }
    environment.globals |= {"data": data, "counted": counted, "short": short}
    template = environment.get_template("page.html")
    sections = [(name, words) for name, words in _SECTIONS if getattr(page, f"has_{name}")]
    assets = {name: Markup((_HERE / name).read_text(encoding="utf-8")) for name in _ASSETS}
    template = environment.get_template("page.html")
    return template.render(
        page=page, title=title, sections=sections, assets=assets, version=diffeo.__version__
    )


_ASSETS = ("theme.css", "page.css", "page.js")
_SECTIONS = (
    ("summary", "Summary"),
    ("ranks", "Ranks"),
    ("losses", "Losses"),
    ("results", "Results"),
    ("published", "Published"),
    ("scatter", "Against each"),
    ("pairs", "Pairs"),
    ("sharpshooter", "Sharpshooter"),
    ("gain", "Gain"),
    ("types", "Types"),
    ("variance", "Variance"),
    ("grid", "Hyper-parameters"),
    ("ablation", "Ablation"),
    ("pictures", "Alignments"),
    ("provenance", "Made from"),
)


# --- numbers -----------------------------------------------------------------------------------------------


def _decimal(value: float, digits: int) -> str:
    """Halves are rounded away from zero."""
    parts = math.floor(abs(value) * 10**digits + 0.5)
    whole, rest = divmod(parts, 10**digits)
    sign = "\u2212" if value < 0 and parts else ""
    return f"{sign}{whole}.{rest:0{digits}}"


def accuracy(value: float) -> str:
    """0.823"""
    return _decimal(value, 3)


def rank(value: float) -> str:
    """1.38"""
    return _decimal(value, 2)


def probability(value: float) -> str:
    """0.031, < 0.0001"""
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"


def percent(part: float) -> str:
    """93.3 %, on one line"""
    return f"{100 * part:.{3 if part < 0.9995 else 4}g}\u00a0%"


def short(value: float, digits: int = 4) -> str:
    """155, 0.5613, 1.2e-05"""
    return "∞" if math.isinf(value) else f"{value:.{digits}g}"


def counted(count: int, word: str) -> str:
    """1 data set, 1,234 data sets"""
    return f"{count:,} {word}{'' if count == 1 or word == 'series' else 's'}"


def data(value: float, shown: str) -> Markup:
    """A number in short that keeps all its digits for machines."""
    digits = repr(float(value)).removesuffix(".0")
    return Markup('<data value="{}">{}</data>').format(digits, shown)


# --- what the page shows -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Loss:
    """A data set on which another method is better."""

    dataset: str
    own: float
    best: float
    method: str
    trained: float

    @property
    def gap(self) -> float:
        return self.best - self.own

    @property
    def gap_text(self) -> str:
        """A gap that three digits do not show is one all the same."""
        return accuracy(self.gap) if self.gap >= 0.5 * _LEAST_SHOWN else f"less than {accuracy(_LEAST_SHOWN)}"

    @property
    def is_by_heart(self) -> bool:
        return self.trained - self.own > _LEARNED_BY_HEART


@dataclass(frozen=True)
class PublishedComparison:
    """The first method against published values."""

    datasets: int
    published: float
    measured: float
    wins: int
    ties: int
    losses: int
    p_value: float


class Page:
    """What the template shows: values of an experiment, and what follows from them."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.summary = experiment.summary
        self.scores = self.summary.scores
        self.methods = list(self.scores.columns)
        self.first = self.methods[0]
        self.others = self.methods[1:]
        self.datasets = len(self.scores)
        self.level = LEVEL
        self._bytes = 0

    def _drawn(self, figure: Figure) -> Markup:
        """The figure for the page; its size counts."""
        text = figures.svg(figure)
        self._bytes += len(text)
        return Markup(text)

    # Which sections there are.
    has_summary = has_losses_table = has_results = has_provenance = True

    @property
    def has_losses(self) -> bool:
        return bool(self.others)

    has_ranks = has_scatter = has_pairs = has_losses

    @property
    def has_published(self) -> bool:
        return self.experiment.published is not None and not self.experiment.published.columns.empty

    @property
    def has_sharpshooter(self) -> bool:
        return bool(self.sharpshooters)

    @property
    def has_gain(self) -> bool:
        return bool(self.others) and self.experiment.properties is not None

    @property
    def has_types(self) -> bool:
        return self.experiment.properties is not None

    @property
    def has_variance(self) -> bool:
        return not self.summary.variances.empty

    @property
    def has_grid(self) -> bool:
        return self.experiment.grid is not None

    @property
    def has_ablation(self) -> bool:
        return bool(self.ablations)

    @property
    def has_pictures(self) -> bool:
        return bool(self.experiment.pictures)

    # Summary.

    @property
    def where(self) -> str:
        return (
            "by cross-validation inside training sets" if self.summary.is_cross_validated else "on test sets"
        )

    @property
    def introduction(self) -> str:
        words = [(each.name, setting_words(each.name, each.options)) for each in self.summary.methods]
        settings = "; ".join(f"{name} is {text}" for name, text in words if text)
        return " ".join(
            filter(None, [self.experiment.introduction, settings and f"On this page {settings}."])
        )

    @cached_property
    def means(self) -> pd.Series:
        return self.scores.mean()

    @cached_property
    def ranks(self) -> pd.Series:
        return mean_ranks(self.scores)

    @cached_property
    def geometric_ranks(self) -> pd.Series:
        return geometric_mean_ranks(self.scores)

    @property
    def place(self) -> int:
        return 1 + int((self.ranks < self.ranks[self.first]).sum())

    @cached_property
    def against(self) -> dict[str, Comparison]:
        return {method: compare_methods(self.scores, self.first, method) for method in self.others}

    @cached_property
    def adjusted(self) -> dict[str, float]:
        adjusted = holm([pair.test.p_value for pair in self.against.values()])
        return dict(zip(self.others, adjusted.tolist(), strict=True))

    @property
    def ahead(self) -> int:
        return sum(
            self.adjusted[name] <= LEVEL and pair.wins > pair.losses for name, pair in self.against.items()
        )

    def seeds(self, method: str) -> int:
        return self.summary.methods[self.methods.index(method)].seeds

    @property
    def numbers(self) -> Markup:
        """The accuracies, for machines."""
        numbers = {"datasets": list(self.scores.index), "methods": self.methods,
                   "scores": self.scores.to_numpy().tolist()}  # fmt: skip
        text = json.dumps(numbers, separators=(",", ":"), ensure_ascii=False)
        return Markup(text.translate({ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&"}))

    # Ranks.

    @cached_property
    def holm_difference(self) -> CriticalDifference:
        return critical_difference(self.scores, "wilcoxon-holm", LEVEL)

    @cached_property
    def nemenyi(self) -> CriticalDifference:
        return critical_difference(self.scores, "nemenyi", LEVEL)

    def rank_diagram(self, found: CriticalDifference) -> Markup:
        return self._drawn(figures.critical_difference_diagram(found))

    # Losses.

    @cached_property
    def losses(self) -> list[Loss]:
        """The largest gap first."""
        best = self.scores.idxmax(axis=1)
        losses = [
            Loss(name, row[self.first], row[best[name]], best[name], float(self.summary.trained[name]))
            for name, row in self.scores.iterrows()
        ]
        return sorted((each for each in losses if each.gap > 0), key=lambda each: -each.gap)

    @property
    def losses_with_training(self) -> list[Loss]:
        return [each for each in self.losses if not math.isnan(each.trained)]

    # The table of results.

    @cached_property
    def faults(self) -> dict[str, str]:
        """Why published values cannot be compared, and the sign of each reason."""
        if self.experiment.published is None:
            return {}
        values = self.experiment.published.to_numpy().ravel()
        faults = dict.fromkeys(each.fault for each in values if each.fault)
        return {fault: chr(ord("a") + i) if i < 26 else str(i + 1) for i, fault in enumerate(faults)}

    @property
    def published_methods(self) -> list[str]:
        return [] if self.experiment.published is None else list(self.experiment.published.columns)

    def published(self, dataset: str, method: str) -> Published:
        assert self.experiment.published is not None
        value: Published = self.experiment.published.at[dataset, method]
        return value

    @property
    def properties(self) -> pd.DataFrame | None:
        return self.experiment.properties

    @cached_property
    def has_spreads(self) -> bool:
        return bool(self.summary.spreads.notna().any(axis=None))

    @property
    def sound_rows(self) -> list[str]:
        """Data sets on which no published value is missing or cannot be compared."""
        return [
            name
            for name in self.scores.index
            if all(
                each.value is not None and not each.fault
                for each in (self.published(name, method) for method in self.published_methods)
            )
        ]

    def mean_row(self, datasets: Sequence[str]) -> list[float | None]:
        """Means of all columns over the data sets; None where a value is missing."""
        measured: list[float | None] = [
            float(self.scores.loc[list(datasets), name].mean()) if len(datasets) else None
            for name in self.methods
        ]
        for method in self.published_methods:
            values = [self.published(name, method).value for name in datasets]
            known = [value for value in values if value is not None]
            measured.append(float(np.mean(known)) if known and len(known) == len(values) else None)
        return measured

    # Published values.

    @cached_property
    def published_comparisons(self) -> list[tuple[str, list[PublishedComparison], float]]:
        """By method: over all values, over those without fault, and the corrected p-value of these."""
        pairs = [[self._against_published(name, sound) for sound in (False, True)]
                 for name in self.published_methods]  # fmt: skip
        adjusted = holm([sound.p_value for _, sound in pairs]).tolist()
        return list(zip(self.published_methods, pairs, adjusted, strict=True))

    def _against_published(self, method: str, only_sound: bool) -> PublishedComparison:
        values = {name: self.published(name, method) for name in self.scores.index}
        used = {name: each for name, each in values.items()
                if each.value is not None and not (only_sound and each.fault)}  # fmt: skip
        measured = self.scores.loc[list(used), self.first].to_numpy(float)
        published = np.array([each.value for each in used.values()], dtype=float)
        is_tie = np.array(
            [each.is_tie(own) for own, each in zip(measured, used.values(), strict=True)], dtype=bool
        )
        compared = np.where(is_tie, measured, published)
        if not used:
            return PublishedComparison(0, math.nan, math.nan, 0, 0, 0, 1.0)
        return PublishedComparison(
            len(used),
            float(published.mean()),
            float(measured.mean()),
            int((measured > compared).sum()),
            int(is_tie.sum()),
            int((measured < compared).sum()),
            wilcoxon(measured, compared).p_value,
        )

    # Comparisons.

    @property
    def panels(self) -> list[str]:
        return self.others[:_MOST_PANELS]

    def scatter(self, method: str) -> Markup:
        return self._drawn(figures.score_scatter(self.scores, method, self.first))

    def matrix(self, quantity: Any) -> Markup:
        return self._drawn(figures.comparison_matrix(self.scores, quantity))

    @cached_property
    def sharpshooters(self) -> list[tuple[str, pd.DataFrame]]:
        """Other methods that were cross-validated on some of the same data sets."""
        found = []
        for method in self.panels:
            folds = self.summary.cross_validated[[self.first, method]].dropna()
            actual = self.scores.loc[folds.index]
            if not folds.empty:
                shots = sharpshooter(folds[method], actual[method], folds[self.first], actual[self.first])
                found.append((method, shots))
        return found

    def sharpshooter_plot(self, method: str, shots: pd.DataFrame) -> Markup:
        return self._drawn(figures.sharpshooter_plot(shots, self.first, method))

    @property
    def baseline(self) -> str:
        """Gains are measured from Euclidean means, unless these are in question."""
        return "euclidean" if "euclidean" in self.others else self.others[0]

    def gain_plot(self, column: str, name: str) -> tuple[Markup, str]:
        assert self.experiment.properties is not None
        gains = self.scores[self.first] - self.scores[self.baseline]
        values = self.experiment.properties[column].astype(float)
        drawn = figures.gain_plot(gains, values, (self.first, self.baseline, name))
        return self._drawn(drawn), figures.correlation_text(
            correlations(values, gains)
        ) or "Nothing to correlate"

    @property
    def types(self) -> pd.Series:
        assert self.experiment.properties is not None
        return self.experiment.properties["type"].replace("", "other")

    @property
    def type_means(self) -> list[tuple[str, int, pd.Series]]:
        kinds = dict.fromkeys(self.types)
        return [
            (kind, int((self.types == kind).sum()), self.scores[self.types == kind].mean()) for kind in kinds
        ]

    @property
    def type_strips(self) -> Markup | None:
        if self.scores.size > _MOST_STRIP_POINTS:
            return None
        return self._drawn(figures.score_strips(self.scores, self.types))

    # Variance.

    @cached_property
    def variances(self) -> pd.DataFrame:
        """Those that became smallest first."""
        rows = self.summary.variances
        left = (rows["after"] / rows["before"]).where(rows["before"] > 0, 1.0)
        return rows.loc[left.sort_values(kind="stable").index]

    @property
    def variance_plot(self) -> Markup:
        return self._drawn(figures.before_after_plot("variance within classes", self.variances))

    @property
    def variance_left(self) -> float | None:
        """Geometric mean of the share of variance that is left."""
        rows = self.variances[(self.variances > 0).all(axis=1)]
        return float(np.exp(np.log(rows["after"] / rows["before"]).mean())) if len(rows) else None

    # Hyperparameters.

    @property
    def grid(self) -> Json:
        """What `diffeo grid` found, as the template shows it."""
        document = self.experiment.grid or {}
        factors = document["winning_frequency"]
        choices = [_choice(each, [factor["name"] for factor in factors]) for each in document["datasets"]]
        oracles = [each["oracle"] for each in document["datasets"] if "oracle" in each]
        names = ["cv", "test", *(["oracle"] if oracles else [])]
        whole = [each for each in choices if all(each[name] is not None for name in names)]
        return {
            "settings": math.prod(len(factor["values"]) for factor in factors),
            "folds": document["folds"],
            "rungs": len(document["rungs"]),
            "failures": document["failures"],
            "figure": self._drawn(figures.winning_frequency(factors)) if factors else None,
            "names": names,
            "choices": choices,
            "whole": len(whole),
            "means": {
                name: float(np.mean([each[name] for each in whole])) if whole else None for name in names
            },
            "best_of": max((oracle.get("settings", 0) for oracle in oracles), default=0),
        }

    @cached_property
    def ablations(self) -> list[Json]:
        """What `diffeo ablation` found: rows of every study that has any."""
        document = self.experiment.ablation or {"studies": []}
        studies = [
            {
                "name": study["name"],
                "rows": [row for row in study["values"] if row["mean_accuracy"] is not None],
            }
            for study in document["studies"]
        ]
        return [{**study, "figures": self._ablation_curves(study)} for study in studies if study["rows"]]

    def _ablation_curves(self, study: Json) -> list[tuple[Markup, str]]:
        """Accuracy and time over the values, if these are positive numbers."""
        try:
            rows = sorted(((float(row["value"]), row) for row in study["rows"]), key=lambda pair: pair[0])
        except ValueError:
            return []
        if len(rows) < 2 or rows[0][0] <= 0:
            return []
        drawn = []
        for quantity, name in (("Accuracy", "mean_accuracy"), ("Seconds of training", "mean_seconds")):
            lines = {quantity: ([value for value, _ in rows], [row[name] for _, row in rows])}
            title = f"{quantity} by {study['name']}"
            figure = figures.curves(lines, title, (study["name"], quantity), is_x_logarithmic=True)
            drawn.append((self._drawn(figure), title))
        return drawn

    @property
    def ablation(self) -> Json:
        document = self.experiment.ablation or {}
        options = document.get("options")
        seeds = ", ".join(map(str, document["seeds"]))
        return {
            "is_cross_validated": document["accuracy"] == "cv",
            "setting": setting_words("diffeo", options) if options else "",
            "seeds": f", of seed {seeds}"
            if len(document["seeds"]) == 1
            else f" and the seeds {seeds}"
            if seeds
            else "",
        }

    # Alignments.

    @cached_property
    def pictures(self) -> list[Json]:
        """As many as the other sections leave room for; these are drawn first."""
        columns = len(self.methods) + len(self.published_methods) + 6
        room = _ROOM - self._bytes - _CELL * self.datasets * columns
        pictures = []
        for picture in self.experiment.pictures:
            drawn = self._alignment(picture)
            room -= sum(map(len, drawn["figures"]))
            if room < 0:
                break
            pictures.append(drawn)
        return pictures

    def _alignment(self, picture: Json) -> Json:
        """Heat maps, and series as points if they can be embedded."""
        dataset = picture["dataset"]
        drawn = [figures.heat_maps(dataset, picture["classes"], picture["before"], picture["after"])]
        points = embed(picture)
        if points:
            drawn.append(figures.embedding_plot(dataset, *points))
        options = self.summary.methods[0].options
        part = ", by the one of its networks that aligns." if _is_one_of_several(options) else "."
        note = f"Test series, {picture['method']}, seed {picture.get('seed') or 0}{part}"
        return {"dataset": dataset, "note": note, "figures": [self._drawn(each) for each in drawn]}

    # Where it comes from.

    @property
    def provenance(self) -> Iterator[tuple[str, str, str]]:
        yield "results", str(self.experiment.folder), ""
        for method in self.summary.methods:
            options = ", ".join(f"{name} {value}" for name, value in sorted(method.options.items()))
            yield method.name, options or "no options", _work_text(method)
        for names, reason in (
            (self.summary.left_out, "some method has no result there"),
            (self.summary.methods_left_out, "tried on less than half of the data sets"),
            (self.summary.fewer_seeds, "fewer seeds there than on other data sets"),
        ):
            if names:
                yield "left out", ", ".join(names), reason
        failed = [
            ("failed", f"{method} on {dataset}", error) for dataset, method, error in self.summary.failed
        ]
        yield from _first_of(failed)
        yield from _first_of(list(self._other_settings()))

    def _other_settings(self) -> Iterator[tuple[str, str, str]]:
        kind = "cross-validation" if self.summary.is_cross_validated else "test"
        for each in self.summary.other_settings:
            words = setting_words(each.method, each.options)
            found = (
                f"mean accuracy {each.mean_accuracy:.4f} on {counted(each.datasets, 'data set')}, "
                f"of {counted(each.results, kind)}"
            )
            yield "other setting", f"{each.method}, {words}" if words else each.method, found


def _choice(found: Json, factors: list[str]) -> Json:
    setting = [f"{name} {found['setting'][name]}" for name in factors if name in found["setting"]]
    return {
        "dataset": found["dataset"],
        "setting": ", ".join(setting),
        "cv": found.get("cv_accuracy"),
        "test": found.get("test_accuracy"),
        "oracle": found["oracle"]["test_accuracy"] if "oracle" in found else None,
    }


def _is_one_of_several(options: dict[str, str]) -> bool:
    members = options.get("members", "")
    return "|" in options.get("loss", "") if members == "0" else members not in ("", "1")


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


def _first_of(rows: list[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    yield from rows[:_MOST_NAMED]
    if len(rows) > _MOST_NAMED:
        yield rows[0][0], f"and {len(rows) - _MOST_NAMED} more", ""
