"""Series warped at random, to train on."""

import numpy as np
import pytest

import diffeo

GRID = np.linspace(0.0, 1.0, 101)


def moved(displacement, **more):
    """How far time moves at its farthest, warp by warp: read off a ramp, whose values are its times."""
    ramps = np.tile(GRID, (400, 1))
    return np.abs(diffeo.augment(ramps, displacement=displacement, random_state=3, **more) - GRID).max(axis=1)


@pytest.mark.parametrize("displacement", [None, 0.0, 0.02, 0.05, 0.1])
def test_time_moves_as_far_as_is_asked_for(displacement):
    expected = 0.05 if displacement is None else displacement
    assert moved(displacement).mean() == pytest.approx(expected, rel=0.1)


def test_ends_stay_and_order_is_kept():
    warped = diffeo.augment(np.tile(GRID, (50, 1)), displacement=0.1, random_state=1)
    assert (np.diff(warped, axis=1) > 0).all()
    np.testing.assert_array_equal(warped[:, [0, -1]], np.tile([0.0, 1.0], (50, 1)))


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_results_have_the_form_of_the_series(precision):
    X = diffeo.generate_bumps(5, seed=1, channels=2, length=30).X.astype(precision)
    assert diffeo.augment(X, count=3).shape == (15, 2, 30)
    assert diffeo.augment(X[:, 0]).shape == (5, 30)
    ragged = [one[:, : 30 - case] for case, one in enumerate(X)]
    found = diffeo.augment(ragged, count=2)
    assert [one.shape for one in found] == [one.shape for one in ragged] * 2
    assert {one.dtype for one in found} == {np.dtype(precision)} == {diffeo.augment(X).dtype}


def test_a_seed_gives_the_same_series_and_copies_differ():
    X = diffeo.generate_bumps(5, seed=1, length=30).X
    twice = diffeo.augment(X, count=2, random_state=7)
    np.testing.assert_array_equal(twice, diffeo.augment(X, count=2, random_state=7, threads=1))
    assert not np.array_equal(twice[:5], twice[5:])
    assert not np.array_equal(diffeo.augment(X), diffeo.augment(X))
    drawn = diffeo.augment(X, random_state=np.random.default_rng(1))
    np.testing.assert_array_equal(drawn, diffeo.augment(X, random_state=np.random.default_rng(1)))


def test_warps_that_were_learned_are_imitated():
    bumps = diffeo.generate_bumps(40, seed=1, classes=1, displacement=0.1)
    aligner = diffeo.JointAligner(n_jobs=-1).fit(bumps.X)
    learned = np.abs(diffeo.flow(aligner.velocities_, GRID) - GRID).max(axis=1).mean()
    assert moved(None, velocities=aligner.velocities_).mean() == pytest.approx(learned, rel=0.25)
    assert moved(0.03, velocities=aligner.velocities_).mean() == pytest.approx(0.03, rel=0.25)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"displacement": -0.1}, "displacement: expected a number from 0 to 0.3, got -0.1"),
        ({"displacement": 0.5}, "displacement: expected a number from 0 to 0.3, got 0.5"),
        ({"count": 0}, "count: expected a whole number of at least 1, got 0"),
        ({"random_state": "x"}, "random_state: expected None, a whole number from 0 to"),
        (
            {"velocities": [[0.0, 0.1, 0.0]]},
            r"velocities: expected shape \(warps, cells \+ 1\), two warps or more",
        ),
        ({"velocities": [[0.0, np.nan]] * 2}, "velocities: expected finite numbers, got others"),
    ],
)
def test_arguments_that_cannot_be_are_refused(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        diffeo.augment(np.tile(GRID, (3, 1)), **arguments)
