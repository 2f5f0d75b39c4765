"""Flows of piecewise affine velocity fields, and their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, SupportsIndex, TypeAlias

from numpy.typing import ArrayLike

from . import _core
from ._arrays import (
    Float64Array,
    FloatArray,
    as_rows,
    domain_bounds,
    in_time_shape,
    real_arrays,
    real_times,
    require_fields,
    require_per_row,
    require_shape,
    thread_count,
    wanted_flags,
    whole_number,
)

Method: TypeAlias = Literal["exact", "numeric", "alternating", "scaling-squaring"]


class FlowGradients(NamedTuple):
    """What `flow_vjp` and `flow_log_slope_vjp` give, in the shapes of their arguments; None where not wanted.

    >>> diffeo.flow_vjp([0.3, 0.3, 0.3], [0.1, 0.2], [1.0, 1.0], wanted=("points",)).points
    array([1., 1.])
    """

    velocities: FloatArray | None
    points: FloatArray | None
    time: Float64Array | float | None


class FlowDerivatives(NamedTuple):
    """What `flow_derivatives` gives: φ, ∂φ/∂x, ∂φ/∂t and log ∂φ/∂x, each in the shape of the flow.

    >>> diffeo.flow_derivatives([0.3, 0.3, 0.3], [0.1, 0.2]).by_time
    array([0.3, 0.3])
    """

    position: FloatArray
    by_point: FloatArray
    by_time: FloatArray
    log_slope: FloatArray


class _Problem:
    """The arguments that every flow function takes, checked for shape and ready for the core.

    `others` are further arrays that take part in the choice of precision.
    """

    def __init__(
        self,
        velocities: ArrayLike,
        points: ArrayLike,
        time: ArrayLike = 1.0,
        domain: Sequence[float] = (0.0, 1.0),
        others: dict[str, ArrayLike] | None = None,
    ) -> None:
        self.velocities, self.points, *rest = real_arrays(
            velocities=velocities, points=points, **(others or {})
        )
        self.others: dict[str, FloatArray] = dict(zip(others or {}, rest, strict=True))
        require_fields(self.velocities)
        self.batch = self.velocities.shape[0] if self.velocities.ndim == 2 else None
        require_per_row("points", self.points, self.batch, "n", "velocity field")
        self.times, self.time_is_number = real_times("time", time, self.batch)
        self.domain = domain_bounds(domain)

    @property
    def result_shape(self) -> tuple[int, ...]:
        """Of positions: without the batch axis where there is one field."""
        return (*self.velocities.shape[:-1], self.points.shape[-1])

    @property
    def field_and_points(self) -> tuple[FloatArray, FloatArray]:
        return as_rows(self.velocities), as_rows(self.points)

    @property
    def arrays(self) -> tuple[FloatArray, FloatArray, Float64Array]:
        return (*self.field_and_points, self.times)


def _gradients(
    vjp: Callable[..., tuple[FloatArray | None, FloatArray | None, Float64Array | None]],
    problem: _Problem,
    wanted: Sequence[str] | None,
    threads: SupportsIndex | None,
    **options: Any,
) -> FlowGradients:
    """What `vjp` of the core makes of the problem and its cotangents."""
    require_shape("cotangents", problem.others["cotangents"], problem.result_shape)
    by_velocity, by_point, by_time = vjp(
        *problem.arrays,
        as_rows(problem.others["cotangents"]),
        *problem.domain,
        *wanted_flags(wanted, FlowGradients._fields),
        thread_count(threads),
        **options,
    )
    return FlowGradients(
        None if by_velocity is None else by_velocity.reshape(problem.velocities.shape),
        None if by_point is None else by_point.reshape(problem.points.shape),
        in_time_shape(by_time, problem.time_is_number),
    )


def _along(
    jvp: Callable[..., FloatArray],
    problem: _Problem,
    time_tangent: ArrayLike,
    threads: SupportsIndex | None,
) -> FloatArray:
    """What `jvp` of the core makes of the problem and its tangents."""
    by_velocity, by_point = problem.others.get("velocity_tangents"), problem.others.get("point_tangents")
    if by_velocity is not None:
        require_shape("velocity_tangents", by_velocity, problem.velocities.shape)
    if by_point is not None:
        require_shape("point_tangents", by_point, problem.points.shape)
    by_time, _ = real_times("time_tangent", time_tangent, None if problem.time_is_number else problem.batch)
    tangents = jvp(
        *problem.arrays,
        None if by_velocity is None else as_rows(by_velocity),
        None if by_point is None else as_rows(by_point),
        by_time,
        *problem.domain,
        thread_count(threads),
    )
    return tangents.reshape(problem.result_shape)


def _given(**arrays: ArrayLike | None) -> dict[str, ArrayLike]:
    """Without those that are None."""
    return {name: value for name, value in arrays.items() if value is not None}


class _Solver(NamedTuple):
    flow: Callable[..., FloatArray]
    vjp: Callable[..., tuple[FloatArray | None, FloatArray | None, Float64Array | None]]
    defaults: dict[str, int]


_SOLVERS = {
    "exact": _Solver(_core.flow, _core.flow_vjp, {}),
    "numeric": _Solver(_core.flow_numeric, _core.flow_numeric_vjp, {"steps": 100}),
    "alternating": _Solver(
        _core.flow_alternating, _core.flow_alternating_vjp, {"steps": 10, "inner_steps": 10}
    ),
    "scaling-squaring": _Solver(
        _core.flow_scaling_squaring, _core.flow_scaling_squaring_vjp, {"squarings": 8}
    ),
}


def _solver(method: str, **given: SupportsIndex | None) -> tuple[_Solver, dict[str, Any]]:
    """The solver of that name and its options; an option that it does not take is refused."""
    solver = _SOLVERS.get(method) if isinstance(method, str) else None
    if solver is None:
        raise ValueError(f"method: expected one of {', '.join(map(repr, _SOLVERS))}, got {method!r}")
    options = dict(solver.defaults)
    for name, value in given.items():
        if value is None:
            continue
        if name not in options:
            takes = f"it takes {' and '.join(options)}" if options else "it takes no options"
            raise ValueError(f"{name}: expected none with method {method!r} ({takes}), got {value!r}")
        options[name] = whole_number(name, value, 0 if name == "squarings" else 1)
    return solver, options


def velocity(
    velocities: ArrayLike,
    points: ArrayLike,
    *,
    domain: Sequence[float] = (0.0, 1.0),
    threads: SupportsIndex | None = None,
) -> FloatArray:
    """The velocity field at points: linear between its vertices, and on beyond the domain.

    velocities   (cells + 1,) or (batch, cells + 1): the field's values at the vertices
    points       (n,), shared by the batch, or (batch, n); any order, any finite value
    domain       (lower, upper): where the first and the last vertex lie
    threads      how many to use; None means all the cores the process may use

    Returns (n,) or (batch, n).

    ValueError for shapes that do not go together and values that are not finite; TypeError for arrays that
    hold no real numbers.

    >>> diffeo.velocity([0.0, 1.0, 0.0], [0.0, 0.25, 0.5, 1.0])
    array([0. , 0.5, 1. , 0. ])
    """
    problem = _Problem(velocities, points, domain=domain)
    values = _core.velocity(*problem.field_and_points, *problem.domain, thread_count(threads))
    return values.reshape(problem.result_shape)


def flow(
    velocities: ArrayLike,
    points: ArrayLike,
    *,
    time: ArrayLike = 1.0,
    domain: Sequence[float] = (0.0, 1.0),
    method: Method = "exact",
    threads: SupportsIndex | None = None,
    steps: SupportsIndex | None = None,
    inner_steps: SupportsIndex | None = None,
    squarings: SupportsIndex | None = None,
) -> FloatArray:
    """Where points are carried: φ(x, t) with dφ/dt = v(φ), φ(x, 0) = x.

    velocities   (cells + 1,) or (batch, cells + 1): v at the vertices of equal cells; affine in between
    points       (n,), shared by the batch, or (batch, n); any order, any finite value, outside the domain too
    time         a number, or (batch,); any sign: time=-1 is the exact inverse of time=1
    domain       (lower, upper): where the first and the last vertex lie
    method       "exact", the closed form; the others are approximations to compare with:
                 "numeric", Runge-Kutta of order 4 in `steps` steps (100);
                 "alternating", `steps` large steps (10), those across vertices in `inner_steps` small ones
                 (10);
                 "scaling-squaring", the exact flow for time / 2**squarings (8), composed with itself by
                 linear interpolation between the points given
    threads      how many to use; None means all the cores the process may use. Results do not depend on it

    Returns (n,) or (batch, n), float32 where velocities and points are, else float64.

    ValueError for shapes that do not go together, values that are not finite, and options of another method;
    TypeError for arrays that hold no real numbers.

    >>> diffeo.flow([0.0, 1.0, 0.0], [0.0, 0.25, 0.5, 1.0]).round(3)
    array([0.   , 0.865, 0.932, 1.   ])
    >>> there = diffeo.flow([[0.3, 0.3], [0.0, 0.1]], [0.0, 0.5], time=[1.0, 2.0])
    >>> there.shape
    (2, 2)
    >>> diffeo.flow([[0.3, 0.3], [0.0, 0.1]], there, time=[-1.0, -2.0]).round(12)
    array([[0. , 0.5],
           [0. , 0.5]])
    """
    problem = _Problem(velocities, points, time, domain)
    solver, options = _solver(method, steps=steps, inner_steps=inner_steps, squarings=squarings)
    positions = solver.flow(*problem.arrays, *problem.domain, thread_count(threads), **options)
    return positions.reshape(problem.result_shape)


def flow_vjp(
    velocities: ArrayLike,
    points: ArrayLike,
    cotangents: ArrayLike,
    *,
    time: ArrayLike = 1.0,
    domain: Sequence[float] = (0.0, 1.0),
    method: Method = "exact",
    threads: SupportsIndex | None = None,
    steps: SupportsIndex | None = None,
    inner_steps: SupportsIndex | None = None,
    squarings: SupportsIndex | None = None,
    wanted: Sequence[str] | None = None,
) -> FlowGradients:
    """Gradients of Σ cotangents · φ by velocities, points and time, in O(points + cells).

    cotangents   the shape of `flow`'s result: (n,) or (batch, n)
    wanted       the names of the gradients to compute, all by default; the others are None
    The other arguments are those of `flow`. With an approximate method these are the gradients of what it
    computes.

    Returns `FlowGradients` with the fields velocities, points and time, each in the shape of its argument:
    those of shared points and of a single time are summed over the batch, and that of a single time is a
    float.

    ValueError and TypeError as `flow`, and for names that are not among the fields.

    >>> gradients = diffeo.flow_vjp([0.3, 0.3, 0.3], [0.1, 0.2], [1.0, 1.0])
    >>> gradients.points
    array([1., 1.])
    >>> round(gradients.time, 12)
    0.6
    >>> diffeo.flow_vjp([0.3, 0.3, 0.3], [0.1, 0.2], [1.0, 1.0], wanted=("velocities",)).points is None
    True
    """
    problem = _Problem(velocities, points, time, domain, {"cotangents": cotangents})
    solver, options = _solver(method, steps=steps, inner_steps=inner_steps, squarings=squarings)
    return _gradients(solver.vjp, problem, wanted, threads, **options)


def flow_jvp(
    velocities: ArrayLike,
    points: ArrayLike,
    *,
    velocity_tangents: ArrayLike | None = None,
    point_tangents: ArrayLike | None = None,
    time_tangent: ArrayLike = 0.0,
    time: ArrayLike = 1.0,
    domain: Sequence[float] = (0.0, 1.0),
    threads: SupportsIndex | None = None,
) -> FloatArray:
    """How positions move when velocities, points and time move along the tangents given.

    velocity_tangents   the shape of velocities; None means they stay
    point_tangents      the shape of points; None means they stay
    time_tangent        a number, or the shape of time
    The other arguments are those of `flow`.

    Returns (n,) or (batch, n).

    ValueError and TypeError as `flow`.

    >>> diffeo.flow_jvp([0.3, 0.3, 0.3], [0.1, 0.2], velocity_tangents=[1.0, 1.0, 1.0]).round(12)
    array([1., 1.])
    """
    tangents = _given(velocity_tangents=velocity_tangents, point_tangents=point_tangents)
    problem = _Problem(velocities, points, time, domain, tangents)
    return _along(_core.flow_jvp, problem, time_tangent, threads)


def flow_jacobian(
    velocities: ArrayLike,
    points: ArrayLike,
    *,
    time: ArrayLike = 1.0,
    domain: Sequence[float] = (0.0, 1.0),
    threads: SupportsIndex | None = None,
) -> FloatArray:
    """∂φ/∂velocities, whole: for checks, Gauss-Newton and plots. Gradients of losses want `flow_vjp`.

    The arguments are those of `flow`. Returns (n, cells + 1) or (batch, n, cells + 1).

    ValueError and TypeError as `flow`.

    >>> jacobian = diffeo.flow_jacobian([0.3, 0.3, 0.3], [0.1, 0.2])
    >>> jacobian.shape
    (2, 3)
    >>> jacobian.sum(axis=-1).round(12)
    array([1., 1.])
    """
    problem = _Problem(velocities, points, time, domain)
    jacobian = _core.flow_jacobian(*problem.arrays, *problem.domain, thread_count(threads))
    return jacobian.reshape(*problem.result_shape, problem.velocities.shape[-1])


def flow_derivatives(
    velocities: ArrayLike,
    points: ArrayLike,
    *,
    time: ArrayLike = 1.0,
    domain: Sequence[float] = (0.0, 1.0),
    threads: SupportsIndex | None = None,
) -> FlowDerivatives:
    """φ, ∂φ/∂x = v(φ) / v(x), ∂φ/∂t = v(φ) and log ∂φ/∂x.

    The arguments are those of `flow`. Returns `FlowDerivatives` with the fields position, by_point, by_time
    and log_slope, (n,) or (batch, n) each. At a vertex the cell on its right decides. log_slope is finite
    where by_point overflows; `flow_log_slope` computes it alone, and faster.

    ValueError and TypeError as `flow`.

    >>> derivatives = diffeo.flow_derivatives([0.0, 0.5], [0.2, 0.4])
    >>> (derivatives.by_point / np.exp(0.5)).round(12)
    array([1., 1.])
    >>> (derivatives.by_time / derivatives.position).round(12)
    array([0.5, 0.5])
    """
    problem = _Problem(velocities, points, time, domain)
    results = _core.flow_derivatives(*problem.arrays, *problem.domain, thread_count(threads))
    return FlowDerivatives(*(result.reshape(problem.result_shape) for result in results))


def flow_log_slope(
    velocities: ArrayLike,
    points: ArrayLike,
    *,
    time: ArrayLike = 1.0,
    domain: Sequence[float] = (0.0, 1.0),
    threads: SupportsIndex | None = None,
) -> FloatArray:
    """The logarithm of a warp's slope: log ∂φ(x, t)/∂x, in closed form.

    It is positive where the warp stretches time and negative where it squeezes time. Log-slopes add when
    warps compose, and change sign when a warp is inverted. At a vertex the cell on its right decides.

    The arguments are those of `flow`. Returns (n,) or (batch, n), float32 where velocities and points are,
    else float64.

    ValueError and TypeError as `flow`.

    >>> diffeo.flow_log_slope([0.0, 0.5], [0.2, 0.4])
    array([0.5, 0.5])
    >>> there = diffeo.flow([0.0, 0.3, 0.0], [0.2, 0.4])
    >>> total = diffeo.flow_log_slope([0.0, 0.3, 0.0], [0.2, 0.4])
    >>> total += diffeo.flow_log_slope([0.0, 0.3, 0.0], there, time=-1.0)
    >>> bool(np.abs(total).max() < 1e-15)
    True
    """
    problem = _Problem(velocities, points, time, domain)
    log_slopes = _core.flow_log_slope(*problem.arrays, *problem.domain, thread_count(threads))
    return log_slopes.reshape(problem.result_shape)


def flow_log_slope_vjp(
    velocities: ArrayLike,
    points: ArrayLike,
    cotangents: ArrayLike,
    *,
    time: ArrayLike = 1.0,
    domain: Sequence[float] = (0.0, 1.0),
    threads: SupportsIndex | None = None,
    wanted: Sequence[str] | None = None,
) -> FlowGradients:
    """Gradients of Σ cotangents · log ∂φ/∂x by velocities, points and time, in O(points + cells).

    cotangents   the shape of `flow_log_slope`'s result: (n,) or (batch, n)
    wanted       the names of the gradients to compute, all by default; the others are None
    The other arguments are those of `flow`.

    Returns `FlowGradients`, shaped as those of `flow_vjp`.

    ValueError and TypeError as `flow`, and for names that are not among the fields.

    >>> diffeo.flow_log_slope_vjp([0.0, 0.5], [0.2, 0.4], [1.0, 1.0])
    FlowGradients(velocities=array([-2.,  2.]), points=array([0., 0.]), time=1.0)
    """
    problem = _Problem(velocities, points, time, domain, {"cotangents": cotangents})
    return _gradients(_core.flow_log_slope_vjp, problem, wanted, threads)


def flow_log_slope_jvp(
    velocities: ArrayLike,
    points: ArrayLike,
    *,
    velocity_tangents: ArrayLike | None = None,
    point_tangents: ArrayLike | None = None,
    time_tangent: ArrayLike = 0.0,
    time: ArrayLike = 1.0,
    domain: Sequence[float] = (0.0, 1.0),
    threads: SupportsIndex | None = None,
) -> FloatArray:
    """How log-slopes change when velocities, points and time move along the tangents given.

    velocity_tangents   the shape of velocities; None means they stay
    point_tangents      the shape of points; None means they stay
    time_tangent        a number, or the shape of time
    The other arguments are those of `flow`.

    Returns (n,) or (batch, n).

    ValueError and TypeError as `flow`.

    >>> diffeo.flow_log_slope_jvp([0.0, 0.5], [0.2, 0.4], velocity_tangents=[0.0, 1.0], time_tangent=1.0)
    array([1.5, 1.5])
    """
    tangents = _given(velocity_tangents=velocity_tangents, point_tangents=point_tangents)
    problem = _Problem(velocities, points, time, domain, tangents)
    return _along(_core.flow_log_slope_jvp, problem, time_tangent, threads)


def flow_log_slope_jacobian(
    velocities: ArrayLike,
    points: ArrayLike,
    *,
    time: ArrayLike = 1.0,
    domain: Sequence[float] = (0.0, 1.0),
    threads: SupportsIndex | None = None,
) -> FloatArray:
    """∂ log-slope / ∂velocities, whole: for checks, Gauss-Newton and plots.

    Gradients of losses want `flow_log_slope_vjp`.

    The arguments are those of `flow`. Returns (n, cells + 1) or (batch, n, cells + 1).

    ValueError and TypeError as `flow`.

    >>> diffeo.flow_log_slope_jacobian([0.0, 0.5], [0.2, 0.4])
    array([[-1.,  1.],
           [-1.,  1.]])
    """
    problem = _Problem(velocities, points, time, domain)
    jacobian = _core.flow_log_slope_jacobian(*problem.arrays, *problem.domain, thread_count(threads))
    return jacobian.reshape(*problem.result_shape, problem.velocities.shape[-1])
