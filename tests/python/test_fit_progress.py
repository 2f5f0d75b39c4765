"""What fits tell while they run: a bar for those who watch, bars or lines on request, callbacks always."""

import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr
from types import SimpleNamespace

import numpy as np
import pytest

import diffeo
from diffeo import _live_bar
from diffeo._fit_progress import telling_epochs

try:
    import diffeo.torch
except ImportError:
    HAS_TORCH = False
else:
    HAS_TORCH = True

LONG_ENOUGH = 5  # seconds, for whoever pressed Ctrl-C while others use the machine too
NETWORK = {
    "cells": 4,
    "widths": (4,),
    "kernels": (3,),
    "least_steps": 0,
    "loss": "variance + 30 cross-entropy",
    "random_state": 1,
}
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


class Terminal(io.StringIO):
    """A terminal that knows what was written on it."""

    def isatty(self):
        return True

    def wait_for(self, text):
        deadline = time.monotonic() + LONG_ENOUGH
        while text not in self.getvalue():
            assert time.monotonic() < deadline, f"no {text!r} in {self.getvalue()!r}"
            time.sleep(0.001)

    @property
    def line(self):
        """What can be seen at the end."""
        return re.split(r"[\r\n]", self.getvalue())[-1].rstrip()


@pytest.fixture
def terminal(monkeypatch):
    """In front of somebody who does not wait for bars."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(_live_bar, "PATIENCE", 0.0)
    monkeypatch.setattr(_live_bar, "_INTERVAL", 0.001)
    return Terminal()  # to be put in place by the test: pytest captures what comes before


@pytest.fixture(params=["tqdm", "no tqdm"])
def with_or_without_tqdm(request):
    if request.param == "tqdm":
        pytest.importorskip("tqdm.auto", reason="tqdm is not installed")
    else:
        request.getfixturevalue("no_tqdm")


SEEN = {
    "joint": r"\d\d:\d\d, step \d+: \d+ cells,",
    "temporal": r"\d\d:\d\d<\d\d:\d\d, epoch \d/6: loss \S+,",
}


def waiting(kind, terminal):
    """Parameters of an aligner whose fit waits until its first step or epoch can be seen."""
    name, seen = ("callback", "epoch") if kind == "temporal" else ("progress", "step")
    return {name: lambda news: terminal.wait_for(seen)}


@both_aligners
@pytest.mark.usefixtures("with_or_without_tqdm")
def test_a_long_fit_shows_a_bar_on_a_terminal_and_leaves_no_trace(kind, bumps, terminal):
    with redirect_stderr(terminal):
        MAKERS[kind](**waiting(kind, terminal)).fit(bumps.X, bumps.y)
    assert re.search(SEEN[kind], terminal.getvalue())
    assert terminal.line == ""


@both_aligners
def test_a_short_fit_is_silent_on_a_terminal(kind, bumps, terminal, monkeypatch):
    monkeypatch.setattr(_live_bar, "PATIENCE", 60.0)
    start = time.perf_counter()
    with redirect_stderr(terminal):
        MAKERS[kind]().fit(bumps.X, bumps.y)
    assert terminal.getvalue() == ""
    assert time.perf_counter() - start < LONG_ENOUGH


@both_aligners
def test_verbose_0_is_silent_on_a_terminal(kind, bumps, terminal):
    with redirect_stderr(terminal):
        MAKERS[kind](verbose=0).fit(bumps.X, bumps.y)
    assert terminal.getvalue() == ""


@both_aligners
def test_a_classifier_shows_how_its_aligner_is_fitted(kind, bumps, terminal):
    with redirect_stderr(terminal):
        diffeo.NearestCentroid(MAKERS[kind](**waiting(kind, terminal))).fit(bumps.X, bumps.y)
    assert re.search(SEEN[kind], terminal.getvalue())


@pytest.mark.usefixtures("with_or_without_tqdm")
def test_a_bar_says_what_is_done_before_the_first_epoch(terminal):
    with redirect_stderr(terminal), telling_epochs(None, None, "aligning the training series"):
        terminal.wait_for("00:00, aligning the training series")
    assert terminal.line == ""


@both_aligners
def test_a_fit_that_fails_takes_its_bar_with_it(kind, bumps, terminal):
    def fail(news):
        terminal.wait_for("00:0")
        raise RuntimeError("enough")

    aligner = MAKERS[kind](**{"callback" if kind == "temporal" else "progress": fail})
    with redirect_stderr(terminal), pytest.raises(RuntimeError, match="enough"):
        aligner.fit(bumps.X, bumps.y)
    assert terminal.line == ""
    assert "diffeo progress" not in [thread.name for thread in threading.enumerate()]


@both_aligners
@pytest.mark.usefixtures("with_or_without_tqdm")
def test_a_terminal_that_goes_away_does_not_end_a_fit(kind, bumps, terminal, monkeypatch):
    tried = threading.Event()

    def refuse(text):
        tried.set()
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(terminal, "write", refuse)
    name = "callback" if kind == "temporal" else "progress"
    aligner = MAKERS[kind](**{name: lambda news: None if tried.wait(LONG_ENOUGH) else pytest.fail("no bar")})
    with redirect_stderr(terminal):
        assert len(aligner.fit(bumps.X, bumps.y).history_) > 0


def test_a_plain_bar_keeps_to_the_width_of_the_terminal(terminal, monkeypatch):
    monkeypatch.setattr(os, "get_terminal_size", lambda descriptor: os.terminal_size((40, 30)))
    monkeypatch.setattr(terminal, "fileno", lambda: 2)
    bar = _live_bar.PlainBar(has_end=True)
    bar.n = 0.42
    with redirect_stderr(terminal):
        for text in ("x" * 100, "short"):
            bar.set_description_str(text, refresh=False)
            bar.refresh()
        bar.close()
    _, long, short, _, line = terminal.getvalue().split("\r")
    assert long == " 42 % [####------] " + "x" * 20
    assert short.rstrip() == " 42 % [####------] short"
    assert len(short) == len(long) == 39  # over all that was there
    assert line == ""


@pytest.mark.parametrize(
    ("seconds", "text"), [(-1, "00:00"), (61.4, "01:01"), (3599.7, "1:00:00"), (86400, "24:00:00")]
)
def test_times_are_written_as_on_a_clock(seconds, text):
    assert _live_bar._clock(seconds) == text


@pytest.mark.parametrize(("name", "value"), [("CI", "true"), ("TERM", "dumb")])
def test_nobody_watches_a_terminal_that_is_no_place_for_bars(name, value, terminal, monkeypatch):
    with redirect_stderr(terminal):
        assert _live_bar.is_watched()
        monkeypatch.setenv(name, value)
        assert not _live_bar.is_watched()


def test_nobody_watches_the_workers_of_a_pool(terminal):
    with redirect_stderr(terminal), ThreadPoolExecutor(1) as pool:
        assert not pool.submit(_live_bar.is_watched).result()
    program = (
        "import multiprocessing, io, sys\n"
        "from diffeo._live_bar import is_watched\n"
        "def watched(_):\n"
        "    sys.stderr = io.StringIO()\n"
        "    sys.stderr.isatty = lambda: True\n"
        "    return is_watched()\n"
        "assert watched(0)\n"
        "assert multiprocessing.get_context('fork').Pool(1).map(watched, [0]) == [False]\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("stream", [None, io.StringIO()], ids=["none", "no terminal"])
def test_nobody_watches_without_a_terminal(stream, monkeypatch, bumps):
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(_live_bar, "PATIENCE", 0.0)
    with redirect_stderr(stream):
        assert not _live_bar.is_watched()
        diffeo.JointAligner(cells=4, max_iterations=5).fit(bumps.X)
    assert stream is None or stream.getvalue() == ""


@pytest.mark.parametrize(("config", "watched"), [({"IPKernelApp": {}}, True), ({}, False)])
def test_somebody_watches_in_a_notebook(config, watched, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    shell = SimpleNamespace(config=config)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "ipywidgets", None)  # then tqdm would warn
    with redirect_stderr(io.StringIO()):
        assert _live_bar.is_watched() == watched
        if watched:
            assert isinstance(_live_bar._new_bar(True, 0.0, ""), _live_bar.PlainBar)


@pytest.mark.skipif(not HAS_TORCH, reason="torch is missing")
@pytest.mark.parametrize(
    ("loss", "beginning"), [("warps | variance", "aligning the training series"), ("variance", "starting")]
)
def test_a_bar_on_request_says_what_is_done_before_the_first_epoch(loss, beginning, bumps, bars):
    told_by(diffeo.TemporalAligner(**NETWORK | {"loss": loss}, epochs=2, verbose=1), bumps)
    assert bars[0].told[0] == beginning


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
    classifier = diffeo.NearestCentroid(method, max_iterations=1000, tolerance=0.0)  # a minute if let alone
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
        start = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            classifier.fit(X, np.zeros(len(X), int))
        assert time.perf_counter() - start < LONG_ENOUGH
    finally:
        signal.signal(signal.SIGINT, before)
