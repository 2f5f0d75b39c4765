"""Series made ready."""

import numpy as np
import pytest

import diffeo

ROUNDING = 1e-13  # of sums of some hundred values of size 1


def test_z_normalize_is_numpys_mean_and_deviation(rng):
    X = rng.normal(3, 5, (4, 2, 100))
    expected = (X - X.mean(-1, keepdims=True)) / X.std(-1, keepdims=True)
    np.testing.assert_allclose(diffeo.z_normalize(X), expected, atol=ROUNDING)


def test_z_normalize_ignores_missing_values(rng):
    X = rng.normal(size=(3, 50))
    X[:, ::7] = np.nan
    expected = (X - np.nanmean(X, -1, keepdims=True)) / np.nanstd(X, -1, keepdims=True)
    np.testing.assert_allclose(diffeo.z_normalize(X), expected, atol=ROUNDING)


def test_z_normalize_of_constant_series_is_zero():
    np.testing.assert_array_equal(diffeo.z_normalize(np.full((2, 33), 0.1)), 0)


@pytest.mark.parametrize(
    "prepare", [diffeo.z_normalize, diffeo.fill_missing, lambda X: diffeo.resample(X, 4)]
)
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_precision_is_kept_and_the_input_left_alone(prepare, precision):
    X = np.array([[1.0, 2.0, 4.0], [0.0, np.nan, 1.0]], dtype=precision)
    before = X.copy()
    assert prepare(X).dtype == precision
    np.testing.assert_array_equal(X, before)


def test_resample_is_numpys_interpolation(rng):
    series = [rng.normal(size=(2, length)) for length in (5, 9, 30)]
    result = diffeo.resample(series, 17)
    assert result.shape == (3, 2, 17)
    for case, given in enumerate(series):
        old = np.linspace(0, 1, given.shape[1])
        for channel in range(2):
            expected = np.interp(np.linspace(0, 1, 17), old, given[channel])
            np.testing.assert_allclose(result[case, channel], expected, atol=ROUNDING)


def test_different_lengths_stay_different():
    filled = diffeo.fill_missing([np.array([[1.0, np.nan]]), np.array([[1.0, np.nan, 3.0]])])
    assert isinstance(filled, list)
    np.testing.assert_array_equal(filled[0], [[1, 1]])
    np.testing.assert_array_equal(filled[1], [[1, 2, 3]])
    assert [series.shape for series in diffeo.z_normalize([np.arange(3.0), np.arange(4.0)])] == [(3,), (4,)]


def test_a_channel_without_values_is_refused_by_name():
    X = np.ones((2, 2, 3))
    X[1, 0] = np.nan
    with pytest.raises(ValueError, match="case 1, channel 0: expected at least one value"):
        diffeo.fill_missing(X)


def test_a_length_of_zero_is_refused():
    with pytest.raises(ValueError, match="length: expected a whole number of at least 1, got 0"):
        diffeo.resample(np.ones((2, 3)), 0)


@pytest.mark.parametrize(
    "prepare", [diffeo.z_normalize, diffeo.fill_missing, lambda X: diffeo.resample(X, 4)]
)
def test_series_come_back_in_the_form_they_had(prepare):
    X = np.arange(24.0).reshape(3, 1, 8)
    assert np.ndim(prepare(X)) == 3
    assert np.ndim(prepare(X[:, 0])) == 2
    ragged = prepare([X[0, 0], X[1, 0, :5]])
    assert {np.ndim(series) for series in ragged} == {1}
