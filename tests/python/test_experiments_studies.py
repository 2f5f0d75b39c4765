"""The paper's numerical studies: orders of convergence, and what they say of what they measured."""

import dataclasses
import itertools
import math

import numpy as np
import pytest

pytest.importorskip("diffeo.experiments", exc_type=ImportError)

import diffeo
from diffeo.experiments import studies
from diffeo.experiments.studies import Scheme, StudyFields, StudySetting

SETTING = StudySetting(fields=12, points=200, seed=5)
SMALL = StudySetting(fields=3, points=40, seed=5)
GRID = StudySetting(fields=2, points=33, seed=2, is_grid=True)
ORDER = 0.3  # of largest errors: where in its step a point meets a vertex differs from field to field
EPSILON = np.finfo(float).eps


@pytest.fixture(scope="module")
def fields():
    return StudyFields.make(SETTING)


@pytest.fixture(scope="module")
def exact(fields):
    return studies.exact_answers(fields)


def fitted_order(coarse, fine):
    """Of errors with four times as many steps."""
    return math.log2(coarse / fine) / 2


# --- fields ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", studies.SOURCES)
def test_fields_of_the_same_setting_are_the_same_bits_and_of_another_seed_others(source):
    setting = dataclasses.replace(SMALL, source=source, fields=1)
    one, two = StudyFields.make(setting), StudyFields.make(setting)
    np.testing.assert_array_equal(one.velocities, two.velocities)
    np.testing.assert_array_equal(one.points, two.points)
    other = StudyFields.make(dataclasses.replace(setting, seed=6))
    assert (other.points != one.points).any()


def test_fields_are_those_of_the_studies_that_are_kept():
    """Bits of the C++ program that made docs/results/studies."""
    made = StudyFields.make(StudySetting(fields=1, points=2, source="normal", basis="sparse"))
    assert made.velocities[0, 1] == diffeo._core.random_normal(1, 0)[0]
    assert made.points.shape == (1, 2)
    np.testing.assert_array_equal(diffeo._core.random_uniform(2, 0x9E3779B97F4A7C15), made.points[0])


def test_fields_keep_the_ends_in_place_and_their_points_inside():
    made = StudyFields.make(dataclasses.replace(SMALL, source="normal"))
    assert (made.velocities[:, [0, -1]] == 0).all()
    assert ((made.points >= 0) & (made.points < 1)).all()


def test_fields_of_another_size_are_multiples():
    one, half = (StudyFields.make(dataclasses.replace(SMALL, size=size)) for size in (1.0, 0.5))
    np.testing.assert_allclose(half.velocities, 0.5 * one.velocities, rtol=4 * EPSILON)


def test_fields_of_ones_have_that_theta():
    made = StudyFields.make(StudySetting(source="ones", fields=1, size=2.5, points=5, is_grid=True))
    rounding = 1e-13  # of the inverse of a basis of condition below 100
    np.testing.assert_allclose(made.space.theta(made.velocities), 2.5, rtol=rounding)
    np.testing.assert_array_equal(made.points, [[0, 0.25, 0.5, 0.75, 1]])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"fields": 0}, "fields: expected at least 1, got 0"),
        ({"points": 0}, "points: expected at least 1, got 0"),
        ({"cells": 1}, "cells: expected at least 2, got 1"),
        ({"size": -1.0}, "size: expected 0 or more, got -1"),
        ({"size": math.nan}, "size: expected 0 or more, got nan"),
        ({"length_scale": 0.0}, "length_scale: expected more than 0, got 0"),
        ({"source": "ones"}, "fields: expected 1 of ones, got 3"),
    ],
)
def test_settings_without_meaning_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        StudyFields.make(dataclasses.replace(SMALL, **change))


# --- precision ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("coarse", "fine"),
    [
        (Scheme("alternating", 10, 8), Scheme("alternating", 10, 32)),
        (Scheme("numeric", 64), Scheme("numeric", 256)),
    ],
    ids=["alternating", "Runge-Kutta"],
)
def test_integration_has_order_two_in_positions_and_one_in_gradients(fields, exact, coarse, fine):
    errors = [studies.scheme_error(fields, exact, scheme) for scheme in (coarse, fine)]
    assert fitted_order(errors[0].value, errors[1].value) == pytest.approx(2, abs=ORDER)
    assert fitted_order(errors[0].gradient, errors[1].gradient) == pytest.approx(1, abs=ORDER)


def test_differences_keep_an_error_that_no_number_of_steps_removes(fields, exact):
    error = studies.scheme_error(fields, exact, Scheme("alternating", 400, 20))
    assert error.by_differences > 1e-4  # h/2 times second derivatives of about 1
    assert error.gradient < error.by_differences / 2


@pytest.mark.parametrize("scheme", [Scheme("alternating", 3, 4), Scheme("numeric", 5)])
def test_fields_without_velocity_have_no_error(scheme):
    made = StudyFields.make(dataclasses.replace(SETTING, size=0.0))
    error = studies.scheme_error(made, studies.exact_answers(made), scheme)
    assert error.value == 0
    assert error.gradient <= 8 * EPSILON  # hat functions added up in steps


def test_single_precision_loses_about_its_rounding_errors(fields, exact):
    error = studies.scheme_error(fields, exact, Scheme(is_single=True))
    assert 1e-8 < error.value < 64 * np.finfo(np.float32).eps  # grown by the conditioning of the flow
    assert error.gradient < 1e-3


def test_precision_errors_are_those_of_the_whole_map_for_any_number_of_threads():
    told = []
    errors = studies.precision_errors(SMALL, 3, 2, 1, told.append)
    assert errors == studies.precision_errors(SMALL, 3, 2, 2)
    assert [len(row) for row in errors.alternating] == [2, 2, 2]
    made = StudyFields.make(SMALL)
    exact = studies.exact_answers(made)
    assert errors.alternating[2][1] == studies.scheme_error(made, exact, Scheme("alternating", 3, 2))
    assert errors.runge_kutta[1] == studies.scheme_error(made, exact, Scheme("numeric", 2))
    assert errors.displacement > 0
    assert told == sorted(told)
    assert told[-1] == 1


def test_precision_times_go_as_far_as_the_map():
    times = studies.precision_times(SMALL, 2, 1)
    methods = [each.scheme.method for each in times]
    assert methods == ["exact", *["alternating"] * 2, *["numeric"] * len(studies.RUNGE_KUTTA_STEPS)]
    assert all(each.forward > 0 and each.gradient > 0 for each in times)


# --- scaling and squaring ----------------------------------------------------------------------------------


def sine_error(amplitude, points, squarings):
    """On 256 cells that follow a sine: smooth as far as the grid of points can tell."""
    setting = StudySetting(source="ones", fields=1, points=points, cells=256, basis="sparse", is_grid=True)
    x = np.linspace(0, 1, 257)
    made = dataclasses.replace(StudyFields.make(setting), velocities=amplitude * np.sin(2 * np.pi * x)[None])
    moved = Scheme("scaling-squaring", squarings=squarings).flow(made.velocities, made.points)
    return math.sqrt(np.mean((moved - Scheme().flow(made.velocities, made.points)) ** 2))


def added_errors(amplitude, points, squarings):
    """What each squaring adds to the error."""
    errors = [sine_error(amplitude, points, count) for count in squarings]
    return [after - before for before, after in itertools.pairwise(errors)]


# Of N compositions the k-th interpolates what is bent in proportion to 2^(k-N), and its error is doubled
# N-1-k times: each counts as much as the others, until a step goes less far than the next point.


def test_squarings_add_as_much_each_while_steps_go_farther_than_the_points_are_apart():
    other_terms = 0.3  # where between its nodes a position lies is not the same for all steps
    second, *others = added_errors(0.3, 129, range(1, 6))  # the last step goes 1.2 spacings
    np.testing.assert_allclose(np.array(others) / second, 1, atol=other_terms)


def test_squarings_add_half_as_much_as_the_one_before_afterwards():
    other_terms = 0.03
    added = np.array(added_errors(0.05, 33, range(4, 9)))
    np.testing.assert_allclose(added[1:] / added[:-1], 0.5, atol=other_terms)


def test_the_error_of_squaring_falls_with_the_square_of_the_spacing():
    another_grid = 0.25  # nodes and positions meet elsewhere
    assert fitted_order(sine_error(0.3, 33, 1), sine_error(0.3, 129, 1)) == pytest.approx(2, abs=another_grid)


def test_squaring_errors_are_none_without_squarings_or_velocity_for_any_number_of_threads():
    errors = studies.squaring_errors(GRID, (0, 1), 3, 1)
    assert errors == studies.squaring_errors(GRID, (0, 1), 3, 2)
    assert all(row[0] == studies.SquaringError(0, 0, 0, 0) for row in errors.sizes)
    assert all(error.value == 0 for error in errors.sizes[0])
    assert errors.displacements[0] == 0 < errors.displacements[1]
    for error in errors.sizes[1][1:]:
        assert 0 < error.value <= error.largest_value
        assert 0 < error.gradient <= error.largest_gradient


def test_gradients_of_grids_are_those_of_differences():
    made, scheme, step = StudyFields.make(GRID), Scheme("scaling-squaring", squarings=3), 1e-7
    moved = scheme.flow(made.velocities + step * made.space.vertex_basis[:, 1], made.points)
    differences = (moved - scheme.flow(made.velocities, made.points)) / step
    tolerance = 1e-5  # the step times second derivatives of about 10, where no node is passed
    np.testing.assert_allclose(
        studies.theta_jacobian_of_grids(made, scheme)[..., 1], differences, atol=tolerance
    )


def test_squaring_times_are_of_every_size_and_number():
    told = []
    times = studies.squaring_times(GRID, (0, 1), 3, 25, None, told.append)
    assert [len(row) for row in times] == [4, 4]
    assert all(each.forward > 0 and each.gradient > 0 for row in times for each in row)
    assert told == [pytest.approx((turn + 1) / 10) for turn in range(10)]


def test_the_sweep_varies_points_cells_and_warps():
    times = studies.timing_sweep(1)
    assert {each.varied for each in times} == {"points", "cells", "warps"}
    assert sum((each.cells, each.points, each.warps) == (30, 1000, 40) for each in times) == 3
