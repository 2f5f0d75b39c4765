"""The comparison against known true times: what it keeps, measures again and says."""

import importlib
from pathlib import Path

import numpy as np
import pytest

COMPARE = Path(__file__).resolve().parents[2] / "bench" / "compare"


@pytest.fixture
def tools(monkeypatch):
    """truth.py and its parts."""
    if not COMPARE.is_dir():
        pytest.skip("the benchmarks are not here")
    monkeypatch.syspath_prepend(str(COMPARE))
    return {name: importlib.import_module(f"truth{name}") for name in ("", "_rows", "_contestants", "_page")}


class Counting:
    """A contestant that moves nothing and counts how often it was asked."""

    def __init__(self, name):
        self.name = name
        self.version = "1"
        self.calls = 0

    def align_set(self, X):
        self.calls += 1
        return np.tile(np.linspace(0, 1, 5), (len(X), 1))


def row_of(tools, scale=1.0, repetitions=3):
    def make(repetition):
        return tools["_rows"].Task(series=[np.full((1, 8), scale + repetition)])

    return tools["_rows"].Row("flat", "selection", make, lambda task, warps: {"share": 1.0}, repetitions, 2)


def test_a_run_that_was_stopped_goes_on_where_it_was(tools, tmp_path):
    ours, other = Counting("diffeo"), Counting("fdasrsf")
    path = tmp_path / "truth.jsonl"
    tools[""].run_row(row_of(tools), [ours, other], tools[""].Cache(path), most=1)
    assert (ours.calls, other.calls) == (1, 1)
    tools[""].run_row(row_of(tools), [ours, other], tools[""].Cache(path), most=None)
    assert (ours.calls, other.calls) == (3, 2)  # slow contestants have fewer repetitions


def test_results_of_other_series_are_measured_again(tools, tmp_path):
    ours = Counting("diffeo")
    path = tmp_path / "truth.jsonl"
    tools[""].run_row(row_of(tools), [ours], tools[""].Cache(path), most=None)
    tools[""].run_row(row_of(tools, scale=2.0), [ours], tools[""].Cache(path), most=None)
    assert ours.calls == 6


def test_forgetting_one_contestant_keeps_the_others(tools, tmp_path):
    cache = tools[""].Cache(tmp_path / "truth.jsonl")
    tools[""].run_row(row_of(tools), [Counting("diffeo"), Counting("DTW")], cache, most=None)
    cache.rewrite({("flat", "diffeo")})
    assert {key[1] for key in tools[""].Cache(cache.path).records} == {"DTW"}


def test_what_a_contestant_cannot_do_is_said(tools):
    contestants = tools["_contestants"]
    gap = [np.array([[0.0, np.nan, 1.0]])]
    with pytest.raises(contestants.CannotAlign, match="gaps"):
        contestants.single_channel(gap)
    with pytest.raises(contestants.CannotAlign, match="several channels"):
        contestants.single_channel([np.zeros((2, 4))])
    with pytest.raises(contestants.CannotAlign, match="different lengths"):
        contestants.single_channel([np.zeros((1, 4)), np.zeros((1, 5))])


def test_a_row_says_by_how_much_diffeo_is_beaten(tools):
    page = tools["_page"]
    row = {"contestants": {name: {"mean": {"share": share}} for name, share in
                           (("none", 1.0), ("diffeo", 0.5), ("DTW", 0.25), ("DBA", 0.3))}}  # fmt: skip
    assert page.standing(row, page.share) == "beaten by DTW: 0.500 against 0.250, 2.00 ×"
    row["contestants"]["diffeo"]["mean"]["share"] = 0.2
    assert page.standing(row, page.share) == ""


def test_the_inverse_of_a_warp_with_flat_stretches_passes_through_their_middle(tools):
    grid = np.linspace(0, 1, 5)
    warp = np.array([0.0, 0.5, 0.5, 0.5, 1.0])
    np.testing.assert_allclose(tools["_rows"].inverse(warp, grid), [0.0, 0.25, 0.5, 0.75, 1.0])


def test_features_come_together_along_the_warps_that_moved_them(tools):
    rows = tools["_rows"]
    grid = np.linspace(0, 1, 201)
    centers = np.array([0.4, 0.45, 0.55])
    X = np.exp(-0.5 * ((grid - centers[:, None]) / 0.05) ** 2)[:, None]
    features = ((0, 0.0, 1.0, "top"), (0, 0.0, 1.0, "rise"), (0, 0.0, 1.0, "fall"))
    marks = np.array([[rows.time_of(series, each) for each in features] for series in X])
    assert np.abs(marks[:, 0] - centers).max() < 0.005  # a sample
    shifts = [np.clip(grid + center - centers.mean(), 0, 1) for center in centers]
    assert rows.spread_of_marks(marks, [grid] * 3) == 1.0
    assert rows.spread_of_marks(marks, shifts) < 0.05
