"""What a fit gains from a second process, and what the two send: docs/results/distributed.json and .md.

    .venv/bin/python bench/compare/several_processes.py       # twelve minutes, with nothing beside it

One process with two threads, one with one, and two processes with one thread each train the same network on
the same batches; contestants take turns. A fit is made twice, with few steps and with many, and what a step
costs is the difference: reading, starting and the last pass over the series are left out. What contestants
are compared by is computed within every round, in which the machine was about the same for all, and the
median of the rounds is told: the least of differences is that of the worst-disturbed fit with few steps.
Bytes are those of the loopback interface, headers included; they too are a difference of two fits.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import distributed_page
import machine
from workload import PROJECT

RESULTS = PROJECT / "docs" / "results"
CASES, LENGTH, CLASSES = 1024, 512, 3
BATCHES = (64, 256)
FEW, MANY = 2, 6  # epochs, so that fits with large batches take no longer
ROUNDS = 5
SEED = 1
BYTES_PER_NUMBER = 4  # of a gradient in single precision
#: Sums of a step of the default network and loss: there and back for each of three batch normalizations,
#: class totals, and gradients with the numbers of the loss.
MESSAGES = 2 * 3 + 2

JsonObject = dict[str, Any]


class Contestant:
    """A way to run a fit."""

    def __init__(self, name: str, processes: int, threads: int, share: int = 1) -> None:
        self.name, self.processes, self.threads, self.share = name, processes, threads, share

    def command(self, *words: Any) -> list[str]:
        module = ["-m", "diffeo"]
        if self.processes > 1:
            launcher = ["torch.distributed.run", "--standalone", "--nproc-per-node", str(self.processes)]
            module = ["-m", *launcher, *module]
        return [sys.executable, *module, *map(str, words)]


CONTESTANTS = (
    Contestant("one thread", 1, 1),
    Contestant("two threads", 1, 2),
    Contestant("two processes", 2, 1),
    # Two fits at once, each with half of a batch: what two processes compute, with nothing to send.
    Contestant("half a batch", 1, 1, share=2),
)


def loopback_bytes() -> int:
    """Received by the loopback interface since the machine started, which is what was sent."""
    for line in Path("/proc/net/dev").read_text().splitlines():
        name, _, fields = line.partition(":")
        if name.strip() == "lo":
            return int(fields.split()[0])
    raise RuntimeError("/proc/net/dev: expected a line for lo, got none")


def fit(
    contestant: Contestant, series: Path, batch: int, steps: int, environment: dict[str, str]
) -> JsonObject:
    """Seconds and bytes of one fit; where batches are shared, of the slowest of as many fits at once."""
    words = ["fit", series, "--force", "--quiet", "--json", "--seed", SEED, "--threads", contestant.threads]
    # Of half a batch an epoch has twice the steps: their number is what is asked for.
    words += ["--batch-size", batch // contestant.share, "--epochs", 1, "--least-steps", steps]
    words += ["--checkpoint-seconds", 1e9]
    before = loopback_bytes()
    fits = [
        subprocess.Popen(
            contestant.command(*words, "-o", series.with_suffix(f".{number}")),
            stdout=subprocess.PIPE,
            env=environment,
        )
        for number in range(contestant.share)
    ]
    found = [json.loads(each.communicate()[0] or "{}") for each in fits]
    if any(each.returncode != 0 for each in fits):
        raise RuntimeError(f"{contestant.name}: the fit failed")
    steps_done = found[0]["epochs"] * -(-CASES // (batch // contestant.share))
    seconds = max(each["seconds"] for each in found)
    return {"seconds": seconds, "bytes": loopback_bytes() - before, "steps": steps_done}


def of_a_step(
    contestant: Contestant, series: Path, batch: int, both: tuple[int, int], environment: dict[str, str]
) -> JsonObject:
    few, many = (fit(contestant, series, batch, epochs * CASES // batch, environment) for epochs in both)
    steps = many["steps"] - few["steps"]
    return {
        "milliseconds": 1e3 * (many["seconds"] - few["seconds"]) / steps,
        "bytes": (many["bytes"] - few["bytes"]) / steps / contestant.processes,
    }


def parameters(series: Path, environment: dict[str, str]) -> int:
    """Numbers that training changes."""
    words = ["fit", series, "-o", "none", "--dry-run", "--json", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-m", "diffeo", *map(str, words)], capture_output=True, check=True, env=environment
    )
    return int(json.loads(done.stdout)["parameters"])


def message_ms() -> float:
    """Of a sum of a few numbers over two processes."""
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    script = Path(__file__).with_name("distributed_message.py")
    done = subprocess.run(
        [sys.executable, *launcher, str(script)], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def measure(batch: int, series: Path, options: argparse.Namespace, environment: dict[str, str]) -> JsonObject:
    rounds, both = options.rounds, (options.few, options.many)
    found: dict[str, list[JsonObject]] = {each.name: [] for each in CONTESTANTS}
    for number in range(rounds):
        for contestant in CONTESTANTS:
            found[contestant.name].append(of_a_step(contestant, series, batch, both, environment))
        print(f"batch {batch}, round {number + 1} of {rounds}", file=sys.stderr)
    times = {name: [each["milliseconds"] for each in steps] for name, steps in found.items()}
    return {
        "batch": batch,
        "ms": {name: statistics.median(each) for name, each in times.items()},
        "efficiency": in_rounds(lambda ours, threads: threads / ours, times, "two threads"),
        "exchange_ms": in_rounds(lambda ours, half: ours - half, times, "half a batch"),
        "all_ms": times,
        "bytes": statistics.median(each["bytes"] for each in found["two processes"]),
    }


def in_rounds(compare: Callable[[float, float], float], times: dict[str, list[float]], other: str) -> float:
    """How two processes compare with another contestant of the same round, in the median round."""
    return statistics.median(map(compare, times["two processes"], times[other]))


def run(options: argparse.Namespace) -> JsonObject:
    import diffeo

    environment = os.environ | {"PYTHONPATH": str(options.module)}
    with tempfile.TemporaryDirectory() as folder:
        series = Path(folder) / "train.npz"
        X, y = diffeo.generate_cbf(CASES, seed=SEED, length=LENGTH)
        diffeo.save(series, X, y)
        count = parameters(series, environment)
        rows = [measure(batch, series, options, environment) for batch in options.batches]
    return {
        "machine": machine.describe(options.module.parent, diffeo.__version__, ("numpy", "torch")),
        "settings": {
            "cases": CASES,
            "length": LENGTH,
            "classes": CLASSES,
            "few": options.few,
            "many": options.many,
            "rounds": options.rounds,
            "parameters": count,
            "gradient_bytes": BYTES_PER_NUMBER * count,
            "messages": MESSAGES,
            "message_ms": message_ms(),
        },
        "rows": rows,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--module", type=Path, default=PROJECT / "build" / "python", help="holds diffeo")
    parser.add_argument("--output", type=Path, default=RESULTS / "distributed.json")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--batches", type=int, nargs="+", default=BATCHES)
    parser.add_argument("--few", type=int, default=FEW, help="epochs of the shorter fit, an even number")
    parser.add_argument("--many", type=int, default=MANY, help="epochs of the longer one, an even number")
    options = parser.parse_args()
    sys.path.insert(0, str(options.module))
    results = run(options)
    beside = options.output.with_suffix(".tmp")
    beside.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    beside.replace(options.output)
    distributed_page.write(options.output, options.output.with_suffix(".md"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
