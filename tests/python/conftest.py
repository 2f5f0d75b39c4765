"""Where the tests find the package and their data."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[2]

if (
    importlib.util.find_spec("diffeo") is None
):  # neither installed nor on PYTHONPATH: take what `make build` made
    sys.path.insert(0, str(ROOT / "build" / "python"))

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=60, database=None)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def golden_cases() -> list[SimpleNamespace]:
    """tests/golden/flow.json, with infinity where the truth is beyond the range of double."""
    document = json.loads((ROOT / "tests" / "golden" / "flow.json").read_text())

    def numbers(values: list) -> np.ndarray:
        return np.array(values, dtype=object).astype(float)  # null becomes NaN

    def overflowing(values: list) -> np.ndarray:
        array = numbers(values)
        return np.where(np.isnan(array), np.inf, array)

    cases = [
        SimpleNamespace(
            tag=case["tag"],
            domain=(case["xmin"], case["xmax"]),
            time=case["t"],
            velocities=np.array(case["v"], dtype=float),
            points=np.array(case["x"], dtype=float),
            positions=overflowing(case["phi"]),
            by_point=overflowing(case["dphi_dx"]),
            by_time=overflowing(case["dphi_dt"]),
            by_velocity=overflowing(case["dphi_dv"]),
            conditions=overflowing(case["cond"]),
        )
        for case in document["cases"]
    ]
    assert len(cases) == document["meta"]["n_cases"]
    return cases


@pytest.fixture(scope="session")
def shared_directory() -> Path:
    """The data shared between projects; tests that need it are skipped where it is absent."""
    directory = Path(os.environ.get("DIFFEO_SHARED", ROOT.parent / "shared"))
    if not directory.is_dir():
        pytest.skip("no shared data: DIFFEO_SHARED names no directory, nor is there ../shared")
    return directory


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium for the tests of a file: starting it takes longer than most of them."""
    from report_pages import BROWSER, DRIVER, Browser

    if BROWSER is None or DRIVER is None:
        pytest.skip("no chromium and chromedriver here (Debian: chromium, chromium-driver)")
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240607)
