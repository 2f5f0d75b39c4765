"""What fits tell while they run: a bar of tqdm where it is installed, lines elsewhere, callbacks always."""

import io
import re
import signal
import sys
import threading
import time
from contextlib import redirect_stderr

import numpy as np
import pytest

import diffeo

try:
    import diffeo.torch
except ImportError:
    HAS_TORCH = False
else:
    HAS_TORCH = True

LONG_ENOUGH = 5  # seconds, for whoever pressed Ctrl-C while others use the machine too
NETWORK = {"cells": 4, "widths": (4,), "kernels": (3,), "least_steps": 0, "random_state": 1}
MAKERS = {
    "joint": lambda **more: diffeo.JointAligner(cells=4, max_iterations=5, **more),
    "temporal": lambda **more: diffeo.TemporalAligner(**NETWORK, epochs=6, **more),
}
both_aligners = pytest.mark.parametrize(
    "kind",
    ["joint", pytest.param("temporal", marks=pytest.mark.skipif(not HAS_TORCH, reason="torch is missing"))],
)
LINE = {
    "joint": r"step \d+: \d+ cells, smoothing \S+, cost \S+",
    "temporal": r"epoch \d/6: loss \S+, accuracy \S+, \d+ % done, \d+ s left",
}


@pytest.fixture(scope="module")
def bumps():
    return diffeo.generate_bumps(12, seed=2, classes=2, length=24)


@pytest.fixture
def no_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)


def told_by(aligner, bumps):
    told = io.StringIO()
    with redirect_stderr(told):
        aligner.fit(bumps.X, bumps.y)
    return told.getvalue()


@both_aligners
def test_silence_is_the_default(kind, bumps, capsys):
    MAKERS[kind]().fit(bumps.X, bumps.y)
    assert capsys.readouterr() == ("", "")


@both_aligners
@pytest.mark.usefixtures("no_tqdm")
def test_without_tqdm_there_are_lines(kind, bumps):
    some, all_of_them = (told_by(MAKERS[kind](verbose=verbose), bumps).splitlines() for verbose in (1, 2))
    assert len(all_of_them) == len(MAKERS[kind]().fit(bumps.X, bumps.y).history_)
    assert 2 <= len(some) <= len(all_of_them)
    assert all(re.fullmatch(LINE[kind], line) for line in [*some, *all_of_them])


@both_aligners
def test_verbose_2_is_a_line_each_with_tqdm_too(kind, bumps):
    lines = told_by(MAKERS[kind](verbose=2), bumps).splitlines()
    assert all(re.fullmatch(LINE[kind], line) for line in lines)


@pytest.fixture
def bars(monkeypatch):
    """Every bar that is made, of the kind that tqdm.auto has for the place: that of notebooks in one."""
    auto = pytest.importorskip("tqdm.auto", reason="tqdm is not installed")
    made = []

    class Recorded(auto.tqdm):
        def __init__(self, *arguments, **more):
            super().__init__(*arguments, **more)
            self.told = []
            made.append(self)

        def set_postfix_str(self, text="", refresh=True):
            self.told.append(text)
            super().set_postfix_str(text, refresh)

    monkeypatch.setattr(auto, "tqdm", Recorded)
    return made


@both_aligners
def test_with_tqdm_there_is_a_bar_that_comes_to_its_end(kind, bumps, bars):
    aligner = MAKERS[kind](verbose=1)
    text = told_by(aligner, bumps)
    (bar,) = bars
    assert bar.disable  # it was closed
    if kind == "temporal":
        assert bar.n == bar.total == 1.0
        assert "100 %|" in text
        assert re.fullmatch(r"epoch 6/6: loss \S+, accuracy \S+", bar.told[-1])
    else:
        assert bar.n == len(aligner.history_)
        assert f"{bar.n} steps" in text
        assert re.fullmatch(r"4 cells, smoothing \S+, cost \S+", bar.told[-1])


@both_aligners
def test_callbacks_hear_everything_beside_a_bar_and_may_end_the_fit(kind, bumps, bars):
    heard = []

    def listen(news):
        heard.append(news)
        if len(heard) == 3:
            raise RuntimeError("enough")

    aligner = MAKERS[kind](verbose=1, **{"callback" if kind == "temporal" else "progress": listen})
    with redirect_stderr(io.StringIO()), pytest.raises(RuntimeError, match="enough"):
        aligner.fit(bumps.X, bumps.y)
    assert len(heard) == 3
    assert bars[0].disable
    assert not hasattr(aligner, "centroids_")


@both_aligners
def test_true_is_a_bar_and_false_is_silence(kind, bumps, bars):
    told_by(MAKERS[kind](verbose=False), bumps)
    assert bars == []
    told_by(MAKERS[kind](verbose=np.True_), bumps)
    assert len(bars) == 1


def test_a_solver_is_stopped_by_an_answer_beside_a_bar(bumps, bars):
    aligner = diffeo.JointAligner(cells=4, verbose=1, progress=lambda step: False)
    told_by(aligner, bumps)
    assert not aligner.converged_
    assert bars[0].n == len(aligner.history_)


@pytest.mark.parametrize("method", ["dba", "soft-dtw"])
def test_barycenters_can_be_interrupted_from_the_keyboard(method):
    X = diffeo.generate_bumps(1000, seed=1, classes=1, length=800).X
    classifier = diffeo.NearestCentroid(method, iterations=1000, tolerance=0.0)  # a minute if let alone
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
        start = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            classifier.fit(X, np.zeros(len(X), int))
        assert time.perf_counter() - start < LONG_ENOUGH
    finally:
        signal.signal(signal.SIGINT, before)
