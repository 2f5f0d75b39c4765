"""What holds for log-slopes through Python, whatever the field."""

import json
from pathlib import Path

import numpy as np
import pytest

import diffeo

# Central differences with a step of 1e-6: about eps^(2/3) in relative terms, times the derivatives' size.
STEP = 1e-6
DIFFERENCE_TOLERANCE = 2e-7
# Roundings, in units of 2^-53 (or 2^-24) times the conditioning, as in tests/golden.
ROUNDINGS = 16
GOLDEN = Path(__file__).parents[1] / "golden" / "log_slope.json"


@pytest.fixture
def problem(rng):
    """Generic fields, points and times: no point on a vertex, none at rest."""
    return {
        "velocities": rng.uniform(-0.5, 1.0, (4, 7)),
        "points": np.sort(rng.uniform(-0.2, 1.2, (4, 9)), axis=1),
        "time": rng.uniform(-1.0, 1.0, 4),
    }


def test_values_are_exact():
    for case in json.loads(GOLDEN.read_text())["cases"]:
        domain = (case["xmin"], case["xmax"])
        found = diffeo.flow_log_slope(case["v"], case["x"], time=case["t"], domain=domain)
        expected = np.array(case["log_slope"])
        unit = 2.0**-53 * (np.abs(expected) + case["cond"])
        assert (np.abs(found - expected) <= ROUNDINGS * unit).all(), case["tag"]


def test_log_slopes_are_logarithms_of_derivatives_by_the_point(problem):
    derivatives = diffeo.flow_derivatives(**problem)
    log_slopes = diffeo.flow_log_slope(**problem)
    np.testing.assert_allclose(log_slopes, np.log(derivatives.by_point), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(log_slopes, derivatives.log_slope, rtol=1e-13, atol=1e-14)


def test_log_slopes_add_where_flows_compose(problem):
    first = diffeo.flow_log_slope(**problem)
    there = {**problem, "points": diffeo.flow(**problem)}
    both = diffeo.flow_log_slope(**{**problem, "time": 2 * problem["time"]})
    np.testing.assert_allclose(first + diffeo.flow_log_slope(**there), both, rtol=1e-11, atol=1e-12)


def test_log_slopes_of_the_inverse_are_negative_at_the_image(problem):
    back = diffeo.flow_log_slope(
        problem["velocities"], diffeo.flow(**problem), time=-np.asarray(problem["time"])
    )
    np.testing.assert_allclose(back, -diffeo.flow_log_slope(**problem), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "tangent"),
    [("velocities", "velocity_tangents"), ("points", "point_tangents"), ("time", "time_tangent")],
)
def test_jacobian_vector_products_agree_with_differences(name, tangent, problem, rng):
    direction = rng.normal(size=problem[name].shape)
    ahead = diffeo.flow_log_slope(**{**problem, name: problem[name] + STEP * direction})
    behind = diffeo.flow_log_slope(**{**problem, name: problem[name] - STEP * direction})
    found = diffeo.flow_log_slope_jvp(**problem, **{tangent: direction})
    np.testing.assert_allclose(
        found, (ahead - behind) / (2 * STEP), rtol=1e-6, atol=100 * DIFFERENCE_TOLERANCE
    )


def test_products_from_both_sides_are_adjoint(problem, rng):
    cotangents = rng.normal(size=(4, 9))
    tangents = {
        "velocities": rng.normal(size=(4, 7)),
        "points": rng.normal(size=(4, 9)),
        "time": rng.normal(size=4),
    }
    gradients = diffeo.flow_log_slope_vjp(**problem, cotangents=cotangents)
    pulled = sum((getattr(gradients, name) * tangent).sum() for name, tangent in tangents.items())
    pushed = diffeo.flow_log_slope_jvp(
        **problem,
        velocity_tangents=tangents["velocities"],
        point_tangents=tangents["points"],
        time_tangent=tangents["time"],
    )
    assert pulled == pytest.approx((cotangents * pushed).sum(), rel=1e-11, abs=1e-11)


def test_the_jacobian_contains_both_products(problem, rng):
    jacobian = diffeo.flow_log_slope_jacobian(**problem)
    tangents, cotangents = rng.normal(size=(4, 7)), rng.normal(size=(4, 9))
    pushed = diffeo.flow_log_slope_jvp(**problem, velocity_tangents=tangents)
    np.testing.assert_allclose(np.einsum("bnk,bk->bn", jacobian, tangents), pushed, rtol=1e-10, atol=1e-11)
    pulled = diffeo.flow_log_slope_vjp(**problem, cotangents=cotangents).velocities
    np.testing.assert_allclose(np.einsum("bnk,bn->bk", jacobian, cotangents), pulled, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_results_keep_precision_and_shape(precision):
    field, points = np.array([0.0, 0.3, 0.1], precision), np.array([0.2, 0.6], precision)
    assert diffeo.flow_log_slope(field, points).dtype == precision
    assert diffeo.flow_log_slope(field[None], points).shape == (1, 2)
    gradients = diffeo.flow_log_slope_vjp(field, points, np.ones(2, precision))
    assert gradients.velocities.dtype == gradients.points.dtype == precision
    assert gradients.velocities.shape == (3,)
    assert isinstance(gradients.time, float)


def test_only_wanted_gradients_are_given():
    gradients = diffeo.flow_log_slope_vjp([0.0, 0.3, 0.1], [0.2, 0.6], [1.0, 1.0], wanted=("velocities",))
    assert gradients.points is None
    assert gradients.time is None


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="cotangents"):
        diffeo.flow_log_slope_vjp([0.0, 0.3, 0.1], [0.2, 0.6], [1.0])
    with pytest.raises(ValueError, match="points"):
        diffeo.flow_log_slope([0.0, 0.3, 0.1], [0.2, np.nan])
    with pytest.raises(ValueError, match="point_tangents"):
        diffeo.flow_log_slope_jvp([0.0, 0.3, 0.1], [0.2, 0.6], point_tangents=[1.0])
