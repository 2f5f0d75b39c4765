"""What holds for flows and their derivatives through Python, whatever the field."""

import numpy as np
import pytest

import diffeo

# Central differences with a step of 1e-6: about eps^(2/3) in relative terms, times the derivatives' size.
STEP = 1e-6
DIFFERENCE_TOLERANCE = 2e-7
METHODS = [
    ("exact", {}),
    ("numeric", {"steps": 20}),
    ("alternating", {"steps": 5, "inner_steps": 4}),
    ("scaling-squaring", {"squarings": 3}),
]


@pytest.fixture
def problem(rng):
    """Generic fields, points and times: no point on a vertex, none at rest."""
    return {
        "velocities": rng.uniform(-0.5, 1.0, (4, 7)),
        "points": np.sort(rng.uniform(-0.2, 1.2, (4, 9)), axis=1),
        "time": rng.uniform(-1.0, 1.0, 4),
    }


def difference(function, arguments, name, direction):
    """The directional central difference of function(**arguments) along one argument."""
    ahead = function(**{**arguments, name: arguments[name] + STEP * direction})
    behind = function(**{**arguments, name: arguments[name] - STEP * direction})
    return (ahead - behind) / (2 * STEP)


@pytest.mark.parametrize(("method", "options"), METHODS)
@pytest.mark.parametrize("name", ["velocities", "points", "time"])
def test_vector_jacobian_products_agree_with_differences(method, options, name, problem, rng):
    cotangents = rng.normal(size=(4, 9))
    gradients = diffeo.flow_vjp(**problem, cotangents=cotangents, method=method, **options)

    def loss(**arguments):
        return (cotangents * diffeo.flow(**arguments, method=method, **options)).sum()

    for _ in range(5):
        direction = rng.normal(size=problem[name].shape)
        expected = difference(loss, problem, name, direction)
        found = (getattr(gradients, name) * direction).sum()
        assert found == pytest.approx(expected, rel=1e-6, abs=20 * DIFFERENCE_TOLERANCE)


@pytest.mark.parametrize(
    ("name", "tangent"),
    [("velocities", "velocity_tangents"), ("points", "point_tangents"), ("time", "time_tangent")],
)
def test_jacobian_vector_products_agree_with_differences(name, tangent, problem, rng):
    direction = rng.normal(size=problem[name].shape)
    expected = difference(diffeo.flow, problem, name, direction)
    found = diffeo.flow_jvp(**problem, **{tangent: direction})
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=10 * DIFFERENCE_TOLERANCE)


def test_tangents_add_up(problem, rng):
    tangents = {
        "velocity_tangents": rng.normal(size=(4, 7)),
        "point_tangents": rng.normal(size=(4, 9)),
        "time_tangent": rng.normal(size=4),
    }
    parts = sum(diffeo.flow_jvp(**problem, **{name: value}) for name, value in tangents.items())
    np.testing.assert_allclose(diffeo.flow_jvp(**problem, **tangents), parts, rtol=1e-12, atol=1e-13)
    assert not diffeo.flow_jvp(**problem).any()


def test_products_from_both_sides_are_adjoint(problem, rng):
    cotangents = rng.normal(size=(4, 9))
    tangents = {
        "velocities": rng.normal(size=(4, 7)),
        "points": rng.normal(size=(4, 9)),
        "time": rng.normal(size=4),
    }
    gradients = diffeo.flow_vjp(**problem, cotangents=cotangents)
    pulled = sum((getattr(gradients, name) * tangent).sum() for name, tangent in tangents.items())
    pushed = diffeo.flow_jvp(
        **problem,
        velocity_tangents=tangents["velocities"],
        point_tangents=tangents["points"],
        time_tangent=tangents["time"],
    )
    assert pulled == pytest.approx((cotangents * pushed).sum(), rel=1e-12, abs=1e-12)


def test_the_jacobian_contains_both_products(problem, rng):
    jacobian = diffeo.flow_jacobian(**problem)
    tangents, cotangents = rng.normal(size=(4, 7)), rng.normal(size=(4, 9))
    pushed = diffeo.flow_jvp(**problem, velocity_tangents=tangents)
    np.testing.assert_allclose(np.einsum("bnk,bk->bn", jacobian, tangents), pushed, rtol=1e-11, atol=1e-12)
    pulled = diffeo.flow_vjp(**problem, cotangents=cotangents).velocities
    np.testing.assert_allclose(np.einsum("bnk,bn->bk", jacobian, cotangents), pulled, rtol=1e-11, atol=1e-12)


def test_derivatives_by_time_are_the_velocity_at_the_position(problem):
    derivatives = diffeo.flow_derivatives(**problem)
    np.testing.assert_allclose(derivatives.position, diffeo.flow(**problem), rtol=1e-14, atol=1e-15)
    velocities = diffeo.velocity(problem["velocities"], derivatives.position)
    np.testing.assert_allclose(derivatives.by_time, velocities, rtol=1e-12, atol=1e-13)
    gradients = diffeo.flow_vjp(**problem, cotangents=np.ones((4, 9)))
    np.testing.assert_allclose(gradients.points, derivatives.by_point, rtol=1e-12)


def test_flows_compose(problem):
    once = diffeo.flow(**problem)
    arguments = {**problem, "points": once}
    twice = diffeo.flow(**{**problem, "time": 2 * problem["time"]})
    np.testing.assert_allclose(diffeo.flow(**arguments), twice, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_a_field_at_rest_is_the_identity_to_the_last_bit(precision, rng):
    points = rng.normal(size=1000).astype(precision)
    assert np.array_equal(diffeo.flow(np.zeros(8, precision), points, time=1e3), points)


@pytest.mark.parametrize(
    ("method", "options"), [("numeric", {"steps": 1000}), ("alternating", {"steps": 100})]
)
def test_approximate_methods_come_close_to_the_exact_one(method, options, problem):
    approximate = diffeo.flow(**problem, method=method, **options)
    np.testing.assert_allclose(approximate, diffeo.flow(**problem), atol=1e-4)


def test_documented_defaults_of_the_approximate_methods(problem):
    for method, options in [
        ("numeric", {"steps": 100}),
        ("alternating", {"steps": 10, "inner_steps": 10}),
        ("scaling-squaring", {"squarings": 8}),
    ]:
        default = diffeo.flow(**problem, method=method)
        assert np.array_equal(default, diffeo.flow(**problem, method=method, **options))


def test_the_domain_moves_and_stretches_the_field(problem):
    lower, upper = -3.0, 5.0
    width = upper - lower
    moved = diffeo.flow(
        width * problem["velocities"],
        lower + width * problem["points"],
        time=problem["time"],
        domain=(lower, upper),
    )
    np.testing.assert_allclose((moved - lower) / width, diffeo.flow(**problem), rtol=1e-12, atol=1e-13)


def test_velocity_interpolates_and_continues_beyond_the_ends():
    field = [1.0, 2.0, 0.0]
    values = diffeo.velocity(field, [2.0, 3.0, 4.0, 5.0, 6.0, 1.0, 7.0], domain=(2.0, 6.0))
    np.testing.assert_allclose(values, [1.0, 1.5, 2.0, 1.0, 0.0, 0.5, -1.0], rtol=1e-15)
