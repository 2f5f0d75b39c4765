// The log-slope of a warp: the logarithm of its derivative, in closed form, with its own derivatives.
//
//   log phi'(x) = log d phi(x, t) / d x = sum over visited cells of (slope of v there) * (time spent there)
//                                                                                           (docs/math.md, 4.4)
//
// It tells how much time is stretched (above 0) or squeezed (below 0) at x. The logarithm is additive under
// composition, changes sign under inversion, and does not overflow where the derivative would.
//
//   d log phi' / d t = slope of v at phi
//   d log phi' / d x = (slope at phi - slope at x) / v(x), 0 for points that stay in their cell
//
// Problems, gradients, tangents and contract are those of diffeo/flow.hpp:
//
//   * O(points + cells) per field for values and vector-Jacobian products
//   * rounding errors of a few units in the last place times the conditioning (docs/math.md, 5)
//   * values are never NaN; derivatives are infinite if their true value overflows
//   * at a vertex the cell to the right decides, for the start of a trajectory and for its end
//   * bit-identical for any number of threads; threads = 0 means all cores the process may use
//   * std::invalid_argument for mismatched shapes and non-finite values
#pragma once

#include <cstddef>
#include <vector>

#include "diffeo/flow.hpp"

namespace diffeo {

/// log_slopes(i, j) = log d phi_i(x, time_i) / d x at x = points(i, j).
template <class Real>
void flow_log_slope(const FlowProblem<Real>& problem, Rows<Real> log_slopes, std::size_t threads = 0);

/// Log-slopes of one field and one time at `points`.
template <class Real>
[[nodiscard]] std::vector<Real> flow_log_slope(const std::vector<Real>& velocities, const std::vector<Real>& points,
                                               double time = 1.0, Domain domain = {});

/// Gradients of sum_ij cotangents(i, j) * log_slopes(i, j).
template <class Real>
void flow_log_slope_vjp(const FlowProblem<Real>& problem, Rows<const Real> cotangents, FlowGradients<Real> gradients,
                        std::size_t threads = 0);

/// Directional derivatives of the log-slopes.
template <class Real>
void flow_log_slope_jvp(const FlowProblem<Real>& problem, const FlowTangents<Real>& tangents,
                        Rows<Real> log_slope_tangents, std::size_t threads = 0);

/// jacobian(i * n + j, k) = d log_slopes(i, j) / d velocities(i, k); (batch * n, cells + 1) values.
template <class Real>
void flow_log_slope_jacobian(const FlowProblem<Real>& problem, Rows<Real> jacobian, std::size_t threads = 0);

}  // namespace diffeo
