"""What test_distributed.py starts in three processes: fits in groups of one, two and three of them.

    distributed_fits.py FOLDER

Process N writes what it saw to FOLDER/N.json: for every loss and number of processes the history in double
precision, histories in single precision, and what fits in several processes have to refuse. Collective calls
are made by the members of a group alone.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import torch.distributed as distributed

import diffeo
from diffeo import _core
from diffeo._dataset import as_dataset
from diffeo._torch import TemporalAligner as Compiled

LOSSES = ["variance", "slopes", "inverse-consistent", "cross-entropy", "recognition"]  # each with the prior
FIFTY_STEPS = {
    "widths": (4, 4),
    "kernels": (5, 3),
    "hidden": 8,
    "cells": 8,
    "epochs": 10,
    "least_steps": 0,
    "batch_size": 6,
    "noise": 0.05,
    "prior_weight": 0.01,
    "loss": "variance + 30 cross-entropy",
}
CASES = 29  # of no number of processes a multiple: five steps an epoch


def series() -> tuple[np.ndarray, np.ndarray]:
    return diffeo.generate_cbf(CASES, seed=2, length=40)


def double_history(group, loss: str) -> list[list[float]]:
    """Of a fit that computes in double precision, which no public parameter asks for."""
    X, y = series()
    rank, size = (0, 1) if group is None else (group.rank(), group.size())
    dataset, _ = as_dataset(X[rank::size], y[rank::size])
    options = _core.TrainingOptions("default")
    for name, value in (FIFTY_STEPS | {"loss": loss}).items():
        options.set(name, ",".join(map(str, value)) if isinstance(value, tuple) else str(value))
    aligner = Compiled(options, 7)
    name = "" if group is None else group.group_name
    aligner.fit(dataset, 1, None, False, None, name, True)
    return [list(record) for record in aligner.history()]


def aligner(**parameters) -> diffeo.TemporalAligner:
    return diffeo.TemporalAligner(**FIFTY_STEPS | {"random_state": 7} | parameters)


def single_fit(group, **parameters) -> dict:
    X, y = series()
    own = aligner(**parameters)
    if group is None:
        own.fit(X, y)
    else:
        rank, size = group.rank(), group.size()
        own.fit(X[rank::size], y[rank::size], process_group=group)
    return {
        "history": [list(record) for record in own.history_],
        "seed": own.random_state_,
        "classes": own.classes_.tolist(),
        "centroids": own.centroids_.tolist(),
    }


def refusal(group, X, y, **parameters) -> str:
    try:
        aligner(**parameters).fit(X, y, process_group=group)
    except (RuntimeError, ValueError) as problem:
        return f"{type(problem).__name__}: {problem}"
    return "nothing was raised"


def refusals(group) -> dict:
    X, y = series()
    rank = group.rank()
    return {
        "options": refusal(group, X, y, cells=8 + rank),
        "labels": refusal(group, X, y if rank == 0 else None, loss="variance"),
        "channels": refusal(group, X if rank == 0 else np.repeat(X, 2, axis=1), y),
        "infinite": refusal(group, X if rank == 0 else np.full_like(X, np.inf), y),
    }


def main(folder: Path) -> None:
    distributed.init_process_group("gloo")
    rank = distributed.get_rank()
    world, pair = distributed.group.WORLD, distributed.new_group([0, 1])
    found = {"double": {}, "single": {}}
    groups = {"1": None if rank == 0 else False, "2": pair if rank < 2 else False, "3": world}
    for size, group in groups.items():
        if group is False:
            continue
        found["double"][size] = {loss: double_history(group, loss) for loss in LOSSES}
        if size != "2":
            found["single"][size] = single_fit(group)
    found["drawn"] = single_fit(world, random_state=None, epochs=1)
    if rank < 2:
        found["refusals"] = refusals(pair)
    (folder / f"{rank}.json").write_text(json.dumps(found))
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
