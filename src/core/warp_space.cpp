#include "diffeo/warp_space.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/argument_checks.hpp"
#include "core/coordinates.hpp"
#include "core/dense_limit.hpp"
#include "core/hat_map.hpp"
#include "diffeo/error.hpp"

namespace diffeo {
namespace {

constexpr std::array<std::pair<Basis, std::string_view>, 4> kBasisNames = {
    {{Basis::svd, "svd"}, {Basis::qr, "qr"}, {Basis::rref, "rref"}, {Basis::sparse, "sparse"}}};

double square(std::size_t count) { return static_cast<double>(count) * static_cast<double>(count); }

Coordinates make_coordinates(const Tessellation& tessellation, bool zero_boundary, Basis basis) {
  const std::size_t cells = tessellation.cells();
  require(cells > 1 || !zero_boundary,
          "cells: expected at least 2 with zero_boundary, got 1, which leaves no field but zero (dimension 0)");
  switch (basis) {
    case Basis::svd:
      // R, V, the modes, and about as much again inside the decomposition.
      require_dense_cells(cells, "basis svd, which is stored dense (sparse, qr and rref are not)", 6.0 * square(cells));
      return make_svd(factorize_hat_map(tessellation, zero_boundary));
    case Basis::qr:
      return make_qr(factorize_hat_map(tessellation, zero_boundary));
    case Basis::rref:
      return make_rref(tessellation, zero_boundary);
    case Basis::sparse:
      break;
  }
  return make_sparse(zero_boundary ? cells - 1 : cells + 1);
}

/// Calls map(in, out) for every row, in double. The map does not see the first and last `skip` values of a
/// row, the velocities that are not free; in results they are zero.
struct RowMap {
  std::size_t skip_in;
  std::size_t skip_out;

  template <class Real, class Map>
  void operator()(Rows<const Real> in, Rows<Real> out, const Map& map) const {
    std::vector<double> from(in.columns);
    std::vector<double> to(out.columns, 0.0);
    for (std::size_t i = 0; i < in.rows; ++i) {
      std::copy_n(in.data + i * in.columns, in.columns, from.begin());
      map(std::span<const double>(from).subspan(skip_in, in.columns - 2 * skip_in),
          std::span(to).subspan(skip_out, out.columns - 2 * skip_out));
      std::transform(to.begin(), to.end(), out.data + i * out.columns,
                     [](double value) { return static_cast<Real>(value); });
    }
  }
};

template <class Real>
void velocities_of(const WarpSpace& space, const Coordinates& coordinates, Rows<const Real> theta,
                   Rows<Real> velocities) {
  require_shape("theta", theta, theta.rows, space.dimension());
  require_shape("velocities", velocities, theta.rows, space.tessellation().vertices());
  require_finite("theta", theta);
  const RowMap for_each_row{0, space.zero_boundary() ? 1u : 0u};
  std::visit(
      [&](const auto& basis) {
        for_each_row(theta, velocities, [&](auto in, auto out) { basis.velocities(in, out); });
      },
      coordinates);
}

template <class Real>
void theta_of(const WarpSpace& space, const Coordinates& coordinates, Rows<const Real> velocities, Rows<Real> theta) {
  require_shape("velocities", velocities, velocities.rows, space.tessellation().vertices());
  require_shape("theta", theta, velocities.rows, space.dimension());
  require_finite("velocities", velocities);
  const RowMap for_each_row{space.zero_boundary() ? 1u : 0u, 0};
  std::visit(
      [&](const auto& basis) { for_each_row(velocities, theta, [&](auto in, auto out) { basis.theta(in, out); }); },
      coordinates);
}

template <class Real>
void theta_gradient_of(const WarpSpace& space, const Coordinates& coordinates, Rows<const Real> gradients,
                       Rows<Real> theta_gradients) {
  require_shape("velocity_gradients", gradients, gradients.rows, space.tessellation().vertices());
  require_shape("theta_gradients", theta_gradients, gradients.rows, space.dimension());
  const RowMap for_each_row{space.zero_boundary() ? 1u : 0u, 0};
  std::visit(
      [&](const auto& basis) {
        for_each_row(gradients, theta_gradients, [&](auto in, auto out) { basis.theta_gradient(in, out); });
      },
      coordinates);
}

}  // namespace

std::string_view basis_name(Basis basis) noexcept {
  for (const auto& [known, name] : kBasisNames) {
    if (known == basis) return name;
  }
  return "unknown";
}

Basis basis_from_name(std::string_view name) {
  for (const auto& [basis, known] : kBasisNames) {
    if (known == name) return basis;
  }
  throw std::invalid_argument(message("basis: expected svd, qr, rref or sparse, got \"", name, "\""));
}

WarpSpace::WarpSpace(std::size_t cells, bool zero_boundary, Basis basis, double lower, double upper)
    : tessellation_(cells, lower, upper),
      zero_boundary_(zero_boundary),
      basis_(basis),
      coordinates_(std::make_shared<const Coordinates>(make_coordinates(tessellation_, zero_boundary, basis))) {}

Matrix WarpSpace::constraints() const { return constraint_matrix(tessellation_, zero_boundary_); }

Matrix WarpSpace::vertex_basis() const {
  const std::size_t vertices = tessellation_.vertices();
  require_dense_cells(tessellation_.cells(), "the dense vertex basis", square(vertices));
  Matrix basis(vertices, dimension());
  std::vector<double> unit(dimension(), 0.0);
  std::vector<double> column(vertices);
  for (std::size_t k = 0; k < dimension(); ++k) {
    unit[k] = 1.0;
    velocities(unit, column);
    unit[k] = 0.0;
    for (std::size_t j = 0; j < vertices; ++j) basis(j, k) = column[j];
  }
  return basis;
}

// From the velocities at the two ends of each cell, whatever the basis: that is what makes L B zero to
// rounding.
Matrix WarpSpace::affine_basis() const {
  require_dense_cells(tessellation_.cells(), "the dense affine basis", 2.0 * square(tessellation_.vertices()));
  const Matrix velocities = vertex_basis();
  Matrix basis(2 * tessellation_.cells(), dimension());
  for (std::size_t cell = 0; cell < tessellation_.cells(); ++cell) {
    for (std::size_t k = 0; k < dimension(); ++k) {
      const double slope = (velocities(cell + 1, k) - velocities(cell, k)) / tessellation_.spacing();
      basis(2 * cell, k) = slope;
      basis(2 * cell + 1, k) = velocities(cell, k) - slope * tessellation_.vertex(cell);
    }
  }
  return basis;
}

std::vector<double> WarpSpace::velocities(std::span<const double> theta) const {
  std::vector<double> result(tessellation_.vertices());
  velocities(theta, result);
  return result;
}
void WarpSpace::velocities(std::span<const double> theta, std::span<double> velocities) const {
  velocities_of<double>(*this, *coordinates_, theta, velocities);
}
void WarpSpace::velocities(Rows<const double> theta, Rows<double> velocities) const {
  velocities_of<double>(*this, *coordinates_, theta, velocities);
}
void WarpSpace::velocities(Rows<const float> theta, Rows<float> velocities) const {
  velocities_of<float>(*this, *coordinates_, theta, velocities);
}

std::vector<double> WarpSpace::theta(std::span<const double> velocities) const {
  std::vector<double> result(dimension());
  theta(velocities, result);
  return result;
}
void WarpSpace::theta(std::span<const double> velocities, std::span<double> theta) const {
  theta_of<double>(*this, *coordinates_, velocities, theta);
}
void WarpSpace::theta(Rows<const double> velocities, Rows<double> theta) const {
  theta_of<double>(*this, *coordinates_, velocities, theta);
}
void WarpSpace::theta(Rows<const float> velocities, Rows<float> theta) const {
  theta_of<float>(*this, *coordinates_, velocities, theta);
}

void WarpSpace::theta_gradient(std::span<const double> velocity_gradients, std::span<double> theta_gradients) const {
  theta_gradient_of<double>(*this, *coordinates_, velocity_gradients, theta_gradients);
}
void WarpSpace::theta_gradient(Rows<const double> velocity_gradients, Rows<double> theta_gradients) const {
  theta_gradient_of<double>(*this, *coordinates_, velocity_gradients, theta_gradients);
}
void WarpSpace::theta_gradient(Rows<const float> velocity_gradients, Rows<float> theta_gradients) const {
  theta_gradient_of<float>(*this, *coordinates_, velocity_gradients, theta_gradients);
}

}  // namespace diffeo
