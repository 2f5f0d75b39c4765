"""Aligns the series of two classes, and a new series to what was learned: the twin of align_series.cpp."""

import sys

import numpy as np

import diffeo

TRAINING, ALL = 20, 40


def main() -> int:
    bumps = diffeo.generate_bumps(ALL, seed=4, classes=2)
    X, y = bumps.X[:TRAINING], bumps.y[:TRAINING]

    result = diffeo.align(X, y)
    print(f"variance within the classes: {result.variance_before:.1f} before, {result.variance:.2f} after")

    aligner = diffeo.JointAligner().fit(X, y)
    aligned = aligner.transform(bumps.X[TRAINING:])
    labels = bumps.y[TRAINING:]
    fresh = sum(diffeo.within_variance(aligned[labels == label]) for label in np.unique(labels))
    print(f"that of {ALL - TRAINING} new series, aligned to the means: {fresh:.2f}")
    return 0 if result.converged and max(result.variance, fresh) < 0.2 * result.variance_before else 1


if __name__ == "__main__":
    sys.exit(main())
