"""Bases, coordinates and the prior through Python."""

import copy
import pickle

import numpy as np
import pytest

import diffeo

BASES = ["svd", "qr", "rref", "sparse"]


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("zero_boundary", [True, False])
@pytest.mark.parametrize("cells", [2, 3, 7, 49, 128])
def test_every_basis_spans_the_continuous_fields(basis, zero_boundary, cells):
    space = diffeo.WarpSpace(cells, zero_boundary=zero_boundary, basis=basis)
    dimension = cells - 1 if zero_boundary else cells + 1
    constraints, affine, vertex = space.constraints, space.affine_basis, space.vertex_basis
    assert space.dimension == dimension
    assert constraints.shape == (cells + 1 if zero_boundary else cells - 1, 2 * cells)
    assert affine.shape == (2 * cells, dimension)
    assert vertex.shape == (cells + 1, dimension)
    assert np.linalg.matrix_rank(vertex) == dimension
    bound = 1e-12 * np.abs(constraints).max() * np.abs(affine).max()
    assert np.abs(constraints @ affine).max() <= bound
    if basis in ("svd", "qr"):
        np.testing.assert_allclose(affine.T @ affine, np.eye(dimension), atol=1e-11)
    if zero_boundary:
        assert not vertex[[0, -1]].any()


@pytest.mark.parametrize("basis", BASES)
def test_the_affine_basis_evaluated_at_the_vertices_is_the_vertex_basis(basis):
    space = diffeo.WarpSpace(9, zero_boundary=False, basis=basis, domain=(-1.0, 2.0))
    slopes, offsets = space.affine_basis[::2], space.affine_basis[1::2]
    vertices = np.linspace(-1.0, 2.0, 10)
    left = slopes * vertices[:-1, np.newaxis] + offsets
    right = slopes * vertices[1:, np.newaxis] + offsets
    np.testing.assert_allclose(left, space.vertex_basis[:-1], atol=1e-12)
    np.testing.assert_allclose(right, space.vertex_basis[1:], atol=1e-12)


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("leading", [(), (5,), (2, 3), (0,), (1, 1, 4)])
def test_coordinates_and_velocities_invert_each_other_over_any_leading_axes(basis, leading, rng):
    space = diffeo.WarpSpace(12, basis=basis)
    theta = rng.normal(size=(*leading, 11))
    velocities = space.velocities(theta)
    assert velocities.shape == (*leading, 13)
    np.testing.assert_allclose(velocities, theta @ space.vertex_basis.T, atol=1e-12)
    np.testing.assert_allclose(space.theta(velocities), theta, atol=1e-10)
    gradients = rng.normal(size=(*leading, 13))
    np.testing.assert_allclose(space.theta_gradient(gradients), gradients @ space.vertex_basis, atol=1e-11)


@pytest.mark.parametrize("basis", BASES)
def test_theta_of_fields_outside_the_space_is_the_least_squares_one(basis, rng):
    space = diffeo.WarpSpace(12, basis=basis)
    velocities = rng.normal(size=13)
    expected = np.linalg.lstsq(space.vertex_basis, velocities)[0]
    np.testing.assert_allclose(space.theta(velocities), expected, atol=1e-10)


def test_strided_coordinates_give_the_same_bits(rng):
    space = diffeo.WarpSpace(6)
    theta = rng.normal(size=(4, 10))
    assert np.array_equal(space.velocities(theta[::-2, ::2]), space.velocities(theta[::-2, ::2].copy()))
    assert np.array_equal(space.velocities(np.asfortranarray(theta[:, :5])), space.velocities(theta[:, :5]))


def test_large_spaces_need_no_dense_matrices():
    space = diffeo.WarpSpace(65536, basis="sparse")
    assert np.array_equal(space.theta(space.velocities(np.ones(65535))), np.ones(65535))
    with pytest.raises(ValueError, match="4096"):
        _ = space.vertex_basis
    with pytest.raises(ValueError, match="4096"):
        diffeo.WarpSpace(5000, basis="svd")


def test_matrices_are_made_once_and_cannot_be_written_to():
    space = diffeo.WarpSpace(5)
    assert space.vertex_basis is space.vertex_basis
    for matrix in (space.constraints, space.affine_basis, space.vertex_basis, space.prior().covariance):
        with pytest.raises(ValueError, match="read-only"):
            matrix[0, 0] = 1.0


def test_spaces_are_values():
    space = diffeo.WarpSpace(5, basis="qr", domain=(0, 2))
    assert (space.cells, space.zero_boundary, space.basis, space.domain) == (5, True, "qr", (0.0, 2.0))
    assert repr(space) == "WarpSpace(5, zero_boundary=True, basis='qr', domain=(0.0, 2.0))"
    for copied in (pickle.loads(pickle.dumps(space)), copy.deepcopy(space)):
        assert copied == space
        assert hash(copied) == hash(space)
        assert np.array_equal(copied.vertex_basis, space.vertex_basis)
    assert space != diffeo.WarpSpace(5)
    assert space != 5


# --- prior -------------------------------------------------------------------------------------------------


def kernel_covariance(space, variance, length_scale):
    """Σ of theta from its definition, in NumPy."""
    middles = (np.arange(space.cells) + 0.5) / space.cells
    kernel = np.exp(-((middles[:, np.newaxis] - middles) ** 2) / (2 * length_scale**2))
    coefficients = variance * (np.kron(kernel, np.eye(2)) + 1e-6 * np.eye(2 * space.cells))
    inverse = np.linalg.pinv(space.affine_basis)
    return inverse @ coefficients @ inverse.T


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("zero_boundary", [True, False])
def test_the_covariance_is_the_definition(basis, zero_boundary):
    space = diffeo.WarpSpace(10, zero_boundary=zero_boundary, basis=basis)
    prior = space.prior(variance=0.3, length_scale=0.25)
    expected = kernel_covariance(space, 0.3, 0.25)
    np.testing.assert_allclose(prior.covariance, expected, atol=1e-11 * np.abs(expected).max())
    np.testing.assert_allclose(prior.covariance @ prior.precision, np.eye(space.dimension), atol=1e-6)
    assert np.array_equal(prior.covariance, prior.covariance.T)


def test_every_basis_describes_the_same_prior_on_fields():
    fields = []
    for basis in BASES:
        space = diffeo.WarpSpace(10, basis=basis)
        fields.append(space.vertex_basis @ space.prior().covariance @ space.vertex_basis.T)
    for other in fields[1:]:
        np.testing.assert_allclose(other, fields[0], atol=1e-10 * np.abs(fields[0]).max())


@pytest.mark.parametrize("basis", BASES)
def test_penalties_and_their_gradients_follow_from_the_precision(basis, rng):
    prior = diffeo.WarpSpace(10, basis=basis).prior(variance=0.3)
    theta = rng.normal(size=(2, 3, 9))
    expected = np.einsum("...i,ij,...j->...", theta, prior.precision, theta)
    np.testing.assert_allclose(prior.penalty(theta), expected, rtol=1e-7)
    gradient = 2 * theta @ prior.precision
    np.testing.assert_allclose(
        prior.penalty_gradient(theta), gradient, rtol=1e-6, atol=1e-7 * np.abs(gradient).max()
    )
    one = prior.penalty(theta[0, 0])
    assert type(one) is float
    assert one == prior.penalty(theta)[0, 0]
    assert prior.penalty(np.empty((0, 9))).shape == (0,)
    assert prior.penalty(theta.astype(np.float32)).dtype == np.float32
    assert prior.penalty_gradient(theta.astype(np.float32)).dtype == np.float32


def test_samples_are_repeatable_and_the_same_fields_in_every_basis():
    fields = []
    for basis in BASES:
        space = diffeo.WarpSpace(10, basis=basis)
        draws = space.prior().sample(4, seed=5)
        assert draws.shape == (4, 9)
        assert np.array_equal(draws, space.prior().sample(4, seed=5))
        assert not np.array_equal(draws, space.prior().sample(4, seed=6))
        fields.append(space.velocities(draws))
    for other in fields[1:]:
        np.testing.assert_allclose(other, fields[0], atol=1e-12)
    assert diffeo.WarpSpace(10).prior().sample(0, seed=2**64 - 1).shape == (0, 9)


def test_samples_have_the_covariance_of_the_prior():
    prior = diffeo.WarpSpace(5).prior(variance=1.0, length_scale=0.3)
    count = 40_000
    found = np.cov(prior.sample(count, seed=1), rowvar=False)
    scale = np.sqrt(np.outer(np.diag(prior.covariance), np.diag(prior.covariance)))
    assert (np.abs(found - prior.covariance) / scale).max() < 6 / np.sqrt(count)  # six standard errors


def test_priors_are_values():
    prior = diffeo.WarpSpace(5).prior(variance=0.5, length_scale=0.2)
    restored = pickle.loads(pickle.dumps(prior))
    assert (restored.space, restored.variance, restored.length_scale) == (prior.space, 0.5, 0.2)
    assert np.array_equal(restored.covariance, prior.covariance)
    assert repr(prior).startswith("Prior(WarpSpace(5")
    with pytest.raises(TypeError, match="space: expected a WarpSpace"):
        diffeo.Prior(5)
