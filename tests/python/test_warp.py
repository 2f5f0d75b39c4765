"""Series warped by flows through Python."""

import numpy as np
import pytest

import diffeo

STEP = 1e-6
FIELD = np.array([0.0, 0.3, -0.2, 0.4, 0.0])


@pytest.mark.parametrize("precision", [np.float32, np.float64])
@pytest.mark.parametrize("time", [1, 2, 3, 100, 275, 1001])
def test_a_field_at_rest_gives_the_series_back_to_the_last_bit(precision, time, rng):
    series = rng.normal(size=(2, 3, time)).astype(precision)
    series[rng.uniform(size=series.shape) < 0.3] = np.nan
    warped = diffeo.warp(series, np.zeros(8, precision))
    assert np.array_equal(warped, series, equal_nan=True)
    assert np.array_equal(diffeo.warp(series, FIELD.astype(precision), time=0.0), series, equal_nan=True)


def test_a_warp_is_the_series_sampled_at_the_flow(rng):
    series = rng.normal(size=(3, 2, 50))
    fields = rng.uniform(-0.5, 0.5, (3, 9))
    times = np.array([1.0, -0.7, 2.0])
    for length in (1, 2, 50, 77, 3000):
        grid = np.linspace(0, 1, length) if length > 1 else np.zeros(1)
        expected = diffeo.sample(series, diffeo.flow(fields, grid, time=times))
        np.testing.assert_allclose(
            diffeo.warp(series, fields, length=length, time=times), expected, atol=1e-11
        )


def test_shared_velocities_warp_every_case_alike(rng):
    series = rng.normal(size=(3, 2, 50))
    assert np.array_equal(diffeo.warp(series, FIELD), diffeo.warp(series, np.tile(FIELD, (3, 1))))


def test_an_inverse_warp_brings_a_smooth_series_back_to_interpolation_error():
    def error(time):
        series = np.sin(np.linspace(0, 12, time))
        warped = diffeo.warp(series, FIELD)
        assert np.abs(warped - series).max() > 0.1
        return np.abs(diffeo.warp(warped, FIELD, time=-1.0) - series).max()

    assert error(1000) < 0.01
    assert error(1000) / error(8000) > 40  # an eighth of the spacing: 64 times less, with room for kinks


def test_an_inverse_warp_brings_a_smooth_series_back_in_single_precision():
    series = np.sin(np.linspace(0, 12, 1000, dtype=np.float32))
    field = FIELD.astype(np.float32)
    assert np.abs(diffeo.warp(diffeo.warp(series, field), field, time=-1.0) - series).max() < 0.01


def test_a_missing_value_stays_missing_beside_its_neighbors_only():
    series = np.arange(11.0)
    series[5] = np.nan
    warped = diffeo.warp(series, FIELD)
    whole = diffeo.warp(np.arange(11.0), FIELD)
    positions = diffeo.flow(FIELD, np.linspace(0, 1, 11)) * 10
    assert np.array_equal(np.isnan(warped), np.abs(positions - 5) < 1)
    np.testing.assert_array_equal(warped[~np.isnan(warped)], whole[~np.isnan(warped)])


@pytest.mark.parametrize("length", [30, 50, 80])
@pytest.mark.parametrize("shared", [True, False])
def test_gradients_agree_with_differences(length, shared, rng):
    # Smooth series, so that differences see slopes and few kinks of the interpolation.
    arguments = {
        "series": np.sin(np.linspace(0, 6, 40) + rng.uniform(0, 6, (3, 2, 1))),
        "velocities": rng.uniform(-0.4, 0.4, 6) if shared else rng.uniform(-0.4, 0.4, (3, 6)),
        "time": np.float64(0.9) if shared else rng.uniform(-1, 1, 3),
    }
    cotangents = rng.normal(size=(3, 2, length))
    gradients = diffeo.warp_vjp(**arguments, cotangents=cotangents)
    for name, value in arguments.items():
        gradient = getattr(gradients, name)
        assert np.shape(gradient) == value.shape
        direction = rng.normal(size=value.shape)
        ahead = diffeo.warp(**{**arguments, name: value + STEP * direction}, length=length)
        behind = diffeo.warp(**{**arguments, name: value - STEP * direction}, length=length)
        expected = (cotangents * (ahead - behind)).sum() / (2 * STEP)
        assert np.sum(gradient * direction) == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_gradients_are_those_of_flow_and_sample_chained(rng):
    series = rng.normal(size=(3, 2, 40))
    fields = rng.uniform(-0.4, 0.4, (3, 6))
    cotangents = rng.normal(size=(3, 2, 33))
    grid = np.linspace(0, 1, 33)
    sampled = diffeo.sample_vjp(series, diffeo.flow(fields, grid), cotangents)
    flowed = diffeo.flow_vjp(fields, grid, sampled.positions)
    warped = diffeo.warp_vjp(series, fields, cotangents)
    # The positions differ by a rounding, times the cells and channels whose parts they weigh.
    np.testing.assert_allclose(warped.series, sampled.series, atol=1e-11)
    np.testing.assert_allclose(warped.velocities, flowed.velocities, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(warped.time, flowed.time, rtol=1e-9, atol=1e-9)


def test_gradients_beside_missing_values_are_finite(rng):
    series = rng.normal(size=(3, 40))
    series[rng.uniform(size=series.shape) < 0.2] = np.nan
    gradients = diffeo.warp_vjp(series, FIELD, np.ones((3, 40)))
    assert np.isfinite(gradients.series).all()
    assert np.isfinite(gradients.velocities).all()
    assert np.isfinite(gradients.time)


def test_real_series_come_back(shared_directory):
    """Trace: two hundred and seventy-five samples with sharp steps, warped and warped back."""
    path = shared_directory / "ucr" / "Trace" / "Trace_TRAIN.tsv"
    if not path.is_file():
        pytest.skip("no shared data: ucr/Trace is not there")
    series = np.loadtxt(path)[:, 1:]
    space = diffeo.WarpSpace(16)
    fields = space.velocities(space.prior(variance=0.05, length_scale=0.2).sample(len(series), seed=11))
    # On a grid eight times as fine, what linear interpolation loses on the way is small.
    warped = diffeo.warp(series, fields, length=8 * series.shape[1])
    moved = np.abs(diffeo.flow(fields, np.linspace(0, 1, 200)) - np.linspace(0, 1, 200)).max()
    back = diffeo.warp(warped, fields, length=series.shape[1], time=-1.0)
    assert moved > 0.02
    assert np.sqrt(np.mean((back - series) ** 2)) < 0.02 * series.std()
