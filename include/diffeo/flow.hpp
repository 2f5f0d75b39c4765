// The exact flow of a continuous, piecewise affine velocity field, and its derivatives.
//
//   d phi / d t = v(phi),  phi(x, 0) = x                                                     (docs/math.md, 1 to 4)
//
// v is given by its values at the vertices of a tessellation and continues affinely outside the domain. The flow is
// computed in closed form: no steps, no tolerance. For one field the cost is O(points + cells), for values and for
// vector-Jacobian products alike; points need not be sorted (sorted ones are faster).
//
//   velocities   one row per field: (batch, cells + 1)
//   points       (batch, n), or one row shared by the batch; any order, any finite value
//   times        one per field, or one for all; any sign; phi(., -t) is the inverse of phi(., t)
//
//   * rounding errors of a few units in the last place times the conditioning (docs/math.md, 5)
//   * infinite if the true value overflows, never NaN
//   * at a vertex the cell to the right decides one-sided derivatives
//   * bit-identical for any number of threads; threads = 0 means all cores the process may use
//   * std::invalid_argument for mismatched shapes and non-finite values
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "diffeo/rows.hpp"

namespace diffeo {

struct Domain {
  double lower = 0.0;
  double upper = 1.0;
};

/// The inputs of a flow.
template <class Real>
struct FlowProblem {
  Rows<const Real> velocities;
  Rows<const Real> points;
  std::span<const double> times;
  Domain domain = {};

  [[nodiscard]] std::size_t batch() const noexcept { return velocities.rows; }
  [[nodiscard]] double time(std::size_t row) const noexcept { return times[times.size() == 1 ? 0 : row]; }
};

/// positions(i, j) = phi_i(points(i, j), time_i).
template <class Real>
void flow(const FlowProblem<Real>& problem, Rows<Real> positions, std::size_t threads = 0);

/// One field, one time: the positions of `points`.
template <class Real>
[[nodiscard]] std::vector<Real> flow(const std::vector<Real>& velocities, const std::vector<Real>& points,
                                     double time = 1.0, Domain domain = {});

/// Outputs of a vector-Jacobian product. An empty view or span is not computed. Each has the shape of its
/// argument: gradients of shared points and of a shared time are summed over the batch.
template <class Real>
struct FlowGradients {
  Rows<Real> velocities = {};
  Rows<Real> points = {};
  std::span<double> times = {};
};

/// Gradients of sum_ij cotangents(i, j) * phi_i(points(i, j), time_i).
template <class Real>
void flow_vjp(const FlowProblem<Real>& problem, Rows<const Real> cotangents, FlowGradients<Real> gradients,
              std::size_t threads = 0);

/// Tangents of the arguments of a flow; an empty view or span means zeros. Rows and entries may be
/// shared like those of the problem.
template <class Real>
struct FlowTangents {
  Rows<const Real> velocities = {};
  Rows<const Real> points = {};
  std::span<const double> times = {};
};

/// Directional derivatives of the positions.
template <class Real>
void flow_jvp(const FlowProblem<Real>& problem, const FlowTangents<Real>& tangents, Rows<Real> position_tangents,
              std::size_t threads = 0);

/// jacobian(i * n + j, k) = d phi_i(points(i, j)) / d velocities(i, k); (batch * n, cells + 1) values: for checks,
/// Gauss-Newton and plots. For gradients of losses use flow_vjp.
template <class Real>
void flow_jacobian(const FlowProblem<Real>& problem, Rows<Real> jacobian, std::size_t threads = 0);

/// phi, d phi / d x = v(phi) / v(x), d phi / d t = v(phi) and log d phi / d x (diffeo/log_slope.hpp); each may be
/// empty.
template <class Real>
struct FlowDerivatives {
  Rows<Real> position = {};
  Rows<Real> by_point = {};
  Rows<Real> by_time = {};
  Rows<Real> log_slope = {};
};
template <class Real>
void flow_derivatives(const FlowProblem<Real>& problem, FlowDerivatives<Real> derivatives, std::size_t threads = 0);

}  // namespace diffeo
