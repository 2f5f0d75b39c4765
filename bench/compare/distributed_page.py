"""Makes docs/results/distributed.md from distributed.json; called by several_processes.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from alignment_page import machine_lines
from report import number, size, table

MACHINES = (2, 4, 8, 16, 32, 64)
NETWORK = 10e9 / 8  # bytes a second: 10 Gbit/s, in each direction

INTRODUCTION = """# A fit in several processes

What a training step gains from a second process, and what the two send. Made by
`.venv/bin/python bench/compare/several_processes.py` from `distributed.json`.

The default network ({parameters:,} parameters) on {cases} series of {length} samples, two cores of one
machine, Gloo over loopback. A step is the difference of fits of {many} and {few} epochs, divided by the steps
between. Contestants took turns, and are compared within a round; every number is the median of {rounds}.

- *half a batch*: two fits at once that know nothing of each other, one thread each, half as many series a
  step: what two processes compute, with nothing to send
- *efficiency*: the time of one process with two threads, divided by that of two processes with one thread
  each, on the same two cores
- *exchange*: two processes, less half a batch: messages, waiting for the process that has more series of a
  batch, and what both do
"""

FEW_ROUNDS = 3
TRIAL = """
**A trial of {rounds} round: times of so few rounds are noise, and so is what is projected from
them.** Bytes are not.
"""

BYTES = """## Bytes sent

A sum of {gradients} of gradients over two processes cannot do with less than {bound} sent by each:
2 (n - 1) / n times their size
([Patarasuk and Yuan 2009](https://doi.org/10.1016/j.jpdc.2008.09.002)). What is sent beside are means of
classes, statistics of batch normalization, the numbers of the loss, and headers.
"""

PROJECTION = """## Projected to more machines

**This is a projection, not a measurement.** It takes from the tables above the time of half a batch, the time
of the exchange and the bytes, and assumes that

- every machine has one process and as many series of a batch as here, so that a batch grows with the machines
- a step has {messages} sums, each of which took {message_ms:.3g} ms over loopback beside its bytes. A sum
  goes around a ring, as Gloo's does, with n - 1 times as many turns as two processes need; those of a network
  may be longer
- bytes go over a network of 10 Gbit/s, 2 (n - 1) / n times what there is to sum
- nobody waits longer than here for the process with the most series, and random numbers, which all draw for
  the whole batch, cost no time

*Computing* is the part of a step that is left for it: half a batch, divided by the step. Larger parts of a
batch for each machine are what helps.
"""


def write(results_path: Path, page_path: Path) -> None:
    results = json.loads(results_path.read_text(encoding="utf-8"))
    settings, rows = results["settings"], results["rows"]
    bound = least_bytes(settings, 2)
    trial = TRIAL if settings["rounds"] < FEW_ROUNDS else ""
    lines = [(INTRODUCTION + trial).format(**settings), *times_section(rows)]
    lines += [BYTES.format(gradients=size(settings["gradient_bytes"]), bound=size(bound))]
    lines += bytes_section(rows, bound)
    lines += [PROJECTION.format(**settings), *projection_section(settings, rows)]
    lines += ["## Measured on", "", *machine_lines(results["machine"])]
    beside = page_path.with_suffix(".tmp")
    beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
    beside.replace(page_path)


def least_bytes(settings: dict[str, Any], processes: int) -> float:
    return 2 * (processes - 1) / processes * float(settings["gradient_bytes"])


def bytes_section(rows: list[dict[str, Any]], bound: float) -> list[str]:
    cells = [
        [str(row["batch"]), size(row["bytes"]), size(bound), f"{number(row['bytes'] / bound)} ×"]
        for row in rows
    ]
    return table(["batch", "sent by each process, a step", "lower bound", "ratio"], cells)


def times_section(rows: list[dict[str, Any]]) -> list[str]:
    head = ["ms of a step, batch", "one thread", "two threads", "two processes", "half a batch"]
    return table([*head, "efficiency", "exchange"], map(times_row, rows))


def times_row(row: dict[str, Any]) -> list[str]:
    names = ("one thread", "two threads", "two processes", "half a batch")
    times = [number(row["ms"][name]) for name in names]
    return [str(row["batch"]), *times, f"**{row['efficiency']:.2f}**", number(exchange(row))]


def exchange(row: dict[str, Any]) -> float:
    """Milliseconds of a step of two processes that are not computing."""
    return max(0.0, float(row["exchange_ms"]))


def projection_section(settings: dict[str, Any], rows: list[dict[str, Any]]) -> list[str]:
    head = ["machines", *(f"batch {row['batch'] // 2} on each: step, ms | computing" for row in rows)]
    head = " | ".join(head).split(" | ")
    body = []
    for machines in MACHINES:
        cells = [str(machines)]
        for row in rows:
            step = projected(settings, row, machines)
            cells += [number(step), f"{row['ms']['half a batch'] / step:.2f}"]
        body.append(cells)
    return table(head, body)


def projected(settings: dict[str, Any], row: dict[str, Any], machines: int) -> float:
    """Milliseconds of a step: what two need, more turns of every sum, and bytes over a network."""
    turns = settings["messages"] * settings["message_ms"]
    waiting = max(0.0, exchange(row) - turns)
    sent = row["bytes"] * 2 * (machines - 1) / machines  # two send once their size
    return float(row["ms"]["half a batch"] + waiting + turns * (machines - 1) + 1e3 * sent / NETWORK)
