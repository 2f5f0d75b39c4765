#include "core/coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace diffeo {

void Recursion::velocities(std::span<const double> theta, std::span<double> velocities) const noexcept {
  const std::size_t last = gain.size() - 1;
  velocities[last] = gain[last] * theta[last];
  if (last > 0) velocities[last] += tail * theta[last - 1];
  for (std::size_t i = last; i-- > 0;) velocities[i] = ratio[i] * velocities[i + 1] + gain[i] * theta[i];
}

void Recursion::theta(std::span<const double> velocities, std::span<double> theta) const noexcept {
  const std::size_t last = gain.size() - 1;
  for (std::size_t i = 0; i < last; ++i) theta[i] = (velocities[i] - ratio[i] * velocities[i + 1]) / gain[i];
  theta[last] = velocities[last];
  if (last > 0) theta[last] -= tail * theta[last - 1];
  theta[last] /= gain[last];
}

// The adjoint of the recursion runs from left to right: `sum` is the gradient that has reached v_i.
void Recursion::theta_gradient(std::span<const double> gradients, std::span<double> theta_gradient) const noexcept {
  const std::size_t last = gain.size() - 1;
  double sum = gradients[0];
  for (std::size_t i = 0; i < last; ++i) {
    theta_gradient[i] = gain[i] * sum;
    sum = gradients[i + 1] + ratio[i] * sum;
  }
  theta_gradient[last] = gain[last] * sum;
  if (last > 0) theta_gradient[last - 1] += tail * sum;
}

namespace {

/// In a fixed order, whatever the batch: a row's answer does not depend on the rows beside it.
double dot(std::span<const double> x, std::span<const double> y) noexcept {
  constexpr std::size_t kLanes = 4;
  double lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= x.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += x[i + lane] * y[i + lane];
  }
  for (; i < x.size(); ++i) lanes[0] += x[i] * y[i];
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

}  // namespace

void Modes::velocities(std::span<const double> theta, std::span<double> velocities) const noexcept {
  std::fill(velocities.begin(), velocities.end(), 0.0);
  for (std::size_t k = 0; k < theta.size(); ++k) {
    if (theta[k] == 0.0) continue;  // makes the columns of W, one unit vector each, O(cells) apiece
    const std::span<const double> mode = modes.row(k);
    for (std::size_t i = 0; i < mode.size(); ++i) velocities[i] += theta[k] * mode[i];
  }
}

// W = V S^{-1} with orthogonal V, so W^{-1} = S V^T = S^2 W^T.
void Modes::theta(std::span<const double> velocities, std::span<double> theta) const noexcept {
  for (std::size_t k = 0; k < theta.size(); ++k) {
    theta[k] = singular_values[k] * singular_values[k] * dot(modes.row(k), velocities);
  }
}

void Modes::theta_gradient(std::span<const double> gradients, std::span<double> theta_gradient) const noexcept {
  for (std::size_t k = 0; k < theta_gradient.size(); ++k) theta_gradient[k] = dot(modes.row(k), gradients);
}

Recursion make_sparse(std::size_t dimension) {
  return {std::vector<double>(dimension, 0.0), std::vector<double>(dimension, 1.0), 0.0};
}

Recursion make_qr(const HatFactorization& hat) {
  Recursion qr = make_sparse(hat.dimension());
  for (std::size_t i = 0; i < hat.dimension(); ++i) {
    qr.gain[i] = 1.0 / hat.diagonal[i];
    if (i + 1 < hat.dimension()) qr.ratio[i] = -hat.upper[i] / hat.diagonal[i];
  }
  return qr;
}

namespace {

/// Vertex positions, with 0 for one that is 0 but for the rounding of Tessellation::vertex, at most two units
/// of the larger end: whether a vertex is 0 decides which coefficient is a pivot.
std::vector<double> vertices_with_exact_zero(const Tessellation& tessellation) {
  const double largest = std::max(std::abs(tessellation.lower()), std::abs(tessellation.upper()));
  const double rounding = 4.0 * std::numeric_limits<double>::epsilon() * largest;
  std::vector<double> positions(tessellation.vertices());
  for (std::size_t j = 0; j < positions.size(); ++j) {
    const double position = tessellation.vertex(j);
    positions[j] = std::abs(position) <= rounding ? 0.0 : position;
  }
  return positions;
}

}  // namespace

// The rows of L are in echelon form as they stand: the pivot of the row of vertex x_j is a_j, or b_j where
// x_j = 0, and the other coefficient of cell j, left of x_j, is free. Its value and the velocity v_j give the
// velocity v_{j-1}:
//   b_j free:  a_j = (v_j - b_j) / x_j,   v_{j-1} = (x_{j-1} / x_j) v_j + (h / x_j) b_j
//   a_j free:                             v_{j-1} = v_j - h a_j
// Zero boundary: the row of x_N joins them, with v_N = 0; both coefficients of cell 1 are pivots. Otherwise
// a_N and b_N are both free, v_N = a_N x_N + b_N and v_{N-1} = v_N - h a_N.
Recursion make_rref(const Tessellation& tessellation, bool zero_boundary) {
  const std::size_t cells = tessellation.cells();
  const std::vector<double> x = vertices_with_exact_zero(tessellation);
  Recursion rref;
  for (std::size_t vertex = zero_boundary ? 1 : 0; vertex < cells; ++vertex) {
    const double right = x[vertex + 1];
    const bool slope_is_free = right == 0.0 || (!zero_boundary && vertex + 1 == cells);
    rref.ratio.push_back(slope_is_free ? 1.0 : x[vertex] / right);
    rref.gain.push_back(slope_is_free ? -tessellation.spacing() : tessellation.spacing() / right);
  }
  if (!zero_boundary) {
    rref.ratio.push_back(0.0);
    rref.gain.push_back(1.0);
    rref.tail = x[cells];
  }
  return rref;
}

}  // namespace diffeo
