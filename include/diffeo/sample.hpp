// Series read at arbitrary positions by linear interpolation, and the derivatives.
//
//   y(x) = y_i + (y_{i+1} - y_i) (x - x_i) / (x_{i+1} - x_i),   x_i <= x < x_{i+1}
//
// where the nodes x_i are i/(time-1), so that positions lie in [0, 1], or the grid given.
//
//   series      (cases, channels, time), time >= 1; NaN means missing
//   positions   (cases, n), or one row shared by the cases; any order, any finite value
//   grid        empty, or strictly increasing and finite: (cases, time), or one row shared by the cases
//   samples     (cases, channels, n)
//
//   * beyond the ends the first or last value (clamped); a series of one time step is constant
//   * at a node the node's value, bit for bit. A position within 4 units in the last place of a node (but no
//     further than 1/8 of a segment) counts as the node, because j * (1/(n-1)) and j/(n-1) differ: sampling
//     at equally spaced positions, however computed, gives the series back to the last bit
//   * a missing neighbour gives NaN, unless its weight is zero
//   * O(1) per sample on the regular grid; on a given grid O(1) where a position lies in the same segment as
//     the one before, O(log time) otherwise
//   * the same bits for any number of threads; threads = 0 means all the cores the process may use
//   * std::invalid_argument for shapes that do not fit, positions that are not finite, and a grid that does
//     not increase
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "diffeo/rows.hpp"

namespace diffeo {

/// A view of equally long series in one block of memory, (cases, channels, time) in C order. It owns nothing.
template <class T>
struct Series {
  T* data = nullptr;
  std::size_t cases = 0;
  std::size_t channels = 0;
  std::size_t time = 0;

  constexpr Series() = default;
  constexpr Series(T* first, std::size_t case_count, std::size_t channel_count, std::size_t time_count) noexcept
      : data(first), cases(case_count), channels(channel_count), time(time_count) {}
  /// A view that may write is a view that may read.
  template <class U>
  requires(std::is_same_v<const U, T>) constexpr Series(const Series<U>& other) noexcept
      : data(other.data), cases(other.cases), channels(other.channels), time(other.time) {}

  [[nodiscard]] constexpr bool empty() const noexcept { return data == nullptr; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return cases * channels * time; }
  [[nodiscard]] constexpr std::span<T> values(std::size_t item, std::size_t channel) const noexcept {
    return {data + (item * channels + channel) * time, time};
  }
};

/// What is to be read, where.
template <class Real>
struct SampleProblem {
  Series<const Real> series;
  Rows<const Real> positions;
  Rows<const Real> grid = {};
};

/// samples(i, c, j) = series i, channel c, at positions(i, j).
template <class Real>
void sample(const SampleProblem<Real>& problem, Series<Real> samples, std::size_t threads = 0);

/// Where a vector-Jacobian product goes. An empty view is not computed. The shape of each is that of its
/// argument: gradients of shared positions and of a shared grid are summed over the cases.
template <class Real>
struct SampleGradients {
  Series<Real> series = {};
  Rows<Real> positions = {};
  Rows<Real> grid = {};
};

/// Gradients of sum_icj cotangents(i, c, j) * samples(i, c, j).
///
///   * at a node the segment on its right decides derivatives by positions and nodes, the one on the left at
///     the last node
///   * clamped positions have no influence: zero by positions and nodes
///   * a sample that is NaN passes nothing on, and its cotangent is not looked at; at a node beside a missing
///     neighbour the value's derivative is 1, and those by positions and nodes are zero: gradients are never
///     NaN for finite cotangents
template <class Real>
void sample_vjp(const SampleProblem<Real>& problem, Series<const Real> cotangents, SampleGradients<Real> gradients,
                std::size_t threads = 0);

}  // namespace diffeo
