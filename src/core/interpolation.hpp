// Linear interpolation of one row of values: where a position falls, the value there, and its derivatives.
//
// Positions are located either in index coordinates (node i at u = i: what the sampler makes of regular
// positions and the fused warp computes directly) or on an increasing grid. Everything else works on the
// Location found. The contract is that of diffeo/sample.hpp; nothing here checks, allocates or throws.
//
//   locate_row(u, count, locations)                                        once for all channels
//   sample_row(values, locations, out)                                     out_j = value at location j
//   sample_row_vjp(values, locations, cotangents, by_value, by_position)   adds to the last two
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "core/kernels/inline.hpp"

namespace diffeo::interpolation {

/// The value is that of `node` where fraction == 0, and lies between node and node + 1 otherwise (fraction <
/// 1).
template <class Real>
struct Location {
  std::size_t node;
  Real fraction;
  bool inside;  // false where the position was clamped: it then has no influence
};

/// A position this close to a node, relative to the node's own coordinate, counts as the node: 4 units in the
/// last place of the position (j * (1/(n-1)) and j/(n-1) differ by that much) and one for the rounding of the
/// index coordinate.
template <class Real>
inline constexpr Real kNodeTolerance = 5 * std::numeric_limits<Real>::epsilon();

/// ... but never more than this part of a segment, lest rows too long for their precision become staircases.
template <class Real>
inline constexpr Real kLargestSnap = Real(0.125);

/// A position between node and node + 1, `from_left` and `to_right` away from them. All in units of the
/// segment, also the coordinates `left` and `right` of the two nodes, to which the tolerance is relative.
template <class Real>
DIFFEO_HOST_DEVICE Location<Real> snapped(std::size_t node, Real from_left, Real to_right, Real left,
                                          Real right) noexcept {
  if (from_left <= std::min(kNodeTolerance<Real> * left, Real(kLargestSnap<Real>))) return {node, 0, true};
  if (to_right <= std::min(kNodeTolerance<Real> * right, Real(kLargestSnap<Real>))) return {node + 1, 0, true};
  return {node, from_left, true};
}

/// `count` >= 1 nodes at 0, 1, ..., count - 1. (Through signed integers: processors convert those in one
/// instruction.)
template <class Real>
DIFFEO_HOST_DEVICE Location<Real> locate(Real u, std::size_t count) noexcept {
  const auto final_node = static_cast<std::ptrdiff_t>(count) - 1;
  const Real last = static_cast<Real>(final_node);
  if (u < 0) return {0, 0, false};
  if (u >= last) return {count - 1, 0, u <= last + kNodeTolerance<Real> * last};
  // In float a long row's last index may round up, so that u < last still truncates to it.
  const std::ptrdiff_t node = std::min(static_cast<std::ptrdiff_t>(u), final_node - 1);
  const Real left = static_cast<Real>(node);
  return snapped(static_cast<std::size_t>(node), u - left, left + 1 - u, left, left + 1);
}

/// `grid` increases strictly; `hint` is the segment found last (start with 0), tried first.
template <class Real>
Location<Real> locate(Real x, std::span<const Real> grid, std::size_t& hint) noexcept {
  const Real first = grid.front();
  const Real last = grid.back();
  if (x < first) return {0, 0, first - x <= kNodeTolerance<Real> * std::abs(first)};
  if (x >= last) return {grid.size() - 1, 0, x - last <= kNodeTolerance<Real> * std::abs(last)};
  if (x < grid[hint] || x >= grid[hint + 1]) {
    hint = static_cast<std::size_t>(std::upper_bound(grid.begin(), grid.end(), x) - grid.begin()) - 1;
  }
  const Real left = grid[hint];
  const Real right = grid[hint + 1];
  const Real width = right - left;
  return snapped(hint, (x - left) / width, (right - x) / width, std::abs(left) / width, std::abs(right) / width);
}

/// NaN where a node of nonzero weight is missing.
template <class Real>
DIFFEO_HOST_DEVICE Real value_at(const Real* values, const Location<Real>& at) noexcept {
  const Real value = values[at.node];
  return at.fraction == 0 ? value : value + at.fraction * (values[at.node + 1] - value);
}

/// The segment whose slope is the derivative: the one on the right at a node, the one on the left at the last
/// node.
template <class Real>
DIFFEO_HOST_DEVICE std::size_t segment(const Location<Real>& at, std::size_t count) noexcept {
  return at.node + 1 < count ? at.node : count - 2;
}

/// d value / d u; zero where clamped, on a single node, and where an end of the segment is missing.
template <class Real>
DIFFEO_HOST_DEVICE Real slope_at(const Real* values, std::size_t count, const Location<Real>& at) noexcept {
  if (!at.inside || count == 1) return 0;
  const std::size_t left = segment(at, count);
  const Real slope = values[left + 1] - values[left];
  return std::isnan(slope) ? Real(0) : slope;
}

/// How much of the value comes from a node.
template <class Real>
DIFFEO_HOST_DEVICE double share_of_node(const Location<Real>& at, std::size_t node) noexcept {
  const double fraction = static_cast<double>(at.fraction);
  if (node == at.node) return 1 - fraction;
  return node == at.node + 1 ? fraction : 0.0;
}

/// Adds the gradient of cotangent * value to `by_value` and returns its derivative by u. A missing value
/// passes nothing on, whatever its cotangent.
template <class Real>
DIFFEO_HOST_DEVICE double pull_back(const Real* values, std::size_t count, const Location<Real>& at, Real cotangent,
                                    double* by_value) noexcept {
  if (std::isnan(value_at(values, at))) return 0;
  const double weight = static_cast<double>(cotangent);
  if (by_value != nullptr) {
    by_value[at.node] += weight * share_of_node(at, at.node);
    if (at.fraction != 0) by_value[at.node + 1] += weight * share_of_node(at, at.node + 1);
  }
  return weight * static_cast<double>(slope_at(values, count, at));
}

/// Where a row of positions lies; found once, read for every channel.
template <class Real>
void locate_row(std::span<const Real> u, std::size_t count, Location<Real>* locations) noexcept {
  for (std::size_t j = 0; j < u.size(); ++j) locations[j] = locate(u[j], count);
}

template <class Real>
void sample_row(const Real* values, std::span<const Location<Real>> locations, Real* out) noexcept {
  for (std::size_t j = 0; j < locations.size(); ++j) out[j] = value_at(values, locations[j]);
}

/// Adds to `by_value`, which may be null, and to `by_position`.
template <class Real>
void sample_row_vjp(std::span<const Real> values, std::span<const Location<Real>> locations, const Real* cotangents,
                    double* by_value, double* by_position) noexcept {
  for (std::size_t j = 0; j < locations.size(); ++j) {
    by_position[j] += pull_back(values.data(), values.size(), locations[j], cotangents[j], by_value);
  }
}

}  // namespace diffeo::interpolation
