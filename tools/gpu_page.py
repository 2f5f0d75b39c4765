"""Makes docs/results/gpu.json of what CUDA's compiler reports, and docs/results/gpu.md of that.

    gpu_page.py REPORT VERSION SIZES

REPORT is what `nvcc -Xptxas -v` printed, VERSION that of the compiler, SIZES a program that prints how much
memory lies between the kernels (src/cuda/sizes.cpp). Where a kernel's registers do not suffice and some live
in memory, nothing is written and this fails. Times that `make gpu-check` measured are on the page as well
(docs/results/gpu_timing.json).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"

ENTRY = re.compile(r"Compiling entry function '(\w+)' for '(sm_\d+)'")
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers(?:.*?(\d+) bytes smem)?")
KERNEL = re.compile(
    r"run_kernel<diffeo::cuda::(\w+)"
    r"(?:<(float|double)(?:, (true|false))?(?:, diffeo::kernels::device::\w+)?\s*>)?\s*>"
)

# What each kernel is for, in the order in which they run.
PURPOSES = {
    "LayOutGrid": "vertices, once per call",
    "BuildTables": "the table of a field",
    "FlowPoints": "positions of points",
    "FlowProducts": "what points contribute to gradients",
    "CollectGradients": "gradients by velocities and time",
    "WarpSeries": "warped series",
    "PullBackPositions": "from series to cotangents of positions",
    "FindNodeRanges": "which positions read which nodes",
    "PullBackSeries": "gradients by series",
    "ReadSeries": "samples of series",
    "AddRows": "gradients that a batch shares",
    "NarrowRow": "the same, rounded",
    "SumNumbers": "the gradient by a time that a batch shares",
}

# Numbers that an operation reads and writes per point or sample, each once per kernel that needs it:
# arguments and results, then what lies between its kernels.
TRAFFIC = {
    "flow": ("point in, position out", 2, "", 0),
    "gradient of flow": ("point, cotangent in; gradient by the point out", 3, "", 0),
    "warp": ("sample in, sample out", 2, "", 0),
    "gradient of warp": (
        "series and cotangents in, for both gradients; gradient by the series out",
        5,
        "positions written, and read three times; their cotangents written and read",
        6,
    ),
}

# Published bandwidths of memory, in GB/s.
GPUS = {"T4": 320, "L4": 300, "A100 80GB (SXM)": 2039, "RTX 4090": 1008, "H100 (SXM)": 3350, "RTX 5090": 1792}


def demangled(names: list[str]) -> dict[str, str]:
    output = subprocess.run(["c++filt", *names], check=True, capture_output=True, text=True).stdout
    return dict(zip(names, output.splitlines(), strict=True))


def entries(report: str) -> Iterator[dict[str, Any]]:
    """One per kernel and architecture."""
    parts = ENTRY.split(report)[1:]
    names = demangled(sorted(set(parts[::3])))
    for symbol, architecture, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        kernel, spills, used = KERNEL.search(names[symbol]), SPILLS.search(text), USED.search(text)
        if not (kernel and spills and used):
            raise SystemExit(f"gpu_page: cannot read what the compiler says of {names[symbol]}")
        yield {
            "kernel": kernel.group(1),
            "precision": kernel.group(2) or "",
            "derivatives": kernel.group(3) == "true",
            "architecture": architecture,
            "registers": int(used.group(1)),
            "shared_bytes": int(used.group(2) or 0),
            "stack_bytes": int(spills.group(1)),
            "spilled_bytes": int(spills.group(2)) + int(spills.group(3)),
        }


def check_spills(kernels: list[dict[str, Any]]) -> None:
    spilled = [
        f"{k['kernel']} {k['precision']} on {k['architecture']}: {k['spilled_bytes']} bytes"
        for k in kernels
        if k["spilled_bytes"]
    ]
    if spilled:
        raise SystemExit(
            "\n".join(["gpu_page: registers do not suffice, and some live in memory:", *spilled])
        )
    missing = set(PURPOSES) - {k["kernel"] for k in kernels}
    if missing:
        raise SystemExit(f"gpu_page: nothing about {', '.join(sorted(missing))} in the report")


def span(values: list[int]) -> str:
    low, high = min(values), max(values)
    return f"{low}" if low == high else f"{low} to {high}"


def kernel_rows(kernels: list[dict[str, Any]]) -> Iterator[str]:
    for name, purpose in PURPOSES.items():
        own = [k for k in kernels if k["kernel"] == name]
        for precision in sorted({k["precision"] for k in own}, reverse=True):
            for derivatives in sorted({k["derivatives"] for k in own}):
                chosen = [k for k in own if k["precision"] == precision and k["derivatives"] == derivatives]
                registers = span([k["registers"] for k in chosen])
                shared, stack = (max(k[key] for k in chosen) for key in ("shared_bytes", "stack_bytes"))
                what = f"{purpose}{', with derivatives' if derivatives else ''}"
                yield f"| `{name}` | {what} | {precision or 'double'} | {registers} | {shared} | {stack} |"


def bytes_per_point(operation: str, sizes: dict[str, Any], precision: str, *, cached: bool) -> float:
    """Tables and sums stand for all points of a field. They go through memory twice, or stay in the cache."""
    real, tables, sums = (sizes[precision][key] for key in ("real", "tables", "sums"))
    _, arguments, _, between = TRAFFIC[operation]
    per_field = 0 if cached else 2 * (tables + (sums if "gradient" in operation else 0))
    return float((arguments + between) * real + per_field / sizes["points"])


def traffic_rows(sizes: dict[str, Any]) -> Iterator[str]:
    for operation, (what, arguments, between, more) in TRAFFIC.items():
        numbers = [
            f"{bytes_per_point(operation, sizes, precision, cached=cached):.0f}"
            for precision in ("float", "double")
            for cached in (True, False)
        ]
        rest = f"{more}: {between}" if more else "none"
        yield f"| {operation} | {arguments}: {what} | {rest} | {' | '.join(numbers)} |"


def bound_rows(sizes: dict[str, Any]) -> Iterator[str]:
    for name, bandwidth in GPUS.items():
        bounds = [
            " to ".join(
                f"{bandwidth / bytes_per_point(operation, sizes, 'float', cached=cached):.0f}"
                for cached in (False, True)
            )
            for operation in TRAFFIC
        ]
        yield f"| {name} | {bandwidth} | {' | '.join(bounds)} |"


def milliseconds(times: dict[str, float] | None, key: str) -> str:
    return f"{times[key]:.3g}" if times else "out of memory"


def timing_rows(timing: dict[str, Any]) -> Iterator[str]:
    for case in timing["cases"]:
        numbers = [
            milliseconds(case[who], key)
            for key in ("forward_ms", "gradient_ms")
            for who in ("diffeo", "difw")
        ]
        yield f"| {case['cells']} | {case['points']} | {case['warps']} | {' | '.join(numbers)} |"


NOT_RUN = "# Kernels for GPUs, which have not yet run on a device"
RUN = "# Kernels for GPUs, run on {gpu}"

PAGE = """{title}

What can be known without a GPU: they compile, their registers suffice, and their bodies, run by the
processor, pass the tests of the core about flow, warp and sampling (`ctest -R Kernels`). `make gpu-check` is
the one command for who has a GPU. This page comes from `make cuda`.

Compiler: nvcc {compiler}. Compiled for {architectures}.
{timing}
## Registers and memory

The least and the most registers over all architectures; bytes of shared memory per block, of stack per
thread. No kernel keeps registers in memory: the command fails otherwise.

| kernel | makes | precision | registers | shared | stack |
|---|---|---|---|---|---|
{kernels}

## Bytes moved, and the bound that follows

Counted per point, for fields of {cells} cells with {points} points or samples each, one channel, all
gradients, no argument shared. A number that a kernel reads several times counts once. Tables take {single}
bytes per field in float and {double} in double. Passes are sized so that they, and the sums of gradients, can
stay in a GPU's second-level cache; where they do not, they are written once and read once.

| operation | arguments, results | between kernels | bytes, float | with tables | double | with tables |
|---|---|---|---|---|---|---|
{traffic}

No GPU is faster than its memory. From published bandwidths, thousand millions of points per second in float,
with tables that go through memory and with tables that stay in the cache:

| GPU | GB/s | {operations} |
|---|---|{columns}
{bounds}

These are bounds and no measurements. Batches of few points per field stay below them, because tables cost
more than points; so do fields of thousands of cells, whose sweeps are one thread's. Tables and sums are
computed in double, at which GPUs for games are slow.
"""

TIMING = """
## Times

Medians in milliseconds on {gpu}, from theta to positions and back, beside difw's own CUDA kernels.

| cells | points | warps | flow, diffeo | difw | gradient, diffeo | difw |
|---|---|---|---|---|---|---|
{rows}
"""


def page(result: dict[str, Any], timing: dict[str, Any] | None) -> str:
    kernels, sizes = result["kernels"], result["sizes"]
    architectures = sorted({k["architecture"] for k in kernels}, key=lambda name: int(name[3:]))
    return PAGE.format(
        title=RUN.format(gpu=timing["gpu"]) if timing else NOT_RUN,
        compiler=result["compiler"],
        architectures=", ".join(architectures),
        timing=TIMING.format(gpu=timing["gpu"], rows="\n".join(timing_rows(timing))) if timing else "",
        kernels="\n".join(kernel_rows(kernels)),
        cells=sizes["cells"],
        points=sizes["points"],
        single=sizes["float"]["tables"],
        double=sizes["double"]["tables"],
        traffic="\n".join(traffic_rows(sizes)),
        operations=" | ".join(TRAFFIC),
        columns="---|" * len(TRAFFIC),
        bounds="\n".join(bound_rows(sizes)),
    )


def main() -> None:
    report, version, sizes = sys.argv[1:]
    kernels = list(entries(Path(report).read_text()))
    check_spills(kernels)
    measured = subprocess.run([sizes], check=True, capture_output=True, text=True).stdout
    result = {"compiler": version, "sizes": json.loads(measured), "kernels": kernels}
    (RESULTS / "gpu.json").write_text(json.dumps(result).replace('{"kernel"', '\n{"kernel"') + "\n")
    measured_times = RESULTS / "gpu_timing.json"
    timing = json.loads(measured_times.read_text()) if measured_times.exists() else None
    (RESULTS / "gpu.md").write_text(page(result, timing))
    print(f"cuda: {len(kernels)} kernels, no register in memory; docs/results/gpu.md")


if __name__ == "__main__":
    main()
