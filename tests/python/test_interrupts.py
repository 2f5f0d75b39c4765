"""Ctrl-C during long work: it ends within a second, and nothing that was complete is lost."""

import subprocess
import sys

import pytest

pytest.importorskip("diffeo.torch", exc_type=ImportError, reason="torch is not installed")

#: Small enough for a fraction of a second, with epochs enough to be interrupted in.
SMALL = {
    "cells": 8,
    "widths": (8, 8),
    "kernels": (5, 3),
    "hidden": 8,
    "epochs": 100,
    "least_steps": 0,
    "batch_size": 8,
}


def run_python(program, **more):
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120, **more
    )


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import diffeo

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs start with it ignored
small, checkpoint = eval(sys.stdin.read())
X, y = diffeo.generate_cbf(30, seed=1)
sent = []

def interrupt():
    time.sleep(0.05)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

def callback(progress):
    if progress.record.epoch == 3 and not sent:
        threading.Thread(target=interrupt).start()

try:
    diffeo.TemporalAligner(**small, checkpoint=checkpoint, callback=callback).fit(X, y)
except KeyboardInterrupt:
    assert time.monotonic() - sent[0] < 1.0, time.monotonic() - sent[0]
else:
    sys.exit("not interrupted")
resumed = diffeo.TemporalAligner(**small, checkpoint=checkpoint, resume=True).fit(X, y)
undisturbed = diffeo.TemporalAligner(**small).fit(X, y)
assert np.array_equal(resumed.transform(X), undisturbed.transform(X))
"""


def test_an_interrupt_from_the_keyboard_stops_it_within_a_second_and_loses_nothing(tmp_path):
    parameters = {**SMALL, "random_state": 7}
    done = run_python(INTERRUPTED, input=repr((parameters, str(tmp_path / "checkpoint"))))
    assert done.returncode == 0, done.stderr


INTERRUPTED_STEP = """
import os, signal, sys, threading, time
import numpy as np
import diffeo, diffeo.torch
large, length = eval(sys.stdin.read())
X = np.random.default_rng(3).standard_normal((64, 1, length))
sent = []

def interrupt():
    time.sleep(1.0)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    diffeo.TemporalAligner(**large, batch_size=64, epochs=2, least_steps=0, random_state=1).fit(X)
except KeyboardInterrupt:
    print(time.monotonic() - sent[0])
else:
    sys.exit("not interrupted")
"""


@pytest.mark.parametrize(
    ("large", "length"),
    [
        ({"network": "inception", "widths": (32,) * 8}, 2000),
        ({"network": "residual", "widths": (64,) * 4, "kernels": (9,) * 4, "layers": 4}, 900),
        ({"network": "recurrent", "widths": (64, 64)}, 1000),
    ],
    ids=["inception", "residual", "recurrent"],
)
def test_an_interrupt_does_not_wait_for_a_step_that_takes_many_seconds(large, length):
    done = run_python(INTERRUPTED_STEP, input=repr((large, length)))
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1.0


INTERRUPTED_CALL = """
import os, signal, sys, threading, time
import numpy as np
import diffeo, diffeo.torch
which = sys.stdin.read()
X = np.random.default_rng(3).standard_normal((400, 1, 1000))
y = np.arange(400) % 2
if which == "dtw":
    X, y = np.tile(X, (6, 1, 2)), np.tile(y, 6)
    call = diffeo.NearestCentroid(distance="dtw").fit
else:
    aligner = diffeo.TemporalAligner(
        network="inception", widths=(32,) * 8, epochs=1, least_steps=0, batch_size=2, random_state=1
    ).fit(X[:2], y[:2])
    call = lambda X, y: aligner.transform(X)
sent = []

def interrupt():
    time.sleep(0.5)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    call(X, y)
except KeyboardInterrupt:
    print(time.monotonic() - sent[0])
else:
    sys.exit("not interrupted")
"""


@pytest.mark.parametrize("which", ["transform", "dtw"])
def test_what_comes_after_training_is_interrupted_too(which):
    done = run_python(INTERRUPTED_CALL, input=which)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1.0
