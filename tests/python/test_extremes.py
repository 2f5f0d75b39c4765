"""Values that overflow, velocities far below their neighbors': infinite only in truth, NaN never."""

import numpy as np
import pytest

import diffeo

SINGLE, DOUBLE = np.float32, np.float64


@pytest.mark.parametrize("precision", [SINGLE, DOUBLE])
@pytest.mark.parametrize(
    ("velocities", "point", "time", "by_velocity"),
    [
        # φ = x + v(x) t E(s t), s t about 1000: the factor of e^(s t) decides the sign of each derivative.
        ([0.2, 105.2], 0.0, 10.0, [-np.inf, np.inf]),
        ([0.0, -167.0], 0.0045, -10.0, [np.inf, -np.inf]),
        ([312.0, 1e-6], 1.0, -1000.0, [-np.inf, -np.inf]),
    ],
)
def test_derivatives_of_an_overflowing_flow_are_infinite_and_never_nan(
    precision, velocities, point, time, by_velocity
):
    field, points = np.array(velocities, precision), np.array([point], precision)
    assert diffeo.flow_jacobian(field, points, time=time)[0].tolist() == by_velocity
    gradients = diffeo.flow_vjp(field, points, np.ones(1, precision), time=time)
    assert gradients.velocities.tolist() == by_velocity


@pytest.mark.parametrize(
    ("velocities", "position"),
    [
        ([1e10, 2e10], np.inf),
        ([-1e10, 0.0], -np.inf),
        ([1e10, -1e10], 0.5),
        ([1e-10, 2e-10], np.inf),
    ],
)
def test_times_of_any_size_give_no_nan(velocities, position):
    assert diffeo.flow(velocities, [0.4], time=1e300)[0] == position


@pytest.mark.parametrize(
    ("precision", "slow"),
    [
        (SINGLE, 3e-7),
        (SINGLE, 1e-7),
        (SINGLE, 1e-9),
        (DOUBLE, 1e-15),
        (DOUBLE, 3e-16),
        (DOUBLE, 1e-18),
    ],
)
def test_a_point_on_the_last_vertex_leaves_it_however_slowly(precision, slow):
    # From 1 to 1/2 in a time of log(2 / slow) / 4 at most, then towards the zero of 0.1 - 4.2 x.
    field = np.array([0.1, -2.0, -slow], precision)
    position = diffeo.flow(field, np.array([1.0], precision), time=25.0)[0]
    assert position == pytest.approx(0.1 / 4.2, rel=16 * float(np.finfo(precision).eps))


@pytest.mark.parametrize(("precision", "slow"), [(SINGLE, 1e-7), (SINGLE, 1e-9), (DOUBLE, 1e-18)])
def test_a_point_on_the_first_vertex_leaves_it_however_slowly(precision, slow):
    field = np.array([slow, 2.0, -0.1], precision)
    position = diffeo.flow(field, np.array([0.0], precision), time=25.0)[0]
    assert position == pytest.approx(1 - 0.1 / 4.2, rel=16 * float(np.finfo(precision).eps))


@pytest.mark.parametrize("slow", [1e-10, 1e-12, 1e-15])
def test_gradients_from_a_slow_vertex_are_finite_where_they_are_in_truth(slow):
    field = np.array([-1.0, slow, 10.0, 1.0, 2.0])
    exact = diffeo.flow_jacobian(field, [0.25], time=10.0)[0]
    assert np.abs(exact).max() < np.finfo(SINGLE).max
    single, point = field.astype(SINGLE), np.array([0.25], SINGLE)
    assert not diffeo.flow_vjp(single, point, np.zeros(1, SINGLE), time=10.0).velocities.any()
    gradients = diffeo.flow_vjp(single, point, np.ones(1, SINGLE), time=10.0)
    assert np.isfinite(gradients.velocities).all()


def test_a_flow_that_overflows_is_infinite_with_its_derivatives_by_point_and_time():
    position, by_point, by_time, log_slope = diffeo.flow_derivatives([0.0, 1000.0], [0.5, 0.0, -0.5])
    assert log_slope.tolist() == [1000.0] * 3
    assert position.tolist() == [np.inf, 0.0, -np.inf]
    assert by_point.tolist() == [np.inf] * 3
    assert by_time.tolist() == [np.inf, 0.0, -np.inf]


def test_a_weight_of_zero_on_what_overflows_counts_for_nothing():
    gradients = diffeo.flow_vjp([0.2, 105.2], [0.0, 0.1], [0.0, 0.0], time=10.0)
    assert gradients.velocities.tolist() == [0.0, 0.0]
    assert gradients.points.tolist() == [0.0, 0.0]
    assert gradients.time == 0.0
