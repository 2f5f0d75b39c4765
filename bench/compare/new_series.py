"""Series that nobody trained on: true times after a network's warps, and classes of several channels.

    .venv/bin/python bench/compare/new_series.py          # what is missing, then the page
    .venv/bin/python bench/compare/new_series.py --page   # the page alone

Every result is appended to docs/results/new_series.jsonl as it comes; the page beside it is made of that
file. A result is computed again if the parameters behind it have changed. `make experiments` calls this.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import diffeo
import machine
from report import table
from workload import PROJECT

LINES = PROJECT / "docs" / "results" / "new_series.jsonl"
PAGE = LINES.with_suffix(".md")

Json = dict[str, Any]

SERIES, SETS = 200, 3  # of which half are held out, by lot: their warps come in order
HEIGHTS = ((0.25, 0.03), (0.4, 0.03), (0.0, 0.03), (0.0, 0.0))
#: None: `diffeo.align` on the training series, which a network could at most learn.
ALIGNERS: dict[str, Json | None] = {
    "align, on the training series": None,
    "defaults": {},
    'loss="slopes"': {"loss": "slopes"},
    'loss="variance"': {"loss": "variance"},
}
MUST = {(0.25, 0.03): 0.15, (0.0, 0.0): 0.05}
CHANNELS = {"BasicMotions": 0.95, "JapaneseVowels": 0.95}
SEEDS = (0, 1, 2)

INTRODUCTION = """\
# New series

Made by `bench/compare/new_series.py`, which `make experiments` calls. A network learns from one set of series
and is judged by others.

## True times

`diffeo.generate_warped("two-peaks", 200, ...)`: peaks whose heights vary with the standard deviation given,
with noise, in known times of their own. {half} series drawn by lot are for training, without labels; the
others are new. *Spread* is how far true times are apart in common time, as a share of that before alignment
(`diffeo.true_time_spread`): 0 is perfect, 1 no better than doing nothing. Means of {sets} sets. `defaults` is
`diffeo.TemporalAligner()`. *Mean warp* is the largest distance of the mean warp of the training series from
the identity, as a fraction of the length.

"""
CLASSES = """\
## Several channels

Test accuracy of `NearestCentroid(TemporalAligner())`, nothing set, on two sets that come with aeon: six
channels of motion, and twelve of speech with different lengths. Beside it the nearest Euclidean mean, and DBA
compared by DTW if lengths agree.

"""


class Work(NamedTuple):
    key: Json
    compute: Callable[[], Json]


def aligned_spread(height: float, noise: float, seed: int, parameters: Json | None) -> Json:
    made = diffeo.generate_warped("two-peaks", SERIES, seed, height=height, noise=noise)
    order = np.random.default_rng(seed).permutation(SERIES)
    known, new = order[: SERIES // 2], order[SERIES // 2 :]
    times = np.linspace(0, 1, 201)
    if parameters is None:
        warps = diffeo.flow(diffeo.align(made.X[known]).velocities, times)
        spread = diffeo.true_time_spread(warps, made.warps[known])
        return {"spread": spread.share, "mean_warp": distance_of_mean(warps)}
    aligner = diffeo.TemporalAligner(random_state=seed, n_jobs=1, verbose=0, **parameters).fit(made.X[known])
    spread = diffeo.true_time_spread(aligner.warp_times(made.X[new], times), made.warps[new])
    return {"spread": spread.share, "mean_warp": distance_of_mean(aligner.warps(made.X[known]))}


def distance_of_mean(warps: np.ndarray) -> float:
    return float(np.abs(warps.mean(axis=0) - np.linspace(0, 1, warps.shape[1])).max())


def accuracy(name: str, seed: int) -> Json:
    from aeon import datasets

    load = {"BasicMotions": datasets.load_basic_motions, "JapaneseVowels": datasets.load_japanese_vowels}[
        name
    ]
    (X, y), (new, truth) = (load(split=split) for split in ("train", "test"))
    aligner = diffeo.TemporalAligner(random_state=seed, n_jobs=-1, verbose=0)
    start = time.perf_counter()
    classifier = diffeo.NearestCentroid(aligner).fit(list(X), y)
    found = {"accuracy": classifier.score(list(new), truth), "seconds": time.perf_counter() - start}
    found["euclidean"] = diffeo.NearestCentroid().fit(list(X), y).score(list(new), truth)
    if isinstance(X, np.ndarray):
        found["dba"] = diffeo.NearestCentroid("dba").fit(X, y).score(new, truth)
    return found


def all_work() -> Iterator[Work]:
    defaults = diffeo.TemporalAligner().get_params()
    for height, noise in HEIGHTS:
        for name, parameters in ALIGNERS.items():
            options = None if parameters is None else {**defaults, **parameters}
            for seed in range(1, SETS + 1):
                key = {"height": height, "noise": noise, "aligner": name, "seed": seed, "options": options}
                yield Work(key, lambda h=height, n=noise, s=seed, p=parameters: aligned_spread(h, n, s, p))
    for name in CHANNELS:
        for seed in SEEDS:
            key = {"dataset": name, "seed": seed, "options": defaults}
            yield Work(key, lambda name=name, seed=seed: accuracy(name, seed))


def identity(key: Json) -> str:
    return json.dumps(key, sort_keys=True)


def read_lines() -> dict[str, Json]:
    if not LINES.exists():
        return {}
    lines = [json.loads(line) for line in LINES.read_text(encoding="utf-8").splitlines()]
    return {identity(line["key"]): line for line in lines}


def measure() -> None:
    done = read_lines()
    for work in all_work():
        if identity(json.loads(json.dumps(work.key))) in done:
            continue
        line = {"key": work.key, **work.compute(), "processor": machine.cpu_field("model name") or "unknown"}
        with LINES.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        print({name: value for name, value in line["key"].items() if name != "options"}, flush=True)


def spread_rows(lines: list[Json]) -> Iterator[list[str]]:
    for height, noise in HEIGHTS:
        row = [f"{height}", f"{noise}", f"≤ {MUST[height, noise]}" if (height, noise) in MUST else ""]
        for name in ALIGNERS:
            own = [
                line
                for line in lines
                if (line["key"].get("aligner"), line["key"].get("height"), line["key"].get("noise"))
                == (name, height, noise)
            ]
            row.append(f"{np.mean([line['spread'] for line in own]):.3f}")
            if name == "defaults":
                row.append(f"{max(line['mean_warp'] for line in own):.4f}")
        yield row


def channel_rows(lines: list[Json]) -> Iterator[list[str]]:
    for name, must in CHANNELS.items():
        own = [line for line in lines if line["key"].get("dataset") == name]
        found = [line["accuracy"] for line in own]
        yield [
            name,
            f"≥ {must}",
            f"**{np.mean(found):.4f}**",
            ", ".join(f"{each:.4f}" for each in found),
            f"{own[0]['euclidean']:.4f}",
            f"{own[0]['dba']:.4f}" if "dba" in own[0] else "",
            f"{np.mean([line['seconds'] for line in own]):.0f}",
        ]


def page() -> str:
    current = {identity(json.loads(json.dumps(work.key))) for work in all_work()}
    lines = [line for key, line in read_lines().items() if key in current]
    names = list(ALIGNERS)
    head = ["height", "noise", "must, defaults", *names[:2], "mean warp, defaults", *names[2:]]
    text = [INTRODUCTION.format(half=SERIES // 2, sets=SETS) + "\n".join(table(head, spread_rows(lines)))]
    head = ["set", "must", "mean", f"seeds {', '.join(map(str, SEEDS))}", "Euclidean", "DBA, DTW", "seconds"]
    text.append(CLASSES + "\n".join(table(head, channel_rows(lines))))
    processors = ", ".join(sorted({line["processor"] for line in lines}))
    text.append(f"## Measured on\n\n{processors}\n")
    return "\n".join(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", action="store_true", help="make the page of the results that there are")
    if not parser.parse_args().page:
        measure()
    beside = Path(f"{PAGE}.tmp")
    beside.write_text(page(), encoding="utf-8")
    beside.replace(PAGE)


if __name__ == "__main__":
    main()
