"""Series made by formula."""

import dataclasses

import numpy as np
import pytest

import diffeo

GENERATORS = [diffeo.generate_cbf, diffeo.generate_synthetic_control]


@pytest.mark.parametrize(
    ("generate", "length", "classes"),
    [(diffeo.generate_cbf, 128, 3), (diffeo.generate_synthetic_control, 60, 6)],
)
def test_published_sets_have_their_lengths_and_the_archives_labels_in_turn(generate, length, classes):
    X, y = generate(2 * classes + 1, seed=3)
    assert X.shape == (2 * classes + 1, 1, length)
    assert X.dtype == np.float64
    assert y.tolist() == [str(i % classes + 1) for i in range(2 * classes + 1)]


@pytest.mark.parametrize(
    "generate", [*GENERATORS, lambda cases, seed: (diffeo.generate_bumps(cases, seed).X,)]
)
def test_the_seed_decides(generate):
    np.testing.assert_array_equal(generate(5, 11)[0], generate(5, 11)[0])
    assert (generate(5, 11)[0] != generate(5, 12)[0]).all()


@pytest.mark.parametrize("generate", GENERATORS)
def test_other_lengths_are_possible(generate):
    assert generate(3, seed=1, length=200)[0].shape == (3, 1, 200)


def test_bumps_have_the_shapes_asked_for():
    bumps = diffeo.generate_bumps(7, seed=5, classes=2, channels=3, length=90, cells=10)
    assert bumps.X.shape == (7, 3, 90)
    assert bumps.y.tolist() == ["1", "2", "1", "2", "1", "2", "1"]
    assert bumps.velocities.shape == (7, 11)
    assert bumps.templates.shape == (2, 3, 90)
    with pytest.raises(dataclasses.FrozenInstanceError):
        bumps.X = None


def test_bumps_are_their_templates_after_the_true_inverse_warps():
    bumps = diffeo.generate_bumps(12, seed=5, channels=2, length=1000, noise=0.0)
    back = diffeo.warp(bumps.X, bumps.velocities, time=-1.0)
    interpolation = 2e-3  # a spacing of 1e-3, curvatures of some 1e3, stretched by the warps
    assert abs(back - bumps.templates[np.arange(12) % 3]).max() < interpolation


def test_bumps_are_moved_by_the_displacement():
    bumps = diffeo.generate_bumps(12, seed=5, displacement=0.07)
    points = np.linspace(0, 1, 1001)
    assert abs(diffeo.flow(bumps.velocities, points) - points).max() == pytest.approx(0.07, rel=2e-6)
    np.testing.assert_array_equal(bumps.velocities[:, [0, -1]], 0)


def test_noise_has_the_deviation_given():
    bumps = diffeo.generate_bumps(100, seed=5, displacement=0.0, noise=0.2)
    noise = bumps.X - bumps.templates[np.arange(100) % 3]
    assert noise.std() == pytest.approx(0.2, rel=0.03)  # 12,800 draws: five standard errors
    np.testing.assert_array_equal(bumps.velocities, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cases": 0}, "cases: expected a whole number of at least 1, got 0"),
        ({"seed": -1}, "seed: expected a whole number from 0 to"),
        ({"seed": None}, "seed: expected a whole number from 0 to"),
        ({"displacement": 0.5}, "displacement: expected a fraction from 0 to 0.3 of the length, got 0.5"),
        ({"noise": -1.0}, "noise: expected"),
        ({"cells": 1}, "cells: expected at least 2, got 1"),
        ({"length": 1}, "length: expected at least 2"),
        ({"length_scale": 0.0}, "length_scale: expected"),
    ],
)
def test_options_out_of_range_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        diffeo.generate_bumps(**{"cases": 3, "seed": 1, **options})


def test_too_short_series_are_refused():
    with pytest.raises(ValueError, match="length: expected at least 8 time steps"):
        diffeo.generate_cbf(3, 1, length=7)
    with pytest.raises(ValueError, match="length: expected at least 3 time steps"):
        diffeo.generate_synthetic_control(3, 1, length=2)


KINDS = ["two-peaks", "peaks", "narrow-peaks", "beats", "steps"]


@pytest.mark.parametrize("kind", KINDS)
def test_warped_series_have_increasing_warps_and_marks_where_the_warps_reach_the_templates(kind):
    made = diffeo.generate_warped(kind, 7, seed=4)
    grid = np.linspace(0, 1, 201)
    assert made.X.shape == (7, 1, made.template.shape[1])
    assert (np.diff(made.warps) > 0).all()
    np.testing.assert_array_equal(made.warps[:, [0, -1]], [[0, 1]] * 7)
    reached = np.stack(
        [np.interp(marks, grid, warp) for marks, warp in zip(made.marks, made.warps, strict=True)]
    )
    between_points = 2e-3
    assert abs(reached - made.template_marks).max() < between_points
    np.testing.assert_array_equal(made.X, diffeo.generate_warped(kind, 7, seed=4).X)


@pytest.mark.parametrize("family", ["flow", "exponential", "fourier", "logistic"])
def test_warped_series_are_moved_by_the_displacement_in_every_family(family):
    made = diffeo.generate_warped("peaks", 12, seed=5, family=family, displacement=0.2)
    between_points = 5e-4
    assert abs(made.warps - np.linspace(0, 1, 201)).max() == pytest.approx(0.2, abs=between_points)


def test_warped_series_without_variation_are_the_template_at_the_warps():
    made = diffeo.generate_warped("peaks", 5, seed=5, height=0, width=0, length=201, channels=2)
    grid = np.linspace(0, 1, 201)
    interpolation = 0.02  # peaks of sd 0.02 and more at steps of 0.005: 0.005² / 8 / 0.02²
    for series, warp in zip(made.X, made.warps, strict=True):
        expected = np.stack([np.interp(warp, grid, channel) for channel in made.template])
        assert abs(series - expected).max() < interpolation


def test_warped_series_may_differ_in_length_and_have_gaps():
    made = diffeo.generate_warped("beats", 20, seed=5, length=100, length_spread=0.2)
    lengths = [series.shape[1] for series in made.X]
    assert min(lengths) >= 80
    assert len(set(lengths)) > 1
    gaps = diffeo.generate_warped("steps", 6, seed=5, length=100, missing=0.1)
    assert np.isnan(gaps.X).sum(axis=2).tolist() == [[10]] * 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "sines"}, "kind: expected one of two-peaks, peaks"),
        ({"family": "affine"}, "family: expected one of flow, exponential"),
        ({"cases": 0}, "cases: expected a whole number of at least 1, got 0"),
        ({"displacement": 0.6}, "displacement: expected 0 to 0.5, got 0.6"),
        ({"height": -1.0}, "height: expected"),
        ({"missing": 0.7}, "missing: expected 0 to 0.5, got 0.7"),
    ],
)
def test_options_of_warped_series_out_of_range_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        diffeo.generate_warped(**{"kind": "peaks", "cases": 3, "seed": 1, **options})


def test_the_spread_of_true_times_is_one_before_and_zero_after_the_true_warps_are_undone():
    made = diffeo.generate_warped("beats", 9, seed=2)
    grid = np.linspace(0, 1, 201)
    same = diffeo.true_time_spread(np.tile(grid, (9, 1)), made.warps)
    assert same.share == 1.0
    undone = np.stack([np.interp(grid, warp, grid) for warp in made.warps])
    spread = diffeo.true_time_spread(undone, made.warps)
    assert spread.after < 1e-4  # φ_i is linear between its points, W_i between others
    assert spread.failures == 0.0


def test_the_spread_of_true_times_refuses_what_does_not_go_together():
    rows = np.tile(np.linspace(0, 1, 5), (3, 1))
    with pytest.raises(ValueError, match="warps: expected 3 rows as true_warps has, got 2"):
        diffeo.true_time_spread(rows[:2], rows)
    with pytest.raises(ValueError, match="true_warps: expected finite positions"):
        diffeo.true_time_spread(rows, rows * np.nan)
    with pytest.raises(ValueError, match="warps: expected shape"):
        diffeo.true_time_spread(rows[0], rows)
