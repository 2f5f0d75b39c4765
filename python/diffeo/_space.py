"""The space of continuous piecewise affine velocity fields, its bases and its smoothness prior."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import (
    Float64Array,
    FloatArray,
    domain_bounds,
    real_arrays,
    real_number,
    true_or_false,
    whole_number,
)

Basis: TypeAlias = Literal["svd", "qr", "rref", "sparse"]

_MAXIMUM_SEED = 2**64 - 1


def _read_only(array: Float64Array) -> Float64Array:
    array.flags.writeable = False
    return array


def _row_by_row(
    name: str, values: ArrayLike, columns: int, function: Callable[[Any], FloatArray]
) -> tuple[FloatArray, tuple[int, ...]]:
    """`function`, which maps rows to rows, over the last axis of `values`; and the leading axes."""
    (array,) = real_arrays(**{name: values})
    if array.ndim == 0 or array.shape[-1] != columns:
        raise ValueError(f"{name}: expected shape (..., {columns}), got {array.shape}")
    leading = array.shape[:-1]
    return function(array.reshape(int(np.prod(leading)), columns)), leading


class WarpSpace:
    """All continuous, piecewise affine velocity fields on equal cells, and a basis to write them in.

    cells           how many, 1 to 65536
    zero_boundary   keep the ends of the domain in place: the velocities at both ends are zero
    basis           "svd", "qr" (both orthonormal), "rref" or "sparse" (theta is the free vertex velocities)
    domain          (lower, upper)

    A field is `velocities` at the vertices, which is what `diffeo.flow` takes, or `theta`, its coordinates in
    the basis.

    >>> space = diffeo.WarpSpace(4)
    >>> space.dimension
    3
    >>> velocities = space.velocities([0.1, 0.3, -0.2])
    >>> velocities.shape
    (5,)
    >>> space.theta(velocities).round(12)
    array([ 0.1,  0.3, -0.2])
    """

    def __init__(
        self,
        cells: SupportsIndex,
        zero_boundary: bool = True,
        basis: Basis = "svd",
        domain: Sequence[float] = (0.0, 1.0),
    ) -> None:
        self._cells = whole_number("cells", cells, 1)
        self._zero_boundary = true_or_false("zero_boundary", zero_boundary)
        if not isinstance(basis, str):
            raise TypeError(f"basis: expected a name, got {basis!r}")
        self._basis: Basis = basis
        self._domain = domain_bounds(domain)
        self._core = _core.WarpSpace(self._cells, self._zero_boundary, basis, *self._domain)

    @property
    def cells(self) -> int:
        """How many cells the domain has."""
        return self._cells

    @property
    def zero_boundary(self) -> bool:
        """Whether the velocities at both ends are zero."""
        return self._zero_boundary

    @property
    def basis(self) -> Basis:
        """The name of the basis."""
        return self._basis

    @property
    def domain(self) -> tuple[float, float]:
        """(lower, upper): where the first and the last vertex lie."""
        return self._domain

    @property
    def dimension(self) -> int:
        """d, the number of coordinates: cells + 1, or cells - 1 with zero_boundary."""
        return self._core.dimension

    @cached_property
    def constraints(self) -> Float64Array:
        """The paper's L, (rows, 2 * cells), read-only: L · vec(A) = 0 where the field is continuous."""
        return _read_only(self._core.constraints())

    @cached_property
    def affine_basis(self) -> Float64Array:
        """The paper's B, (2 * cells, d), read-only: vec(A) = (a_1, b_1, a_2, b_2, ...) = B · theta."""
        return _read_only(self._core.affine_basis())

    @cached_property
    def vertex_basis(self) -> Float64Array:
        """W, (cells + 1, d), read-only: velocities = W · theta."""
        return _read_only(self._core.vertex_basis())

    def velocities(self, theta: ArrayLike) -> FloatArray:
        """Vertex velocities of coordinates.

        theta   (..., d)

        Returns (..., cells + 1), in the precision of theta. ValueError where the last axis is not d long.

        >>> diffeo.WarpSpace(3, basis="sparse").velocities([0.5, -0.5])
        array([ 0. ,  0.5, -0.5,  0. ])
        """
        rows, leading = _row_by_row("theta", theta, self.dimension, self._core.velocities)
        return rows.reshape(*leading, self._cells + 1)

    def theta(self, velocities: ArrayLike) -> FloatArray:
        """Coordinates of vertex velocities.

        velocities   (..., cells + 1)

        Returns (..., d): the inverse of `velocities` on the space, the nearest field (least squares) for
        velocities outside it. ValueError where the last axis is not cells + 1 long.

        >>> diffeo.WarpSpace(3, basis="sparse").theta([9.0, 0.5, -0.5, 9.0])
        array([ 0.5, -0.5])
        """
        rows, leading = _row_by_row("velocities", velocities, self._cells + 1, self._core.theta)
        return rows.reshape(*leading, self.dimension)

    def theta_gradient(self, velocity_gradients: ArrayLike) -> FloatArray:
        """From the gradient of a loss by velocities to that by theta.

        velocity_gradients   (..., cells + 1), as `diffeo.flow_vjp` gives them

        Returns (..., d). ValueError where the last axis is not cells + 1 long.

        >>> diffeo.WarpSpace(3, basis="sparse").theta_gradient([1.0, 2.0, 3.0, 4.0])
        array([2., 3.])
        """
        rows, leading = _row_by_row(
            "velocity_gradients", velocity_gradients, self._cells + 1, self._core.theta_gradient
        )
        return rows.reshape(*leading, self.dimension)

    def prior(self, variance: float = 1e-3, length_scale: float = 0.1) -> Prior:
        """The smoothness prior on this space; see `Prior`.

        variance       how strong warps are; positive
        length_scale   how smooth they are, as a fraction of the domain; positive

        ValueError for values that are not positive.

        >>> diffeo.WarpSpace(8).prior(variance=0.1).variance
        0.1
        """
        return Prior(self, variance, length_scale)

    def __repr__(self) -> str:
        return (
            f"WarpSpace({self._cells}, zero_boundary={self._zero_boundary}, basis={self._basis!r}, "
            f"domain={self._domain})"
        )

    def _arguments(self) -> tuple[int, bool, Basis, tuple[float, float]]:
        return self._cells, self._zero_boundary, self._basis, self._domain

    def __eq__(self, other: object) -> bool:
        return self._arguments() == other._arguments() if isinstance(other, WarpSpace) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._arguments())

    def __reduce__(self) -> tuple[Any, ...]:
        return WarpSpace, self._arguments()


class Prior:
    """Which fields are plausible before any data is seen: theta ~ N(0, covariance), smooth fields first.

    space          the WarpSpace whose coordinates it is about
    variance       how strong warps are; positive
    length_scale   how smooth they are, as a fraction of the domain; positive

    The affine coefficients of two cells are correlated by exp(-distance² / (2 · length_scale²)), plus a
    jitter of 1e-6 times the variance that is part of the definition. The distribution of fields is the same
    in every basis.

    >>> prior = diffeo.Prior(diffeo.WarpSpace(8), variance=0.1, length_scale=0.2)
    >>> prior.covariance.shape
    (7, 7)
    >>> prior.sample(3, seed=7).shape
    (3, 7)
    """

    def __init__(self, space: WarpSpace, variance: float = 1e-3, length_scale: float = 0.1) -> None:
        if not isinstance(space, WarpSpace):
            raise TypeError(f"space: expected a WarpSpace, got {space!r}")
        self._space = space
        self._variance = real_number("variance", variance)
        self._length_scale = real_number("length_scale", length_scale)
        self._core = _core.Prior(space._core, self._variance, self._length_scale)

    @property
    def space(self) -> WarpSpace:
        """Whose coordinates it is about."""
        return self._space

    @property
    def variance(self) -> float:
        """How strong warps are."""
        return self._variance

    @property
    def length_scale(self) -> float:
        """How smooth warps are, as a fraction of the domain."""
        return self._length_scale

    @cached_property
    def covariance(self) -> Float64Array:
        """Of theta, (d, d), read-only."""
        return _read_only(self._core.covariance())

    @cached_property
    def precision(self) -> Float64Array:
        """The inverse of the covariance, (d, d), read-only."""
        return _read_only(self._core.precision())

    def penalty(self, theta: ArrayLike) -> FloatArray | float:
        """How implausible fields are: thetaᵀ · precision · theta.

        theta   (..., d)

        Returns (...), one number for each theta; a float for one. ValueError where the last axis is not d
        long.

        >>> prior = diffeo.WarpSpace(8).prior()
        >>> prior.penalty([0.0] * 7)
        0.0
        >>> prior.penalty(prior.sample(5, seed=1)).shape
        (5,)
        """
        (array,) = real_arrays(theta=theta)
        rows, leading = _row_by_row(
            "theta", array.astype(np.float64, copy=False), self._dimension, self._core.penalty
        )
        return rows.reshape(leading).astype(array.dtype, copy=False) if leading else float(rows[0])

    def penalty_gradient(self, theta: ArrayLike) -> FloatArray:
        """The gradient of `penalty`: 2 · precision · theta.

        theta   (..., d)

        Returns (..., d). ValueError where the last axis is not d long.

        >>> diffeo.WarpSpace(4).prior().penalty_gradient([0.0, 0.0, 0.0])
        array([0., 0., 0.])
        """
        (array,) = real_arrays(theta=theta)
        as_double = array.astype(np.float64, copy=False)
        rows, _ = _row_by_row("theta", as_double, self._dimension, self._core.penalty_gradient)
        return rows.reshape(array.shape).astype(array.dtype, copy=False)

    def sample(self, count: SupportsIndex, seed: SupportsIndex) -> Float64Array:
        """Draws of theta: the same for the same seed on every machine.

        count   how many
        seed    0 to 2**64 - 1; in every basis the same seed draws the same velocity fields

        Returns (count, d) in float64. ValueError for a count or seed out of range.

        >>> prior = diffeo.WarpSpace(8).prior()
        >>> bool((prior.sample(2, seed=3) == prior.sample(2, seed=3)).all())
        True
        """
        return self._core.sample(
            whole_number("count", count, 0), whole_number("seed", seed, 0, _MAXIMUM_SEED)
        )

    @property
    def _dimension(self) -> int:
        return self._space.dimension

    def __repr__(self) -> str:
        return f"Prior({self._space!r}, variance={self._variance}, length_scale={self._length_scale})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Prior, (self._space, self._variance, self._length_scale)
