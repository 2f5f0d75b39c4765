"""What the page shows of searches (`diffeo grid`) and ablations (`diffeo ablation`), from their documents."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from . import figures
from .folder import Json, setting_words


def grid_of(document: Json) -> Json:
    """What `diffeo grid` found, as the template shows it."""
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
        "figure": figures.winning_frequency(factors) if factors else None,
        "names": names,
        "choices": choices,
        "whole": len(whole),
        "means": {name: float(np.mean([each[name] for each in whole])) if whole else None for name in names},
        "best_of": max((oracle.get("settings", 0) for oracle in oracles), default=0),
    }


def _choice(found: Json, factors: list[str]) -> Json:
    setting = [f"{name} {found['setting'][name]}" for name in factors if name in found["setting"]]
    return {
        "dataset": found["dataset"],
        "setting": ", ".join(setting),
        "cv": found.get("cv_accuracy"),
        "test": found.get("test_accuracy"),
        "oracle": found["oracle"]["test_accuracy"] if "oracle" in found else None,
    }


def ablations_of(document: Json) -> list[Json]:
    """What `diffeo ablation` found: rows of every study that has any."""
    studies = [
        {
            "name": study["name"],
            "rows": [row for row in study["values"] if row["mean_accuracy"] is not None],
        }
        for study in document["studies"]
    ]
    return [{**study, "figures": _curves(study)} for study in studies if study["rows"]]


def _curves(study: Json) -> list[tuple[Figure, str]]:
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
        drawn.append((figure, title))
    return drawn


def about_ablations(document: Json) -> Json:
    """Which accuracies they are about, and around which setting."""
    options = document.get("options")
    seeds = document["seeds"]
    listed = ", ".join(map(str, seeds))
    words = f", of seed {listed}" if len(seeds) == 1 else f" and the seeds {listed}" if seeds else ""
    return {
        "is_cross_validated": document["accuracy"] == "cv",
        "setting": setting_words("diffeo", options) if options else "",
        "seeds": words,
    }
