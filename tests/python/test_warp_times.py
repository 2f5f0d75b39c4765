"""Time stamps carried between common time and each series' own, both ways and exactly, by every aligner."""

import numpy as np
import pytest

import diffeo

try:
    import diffeo.torch
except ImportError:
    HAS_TORCH = False
else:
    HAS_TORCH = True

ROUNDING = (
    1e-13  # of a flow there and back in doubles, of numbers from 0 to 1: some hundred units in the last place
)
STEP = 1 / 59  # of series of 60 samples
NETWORK = {
    "cells": 8,
    "widths": (8, 8),
    "kernels": (5, 3),
    "epochs": 20,
    "least_steps": 0,
    "learning_rate": 1e-2,
    "batch_size": 8,
    "loss": "variance + 30 cross-entropy",
    "random_state": 3,
}
ALIGNERS = {
    "joint": lambda: diffeo.JointAligner(),
    "joint with free ends": lambda: diffeo.JointAligner(zero_boundary=False),
    "network": lambda: diffeo.TemporalAligner(**NETWORK),
    "network with free ends": lambda: diffeo.TemporalAligner(**NETWORK, zero_boundary=False),
    "network of two layers and two members": lambda: diffeo.TemporalAligner(**NETWORK, layers=2, members=2),
}
every_aligner = pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.skipif(not HAS_TORCH, reason="torch is not installed"))
        if "network" in kind
        else kind
        for kind in ALIGNERS
    ],
)


@pytest.fixture(scope="module")
def bumps():
    return diffeo.generate_bumps(16, seed=9, classes=2, length=60, displacement=0.15)


@pytest.fixture(scope="module")
def fitted(bumps):
    known = {}

    def fit(kind):
        if kind not in known:
            known[kind] = ALIGNERS[kind]().fit(bumps.X, bumps.y)
        return known[kind]

    return fit


@every_aligner
def test_one_way_undoes_the_other(kind, fitted, bumps, rng):
    aligner, times = fitted(kind), rng.uniform(0, 1, (16, 40))
    for first in (False, True):
        carried = aligner.warp_times(bumps.X, times, inverse=first)
        assert np.abs(carried - times).max() > STEP  # they are carried somewhere
        back = aligner.warp_times(bumps.X, carried, inverse=not first)
        np.testing.assert_allclose(back, times, rtol=0, atol=ROUNDING)


@pytest.mark.skipif(not HAS_TORCH, reason="torch is not installed")
@pytest.mark.parametrize(("method", "option"), [("numeric", "steps"), ("scaling-squaring", "squarings")])
def test_with_a_scheme_one_way_undoes_the_other_up_to_its_error(method, option, bumps):
    aligner = diffeo.TemporalAligner(**NETWORK, method=method, method_steps=4).fit(bumps.X, bumps.y)
    times, fields = np.linspace(0, 1, 101), aligner.velocities(bumps.X)[0]
    there = aligner.warp_times(bumps.X, times)
    np.testing.assert_array_equal(there, diffeo.flow(fields, times, method=method, **{option: 4}))
    back = aligner.warp_times(bumps.X, there, inverse=True)
    error = np.abs(there - diffeo.flow(fields, times)).max()
    assert 1e-4 < error < 0.01
    assert 1e-4 < np.abs(back - times).max() < 5 * error


@every_aligner
def test_the_times_of_the_output_grid_are_the_warps(kind, fitted, bumps):
    grid = np.linspace(0, 1, 60)
    np.testing.assert_allclose(
        fitted(kind).warp_times(bumps.X, grid), fitted(kind).warps(bumps.X), rtol=0, atol=ROUNDING
    )


@every_aligner
def test_an_event_is_found_in_common_time_where_transform_puts_it(kind, fitted, bumps):
    """Between the two aligned samples that are read just before the event and just after it."""
    aligner, event = fitted(kind), 25 * STEP
    common = aligner.warp_times(bumps.X, [event], inverse=True)[:, 0]
    inside = np.flatnonzero((common > 0) & (common < 1))
    assert len(inside) >= 8
    before = (common[inside] / STEP).astype(int)
    warps = aligner.warps(bumps.X)
    assert (warps[inside, before] <= event + ROUNDING).all()
    assert (event <= warps[inside, before + 1] + ROUNDING).all()


@every_aligner
def test_times_keep_their_order(kind, fitted, bumps):
    for inverse in (False, True):
        assert (np.diff(fitted(kind).warp_times(bumps.X, np.linspace(0, 1, 200), inverse=inverse)) > 0).all()


@every_aligner
def test_single_precision_costs_no_precision_of_times(kind, fitted, bumps):
    single = bumps.X.astype(np.float32)
    there = fitted(kind).warp_times(single, np.float32([0.3, 0.6]))
    assert there.dtype == np.float64
    back = fitted(kind).warp_times(single, there, inverse=True)
    np.testing.assert_allclose(back, np.broadcast_to(np.float32([0.3, 0.6]), (16, 2)), rtol=0, atol=ROUNDING)


@every_aligner
def test_series_of_different_lengths_have_times_of_their_own(kind, fitted, bumps):
    ragged = [series[:, : 60 - case % 5] for case, series in enumerate(bumps.X)]
    times = fitted(kind).warp_times(ragged, [0.5])
    assert times.shape == (16, 1)
    back = fitted(kind).warp_times(ragged, times, inverse=True)
    np.testing.assert_allclose(back, 0.5, rtol=0, atol=ROUNDING)


@every_aligner
def test_times_of_one_series_alone_are_those_beside_others(kind, fitted, bumps):
    together = fitted(kind).warp_times(bumps.X, [0.2, 0.5, 0.7], inverse=True)
    for case, count in ((0, 1), (3, 3), (15, 2)):
        alone = fitted(kind).warp_times(bumps.X[case : case + 1], [0.2, 0.5, 0.7][:count], inverse=True)
        np.testing.assert_allclose(alone, together[case : case + 1, :count], rtol=0, atol=1e-5)


@every_aligner
def test_a_template_of_whole_numbers_is_brought_back_as_one_of_floats(kind, fitted, bumps):
    template = np.arange(60)[np.newaxis]
    back = fitted(kind).inverse_transform(template, bumps.X)
    assert back.dtype == np.float64
    np.testing.assert_array_equal(back, fitted(kind).inverse_transform(template.astype(float), bumps.X))
    assert np.abs(back - template).max() > 1  # moved by more than a step


@every_aligner
def test_templates_of_different_lengths_are_refused(kind, fitted, bumps):
    templates = [np.zeros((1, 60 - case % 2)) for case in range(16)]
    with pytest.raises(ValueError, match=r"Z: expected series of one shape, got \(1, 59\) and \(1, 60\)"):
        fitted(kind).inverse_transform(templates, bumps.X)
    same = fitted(kind).inverse_transform([template[:, :59] for template in templates], bumps.X)
    assert same.shape == (16, 1, 60)


@every_aligner
@pytest.mark.parametrize(
    ("times", "message"),
    [
        (np.zeros((3, 5)), r"times: expected shape \(n,\) or \(16, n\) for 16 series, got \(3, 5\)"),
        (0.5, r"times: expected shape \(n,\) or \(16, n\) for 16 series, got \(\)"),
        ([0.5, np.inf], "times: expected finite numbers, got inf"),
    ],
)
def test_times_that_cannot_be_are_refused(kind, times, message, fitted, bumps):
    with pytest.raises(ValueError, match=message):
        fitted(kind).warp_times(bumps.X, times)


@every_aligner
@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("time", [25.0, -0.1, 1 + 1e-5])
def test_times_outside_are_refused_where_ends_stay_in_place_and_carried_where_they_move(
    kind, inverse, time, fitted, bumps
):
    if "free ends" in kind:
        carried = fitted(kind).warp_times(bumps.X, [0.5, time], inverse=inverse)
        back = fitted(kind).warp_times(bumps.X, carried, inverse=not inverse)
        np.testing.assert_allclose(back[:, 1], time, rtol=ROUNDING, atol=ROUNDING)
        return
    message = rf"times: expected fractions of the duration .* time k / \(n - 1\), got {time}$"
    with pytest.raises(ValueError, match=message):
        fitted(kind).warp_times(bumps.X, [0.5, time], inverse=inverse)


@every_aligner
def test_times_outside_by_rounding_only_are_carried(kind, fitted, bumps):
    times = [-1e-7, 1 + 1e-7]
    np.testing.assert_allclose(
        fitted(kind).warp_times(bumps.X, times), fitted(kind).warp_times(bumps.X, [0, 1]), rtol=0, atol=1e-5
    )


def test_whether_ends_stay_in_place_is_what_fit_was_told_not_what_was_set_since(bumps):
    aligner = diffeo.JointAligner(cells=4, zero_boundary=False).fit(bumps.X)
    assert aligner.set_params(zero_boundary=True).warp_times(bumps.X, [1.2]).shape == (16, 1)


def test_a_direction_is_true_or_false():
    bumps = diffeo.generate_bumps(4, seed=1, classes=1, length=20)
    aligner = diffeo.JointAligner(cells=2, max_iterations=2).fit(bumps.X)
    with pytest.raises(ValueError, match="inverse: expected True or False"):
        aligner.warp_times(bumps.X, [0.5], inverse="no")
