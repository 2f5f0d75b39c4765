"""Trains an aligner on generated series, classifies new ones by the nearest centroid, and draws it all.

    python examples/train.py --output build/demo

Cylinders, bells and funnels (`diffeo.generate_cbf`) start and end at random times: their class means are
mush, and a classifier that compares with them suffers. `diffeo.TemporalAligner` learns from 30 labelled
series how to warp; the 300 that are classified here it has never seen, and it knows no labels for them.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

import diffeo
from alignment_picture import Row, draw_alignment

TRAINING, TEST, SEED = 30, 300, 1
SHOWN = 40  # series of each class in the picture


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("build/demo"), help="a directory")
    parser.add_argument(
        "--steps", type=int, help="of training, at least; the default of TemporalAligner if not given"
    )
    options = parser.parse_args()

    X, y = diffeo.generate_cbf(TRAINING + TEST, seed=SEED)
    training, test = (X[:TRAINING], y[:TRAINING]), (X[TRAINING:], y[TRAINING:])
    steps = {} if options.steps is None else {"least_steps": options.steps, "epochs": 1}
    aligner = diffeo.TemporalAligner(random_state=SEED, n_jobs=-1, verbose=1, **steps)

    start = time.perf_counter()
    classifier = diffeo.NearestCentroid(aligner).fit(*training)
    seconds = time.perf_counter() - start
    euclidean = diffeo.NearestCentroid("euclidean").fit(*training)

    fitted = classifier.aligner_
    warps, aligned = fitted.warps(test[0]), fitted.transform(test[0])
    classes = [np.flatnonzero(test[1] == label)[:SHOWN] for label in classifier.classes_]
    options.output.mkdir(parents=True, exist_ok=True)
    draw_alignment([Row(test[0][own, 0], warps[own], aligned[own, 0]) for own in classes]).write(
        options.output / "train.svg"
    )
    fitted.save(options.output / "cbf.safetensors")

    print(f"trained on {TRAINING} series of {len(classes)} classes in {seconds:.1f} s")
    print("nearest centroid             training   test")
    for name, each in (("Euclidean mean", euclidean), ("after learned alignment", classifier)):
        print(f"  {name:26} {each.score(*training):8.3f} {each.score(*test):6.3f}")
    print(f"wrote train.svg (test series before and after) and cbf.safetensors to {options.output}")
    return 0 if classifier.score(*test) > euclidean.score(*test) else 1


if __name__ == "__main__":
    sys.exit(main())
