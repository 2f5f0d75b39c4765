"""docs/results/ncc.md: nearest-centroid accuracy after learned alignment, beside the published figures.

    tools/experiments_pages.sh

`make experiments` does it. Every figure on the page is computed here from results.jsonl,
published.csv and anchors.csv in a folder of results.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

import ncc_alignment
import ncc_losses
import ncc_processors
import ncc_published
from diffeo._core import TrainingOptions
from published import MARK, Row, is_reachable, is_sound, marked, read_published
from report import table
from workload import PROJECT

Json = dict[str, Any]

INTRODUCTION = """\
# Nearest centroids after learned alignment

Made by `make experiments` (`diffeo evaluate`, then `bench/compare/ncc_page.py`) from `results/results.jsonl`.
Do not edit. [The page about the same results](experiments.html) has ranks, tests and pictures.

`NearestCentroid(TemporalAligner)` on sets of the UCR archive, its own splits: one setting for all sets.
Training sees the training file alone. Settings were compared by cross-validation inside training sets
([decisions](../decisions.md), "Training"); none was chosen by test accuracy. Figures of a prototype that had
been seen on test data before gave the direction: that labels in the loss help, and that warps can be used at
a time below 1.

On the {count} sets the paper's best of 96 settings, chosen on test data, has {paper:.4f}; its columns DTAN
{dtan:.4f}, ResNet-TW {resnet:.4f}, soft-DTW {soft:.4f}, Euclidean {euclidean:.4f}. On the {sound} sets
without faults (no * below) the paper has {sound_paper:.4f}. Minutes of work are processor time where a line
has it, and time on the clock where it was written before that was kept, pauses included. All {lines} lines of
`results/results.jsonl`, which `make experiments` would make again from nothing, took {hours:.1f} hours of
work, which is about {clock:.1f} hours on two cores. Methods without a network give the same figures on every
machine. Training is bit-reproducible only on the same kind of processor: torch adds in another order
elsewhere, and after hundreds of steps that shows. "Processors" below says by how much.

"""
REBUILT_METHODS = ("dtan", "resnet-tw")
SETTINGS = {"default": "the defaults", "ensemble": "preset `ensemble`"}
#: Trained for the variance alone, as the network that aligned in the first ensemble was.
FORMER_ALIGNER = {"loss": "variance", "centered": False, "epochs": 200, "least_steps": 1000}
PUBLISHED = {
    "dtan": "DTAN",
    "resnet-tw": "ResNet-TW",
    "soft-dtw": "soft-DTW",
    "euclidean": "Euclidean",
}
SETS = """\
## Every set

{mark} follows a published figure that no classifier can reach on a test set of that size: it is no whole
number of right answers, rounded or not ({unreachable} of the {figures} below). Sets with * are those on which
the paper's own figure cannot be reached, or no other one, because they are of another split; means without
faults leave them out. `training` is the accuracy on the training set itself, with the defaults; ± what the
last of diffeo's columns has more than the paper.

"""

REBUILT = """\
What is built, and how it differs: [variants](../guide/variants.md). Both are trained more briefly than
published, at a learning rate of {learning_rate} that goes down to zero, in batches of {batch_size}: the
published 2000 epochs at 1e-4 were made for graphics processors. `epochs` and, where that is more, `steps` say
how long. Means over the sets without faults in the paper's table on which the method's own figure can be
reached.

"""
NOT_WITHIN = """
{method} stays {difference:.3f} below the published mean, more than {allowed}; on {near} of the {count} sets
it is within {allowed}. Tried was this one setting, with the weight of the prior that cross-validation inside
training sets put first among three ([variants](../guide/variants.md)){briefly}. The
publication chose the prior's parameters and the number of layers for every set, and trained for far longer;
where one setting is too stiff, or its training too short, training series are not fitted either: {stiff}.
"""
#: The same methods, trained more briefly.
BRIEFLY = PROJECT / "docs" / "results" / "settings" / "published_briefly.jsonl"
UNFITTED = 0.8  # of the training series right, at most, where a setting is called too stiff
ALLOWED = 0.03  # below the published mean
UNWARPED_METHODS = {"euclidean": "Euclidean", "dba": "DBA, DTW"}
FOLDS = 3  # of the cross-validations of `make experiments`


def lines_of_method(lines: list[Json], method: str) -> list[Json]:
    """With a test accuracy: of the setting of most data sets, of several the latest."""
    settings: dict[str, list[Json]] = defaultdict(list)
    for line in lines:
        if line["method"] == method and "test_accuracy" in line:
            settings[json.dumps(line["options"], sort_keys=True)].append(line)
    return max(
        settings.values(),
        key=lambda found: (len({line["dataset"] for line in found}), max(line["date"] for line in found)),
        default=[],
    )


def lines_with_preset(lines: list[Json], preset: str) -> list[Json]:
    """Of the method diffeo with the values of a preset, with a test accuracy."""
    return [
        line
        for line in lines
        if line["method"] == "diffeo" and "test_accuracy" in line and has_preset(line, preset)
    ]


def has_preset(line: Json, preset: str) -> bool:
    return values_of(line["options"]) == TrainingOptions(preset).values()


def is_former_aligner(line: Json) -> bool:
    return values_of(line["options"]) == TrainingOptions("default").values() | FORMER_ALIGNER


def values_of(texts: dict[str, str]) -> dict[str, Any]:
    options = TrainingOptions("default")
    for name, text in texts.items():
        options.set(name, text)
    return options.values()


def by_dataset(lines: list[Json]) -> dict[str, Json]:
    """Means over the seeds."""
    by_set: dict[str, list[Json]] = defaultdict(list)
    for line in lines:
        by_set[line["dataset"]].append(line)
    return {name: over_seeds(found) for name, found in sorted(by_set.items())}


def over_seeds(found: list[Json]) -> Json:
    return {
        "test_accuracy": mean(line["test_accuracy"] for line in found),
        "train_accuracy": mean(line["train_accuracy"] for line in found),
        "seconds": sum(work_seconds(line) for line in found),
        "seeds": {line["seed"] for line in found},
        "threads": {line["threads"] for line in found},
        "options": found[0]["options"],
    }


def work_seconds(line: Json) -> float:
    """Processor time, which a pause does not lengthen; lines from before it was kept have the clock's."""
    return float(line.get("cpu_seconds", line["seconds"]))


def lines_of(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def mean(values: Any) -> float:
    return float(np.mean([float(value) for value in values]))


def introduction(lines: list[Json], rows: dict[str, Row]) -> str:
    sound = [name for name in rows if is_sound(rows[name])]
    hours = sum(work_seconds(line) for line in lines) / 3600
    return INTRODUCTION.format(
        count=len(rows),
        paper=mean(row["paper"] for row in rows.values()),
        dtan=mean(row["dtan"] for row in rows.values()),
        resnet=mean(row["resnet-tw"] for row in rows.values()),
        soft=mean(row["soft-dtw"] for row in rows.values()),
        euclidean=mean(row["euclidean"] for row in rows.values()),
        sound=len(sound),
        sound_paper=mean(rows[name]["paper"] for name in sound),
        lines=len(lines),
        hours=hours,
        clock=hours / 2,
    )


def means(found: dict[str, dict[str, Json]], rows: dict[str, Row]) -> str:
    """A row for each setting."""
    lines = []
    for preset, by_set in found.items():
        seeds = sorted({seed for line in by_set.values() for seed in line["seeds"]})
        threads = sorted({count for line in by_set.values() for count in line["threads"]})
        sound = [name for name in by_set if is_sound(rows[name])]
        lines.append(
            [
                SETTINGS[preset],
                ", ".join(str(seed) for seed in seeds),
                str(len(by_set)),
                f"**{mean(line['test_accuracy'] for line in by_set.values()):.4f}**",
                f"{mean(by_set[name]['test_accuracy'] for name in sound):.4f} ({len(sound)})",
                f"{sum(line['seconds'] for line in by_set.values()) / 60 / len(seeds):.0f}",
                ", ".join(str(count) for count in threads),
            ]
        )
    headings = [
        "diffeo with", "seeds", "sets", "mean test accuracy", "of sets without faults",
        "minutes of work, a seed", "threads of a set",
    ]  # fmt: skip
    first = next(iter(found.values()))
    accuracy = mean(line["test_accuracy"] for line in first.values())
    sentence = f"Mean test accuracy **{accuracy:.4f}** over the {len(first)} sets, with the defaults.\n\n"
    return sentence + "\n".join(table(headings, lines)) + "\n"


def every_set(found: dict[str, dict[str, Json]], rows: dict[str, Row]) -> str:
    lines = []
    for name in sorted(set().union(*found.values())):
        row = rows[name]
        here = [by_set.get(name) for by_set in found.values()]
        accuracies = [line["test_accuracy"] for line in here if line]
        lines.append(
            [
                name + ("" if is_sound(row) else " *"),
                f"{here[0]['train_accuracy']:.3f}" if here[0] else "",
                *(f"**{line['test_accuracy']:.4f}**" if line else "" for line in here),
                marked(row, "paper"),
                f"{accuracies[-1] - float(row['paper']):+.4f}",
                *(marked(row, method) for method in PUBLISHED),
            ]
        )
    measured = (SETTINGS[preset] for preset in found)
    headings = ["set", "training", *measured, "paper", "±", *PUBLISHED.values()]
    return explanation(rows, sorted(set().union(*found.values()))) + "\n".join(table(headings, lines))


def explanation(rows: dict[str, Row], names: list[str]) -> str:
    figures = [(name, method) for name in names for method in ("paper", *PUBLISHED)]
    unreachable = sum(not is_reachable(rows[name], method) for name, method in figures)
    return SETS.format(mark=MARK.strip(), unreachable=unreachable, figures=len(figures))


def shortfall(method: str, difference: float, found: dict[str, Json], rows: dict[str, Row]) -> str:
    below = {name: float(rows[name][method]) - line["test_accuracy"] for name, line in found.items()}
    far = [name for name in sorted(found) if below[name] > ALLOWED]
    return NOT_WITHIN.format(
        method=method,
        difference=difference,
        allowed=ALLOWED,
        near=len(found) - len(far),
        count=len(found),
        briefly=briefly_trained(method, found),
        stiff=", ".join(name for name in far if found[name]["train_accuracy"] <= UNFITTED),
    )


def briefly_trained(method: str, found: dict[str, Json]) -> str:
    """What the same sets had with fewer steps, if that was tried."""
    lines = [json.loads(line) for line in BRIEFLY.read_text(encoding="utf-8").splitlines()]
    own = [line for line in lines if line["method"] == method and line["dataset"] in found]
    options = own[0]["options"]
    if options["epochs"] == next(iter(found.values()))["options"]["epochs"]:
        return ""
    accuracy = mean(line["test_accuracy"] for line in own)
    return f", and {options['epochs']} epochs, at least {options['least_steps']} steps: {accuracy:.4f}"


def reimplementations(lines: list[Json], rows: dict[str, Row]) -> str:
    text = "\n## Published methods, rebuilt\n\n"
    rebuilt, shortfalls, used = [], "", {}
    for method in REBUILT_METHODS:
        found = by_dataset(lines_of_method(lines, method))
        sound = [name for name in found if is_sound(rows[name]) and is_reachable(rows[name], method)]
        if not sound:
            continue
        ours = mean(found[name]["test_accuracy"] for name in sound)
        theirs = mean(rows[name][method] for name in sound)
        minutes = sum(line["seconds"] for line in found.values()) / 60
        used = found[sound[0]]["options"]
        rebuilt.append(
            [
                method,
                str(len(sound)),
                used["epochs"],
                used["least_steps"],
                f"{ours:.4f}",
                f"{theirs:.4f}",
                f"{ours - theirs:+.4f}",
                f"{minutes:.0f}",
            ]
        )
        if ours < theirs - ALLOWED:
            shortfalls += shortfall(method, theirs - ours, {name: found[name] for name in sound}, rows)
    if not rebuilt:
        return text + "`dtan` and `resnet-tw` have not been run over the archive yet.\n"
    headings = ["method", "sets", "epochs", "steps", "diffeo's", "published", "±", "minutes of work"]
    return text + REBUILT.format(**used) + "\n".join(table(headings, rebuilt)) + "\n" + shortfalls


def settings(found: dict[str, dict[str, Json]]) -> str:
    text = "\n## The settings\n"
    for preset, by_set in found.items():
        options = next(iter(by_set.values()))["options"]
        listed = ", ".join(f"{name} {value}" for name, value in sorted(options.items()))
        text += f"\n{SETTINGS[preset]}: {listed}.\n"
    return text


def alignment(lines: list[Json], with_preset: dict[str, list[Json]]) -> str:
    groups = {SETTINGS[preset]: own for preset, own in with_preset.items()}
    groups['`loss="variance"`'] = [
        line for line in lines if line["method"] == "diffeo" and is_former_aligner(line)
    ]
    groups |= {f"`{method}`": lines_of_method(lines, method) for method in REBUILT_METHODS}
    text = ncc_alignment.section(groups, SETTINGS["default"])
    return "\n" + text.rstrip("\n") + "\n" if text else ""


def accuracies(lines: list[Json], key: str = "test_accuracy") -> dict[str, float]:
    """Of every set, means over the seeds of the lines that have one."""
    by_set: dict[str, list[float]] = defaultdict(list)
    for line in lines:
        if key in line:
            by_set[line["dataset"]].append(line[key])
    return {name: mean(found) for name, found in by_set.items()}


def losses(lines: list[Json], rows: dict[str, Row]) -> str:
    """The defaults beside methods without a network, on test sets and inside training sets."""
    inside = [line for line in lines if line.get("cv_folds") == FOLDS and "cv_held_out" not in line]
    of_defaults = [line for line in inside if line["method"] == "diffeo" and has_preset(line, "default")]

    def unwarped(among: list[Json], key: str) -> dict[str, dict[str, float]]:
        return {
            title: accuracies([line for line in among if line["method"] == method], key)
            for method, title in UNWARPED_METHODS.items()
        }

    return ncc_losses.section(
        ncc_losses.Figures(accuracies(lines_with_preset(lines, "default")), unwarped(lines, "test_accuracy")),
        ncc_losses.Figures(accuracies(of_defaults, "cv_accuracy"), unwarped(inside, "cv_accuracy")),
        {name: int(row["test"]) for name, row in rows.items()},
        FOLDS,
    )


def processors(results: Path, lines: list[Json], with_preset: dict[str, list[Json]]) -> str:
    """Which made the lines of each method, and how far another one moves accuracies."""

    def title_of(line: Json) -> str:
        presets = [SETTINGS[preset] for preset, own in with_preset.items() if line in own]
        return presets[0] if presets else f"`{line['method']}`"

    path = results / ncc_processors.ELSEWHERE
    elsewhere = lines_with_preset(lines_of(path), "default") if path.exists() else []
    return ncc_processors.section(
        [(title_of(line), line) for line in lines], with_preset["default"], elsewhere
    )


def page_about(results: Path) -> str:
    rows = read_published(results / "published.csv")
    lines = lines_of(results / "results.jsonl")
    with_preset = {preset: lines_with_preset(lines, preset) for preset in SETTINGS}
    found = {preset: by_dataset(own) for preset, own in with_preset.items() if own}
    tried = {name: rows[name] for name in sorted(set().union(*found.values()))}
    return (
        introduction(lines, tried)
        + means(found, rows)
        + every_set(found, rows)
        + losses(lines, rows)
        + "\n"
        + ncc_published.section(
            accuracies(with_preset["default"]), rows, ncc_published.read_anchors(results / "anchors.csv")
        )
        + alignment(lines, with_preset)
        + reimplementations(lines, rows)
        + settings(found)
        + processors(results, lines, with_preset)
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path)
    parser.add_argument("page", type=Path)
    arguments = parser.parse_args()
    beside = arguments.page.with_suffix(".tmp")
    beside.write_text(page_about(arguments.results))
    beside.replace(arguments.page)


if __name__ == "__main__":
    main()
