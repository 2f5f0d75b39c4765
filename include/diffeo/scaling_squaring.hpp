// The flow by scaling and squaring: a small exact step, doubled repeatedly. For study and comparison.
//
//   g_0 = phi(., t / 2^N),   g_{k+1} = g_k o g_k,   phi(., t) = g_N,   N = squarings
//
// The small step is the exact flow of diffeo/flow.hpp at the given points. Sorted, these points are also the
// grid of every g_k. Composition interpolates g_k linearly on this grid at the positions
// g_k itself; outside the grid it extends the end segments. The arguments and their shapes
// are those of FlowProblem.
//
//   * squarings = 0 equals flow() and flow_vjp(), bit for bit. Otherwise the error comes from the interpolation:
//     at fixed squarings it falls with the square of the spacing of the points; more squarings do not help
//   * points in any order; equal points are one node. A row whose points are all equal has nothing to
//     interpolate between, so it uses the exact flow
//   * two points a few units in the last place apart at an end of the grid make a poor segment to extend;
//     there is no check for this
//   * O(squarings * n) per row besides the small step, O(n log n) to sort unordered points; for
//     gradients O(squarings * n) memory per thread. Composed in double
//   * infinite if values overflow, never NaN
//   * bit-identical for any number of threads; threads = 0 means all cores the process may use
//   * std::invalid_argument for mismatched shapes, non-finite values, and more squarings than
//     kMaximumSquarings
#pragma once

#include <cstddef>

#include "diffeo/flow.hpp"
#include "diffeo/rows.hpp"

namespace diffeo {

/// Each squaring doubles the rounding errors of the small step: beyond 30, few digits of a double are left.
inline constexpr std::size_t kMaximumSquarings = 30;

/// positions(i, j) = phi_i(points(i, j), time_i), by `squarings` compositions.
template <class Real>
void flow_scaling_squaring(const FlowProblem<Real>& problem, std::size_t squarings, Rows<Real> positions,
                           std::size_t threads = 0);

/// Gradients of sum_ij cotangents(i, j) * positions(i, j): the exact gradients of the composition above,
/// through the interpolated values, the positions and the nodes of every composition. For equal
/// points only the sum of the gradients is meaningful. At a node the segment on its right decides, at the last
/// node the one on the left. Positions that overflow on the way have zero gradients.
template <class Real>
void flow_scaling_squaring_vjp(const FlowProblem<Real>& problem, std::size_t squarings, Rows<const Real> cotangents,
                               FlowGradients<Real> gradients, std::size_t threads = 0);

}  // namespace diffeo
