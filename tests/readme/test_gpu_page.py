"""The page about kernels for GPUs: made of what the compiler says, and nothing else."""

from __future__ import annotations

import json

import pytest
from pages import PROJECT

import gpu_page

RESULTS = PROJECT / "docs" / "results"
REPORT = """
ptxas info    : Compiling entry function '{symbol}' for 'sm_90'
ptxas info    : Function properties for {symbol}
    0 bytes stack frame, {spilled} bytes spill stores, {spilled} bytes spill loads
ptxas info    : Used 62 registers, used 1 barriers, 13320 bytes smem, 552 bytes cmem[0]
"""
SYMBOL = "_ZN6diffeo4cuda10run_kernelINS0_12FlowProductsIfEEEEvT_"


def test_registers_and_memory_are_read_from_the_report() -> None:
    (kernel,) = gpu_page.entries(REPORT.format(symbol=SYMBOL, spilled=0))
    assert kernel == {
        "kernel": "FlowProducts",
        "precision": "float",
        "derivatives": False,
        "architecture": "sm_90",
        "registers": 62,
        "shared_bytes": 13320,
        "stack_bytes": 0,
        "spilled_bytes": 0,
    }


def test_registers_that_live_in_memory_are_an_error() -> None:
    kernels = list(gpu_page.entries(REPORT.format(symbol=SYMBOL, spilled=8)))
    with pytest.raises(SystemExit, match="FlowProducts float on sm_90: 16 bytes"):
        gpu_page.check_spills(kernels)


def test_a_kernel_that_the_report_leaves_out_is_an_error() -> None:
    kernels = list(gpu_page.entries(REPORT.format(symbol=SYMBOL, spilled=0)))
    with pytest.raises(SystemExit, match="nothing about AddRows, BuildTables"):
        gpu_page.check_spills(kernels)


def test_the_page_is_made_of_its_file_and_says_first_that_nothing_has_run() -> None:
    result = json.loads((RESULTS / "gpu.json").read_text())
    gpu_page.check_spills(result["kernels"])
    if (RESULTS / "gpu_timing.json").exists():
        pytest.skip("the kernels have run here")
    page = (RESULTS / "gpu.md").read_text()
    assert page == gpu_page.page(result, None)
    assert "have not yet run on a device" in page.splitlines()[0]


def test_times_of_a_device_are_on_the_page() -> None:
    result = json.loads((RESULTS / "gpu.json").read_text())
    times = {"forward_ms": 0.5, "gradient_ms": 1.25}
    case = {"cells": 30, "points": 1000, "warps": 10, "diffeo": times, "difw": None}
    page = gpu_page.page(result, {"gpu": "Some GPU", "cases": [case]})
    assert page.splitlines()[0] == "# Kernels for GPUs, run on Some GPU"
    assert "| 30 | 1000 | 10 | 0.5 | out of memory | 1.25 | out of memory |" in page
