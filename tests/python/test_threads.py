"""Threads: the same bits for any number, none left behind, other Python threads not held up."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import diffeo

METHODS = [
    ("exact", {}),
    ("numeric", {"steps": 5}),
    ("alternating", {"steps": 3, "inner_steps": 3}),
    ("scaling-squaring", {}),
]


@pytest.fixture
def work(rng):
    """Enough of it that more than one thread is worth starting."""
    return {
        "fields": rng.uniform(-1, 1, (67, 20)).astype(np.float32),
        "points": rng.uniform(-0.1, 1.1, 4000).astype(np.float32),
        "cotangents": rng.normal(size=(67, 4000)).astype(np.float32),
        "series": rng.normal(size=(67, 3, 4000)).astype(np.float32),
    }


def same(results):
    """Whether all results, arrays or tuples of arrays and numbers, are the same bits."""
    first, *others = [result if isinstance(result, tuple) else (result,) for result in results]
    return all(np.array_equal(a, b) for other in others for a, b in zip(first, other, strict=True))


def with_threads(function):
    return [function(threads) for threads in (1, 2, 3, 64, None)]


@pytest.mark.parametrize(("method", "options"), METHODS)
def test_flows_do_not_depend_on_the_number_of_threads(method, options, work):
    field, points, cotangents = work["fields"], work["points"], work["cotangents"]
    assert same(with_threads(lambda n: diffeo.flow(field, points, method=method, threads=n, **options)))
    assert same(
        with_threads(
            lambda n: diffeo.flow_vjp(field, points, cotangents, method=method, threads=n, **options)
        )
    )


def test_derivatives_do_not_depend_on_the_number_of_threads(work):
    field, points = work["fields"], work["points"][:500]
    assert same(with_threads(lambda n: diffeo.flow_derivatives(field, points, threads=n)))
    assert same(with_threads(lambda n: diffeo.flow_jacobian(field, points, threads=n)))
    assert same(with_threads(lambda n: diffeo.flow_jvp(field, points, velocity_tangents=field, threads=n)))
    assert same(with_threads(lambda n: diffeo.velocity(field, points, threads=n)))


def test_log_slopes_do_not_depend_on_the_number_of_threads(work):
    field, points, cotangents = work["fields"], work["points"], work["cotangents"]
    assert same(with_threads(lambda n: diffeo.flow_log_slope(field, points, threads=n)))
    assert same(with_threads(lambda n: diffeo.flow_log_slope_vjp(field, points, cotangents, threads=n)))


def test_samples_and_warps_do_not_depend_on_the_number_of_threads(work):
    series, positions, field = work["series"], work["points"], work["fields"]
    assert same(with_threads(lambda n: diffeo.sample(series, positions, threads=n)))
    assert same(with_threads(lambda n: diffeo.sample_vjp(series, positions, series, threads=n)[:2]))
    assert same(with_threads(lambda n: diffeo.warp(series, field, threads=n)))
    assert same(with_threads(lambda n: diffeo.warp_vjp(series, field, series, threads=n)))
    assert same(with_threads(lambda n: diffeo.warp_vjp(series, field[0], series, threads=n)))


def test_available_threads_are_those_of_the_affinity_mask():
    assert diffeo.available_threads() >= 1
    if hasattr(os, "sched_getaffinity"):
        assert diffeo.available_threads() == len(os.sched_getaffinity(0))


def test_other_python_threads_run_meanwhile():
    """A clock ticks in a Python thread while the core computes for long; not so if the lock were held."""
    ticks = 0
    stop = threading.Event()

    def tick():
        nonlocal ticks
        while not stop.wait(0.002):
            ticks += 1

    clock = threading.Thread(target=tick)
    clock.start()
    try:
        points = np.linspace(0, 1, 20_000)
        before, started = ticks, time.monotonic()
        diffeo.flow([0.1, 0.3, 0.2], points, method="numeric", steps=800, threads=1)
        seen, seconds = ticks - before, time.monotonic() - started
    finally:
        stop.set()
        clock.join()
    assert seconds > 0.05, "the computation was too short to tell"
    assert seen >= 5


def test_calls_from_several_python_threads_do_not_disturb_each_other(rng):
    fields = rng.uniform(-1, 1, (8, 30))
    points = np.linspace(0, 1, 5000)
    expected = [diffeo.flow(field, points, threads=1) for field in fields]
    results = [None] * len(fields)

    def work(i):
        for _ in range(20):
            results[i] = diffeo.flow(fields[i], points, threads=2)

    workers = [threading.Thread(target=work, args=(i,)) for i in range(len(fields))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for result, one in zip(results, expected, strict=True):
        assert np.array_equal(result, one)


FORK = """
import os, sys
import numpy as np
import diffeo

fields = np.random.default_rng(1).uniform(-1, 1, (64, 20))
points = np.linspace(0, 1, 10_000)
expected = diffeo.flow(fields, points, threads=2)
child = os.fork()
if child == 0:
    os._exit(0 if np.array_equal(diffeo.flow(fields, points, threads=2), expected) else 3)
_, status = os.waitpid(child, 0)
assert np.array_equal(diffeo.flow(fields, points, threads=2), expected)
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_threads_work_after_fork():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", FORK], env=environment, timeout=60, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
