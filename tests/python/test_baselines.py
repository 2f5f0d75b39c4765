"""Dynamic time warping and averages against the libraries that people use today, on the same inputs."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest

import diffeo

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    aeon_distances = pytest.importorskip("aeon.distances")
    dtai_dtw = pytest.importorskip("dtaidistance.dtw")
    dtai_ndim = pytest.importorskip("dtaidistance.dtw_ndim")
    tslearn_barycenters = pytest.importorskip("tslearn.barycenters")
    tslearn_metrics = pytest.importorskip("tslearn.metrics")

# Sums of a few hundred squares in double precision, in whatever order.
DISTANCE_TOLERANCE = 1e-12
# The peers' soft minimum loses digits at every cell where the costs are large beside gamma.
SOFT_TOLERANCE = 1e-10
# Means of matched samples, after several alternations.
BARYCENTER_TOLERANCE = 1e-9
# How much higher than tslearn's a cost may be.
COST_TOLERANCE = 1e-6


def labeled_series(directory, name):
    table = np.loadtxt(directory / "ucr" / name / f"{name}_TRAIN.tsv")
    return table[:, 1:], table[:, 0]


@pytest.fixture(params=["random", "Trace", "GunPoint"])
def pair(request, rng):
    """Two series of one channel and equal lengths."""
    if request.param == "random":
        return rng.normal(size=(2, 60))
    X, _ = labeled_series(request.getfixturevalue("shared_directory"), request.param)
    return X[[3, 17]]


def tslearn_form(series):
    """(time, channels)"""
    return np.ascontiguousarray(np.atleast_2d(series).T)


def peer_distances(a, b, radius):
    """tslearn's and dtaidistance's distance inside the window of that radius."""
    constraint = {} if radius is None else {"global_constraint": "sakoe_chiba", "sakoe_chiba_radius": radius}
    window = None if radius is None else radius + 1
    first, second = tslearn_form(a), tslearn_form(b)
    return {
        "tslearn": tslearn_metrics.dtw(first, second, **constraint),
        "dtaidistance": dtai_ndim.distance(first, second, window=window),
        "dtaidistance in C": dtai_ndim.distance_fast(first, second, window=window),
    }


@pytest.mark.parametrize("radius", [None, 0, 1, 7, 40, 10_000])
def test_distances_equal_the_peers_inside_every_window(pair, radius):
    for name, expected in peer_distances(*pair, radius).items():
        assert diffeo.dtw(*pair, radius=radius) == pytest.approx(expected, rel=DISTANCE_TOLERANCE), name


@pytest.mark.parametrize("lengths", [(40, 40), (40, 31), (17, 60), (1, 9), (9, 1)])
@pytest.mark.parametrize("radius", [None, 0, 2, 9])
@pytest.mark.parametrize("channels", [1, 3])
def test_distances_of_different_lengths_and_several_channels_equal_the_peers(lengths, radius, channels, rng):
    a, b = (rng.normal(size=(channels, length)) for length in lengths)
    for name, expected in peer_distances(a, b, radius).items():
        assert diffeo.dtw(a, b, radius=radius) == pytest.approx(expected, rel=DISTANCE_TOLERANCE), name


@pytest.mark.parametrize("window", [None, 0.0, 0.03, 0.1, 0.5, 1.0])
def test_aeon_has_the_square_and_the_same_fraction_for_equal_lengths(pair, window):
    expected = aeon_distances.dtw_distance(*pair, window=window)
    assert diffeo.dtw(*pair, window=window) ** 2 == pytest.approx(expected, rel=DISTANCE_TOLERANCE)


def test_aeon_has_the_square_for_different_lengths_and_several_channels(rng):
    a, b = rng.normal(size=(3, 40)), rng.normal(size=(3, 57))
    expected = aeon_distances.dtw_distance(a, b)
    assert diffeo.dtw(a, b) ** 2 == pytest.approx(expected, rel=DISTANCE_TOLERANCE)


def test_a_fraction_is_of_the_shorter_length(rng):
    a, b = rng.normal(size=37), rng.normal(size=80)
    assert diffeo.dtw(a, b, window=0.2) == diffeo.dtw(a, b, radius=7)


@pytest.mark.parametrize("radius", [None, 5])
def test_paths_equal_tslearns(pair, radius):
    constraint = {} if radius is None else {"global_constraint": "sakoe_chiba", "sakoe_chiba_radius": radius}
    for a, b in ([*pair], [pair[0], pair[1][:45]]):
        expected, distance = tslearn_metrics.dtw_path(a, b, **constraint)
        path, ours = diffeo.dtw_path(a, b, radius=radius)
        assert path.tolist() == [list(step) for step in expected]
        assert ours == pytest.approx(distance, rel=DISTANCE_TOLERANCE)


def test_paths_of_equal_cost_equal_tslearns(rng):
    for _ in range(50):
        a = rng.integers(0, 2, rng.integers(2, 20)).astype(float)
        b = rng.integers(0, 2, rng.integers(2, 20)).astype(float)
        expected, _ = tslearn_metrics.dtw_path(a, b)
        assert diffeo.dtw_path(a, b)[0].tolist() == [list(step) for step in expected]


@pytest.mark.parametrize("radius", [None, 20])
def test_the_matrix_of_trace_equals_the_peers(shared_directory, radius):
    X, _ = labeled_series(shared_directory, "Trace")
    X = X[:30]
    window = {} if radius is None else {"window": radius + 1}
    expected = dtai_dtw.distance_matrix_fast(X, parallel=False, **window)
    ours = diffeo.dtw_matrix(X, radius=radius)
    np.testing.assert_allclose(ours, expected, rtol=DISTANCE_TOLERANCE, atol=0)
    if radius is None:
        squared = aeon_distances.dtw_pairwise_distance(X[:8, np.newaxis])
        np.testing.assert_allclose(ours[:8, :8] ** 2, squared, rtol=DISTANCE_TOLERANCE, atol=0)
        cross = tslearn_metrics.cdist_dtw(X[:5], X[5:12])
        np.testing.assert_allclose(diffeo.dtw_matrix(X[:5], X[5:12]), cross, rtol=DISTANCE_TOLERANCE, atol=0)


def test_a_matrix_of_ragged_series_holds_the_distances_of_its_pairs(rng):
    X = [rng.normal(size=(2, rng.integers(5, 30))) for _ in range(9)]
    Y = [rng.normal(size=(2, rng.integers(5, 30))) for _ in range(4)]
    expected = [[diffeo.dtw(x, y, radius=3) for y in Y] for x in X]
    assert np.array_equal(diffeo.dtw_matrix(X, Y, radius=3), expected)
    assert np.array_equal(diffeo.dtw_matrix(X), diffeo.dtw_matrix(X, threads=1))


def test_distances_need_no_matrix_of_cells():
    """Series of 12,000 samples have 144 million cells: more than a gigabyte, were they kept."""
    program = """
import resource
import numpy as np
import diffeo

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

X = np.random.default_rng(1).normal(size=(4, 12000))
diffeo.dtw_matrix(X[:, :50], threads=2)
before = peak()
diffeo.dtw_matrix(X, threads=2, radius=2000)
print(peak() - before)
"""
    grown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(grown.stdout) < 40_000  # kilobytes; 3 (time) x 8 (lanes) numbers per thread are 5,000


@pytest.mark.parametrize("gamma", [0.01, 0.1, 1.0, 10.0])
def test_soft_dtw_and_its_gradient_equal_tslearns(pair, gamma):
    compare_soft(pair[0], pair[1][: len(pair[1]) - 7], gamma)


@pytest.mark.parametrize("gamma", [0.1, 1.0])
def test_soft_dtw_of_several_channels_equals_tslearns(gamma, rng):
    compare_soft(rng.normal(size=(3, 30)), rng.normal(size=(3, 41)), gamma)


def compare_soft(a, b, gamma):
    first, second = tslearn_form(a), tslearn_form(b)
    compute = tslearn_metrics.SoftDTW(tslearn_metrics.SquaredEuclidean(first, second), gamma=gamma)
    expected = compute.compute()
    gradient = tslearn_metrics.SquaredEuclidean(first, second).jacobian_product(compute.grad()).T
    ours = diffeo.soft_dtw_gradient(a, b, gamma)
    scale = max(abs(expected), gamma)
    assert diffeo.soft_dtw(a, b, gamma) == pytest.approx(expected, abs=SOFT_TOLERANCE * scale)
    assert ours.value == diffeo.soft_dtw(a, b, gamma)
    assert ours.gradient.shape == np.shape(a)
    np.testing.assert_allclose(
        ours.gradient.reshape(gradient.shape),
        gradient,
        rtol=SOFT_TOLERANCE,
        atol=10 * SOFT_TOLERANCE * np.abs(gradient).max(),
    )


@pytest.mark.parametrize("iterations", [1, 2, 7])
@pytest.mark.parametrize("name", ["Trace", "GunPoint"])
def test_dba_equals_tslearns_from_the_same_start(shared_directory, name, iterations):
    X, y = labeled_series(shared_directory, name)
    X = X[y == 1]
    expected = tslearn_barycenters.dtw_barycenter_averaging(
        X, init_barycenter=X[0], max_iter=iterations, tol=-1
    )
    ours = diffeo.dba(X, init=X[0], max_iterations=iterations, tolerance=0.0)
    np.testing.assert_allclose(ours.barycenter, expected[:, 0], rtol=0, atol=BARYCENTER_TOLERANCE)
    assert ours.iterations == iterations
    distances = [tslearn_metrics.dtw(ours.barycenter, x) ** 2 for x in X]
    assert ours.cost == pytest.approx(np.mean(distances), rel=BARYCENTER_TOLERANCE)


@pytest.mark.parametrize("channels", [1, 2])
def test_dba_equals_tslearns_for_different_lengths_channels_and_windows(channels, rng):
    X = [rng.normal(size=(channels, rng.integers(20, 40))) for _ in range(11)]
    start = rng.normal(size=(channels, 33))
    for radius in (None, 4):
        constraint = None if radius is None else {"global_constraint": 2, "sakoe_chiba_radius": radius}
        expected = tslearn_barycenters.dtw_barycenter_averaging(
            [series.T for series in X],
            init_barycenter=start.T,
            max_iter=5,
            tol=-1,
            metric_params=constraint,
        )
        ours = diffeo.dba(X, init=start, max_iterations=5, tolerance=0.0, radius=radius)
        np.testing.assert_allclose(ours.barycenter, expected.T, rtol=0, atol=BARYCENTER_TOLERANCE)


def test_dba_from_the_mean_equals_tslearns_default(shared_directory):
    X, y = labeled_series(shared_directory, "GunPoint")
    expected = tslearn_barycenters.dtw_barycenter_averaging(X[y == 2], max_iter=4, tol=-1)
    ours = diffeo.dba(X[y == 2], max_iterations=4, tolerance=0.0)
    np.testing.assert_allclose(ours.barycenter, expected[:, 0], rtol=0, atol=BARYCENTER_TOLERANCE)


def soft_cost(barycenter, X, gamma):
    return sum(diffeo.soft_dtw(barycenter, x, gamma) for x in X)


@pytest.mark.parametrize("name", ["Trace", "GunPoint"])
@pytest.mark.parametrize("gamma", [0.1, 1.0])
def test_the_soft_dtw_barycenter_costs_no_more_than_tslearns(shared_directory, name, gamma):
    X, y = labeled_series(shared_directory, name)
    X = X[y == 1][:6]
    peer = tslearn_barycenters.softdtw_barycenter(X, gamma=gamma)[:, 0]
    ours = diffeo.soft_dtw_barycenter(X, gamma=gamma)
    expected = soft_cost(peer, X, gamma)
    assert ours.cost <= expected + COST_TOLERANCE * abs(expected)
    assert ours.cost == pytest.approx(soft_cost(ours.barycenter, X, gamma), rel=1e-12)
    same_tolerance = diffeo.soft_dtw_barycenter(X, gamma=gamma, tolerance=1e-3)
    assert same_tolerance.cost <= expected + COST_TOLERANCE * abs(expected)


def test_the_soft_dtw_barycenter_of_ragged_channels_costs_no_more_than_tslearns(rng):
    X = [rng.normal(size=(2, rng.integers(20, 40))).cumsum(axis=1) for _ in range(7)]
    start = rng.normal(size=(2, 30))
    peer = tslearn_barycenters.softdtw_barycenter([series.T for series in X], init=start.T.copy()).T
    ours = diffeo.soft_dtw_barycenter(X, init=start)
    expected = soft_cost(peer, X, 1.0)
    assert ours.cost <= expected + COST_TOLERANCE * abs(expected)


def test_averages_have_the_precision_and_axes_of_the_series(rng):
    flat = rng.normal(size=(5, 20))
    for method in ("euclidean", "dba", "soft-dtw"):
        assert diffeo.average(flat, method).shape == (20,)
        assert diffeo.average(flat[:, np.newaxis], method).shape == (1, 20)
        assert diffeo.average(flat, method, length=13).shape == (13,)
        assert diffeo.average(flat.astype(np.float32), method).dtype == np.float32
        ragged = [rng.normal(size=(2, length)) for length in (7, 9, 12)]
        assert diffeo.average(ragged, method).shape == (2, 12)
    np.testing.assert_allclose(diffeo.average(flat, "euclidean"), flat.mean(axis=0), rtol=1e-13, atol=1e-15)


def test_the_average_by_warping_is_the_mean_of_the_alignment():
    bumps = diffeo.generate_bumps(6, seed=3, classes=1)
    assert np.array_equal(diffeo.average(bumps.X), diffeo.align(bumps.X).mean)


def test_results_do_not_depend_on_threads(rng):
    X = rng.normal(size=(40, 90))
    for method in ("dba", "soft-dtw"):
        one = diffeo.average(X, method, max_iterations=3, threads=1)
        assert np.array_equal(one, diffeo.average(X, method, max_iterations=3, threads=2))
        assert np.array_equal(one, diffeo.average(X, method, max_iterations=3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: diffeo.dtw([1.0, np.nan], [1.0]), "a: expected no missing values"),
        (lambda: diffeo.dtw([1.0], [[1.0], [2.0]]), "b: expected 1 channels as a has, got 2"),
        (lambda: diffeo.dtw([1.0], []), "b: expected shape"),
        (lambda: diffeo.dtw([1.0], [1.0], radius=-1), "radius: expected a whole number of at least 0"),
        (lambda: diffeo.dtw([1.0], [1.0], window=1.5), "window: expected a fraction in"),
        (lambda: diffeo.dtw([1.0], [1.0], radius=1, window=0.5), "window: expected radius or window"),
        (lambda: diffeo.dtw_matrix([[1.0, np.inf]]), "cases: case 0: expected values up to 1e150"),
        (lambda: diffeo.soft_dtw([1.0], [2.0], 0.0), "gamma: expected a positive number"),
        (lambda: diffeo.soft_dtw([1.0], [2.0], 1e-30), "gamma: expected at least"),
        (lambda: diffeo.dba([[1.0, 2.0]], init="mode"), "init: expected mean, medoid, random or a series"),
        (lambda: diffeo.dba([[1.0, 2.0]], init=[[1.0], [2.0]]), "initial: expected 1 channels"),
        (
            lambda: diffeo.soft_dtw_barycenter([[1.0, 2.0]], init="medoid"),
            "init: expected 'mean' or a series",
        ),
        (lambda: diffeo.average([[1.0, 2.0]], "median"), "method: expected one of warp, euclidean"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        call()
