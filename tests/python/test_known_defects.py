"""What breaks public implementations must hold here. Cells are uniform on [0, 1] and t = 1 unless said."""

import numpy as np
import pytest

import diffeo

# The fields here are well conditioned, so a few roundings of the size of the values are all there may be.
TOLERANCE = 16 * 2.0**-53

POINTS = np.concatenate([np.linspace(-0.5, 1.5, 401), np.arange(6) / 5])
BOUNDED = [0.0, 0.7, -0.4, 0.3, 0.9, 0.0]
FREE = [0.4, 0.7, -0.4, 0.3, 0.9, -0.2]
APPROXIMATE = [("numeric", {"steps": 2000}), ("alternating", {"steps": 200}), ("scaling-squaring", {})]


def assert_close(values, expected, scale=1.0):
    np.testing.assert_allclose(values, expected, rtol=TOLERANCE, atol=TOLERANCE * scale)


def affine_flow(point, at_zero, slope, time):
    """The flow of v(x) = at_zero + slope * x."""
    return point + (at_zero + slope * point) * time * np.expm1(slope * time) / (slope * time)


def hat_integrals(cells, start, stop):
    """∫ N_j over [start, stop] for the hat functions of the vertices j/cells, inside [0, 1]."""

    def antiderivative(x):
        u = x * cells - np.arange(cells + 1)
        ramp = np.where(
            u <= -1, 0, np.where(u >= 1, 1, np.where(u < 0, (1 + u) ** 2 / 2, 1 - (1 - u) ** 2 / 2))
        )
        return ramp / cells

    return antiderivative(stop) - antiderivative(start)


@pytest.mark.parametrize("method", ["exact", "numeric", "alternating", "scaling-squaring"])
def test_time_zero_is_the_identity_with_its_gradients(method):
    assert np.array_equal(diffeo.flow(FREE, POINTS, time=0.0, method=method), POINTS)
    cotangents = np.cos(POINTS)
    gradients = diffeo.flow_vjp(FREE, POINTS, cotangents, time=0.0, method=method)
    np.testing.assert_allclose(gradients.points, cotangents, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(gradients.velocities, np.zeros(6), atol=1e-15)
    np.testing.assert_allclose(gradients.time, cotangents @ diffeo.velocity(FREE, POINTS), rtol=1e-12)


def test_time_zero_has_no_jacobian_and_moves_points_by_their_tangents():
    assert not diffeo.flow_jacobian(FREE, POINTS, time=0.0).any()
    tangents = np.sin(POINTS)
    moved = diffeo.flow_jvp(FREE, POINTS, velocity_tangents=np.ones(6), point_tangents=tangents, time=0.0)
    assert np.array_equal(moved, tangents)


def test_a_constant_field_is_a_translation():
    points = np.linspace(0, 1, 101)
    assert_close(diffeo.flow([0.3] * 6, points), points + 0.3)


def test_gradients_of_a_constant_field_are_hat_integrals():
    for point in (0.0, 0.05, 0.2, 0.33, 0.6999):
        gradients = diffeo.flow_vjp([0.3] * 6, [point], [1.0])
        assert_close(gradients.velocities, hat_integrals(5, point, point + 0.3) / 0.3)
        assert_close(gradients.points, [1.0])
        assert_close(gradients.time, 0.3)


@pytest.mark.parametrize(("a", "point", "near"), [(1e-6, 0.05, 0.350), (1.3e-7, 0.3, 0.6)])
def test_almost_constant_fields_keep_their_digits(a, point, near):
    position = diffeo.flow(0.3 + a * np.arange(6) / 5, [point])[0]
    assert_close(position, affine_flow(point, 0.3, a, 1.0))
    assert position == pytest.approx(near, abs=1e-5)


@pytest.mark.parametrize("fall", [-7.6, -200.0])
def test_the_upper_border_stays_where_the_field_pushes_hard_into_it(fall):
    assert diffeo.flow([0, 0, 0, 0, fall, 0], [1.0])[0] == 1.0


def test_the_lower_border_stays_where_the_field_pulls_hard_away_from_it():
    assert diffeo.flow([0, 50, 50, 50, 50, 0], [0.0])[0] == 0.0


def test_tiny_velocities_over_a_long_time():
    position = diffeo.flow(1e-8 * (np.arange(6) + 1), [0.3], time=1e7)[0]
    assert_close(position, affine_flow(0.3, 1e-8, 5e-8, 1e7))
    assert position == pytest.approx(0.624, abs=5e-4)


@pytest.mark.parametrize("precision", [np.float64, np.float32])
@pytest.mark.parametrize("speed", [30.0, 300.0])
@pytest.mark.parametrize("time", [1.0, -1.0])
def test_fast_fields_stay_monotone_and_inside(precision, speed, time, rng):
    velocities = (speed * rng.uniform(-1, 1, (50, 9))).astype(precision)
    velocities[:, [0, -1]] = 0
    velocities[0, 1:-1] = speed
    points = np.linspace(0, 1, 2001, dtype=precision)
    positions = diffeo.flow(velocities, points, time=time)
    assert np.diff(positions).min() >= -np.finfo(precision).eps / 2  # where neighbors meet, one rounding
    assert (positions[:, 0] == 0).all()
    assert (positions[:, -1] == 1).all()


def test_no_squarings_are_exact_to_the_last_bit():
    exact = diffeo.flow(FREE, POINTS)
    assert np.array_equal(diffeo.flow(FREE, POINTS, method="scaling-squaring", squarings=0), exact)


@pytest.mark.parametrize("squarings", [1, 3, 8])
@pytest.mark.parametrize("time", [1.0, -1.0])
def test_the_error_of_scaling_and_squaring_falls_with_the_square_of_the_spacing(squarings, time):
    field = [0.0, 0.3, 0.5, 0.4, 0.2, 0.0]

    def error(count):
        points = np.linspace(0, 1, count)
        composed = diffeo.flow(field, points, time=time, method="scaling-squaring", squarings=squarings)
        return np.abs(composed - diffeo.flow(field, points, time=time)).max()

    assert error(101) < 1e-3
    # An eighth of the spacing: 64 times less, with room for where the kinks of the flow happen to fall.
    assert error(101) / error(801) > 40


@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_reversed_and_strided_points_give_the_same_bits(precision):
    velocities = np.array(FREE, dtype=precision)
    points = np.linspace(-0.5, 1.5, 1001).astype(precision)
    positions = diffeo.flow(velocities, points)
    assert np.array_equal(diffeo.flow(velocities, points[::-1]), positions[::-1])
    assert np.array_equal(diffeo.flow(velocities, points[::3]), positions[::3])
    columns = np.asfortranarray(np.stack([points, points[::-1]]))
    both = diffeo.flow(np.stack([velocities, velocities])[:, ::1], columns)
    assert np.array_equal(both, np.stack([positions, positions[::-1]]))


def test_reversed_and_strided_velocities_give_the_same_bits():
    wide = np.zeros((2, 12))
    wide[:, ::2] = FREE
    assert np.array_equal(diffeo.flow(wide[:, ::2], POINTS), diffeo.flow([FREE, FREE], POINTS))
    backwards = np.array(FREE)[::-1]
    assert np.array_equal(diffeo.flow(backwards[::-1], POINTS), diffeo.flow(FREE, POINTS))


def test_a_batch_that_does_not_match_is_an_error():
    fields = np.zeros((3, 6))
    with pytest.raises(
        ValueError, match=r"points: expected shape \(n,\) or \(3, n\) for 3 velocity fields, got \(2, 100\)"
    ):
        diffeo.flow(fields, np.zeros((2, 100)))
    with pytest.raises(ValueError, match=r"time: expected a number or shape \(3,\), got shape \(2,\)"):
        diffeo.flow(fields, np.zeros(100), time=[1.0, 2.0])
    with pytest.raises(ValueError, match=r"cotangents: expected shape \(3, 100\), got \(3, 99\)"):
        diffeo.flow_vjp(fields, np.zeros(100), np.zeros((3, 99)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("method", ["exact", "numeric", "alternating", "scaling-squaring"])
def test_values_that_are_not_finite_are_errors(bad, method):
    with pytest.raises(ValueError, match="velocities: expected finite"):
        diffeo.flow([0.0, bad, 0.0], [0.5], method=method)
    with pytest.raises(ValueError, match="points: expected finite"):
        diffeo.flow([0.0, 1.0, 0.0], [0.5, bad], method=method)
    with pytest.raises(ValueError, match="time: expected a finite"):
        diffeo.flow([0.0, 1.0, 0.0], [0.5], time=bad, method=method)
    with pytest.raises(ValueError, match="time: expected a finite"):
        diffeo.flow([[0.0, 1.0, 0.0]] * 2, [0.5], time=[1.0, bad], method=method)
    with pytest.raises(ValueError, match="cotangents: expected finite"):
        diffeo.flow_vjp([0.0, 1.0, 0.0], [0.5], [bad], method=method)


def test_negative_time_is_the_inverse():
    there = diffeo.flow(FREE, POINTS, time=1.3)
    # The way back stretches rounding errors by 1 / (∂φ/∂x).
    stretch = 1 / diffeo.flow_derivatives(FREE, POINTS, time=1.3).by_point.min()
    assert_close(diffeo.flow(FREE, there, time=-1.3), POINTS, scale=4 * stretch)


def test_negative_time_is_the_flow_of_the_negated_field_with_its_derivatives():
    negated = -np.array(FREE)
    assert_close(diffeo.flow(FREE, POINTS, time=-0.8), diffeo.flow(negated, POINTS, time=0.8))
    assert_close(
        diffeo.flow_jacobian(FREE, POINTS, time=-0.8), -diffeo.flow_jacobian(negated, POINTS, time=0.8), 8
    )
    cotangents = np.sin(7 * POINTS)
    one = diffeo.flow_vjp(FREE, POINTS, cotangents, time=-0.8)
    other = diffeo.flow_vjp(negated, POINTS, cotangents, time=0.8)
    assert_close(one.velocities, -other.velocities, 500)
    assert_close(one.points, other.points, 8)
    assert_close(one.time, -other.time, 500)


@pytest.mark.parametrize(("method", "options"), APPROXIMATE)
def test_negative_time_works_with_every_method(method, options):
    points = np.linspace(0, 1, 4001)
    approximate = diffeo.flow(BOUNDED, points, time=-1.0, method=method, **options)
    np.testing.assert_allclose(approximate, diffeo.flow(BOUNDED, points, time=-1.0), atol=1e-4)


@pytest.mark.parametrize("zero_boundary", [True, False])
def test_the_sparse_basis_of_49_cells_spans_the_space(zero_boundary):
    space = diffeo.WarpSpace(49, zero_boundary=zero_boundary, basis="sparse")
    basis, constraints = space.affine_basis, space.constraints
    assert basis.shape == (98, 48 if zero_boundary else 50)
    assert np.linalg.matrix_rank(basis) == space.dimension
    assert np.abs(constraints @ basis).max() <= 1e-12 * np.abs(constraints).max() * np.abs(basis).max()
    assert (np.count_nonzero(basis, axis=0) <= 4).all()


def test_one_cell_is_the_flow_of_an_affine_field():
    points = np.linspace(-2, 3, 51)
    for time in (1.0, -1.0, 3.0):
        assert_close(
            diffeo.flow([0.5, -0.25], points, time=time), affine_flow(points, 0.5, -0.75, time), scale=40
        )
    assert diffeo.WarpSpace(1, zero_boundary=False).dimension == 2
    with pytest.raises(ValueError, match="zero_boundary"):
        diffeo.WarpSpace(1)


@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_points_far_outside_the_domain_follow_the_last_cell(precision):
    far = np.array([1e30, -1e30], dtype=precision)
    roundings = 16 * np.finfo(precision).eps

    def moved(velocities):
        return diffeo.flow(np.array(velocities, dtype=precision), far)

    np.testing.assert_allclose(moved([0.3] * 6), far, rtol=roundings)
    np.testing.assert_allclose(moved([0.0, 1.0]), far * np.exp(1.0), rtol=roundings)
    np.testing.assert_allclose(moved([0.0, 0.5, 0.0]), far * np.exp([-1.0, 1.0]), rtol=roundings)
