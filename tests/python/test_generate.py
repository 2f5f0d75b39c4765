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
