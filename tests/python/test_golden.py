"""The flow and its derivatives against vectors computed with 150 digits."""

import numpy as np
import pytest

import diffeo

# A backward-stable evaluation stays within a small multiple of the unit roundoff times the conditioning.
ROUNDINGS = 16
ROUNDINGS_OVER_HUNDREDS_OF_CELLS = 8 * ROUNDINGS
# Derivatives are compared with the largest of their row: entries far smaller than it come from cancellation.
DERIVATIVE_TOLERANCE = 1e-9


def assert_near(values, expected, tolerance, where):
    """Infinity expected means that the truth overflows; exactly 0 may stand for 0 · ∞ there."""
    assert not np.isnan(values).any(), where
    overflow = np.isinf(expected)
    assert (np.isinf(values) | (values == 0))[overflow].all(), where
    error = np.abs(np.where(overflow, 0, values) - np.where(overflow, 0, expected))
    tolerance = np.broadcast_to(tolerance, error.shape)
    assert (error <= np.where(overflow, np.inf, tolerance)).all(), (where, error, tolerance)


def largest(values):
    """The largest finite magnitude of each row."""
    return np.where(np.isfinite(values), np.abs(values), 0).max(axis=-1, keepdims=True)


@pytest.mark.parametrize(("precision", "roundoff"), [(np.float64, 2.0**-53), (np.float32, 2.0**-24)])
def test_positions_are_exact(golden_cases, precision, roundoff):
    for case in golden_cases:
        points = case.points.astype(precision)
        positions = diffeo.flow(case.velocities.astype(precision), points, time=case.time, domain=case.domain)
        assert positions.dtype == precision
        # Rounding such a point moves it onto the border, where it is fixed: another input, not an error.
        kept = ~((np.abs(case.points) < 1) & (np.abs(points) == 1))
        many = case.tag == "large_constant_crossing_all"
        width = case.domain[1] - case.domain[0]
        tolerance = (
            (ROUNDINGS_OVER_HUNDREDS_OF_CELLS if many else ROUNDINGS)
            * roundoff
            * (np.abs(case.positions) + case.conditions + width)
        )
        assert_near(
            positions.astype(float)[kept], case.positions[kept], tolerance[kept], (case.tag, case.time)
        )


def test_jacobians_are_exact(golden_cases):
    for case in golden_cases:
        jacobian = diffeo.flow_jacobian(case.velocities, case.points, time=case.time, domain=case.domain)
        tolerance = DERIVATIVE_TOLERANCE * largest(case.by_velocity)
        assert_near(jacobian, case.by_velocity, tolerance, (case.tag, case.time))


def test_derivatives_by_point_and_time_are_exact(golden_cases):
    for case in golden_cases:
        position, by_point, by_time, _ = diffeo.flow_derivatives(
            case.velocities, case.points, time=case.time, domain=case.domain
        )
        assert position.shape == case.points.shape
        where = (case.tag, case.time)
        finite = np.where(np.isfinite(case.by_point), case.by_point, 0)
        assert_near(by_point, case.by_point, DERIVATIVE_TOLERANCE * np.abs(finite), where)
        assert_near(by_time, case.by_time, DERIVATIVE_TOLERANCE * largest(case.by_time), where)


def test_vector_jacobian_products_are_exact(golden_cases):
    for case in golden_cases:
        for i, point in enumerate(case.points):
            gradients = diffeo.flow_vjp(case.velocities, [point], [1.0], time=case.time, domain=case.domain)
            where = (case.tag, case.time, point)
            tolerance = DERIVATIVE_TOLERANCE * largest(case.by_velocity[i])
            assert_near(gradients.velocities, case.by_velocity[i], tolerance, where)
            assert_near(
                np.array([gradients.time]),
                case.by_time[i : i + 1],
                DERIVATIVE_TOLERANCE * largest(case.by_time),
                where,
            )
