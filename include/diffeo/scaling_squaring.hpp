// The flow by scaling and squaring: a small exact step, doubled again and again. For study and comparison.
//
//   g_0 = phi(., t / 2^N),   g_{k+1} = g_k o g_k,   phi(., t) = g_N,   N = squarings
//
// The small step is the exact flow of diffeo/flow.hpp at the points given. Those points, sorted, are also the
// grid on which every g_k is known: composing means to interpolate g_k linearly between them at the positions
// g_k itself, and beyond the first and the last to extend the end segments. The arguments and their shapes
// are those of FlowProblem.
//
//   * squarings = 0 is flow() and flow_vjp(), bit for bit. Otherwise the error comes from the interpolation:
//     at fixed squarings it falls with the square of the spacing of the points; more squarings do not help
//   * points in any order; equal points are one node. A row whose points are all equal has nothing to
//     interpolate between: it is flowed exactly
//   * two points a few units in the last place apart at an end of the grid make a poor segment to extend;
//     nothing guards against it
//   * O(squarings * n) per row besides the small step, O(n log n) to sort points that are not in order; for
//     gradients O(squarings * n) memory per thread. Composed in double
//   * infinite where values overflow, never NaN
//   * the same bits for any number of threads; threads = 0 means all the cores the process may use
//   * std::invalid_argument for shapes that do not fit, values that are not finite, and more squarings than
//     kMaximumSquarings
#pragma once

#include <cstddef>

#include "diffeo/flow.hpp"
#include "diffeo/rows.hpp"

namespace diffeo {

/// Each squaring doubles the rounding errors of the small step: beyond 30 few digits of a double are left.
inline constexpr std::size_t kMaximumSquarings = 30;

/// positions(i, j) = phi_i(points(i, j), time_i), by `squarings` compositions.
template <class Real>
void flow_scaling_squaring(const FlowProblem<Real>& problem, std::size_t squarings, Rows<Real> positions,
                           std::size_t threads = 0);

/// Gradients of sum_ij cotangents(i, j) * positions(i, j): the exact gradients of the composition above,
/// which go through the interpolated values, the positions and the nodes of every composition. Of equal
/// points only the sum of the gradients is meant. At a node the segment on its right decides, the one on the
/// left at the last node. Positions that overflow on the way pass nothing on.
template <class Real>
void flow_scaling_squaring_vjp(const FlowProblem<Real>& problem, std::size_t squarings, Rows<const Real> cotangents,
                               FlowGradients<Real> gradients, std::size_t threads = 0);

}  // namespace diffeo
