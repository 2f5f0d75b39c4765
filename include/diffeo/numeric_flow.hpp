// The flow of a piecewise affine velocity field by numerical integration: for study and comparison.
//
// diffeo/flow.hpp has the exact flow, which is also faster. These are two of the methods it replaces. The
// arguments and their shapes are those of FlowProblem, and time may have any sign.
//
//   flow_numeric       the classical Runge-Kutta scheme with `steps` equal steps: order 4 while a trajectory
//                      stays in one cell, order 2 where it crosses vertices (v has kinks there)
//   flow_alternating   the solver of Freifeld et al. (2017): `steps` large steps of t/steps. A step is analytic
//                      if it stays inside the cell it starts from, otherwise it becomes `inner_steps`
//                      small steps of the explicit midpoint rule, as in public implementations. Exact if
//                      no vertex is crossed, order 2 otherwise
//
// The vector-Jacobian products are the exact gradients of the discrete schemes (not discretized gradients of
// the flow): they go backward through the steps taken. At a vertex the cell to the right decides.
//
//   * O(points * steps * inner_steps) time; O(steps + inner_steps) memory per thread for the gradients
//   * if the steps are too long for the slopes of the field, a scheme diverges like any explicit scheme: its
//     results are then inaccurate, not monotone, or not finite
//   * computed in double; bit-identical for any number of threads; threads = 0 means all available cores
//   * std::invalid_argument for mismatched shapes, non-finite values, and numbers of steps
//     outside 1 ... kMaximumSteps
#pragma once

#include <cstddef>

#include "diffeo/flow.hpp"
#include "diffeo/rows.hpp"

namespace diffeo {

inline constexpr std::size_t kMaximumSteps = 1'000'000;

/// positions(i, j) = phi_i(points(i, j), time_i), by `steps` Runge-Kutta steps of order 4.
template <class Real>
void flow_numeric(const FlowProblem<Real>& problem, std::size_t steps, Rows<Real> positions, std::size_t threads = 0);

/// Gradients of sum_ij cotangents(i, j) * positions(i, j).
template <class Real>
void flow_numeric_vjp(const FlowProblem<Real>& problem, std::size_t steps, Rows<const Real> cotangents,
                      FlowGradients<Real> gradients, std::size_t threads = 0);

/// The defaults are the authors' recommendation.
struct AlternatingOptions {
  std::size_t steps = 10;
  std::size_t inner_steps = 10;
};

/// positions(i, j) = phi_i(points(i, j), time_i), by the alternating solver.
template <class Real>
void flow_alternating(const FlowProblem<Real>& problem, AlternatingOptions options, Rows<Real> positions,
                      std::size_t threads = 0);

/// Gradients of sum_ij cotangents(i, j) * positions(i, j).
template <class Real>
void flow_alternating_vjp(const FlowProblem<Real>& problem, AlternatingOptions options, Rows<const Real> cotangents,
                          FlowGradients<Real> gradients, std::size_t threads = 0);

}  // namespace diffeo
