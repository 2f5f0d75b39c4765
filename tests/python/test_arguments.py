"""Shapes, precisions, memory layouts and the errors for what does not fit."""

import inspect
import tracemalloc

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import diffeo

FIELD = np.array([0.1, 0.4, -0.3, 0.2])
FIELDS = np.array([[0.1, 0.4, -0.3, 0.2], [0.0, 0.5, 0.5, 0.0], [0.3, 0.3, 0.3, 0.3]])
POINTS = np.linspace(-0.2, 1.2, 7)
SERIES = np.sin(np.arange(3 * 2 * 11, dtype=float)).reshape(3, 2, 11)


def stacked(function, fields=FIELDS, points=POINTS):
    """`function` for one field at a time."""
    return np.stack([function(field, points) for field in fields])


# --- shapes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [diffeo.flow, diffeo.velocity])
def test_one_field_gives_results_without_a_batch_axis(function):
    assert function(FIELD, POINTS).shape == (7,)
    assert function(FIELD[np.newaxis], POINTS).shape == (1, 7)
    assert function(FIELD[np.newaxis], POINTS[np.newaxis]).shape == (1, 7)


def test_the_jacobian_and_derivatives_follow_the_shape_of_the_flow():
    assert diffeo.flow_jacobian(FIELD, POINTS).shape == (7, 4)
    assert diffeo.flow_jacobian(FIELDS, POINTS).shape == (3, 7, 4)
    assert diffeo.flow_log_slope_jacobian(FIELD, POINTS).shape == (7, 4)
    assert diffeo.flow_log_slope_jacobian(FIELDS, POINTS).shape == (3, 7, 4)
    assert [part.shape for part in diffeo.flow_derivatives(FIELD, POINTS)] == [(7,)] * 4
    assert [part.shape for part in diffeo.flow_derivatives(FIELDS, POINTS)] == [(3, 7)] * 4


@pytest.mark.parametrize("function", [diffeo.flow, diffeo.velocity, diffeo.flow_jvp, diffeo.flow_jacobian])
def test_shared_points_mean_the_same_as_repeated_ones(function):
    repeated = np.tile(POINTS, (3, 1))
    assert np.array_equal(function(FIELDS, POINTS), function(FIELDS, repeated))
    assert np.array_equal(function(FIELDS, POINTS), stacked(function))


def test_one_time_means_the_same_as_a_repeated_one():
    assert np.array_equal(diffeo.flow(FIELDS, POINTS, time=0.7), diffeo.flow(FIELDS, POINTS, time=[0.7] * 3))
    times = [0.7, -1.0, 0.0]
    expected = np.stack([diffeo.flow(f, POINTS, time=t) for f, t in zip(FIELDS, times, strict=True)])
    assert np.array_equal(diffeo.flow(FIELDS, POINTS, time=times), expected)


@pytest.mark.parametrize("time", [1, True, np.float32(1), np.array(1.0), np.int64(1)])
def test_time_may_be_any_kind_of_number(time):
    assert np.array_equal(diffeo.flow(FIELD, POINTS, time=time), diffeo.flow(FIELD, POINTS))
    assert type(diffeo.flow_vjp(FIELD, POINTS, POINTS, time=time).time) is float


def test_gradients_have_the_shape_of_their_argument():
    cotangents = np.ones((3, 7))
    own = diffeo.flow_vjp(FIELDS, np.tile(POINTS, (3, 1)), cotangents, time=[1.0] * 3)
    assert own.velocities.shape == (3, 4)
    assert own.points.shape == (3, 7)
    assert own.time.shape == (3,)
    shared = diffeo.flow_vjp(FIELDS, POINTS, cotangents)
    assert shared.velocities.shape == (3, 4)
    assert shared.points.shape == (7,)
    assert type(shared.time) is float
    np.testing.assert_allclose(shared.points, own.points.sum(axis=0), rtol=1e-14)
    np.testing.assert_allclose(shared.time, own.time.sum(), rtol=1e-14)
    assert np.array_equal(shared.velocities, own.velocities)
    one = diffeo.flow_vjp(FIELD, POINTS, np.ones(7))
    assert one.velocities.shape == (4,)
    assert one.points.shape == (7,)


def test_a_batch_of_one_with_shared_points_keeps_their_shape():
    gradients = diffeo.flow_vjp(FIELDS[:1], POINTS, np.ones((1, 7)), time=[1.0])
    assert gradients.velocities.shape == (1, 4)
    assert gradients.points.shape == (7,)
    assert gradients.time.shape == (1,)


def test_no_points_give_empty_results():
    assert diffeo.flow(FIELDS, []).shape == (3, 0)
    assert diffeo.velocity(FIELD, []).shape == (0,)
    assert diffeo.flow_jacobian(FIELDS, np.empty((3, 0))).shape == (3, 0, 4)
    assert diffeo.flow_jvp(FIELDS, []).shape == (3, 0)
    assert diffeo.sample(SERIES, []).shape == (3, 2, 0)
    for method in ("exact", "numeric", "alternating", "scaling-squaring"):
        assert diffeo.flow(FIELD, [], method=method).shape == (0,)
        gradients = diffeo.flow_vjp(FIELDS, [], np.empty((3, 0)), method=method)
        assert np.array_equal(gradients.velocities, np.zeros((3, 4)))
        assert gradients.points.shape == (0,)
        assert gradients.time == 0.0


def test_series_results_have_the_axes_of_the_series():
    positions = np.linspace(0, 1, 5)
    whole = diffeo.sample(SERIES, positions)
    assert whole.shape == (3, 2, 5)
    assert np.array_equal(diffeo.sample(SERIES[:, 0], positions), whole[:, 0])
    assert np.array_equal(diffeo.sample(SERIES[0, 0], positions), whole[0, 0])
    warped = diffeo.warp(SERIES, FIELDS, length=6)
    assert warped.shape == (3, 2, 6)
    assert np.array_equal(diffeo.warp(SERIES[:, 0], FIELDS, length=6), warped[:, 0])
    assert np.array_equal(diffeo.warp(SERIES[1, 0], FIELDS[1], length=6), warped[1, 0])


# --- precision ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [np.float16, np.float32, np.float64, np.int32, np.uint8, np.bool_])
@pytest.mark.parametrize("second", [np.float32, np.float64, np.int64])
def test_results_are_single_only_where_every_array_is(first, second):
    field = np.array([0, 1, 1, 0]).astype(first)
    points = np.array([0, 1]).astype(second)
    single = {np.dtype(first), np.dtype(second)} <= {np.dtype(np.float16), np.dtype(np.float32)}
    expected = np.float32 if single else np.float64
    assert diffeo.flow(field, points).dtype == expected
    assert diffeo.velocity(field, points).dtype == expected
    assert diffeo.sample(field, points).dtype == expected
    gradients = diffeo.flow_vjp(field, points, points)
    assert gradients.velocities.dtype == expected
    assert gradients.points.dtype == expected


def test_time_is_always_double_and_does_not_decide_the_precision():
    field, points = FIELDS.astype(np.float32), POINTS.astype(np.float32)
    assert diffeo.flow(field, points, time=np.ones(3)).dtype == np.float32
    gradients = diffeo.flow_vjp(field, points, np.ones((3, 7), np.float32), time=np.ones(3, np.float32))
    assert gradients.time.dtype == np.float64


def test_warps_keep_the_precision_of_their_arrays():
    single = SERIES.astype(np.float32)
    assert diffeo.warp(single, FIELDS.astype(np.float32)).dtype == np.float32
    assert diffeo.warp(single, FIELDS).dtype == np.float64
    space = diffeo.WarpSpace(3)
    assert space.velocities(np.zeros((2, 2), np.float32)).dtype == np.float32
    assert space.theta(np.zeros((2, 4), np.float32)).dtype == np.float32
    assert space.velocities([0, 0]).dtype == np.float64


# --- memory ------------------------------------------------------------------------------------------------


def unaligned(array):
    raw = np.zeros(array.nbytes + 1, np.uint8)
    view = raw[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    assert not view.flags.aligned
    return view


@pytest.mark.parametrize(
    "layout",
    [
        np.asfortranarray,
        lambda array: array.astype(array.dtype.newbyteorder()),
        unaligned,
        lambda array: np.repeat(array, 2, axis=-1)[..., ::2],
        lambda array: array[..., ::-1].copy()[..., ::-1],
        lambda array: array.tolist(),
        lambda array: np.broadcast_to(array, array.shape),
    ],
    ids=["fortran", "byte-swapped", "unaligned", "strided", "reversed", "list", "read-only"],
)
def test_the_memory_layout_of_arguments_does_not_matter(layout):
    points = np.tile(POINTS, (3, 1))
    cotangents = np.cos(points)
    expected = diffeo.flow_vjp(FIELDS, points, cotangents, time=[1.0, 2.0, -1.0])
    gradients = diffeo.flow_vjp(
        layout(FIELDS), layout(points), layout(cotangents), time=layout(np.array([1.0, 2.0, -1.0]))
    )
    for one, other in zip(gradients, expected, strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(diffeo.warp(layout(SERIES), layout(FIELDS)), diffeo.warp(SERIES, FIELDS))
    assert np.array_equal(diffeo.sample(layout(SERIES), layout(points)), diffeo.sample(SERIES, points))


def test_arguments_are_never_modified():
    arrays = {"velocities": FIELDS.copy(), "points": np.tile(POINTS, (3, 1)), "series": SERIES.copy()}
    cotangents = {"flow": np.ones((3, 7)), "sample": np.ones((3, 2, 7)), "warp": np.ones((3, 2, 11))}
    times = np.ones(3)
    given_arrays = [*arrays.values(), *cotangents.values(), times]
    before = [array.copy() for array in given_arrays]
    field, points, series = arrays.values()
    diffeo.flow(field, points, time=times)
    diffeo.flow_vjp(field, points, cotangents["flow"], time=times)
    diffeo.flow_vjp(field, points, cotangents["flow"], time=times, method="scaling-squaring")
    diffeo.flow_jvp(
        field, points, velocity_tangents=field, point_tangents=points, time_tangent=times, time=times
    )
    diffeo.flow_jacobian(field, points, time=times)
    diffeo.sample_vjp(series, points, cotangents["sample"], grid=np.arange(11.0))
    diffeo.warp_vjp(series, field, cotangents["warp"], time=times)
    diffeo.WarpSpace(3).theta(field)
    for array, original in zip(given_arrays, before, strict=True):
        assert np.array_equal(array, original)


def test_contiguous_arrays_are_not_copied():
    points = np.linspace(0, 1, 1_000_000)
    diffeo.flow(FIELD, points)
    tracemalloc.start()
    try:
        positions = diffeo.flow(FIELD, points)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.2 * positions.nbytes  # the result itself, and nothing else of that size


def test_results_do_not_share_memory_with_arguments():
    assert not np.shares_memory(diffeo.flow(FIELD, POINTS, time=0.0), POINTS)
    series = SERIES[0, 0]
    assert not np.shares_memory(diffeo.warp(series, np.zeros(4)), series)


@given(
    data=st.data(),
    batch=st.integers(1, 4),
    cells=st.integers(1, 9),
    count=st.integers(0, 40),
    precision=st.sampled_from([np.float32, np.float64]),
    shared=st.booleans(),
)
def test_any_strides_give_the_bits_of_contiguous_arrays(data, batch, cells, count, precision, shared):
    def array_of(*shape):
        """An array of that shape cut out of a larger one with steps of either sign, and a plain copy."""
        steps = [data.draw(st.sampled_from([-3, -2, -1, 1, 2, 3])) for _ in shape]
        larger = [extent * abs(step) for extent, step in zip(shape, steps, strict=True)]
        order = data.draw(st.sampled_from("CF"))
        block = data.draw(hnp.arrays(precision, larger, elements=st.floats(-2, 2, width=16)))
        view = np.array(block, order=order)[tuple(slice(None, None, step) for step in steps)]
        assert view.shape == shape
        return view, np.ascontiguousarray(view)

    field, plain_field = array_of(batch, cells + 1)
    points, plain_points = array_of(count) if shared else array_of(batch, count)
    assert np.array_equal(diffeo.flow(field, points), diffeo.flow(plain_field, plain_points))
    cotangents, plain_cotangents = array_of(batch, count)
    gradients = diffeo.flow_vjp(field, points, cotangents)
    for one, other in zip(
        gradients, diffeo.flow_vjp(plain_field, plain_points, plain_cotangents), strict=True
    ):
        assert np.array_equal(one, other)


# --- errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, POINTS), r"velocities: expected shape \(cells \+ 1,\) or \(batch, cells \+ 1\), got \(\)"),
        ((np.zeros((2, 3, 4)), POINTS), r"velocities: expected shape .* got \(2, 3, 4\)"),
        (([], POINTS), r"velocities: .* got \(0,\)"),
        ((np.zeros((0, 4)), POINTS), r"velocities: .* got \(0, 4\)"),
        (([0.5], POINTS), "velocities: expected at least 2"),
        ((np.zeros(65538), POINTS), "cells: expected 1 to 65536, got 65537"),
        ((FIELD, 0.5), r"points: expected shape \(n,\) for one velocity field, got \(\)"),
        ((FIELD, POINTS[np.newaxis]), r"points: expected shape \(n,\) for one velocity field, got \(1, 7\)"),
        (
            (FIELDS, np.zeros((2, 7))),
            r"points: expected shape \(n,\) or \(3, n\) for 3 velocity fields, got \(2, 7\)",
        ),
        ((FIELDS[:1], np.zeros((2, 7))), r"points: .* for 1 velocity field, got \(2, 7\)"),
        ((FIELDS, np.zeros((3, 1, 7))), r"points: .* got \(3, 1, 7\)"),
        (([[0.1], [0.2, 0.3]], POINTS), "velocities: expected an array of numbers"),
    ],
)
@pytest.mark.parametrize(
    "function",
    [diffeo.flow, diffeo.velocity, diffeo.flow_jacobian, diffeo.flow_derivatives, diffeo.flow_log_slope],
)
def test_shapes_that_do_not_fit_are_named(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)


@pytest.mark.parametrize(
    "bad", [[1j], ["a"], [None], [b"x"], np.array(["2024-01-01"], "datetime64[D]"), np.ones(2, np.longdouble)]
)
def test_what_is_no_real_number_is_a_type_error_that_names_the_argument(bad):
    with pytest.raises(TypeError, match="velocities: expected"):
        diffeo.flow(bad, POINTS)
    with pytest.raises(TypeError, match="points: expected"):
        diffeo.flow(FIELD, bad)
    with pytest.raises(TypeError, match="cotangents: expected"):
        diffeo.flow_vjp(FIELD, POINTS, bad)
    with pytest.raises(TypeError, match="time: expected"):
        diffeo.flow(FIELD, POINTS, time=bad)
    with pytest.raises(TypeError, match="series: expected"):
        diffeo.warp(bad, FIELD)
    with pytest.raises(TypeError, match="grid: expected"):
        diffeo.sample(SERIES, POINTS, grid=bad)
    with pytest.raises(TypeError, match="theta: expected"):
        diffeo.WarpSpace(3).velocities(bad)


def test_masked_arrays_are_refused_rather_than_unmasked():
    with pytest.raises(TypeError, match="series: expected a plain array"):
        diffeo.warp(np.ma.masked_invalid([1.0, np.nan]), [0.0, 0.0])


@pytest.mark.parametrize("threads", [0, -1, 1.0, 2.5, "2", True, [1]])
def test_a_number_of_threads_that_is_none_is_an_error(threads):
    for call in (
        lambda: diffeo.flow(FIELD, POINTS, threads=threads),
        lambda: diffeo.flow_vjp(FIELD, POINTS, POINTS, threads=threads),
        lambda: diffeo.velocity(FIELD, POINTS, threads=threads),
        lambda: diffeo.sample(SERIES, POINTS, threads=threads),
        lambda: diffeo.warp(SERIES, FIELD, threads=threads),
    ):
        with pytest.raises(ValueError, match="threads: expected a whole number of at least 1, got"):
            call()


@pytest.mark.parametrize(
    "domain", [(1.0, 0.0), (0.5, 0.5), (0.0, np.inf), (np.nan, 1.0), (-1e308, 1e308), (0.0,), 1.0]
)
def test_a_domain_that_is_none_is_an_error(domain):
    with pytest.raises(ValueError, match="domain: expected"):
        diffeo.flow(FIELD, POINTS, domain=domain)
    with pytest.raises(ValueError, match="domain: expected"):
        diffeo.WarpSpace(4, domain=domain)


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("exact", {"steps": 3}, "steps: expected none with method 'exact'"),
        ("exact", {"squarings": 3}, "squarings: expected none with method 'exact'"),
        ("numeric", {"squarings": 3}, "squarings: expected none with method 'numeric'"),
        ("numeric", {"inner_steps": 3}, "inner_steps: expected none with method 'numeric'"),
        ("alternating", {"squarings": 3}, "squarings: expected none with method 'alternating'"),
        ("scaling-squaring", {"steps": 3}, "steps: expected none with method 'scaling-squaring'"),
        ("numeric", {"steps": 0}, "steps: expected"),
        ("numeric", {"steps": 2.0}, "steps: expected"),
        ("numeric", {"steps": 10**7}, "steps: expected"),
        ("alternating", {"inner_steps": -1}, "inner_steps: expected"),
        ("scaling-squaring", {"squarings": -1}, "squarings: expected"),
        ("scaling-squaring", {"squarings": 31}, "squarings: expected"),
        (
            "closed",
            {},
            "method: expected one of 'exact', 'numeric', 'alternating', 'scaling-squaring', got 'closed'",
        ),
        (None, {}, "method: expected one of"),
    ],
)
def test_options_that_a_method_does_not_take_are_errors(method, options, message):
    with pytest.raises(ValueError, match=message):
        diffeo.flow(FIELD, POINTS, method=method, **options)
    with pytest.raises(ValueError, match=message):
        diffeo.flow_vjp(FIELD, POINTS, POINTS, method=method, **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: diffeo.flow_jvp(FIELDS, POINTS, velocity_tangents=FIELD),
            r"velocity_tangents: expected shape \(3, 4\)",
        ),
        (
            lambda: diffeo.flow_jvp(FIELDS, POINTS, point_tangents=np.ones((3, 7))),
            r"point_tangents: expected shape \(7,\)",
        ),
        (lambda: diffeo.flow_jvp(FIELDS, POINTS, time_tangent=[1.0] * 3), "time_tangent: expected a number"),
        (lambda: diffeo.flow_jvp(FIELDS, POINTS, time_tangent=np.nan), "time tangent: expected"),
        (lambda: diffeo.flow(FIELD, POINTS, time=[1.0]), r"time: expected a number, got shape \(1,\)"),
        (
            lambda: diffeo.flow_vjp(FIELD, POINTS, np.ones((1, 7))),
            r"cotangents: expected shape \(7,\), got \(1, 7\)",
        ),
        (lambda: diffeo.sample(1.0, POINTS), r"series: expected shape \(time,\), .* got \(\)"),
        (lambda: diffeo.sample(np.zeros((2, 0)), POINTS), r"series: .* got \(2, 0\)"),
        (lambda: diffeo.sample(SERIES[np.newaxis], POINTS), r"series: .* got \(1, 3, 2, 11\)"),
        (
            lambda: diffeo.sample(SERIES, np.zeros((2, 7))),
            r"positions: expected shape \(n,\) or \(3, n\) for 3 series, got \(2, 7\)",
        ),
        (
            lambda: diffeo.sample(SERIES[0, 0], np.zeros((1, 7))),
            r"positions: expected shape \(n,\) for one series",
        ),
        (lambda: diffeo.sample(SERIES, [np.nan]), "positions: expected finite"),
        (lambda: diffeo.sample(SERIES, POINTS, grid=np.arange(10.0)), "grid: expected 11 nodes"),
        (
            lambda: diffeo.sample(SERIES, POINTS, grid=np.zeros((2, 11))),
            r"grid: expected shape \(11,\) or \(3, 11\)",
        ),
        (lambda: diffeo.sample(SERIES, POINTS, grid=np.zeros(11)), "grid: expected strictly increasing"),
        (
            lambda: diffeo.sample_vjp(SERIES, POINTS, np.ones((3, 7))),
            r"cotangents: expected shape \(3, 2, 7\)",
        ),
        (
            lambda: diffeo.sample_vjp(SERIES, POINTS, np.ones((3, 2, 7)), wanted=("grid",)),
            "wanted: expected no 'grid'",
        ),
        (
            lambda: diffeo.warp(SERIES, np.zeros((2, 4))),
            r"velocities: expected shape \(cells \+ 1,\) or \(3, cells \+ 1\) for 3 series",
        ),
        (
            lambda: diffeo.warp(SERIES[0, 0], np.zeros((1, 4))),
            r"velocities: expected shape \(cells \+ 1,\) for one series",
        ),
        (lambda: diffeo.warp(SERIES, [0.0, np.nan]), "velocities: expected finite"),
        (lambda: diffeo.warp(SERIES, FIELD, time=[1.0]), r"time: expected a number or shape \(3,\)"),
        (lambda: diffeo.warp(SERIES, FIELD, time=np.inf), "time: expected a finite"),
        (
            lambda: diffeo.warp(SERIES, FIELD, length=0),
            "length: expected a whole number of at least 1, got 0",
        ),
        (lambda: diffeo.warp(SERIES, FIELD, length=2.0), "length: expected"),
        (
            lambda: diffeo.warp_vjp(SERIES, FIELD, np.ones((3, 11))),
            r"cotangents: expected shape \(3, 2, length\)",
        ),
        (
            lambda: diffeo.warp_vjp(SERIES, FIELD, np.ones((3, 2, 0))),
            r"cotangents: expected shape \(3, 2, length\)",
        ),
        (lambda: diffeo.WarpSpace(0), "cells: expected a whole number of at least 1, got 0"),
        (lambda: diffeo.WarpSpace(-3), "cells: expected"),
        (lambda: diffeo.WarpSpace(2.0), "cells: expected"),
        (lambda: diffeo.WarpSpace(65537, basis="sparse"), "cells: expected 1 to 65536"),
        (lambda: diffeo.WarpSpace(4, basis="fourier"), "basis: .*svd.*sparse"),
        (lambda: diffeo.WarpSpace(4).velocities([0.0]), r"theta: expected shape \(\.\.\., 3\), got \(1,\)"),
        (lambda: diffeo.WarpSpace(4).velocities(0.0), r"theta: expected shape \(\.\.\., 3\), got \(\)"),
        (lambda: diffeo.WarpSpace(4).velocities([0.0, np.nan, 0.0]), "theta: expected finite"),
        (
            lambda: diffeo.WarpSpace(4).theta([0.0] * 4),
            r"velocities: expected shape \(\.\.\., 5\), got \(4,\)",
        ),
        (
            lambda: diffeo.WarpSpace(4, zero_boundary="no"),
            "zero_boundary: expected True or False, got 'no'",
        ),
        (lambda: diffeo.WarpSpace(4).prior(variance=0.0), "variance: expected a finite number above 0"),
        (
            lambda: diffeo.WarpSpace(4).prior(length_scale=np.nan),
            "length_scale: expected a finite number above 0",
        ),
        (lambda: diffeo.WarpSpace(4).prior().penalty([1.0]), r"theta: expected shape \(\.\.\., 3\)"),
        (lambda: diffeo.WarpSpace(4).prior().sample(-1, 0), "count: expected"),
        (lambda: diffeo.WarpSpace(4).prior().sample(1, -1), "seed: expected a whole number from 0 to"),
        (lambda: diffeo.WarpSpace(4).prior().sample(1, 2**64), "seed: expected a whole number from 0 to"),
    ],
)
def test_errors_name_the_argument_what_was_expected_and_what_came(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("wanted", [("velocity",), "velocities", ("velocities", "grid")])
def test_wanted_takes_a_tuple_of_the_names_of_the_result(wanted):
    with pytest.raises(
        ValueError, match="wanted: expected a tuple of names among velocities, points, time, got"
    ):
        diffeo.flow_vjp(FIELD, POINTS, POINTS, wanted=wanted)


# --- wanted ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["exact", "numeric", "alternating", "scaling-squaring"])
@pytest.mark.parametrize("name", ["velocities", "points", "time"])
def test_only_wanted_gradients_of_a_flow_are_given(method, name):
    whole = diffeo.flow_vjp(FIELDS, POINTS, np.ones((3, 7)), method=method)
    part = diffeo.flow_vjp(FIELDS, POINTS, np.ones((3, 7)), method=method, wanted=(name,))
    for field in part._fields:
        if field == name:
            assert np.array_equal(getattr(part, field), getattr(whole, field))
        else:
            assert getattr(part, field) is None
    assert diffeo.flow_vjp(FIELDS, POINTS, np.ones((3, 7)), method=method, wanted=()) == (None, None, None)


@pytest.mark.parametrize("name", ["series", "positions", "grid"])
def test_only_wanted_gradients_of_samples_are_given(name):
    arguments = (SERIES, POINTS, np.ones((3, 2, 7)))
    whole = diffeo.sample_vjp(*arguments, grid=np.linspace(0, 1, 11))
    part = diffeo.sample_vjp(*arguments, grid=np.linspace(0, 1, 11), wanted=(name,))
    for field in part._fields:
        if field == name:
            assert np.array_equal(getattr(part, field), getattr(whole, field))
        else:
            assert getattr(part, field) is None
    assert diffeo.sample_vjp(*arguments).grid is None


@pytest.mark.parametrize("name", ["series", "velocities", "time"])
def test_only_wanted_gradients_of_warps_are_given(name):
    whole = diffeo.warp_vjp(SERIES, FIELDS, SERIES)
    part = diffeo.warp_vjp(SERIES, FIELDS, SERIES, wanted=(name,))
    for field in part._fields:
        if field == name:
            assert np.array_equal(getattr(part, field), getattr(whole, field))
        else:
            assert getattr(part, field) is None


# --- signatures --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (diffeo.velocity, "velocities, points, *, domain"),
        (diffeo.flow, "velocities, points, *, time, domain, method, threads"),
        (diffeo.flow_vjp, "velocities, points, cotangents, *, time, domain, method, threads"),
        (
            diffeo.flow_jvp,
            "velocities, points, *, velocity_tangents, point_tangents, time_tangent, time, domain",
        ),
        (diffeo.flow_jacobian, "velocities, points, *, time, domain"),
        (diffeo.flow_derivatives, "velocities, points, *, time, domain"),
        (diffeo.flow_log_slope, "velocities, points, *, time, domain"),
        (diffeo.flow_log_slope_vjp, "velocities, points, cotangents, *, time, domain"),
        (
            diffeo.flow_log_slope_jvp,
            "velocities, points, *, velocity_tangents, point_tangents, time_tangent, time, domain",
        ),
        (diffeo.flow_log_slope_jacobian, "velocities, points, *, time, domain"),
        (diffeo.sample, "series, positions, *, grid"),
        (diffeo.sample_vjp, "series, positions, cotangents, *, grid"),
        (diffeo.warp, "series, velocities, *, length, time"),
        (diffeo.warp_vjp, "series, velocities, cotangents, *, time"),
        (diffeo.WarpSpace, "cells, zero_boundary, basis, domain"),
        (diffeo.WarpSpace.prior, "self, variance, length_scale"),
        (diffeo.Prior.sample, "self, count, seed"),
    ],
)
def test_signatures_begin_with_what_was_promised(function, signature):
    positional, _, keywords = signature.partition(", *, ")
    parameters = inspect.signature(function).parameters
    by_kind = {
        kind: [
            name
            for name, parameter in parameters.items()
            if (parameter.kind is parameter.KEYWORD_ONLY) == kind
        ]
        for kind in (False, True)
    }
    assert by_kind[False] == positional.split(", ")
    promised = keywords.split(", ") if keywords else []
    assert by_kind[True][: len(promised)] == promised
