"""Trains an aligner, classifies series it has not seen by the nearest centroid, and draws it all.

    python examples/train.py --output build/demo                     on generated series
    python examples/train.py --output build/demo --data file.tsv     on yours

Cylinders, bells and funnels (`diffeo.generate_cbf`) start and end at random times: their class means are
mush, and a classifier that compares with them suffers. `diffeo.TemporalAligner` learns from 30 labeled
series how to warp; the 300 that are classified here it has never seen, and it knows no labels for them. Of a
file of yours, every third series of a class is kept for that; without labels, all series train.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

import diffeo
from alignment_picture import Row, draw_alignment

Series: TypeAlias = Any  # (cases, channels, time), or a list of (channels, time) where lengths differ

TRAINING, TEST, SEED = 30, 300, 1
EVERY = 3  # of this many series of a class in a file, one is kept to be classified
SHOWN = 40  # series of each class in the picture
MODEL, NEW, PICTURE = "model.safetensors", "new_series.ts", "train.svg"


class Split(NamedTuple):
    """Labeled series to learn from, and others to classify."""

    training: tuple[Series, NDArray[np.str_]]
    new: tuple[Series, NDArray[np.str_]]


def generated() -> Split:
    X, y = diffeo.generate_cbf(TRAINING + TEST, seed=SEED)
    return Split((X[:TRAINING], y[:TRAINING]), (X[TRAINING:], y[TRAINING:]))


def divided(X: Series, y: NDArray[np.str_]) -> Split:
    """Every third series of a class is new; a class of one or two has none to spare."""
    number = np.zeros(len(y), dtype=int)  # of each series in its class
    for label in np.unique(y):
        number[y == label] = np.arange(np.count_nonzero(y == label))
    is_new = number % EVERY == EVERY - 1
    if not is_new.any():
        raise SystemExit(f"--data: expected a class of {EVERY} series or more, got none")
    return Split(*((chosen(X, keep), y[keep]) for keep in (~is_new, is_new)))


def chosen(X: Series, keep: NDArray[np.bool_]) -> Series:
    return [X[i] for i in np.flatnonzero(keep)] if isinstance(X, list) else X[keep]


def aligner(options: argparse.Namespace, **parameters: str) -> diffeo.TemporalAligner:
    steps = {} if options.steps is None else {"least_steps": options.steps, "epochs": 1}
    watched = int(sys.stderr.isatty())  # a bar in a file is a very long line
    return diffeo.TemporalAligner(random_state=SEED, n_jobs=-1, verbose=watched, **steps, **parameters)


def draw(fitted: diffeo.TemporalAligner, split: Split, path: Path) -> None:
    """The generated series: of one channel, all of one length."""
    X, y = split.new
    warps, aligned = fitted.warps(X), fitted.transform(X)
    classes = [np.flatnonzero(y == label)[:SHOWN] for label in np.unique(y)]
    draw_alignment([Row(X[own, 0], warps[own], aligned[own, 0]) for own in classes]).write(path)


def classify(split: Split, options: argparse.Namespace) -> int:
    start = time.perf_counter()
    classifier = diffeo.NearestCentroid(aligner(options)).fit(*split.training)
    seconds = time.perf_counter() - start
    euclidean = diffeo.NearestCentroid("euclidean").fit(*split.training)
    classifier.aligner_.save(options.output / MODEL)
    diffeo.save(options.output / NEW, *split.new)
    if options.data is None:
        draw(classifier.aligner_, split, options.output / PICTURE)

    classes = len(classifier.classes_)
    print(f"trained on {len(split.training[1])} series of {classes} classes in {seconds:.1f} s")
    print(f"nearest centroid             training   {len(split.new[1])} new series")
    for name, each in (("Euclidean mean", euclidean), ("after learned alignment", classifier)):
        print(f"  {name:26} {each.score(*split.training):8.3f} {each.score(*split.new):6.3f}")
    is_better = classifier.score(*split.new) > euclidean.score(*split.new)
    return 0 if is_better or options.data is not None else 1


def align(X: Series, options: argparse.Namespace) -> int:
    """Without labels all series are one class, and there is nothing to classify."""
    fitted = aligner(options, loss="variance").fit(X)
    fitted.save(options.output / MODEL)
    diffeo.save(options.output / NEW, X)
    print(f"trained on {len(X)} series without labels: nothing to classify")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("build/demo"), help="a directory")
    parser.add_argument("--data", type=Path, help="a file of series instead of generated ones")
    parser.add_argument(
        "--steps", type=int, help="of training, at least; the default of TemporalAligner if not given"
    )
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    if options.data is None:
        return classify(generated(), options)
    try:
        X, y = diffeo.load(options.data)
    except (OSError, ValueError) as problem:
        raise SystemExit(f"train.py: {problem}") from None
    return align(X, options) if y is None else classify(divided(X, y), options)


if __name__ == "__main__":
    sys.exit(main())
