"""What the page about experiments shows: values of a folder of results, and what follows from them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from markupsafe import Markup
from matplotlib.figure import Figure

from . import figures
from ._numbers import accuracy
from ._provenance import provenance_of
from ._searches import ablations_of, about_ablations, grid_of
from .embedding import embed
from .folder import Experiment, Json, Published, setting_words
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

LEVEL = 0.05
_ROOM = 4_800_000  # bytes; the rest of 5 MB is for style sheets and what surrounds
_CELL = 120  # bytes of a cell of a table
_MOST_PANELS = 12  # of figures that exist once for each other method
_MOST_STRIP_POINTS = 5000  # nobody could tell more apart
_LEARNED_BY_HEART = 0.1  # accuracy on the training set above that on the test set
_LEAST_SHOWN = 0.001  # of accuracies


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

    @cached_property
    def grid(self) -> Json:
        found = grid_of(self.experiment.grid or {})
        return {**found, "figure": self._drawn(found["figure"]) if found["figure"] else None}

    @cached_property
    def ablations(self) -> list[Json]:
        found = ablations_of(self.experiment.ablation) if self.experiment.ablation else []
        return [
            {**each, "figures": [(self._drawn(figure), title) for figure, title in each["figures"]]}
            for each in found
        ]

    @property
    def ablation(self) -> Json:
        return about_ablations(self.experiment.ablation or {})

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

    @property
    def provenance(self) -> Iterator[tuple[str, str, str]]:
        return provenance_of(self.experiment)


def _is_one_of_several(options: dict[str, str]) -> bool:
    members = options.get("members", "")
    return "|" in options.get("loss", "") if members == "0" else members not in ("", "1")
