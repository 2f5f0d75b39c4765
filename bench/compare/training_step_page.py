"""Makes docs/results/training_step.md from training_step.json; called by training_step.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from alignment_page import machine_lines
from report import number, table

INTRODUCTION = """# One training step

What a step of training costs, and how much of it is not the network. Made by
`.venv-peers/bin/python bench/compare/training_step.py` (after `bench/compare/setup.sh`), which `make bench`
calls, from `training_step.json`.

{batch} series of {length} samples, {channels} channel, {cells} cells, {classes} classes; the default
convolutional network (widths {widths}, kernels {kernels}, head of {hidden}), {threads} thread, {precision}.
Works and contestants take turns; milliseconds are of processor time, the least of all calls.

- *C++*: the classes that train
- *diffeo*, *difw*: one network, one optimizer and the same losses in Python, around the warp of diffeo and
  around that of difw as it comes

- *whole step*: forward, within-class variance + 30 centroid cross-entropy + prior, backward, AdamW
- *without the network*: the same from a theta that is given: product with the basis, flow, sampling, losses,
  and all of it back to theta
- *warp alone*: product with the basis, flow and sampling, and back
"""

WORKS = {"step": "whole step", "without network": "without the network", "warp": "warp alone"}
VERDICTS = {True: "reached", False: "**not reached**"}


def write(results_path: Path, page_path: Path) -> None:
    results = json.loads(results_path.read_text(encoding="utf-8"))
    lines = [introduction(results["settings"]), *times_section(results), *share_section(results)]
    lines += ["## Measured on", "", *machine_lines(results["machine"])]
    beside = page_path.with_suffix(".tmp")
    beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
    beside.replace(page_path)


def introduction(settings: dict[str, Any]) -> str:
    listed = {key: ", ".join(map(str, settings[key])) for key in ("widths", "kernels")}
    return INTRODUCTION.format(**{**settings, **listed})


def times_section(results: dict[str, Any]) -> list[str]:
    rows = [
        [
            WORKS[work],
            number(results["classes_ms"][work]),
            *(number(found[name]["ms"]) for name in ("diffeo", "difw")),
            f"{number(found['difw_over_diffeo'])} ×",
        ]
        for work, found in results["times"].items()
    ]
    return table(["milliseconds", "C++", "diffeo", "difw", "difw / diffeo"], rows)


def share_section(results: dict[str, Any]) -> list[str]:
    shares, most = results["shares"], results["most_share"]
    text = (
        f"Of a step in C++ **{100 * shares['classes']:.1f} %** is not the network "
        f"(at most {100 * most:g} %: {VERDICTS[shares['classes'] <= most]}); in Python, of one with diffeo "
        f"{100 * shares['diffeo']:.1f} %, of one with difw {100 * shares['difw']:.1f} %."
    )
    return [text, ""]
