"""Linear interpolation of series through Python."""

import numpy as np
import pytest

import diffeo

STEP = 1e-6


def reference(series, positions, grid=None):
    nodes = np.linspace(0, 1, len(series)) if grid is None else grid
    return np.interp(positions, nodes, series)


def test_samples_agree_with_numpy(rng):
    series = rng.normal(size=(3, 2, 20))
    positions = rng.uniform(-0.3, 1.3, (3, 50))
    samples = diffeo.sample(series, positions)
    for i in range(3):
        for channel in range(2):
            np.testing.assert_allclose(
                samples[i, channel], reference(series[i, channel], positions[i]), atol=1e-13
            )


def test_samples_on_a_given_grid_agree_with_numpy(rng):
    series = rng.normal(size=(3, 20))
    shared = np.cumsum(rng.uniform(0.1, 2.0, 20)) - 5
    positions = rng.uniform(-6, 20, 40)
    samples = diffeo.sample(series, positions, grid=shared)
    for i in range(3):
        np.testing.assert_allclose(samples[i], reference(series[i], positions, shared), atol=1e-13)
    grids = np.cumsum(rng.uniform(0.1, 2.0, (3, 20)), axis=1)
    samples = diffeo.sample(series, positions, grid=grids)
    for i in range(3):
        np.testing.assert_allclose(samples[i], reference(series[i], positions, grids[i]), atol=1e-13)


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_at_its_own_nodes_a_series_comes_back_to_the_last_bit(precision, rng):
    for time in (2, 3, 7, 100, 275):
        series = rng.normal(size=(4, time)).astype(precision)
        assert np.array_equal(diffeo.sample(series, np.linspace(0, 1, time).astype(precision)), series)
        assert np.array_equal(diffeo.sample(series, np.arange(time, dtype=precision) / (time - 1)), series)
        grid = np.sort(rng.normal(size=time)).astype(precision)
        assert np.array_equal(diffeo.sample(series, grid, grid=grid), series)


def test_beyond_the_ends_the_nearest_value_is_read():
    assert diffeo.sample([3.0, 1.0, 2.0], [-1e30, -0.1, 1.1, 1e30]).tolist() == [3.0, 3.0, 2.0, 2.0]
    assert diffeo.sample([4.0], [-1.0, 0.5, 2.0]).tolist() == [4.0, 4.0, 4.0]


def test_a_missing_neighbor_gives_nan_unless_it_has_no_weight():
    samples = diffeo.sample([1.0, np.nan, 3.0, 4.0, 5.0], [0.0, 0.1, 0.25, 0.4, 0.5, 0.6])
    assert np.isnan(samples).tolist() == [False, True, True, True, False, False]
    assert samples[0] == 1.0
    assert samples[4] == 3.0


def test_gradients_agree_with_differences(rng):
    arguments = {
        "series": rng.normal(size=(3, 2, 9)),
        "positions": rng.uniform(0.05, 0.95, 6),
        "grid": np.linspace(0, 1, 9) ** 1.2,
    }
    cotangents = rng.normal(size=(3, 2, 6))
    gradients = diffeo.sample_vjp(**arguments, cotangents=cotangents)
    for name, value in arguments.items():
        gradient = getattr(gradients, name)
        assert gradient.shape == value.shape
        direction = rng.normal(size=value.shape)
        ahead = diffeo.sample(**{**arguments, name: value + STEP * direction})
        behind = diffeo.sample(**{**arguments, name: value - STEP * direction})
        expected = (cotangents * (ahead - behind)).sum() / (2 * STEP)
        assert (gradient * direction).sum() == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_gradients_on_the_regular_grid_agree_with_those_on_the_same_grid_given(rng):
    series = rng.normal(size=(3, 9))
    positions = rng.uniform(-0.1, 1.1, (3, 20))
    cotangents = rng.normal(size=(3, 20))
    regular = diffeo.sample_vjp(series, positions, cotangents)
    given = diffeo.sample_vjp(series, positions, cotangents, grid=np.linspace(0, 1, 9))
    np.testing.assert_allclose(regular.series, given.series, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(regular.positions, given.positions, rtol=1e-12, atol=1e-12)
    assert given.grid.shape == (9,)


def test_missing_values_pass_no_gradient_on():
    series = np.array([1.0, np.nan, 3.0, 4.0])
    gradients = diffeo.sample_vjp(series, [0.1, 0.5, 0.9], [1.0, 1.0, 1.0])
    assert np.isfinite(gradients.series).all()
    assert np.isfinite(gradients.positions).all()
    assert gradients.series[:2].tolist() == [0.0, 0.0]
    assert gradients.positions[:2].tolist() == [0.0, 0.0]
