// Reads series at arbitrary positions by linear interpolation, with derivatives.
//
//   y(x) = y_i + (y_{i+1} - y_i) (x - x_i) / (x_{i+1} - x_i),   x_i <= x < x_{i+1}
//
// where the nodes x_i are i/(time-1), so that positions lie in [0, 1], or the given grid.
//
//   series      (cases, channels, time), time >= 1; NaN means missing
//   positions   (cases, n), or one row shared by the cases; any order, any finite value
//   grid        empty, or strictly increasing and finite: (cases, time), or one row shared by the cases
//   samples     (cases, channels, n)
//
//   * outside the ends the first or last value (clamped); a series of one time step is constant
//   * at a node exactly the node's value. A position within 4 units in the last place of a node (but no
//     further than 1/8 of a segment) counts as the node, because j * (1/(n-1)) and j/(n-1) differ. So sampling
//     at equally spaced positions, however computed, returns the series bit for bit
//   * a missing neighbor gives NaN, unless its weight is zero
//   * O(1) per sample on the regular grid. On a given grid O(1) if a position lies in the same segment as
//     the previous one, O(log time) otherwise
//   * bit-identical for any number of threads; threads = 0 means all cores the process may use
//   * std::invalid_argument for mismatched shapes, non-finite positions, and a grid that is not
//     increasing
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "diffeo/rows.hpp"

namespace diffeo {

/// A view of series of equal length in one block of memory, (cases, channels, time) in C order. It owns nothing.
template <class T>
struct Series {
  T* data = nullptr;
  std::size_t cases = 0;
  std::size_t channels = 0;
  std::size_t time = 0;

  constexpr Series() = default;
  constexpr Series(T* first, std::size_t case_count, std::size_t channel_count, std::size_t time_count) noexcept
      : data(first), cases(case_count), channels(channel_count), time(time_count) {}
  /// A writable view converts to a read-only view.
  template <class U>
  requires(std::is_same_v<const U, T>) constexpr Series(const Series<U>& other) noexcept
      : data(other.data), cases(other.cases), channels(other.channels), time(other.time) {}

  [[nodiscard]] constexpr bool empty() const noexcept { return data == nullptr; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return cases * channels * time; }
  [[nodiscard]] constexpr std::span<T> values(std::size_t item, std::size_t channel) const noexcept {
    return {data + (item * channels + channel) * time, time};
  }
};

/// The inputs of sample.
template <class Real>
struct SampleProblem {
  Series<const Real> series;
  Rows<const Real> positions;
  Rows<const Real> grid = {};
};

/// samples(i, c, j) = series i, channel c, at positions(i, j).
template <class Real>
void sample(const SampleProblem<Real>& problem, Series<Real> samples, std::size_t threads = 0);

/// Outputs of a vector-Jacobian product. An empty view is not computed. Each has the shape of its
/// argument: gradients of shared positions and of a shared grid are summed over the cases.
template <class Real>
struct SampleGradients {
  Series<Real> series = {};
  Rows<Real> positions = {};
  Rows<Real> grid = {};
};

/// Gradients of sum_icj cotangents(i, c, j) * samples(i, c, j).
///
///   * at a node the segment on its right decides derivatives by positions and nodes, at the last node
///     the one on the left
///   * clamped positions have zero derivatives by positions and nodes
///   * a NaN sample has zero gradients, and its cotangent is ignored. At a node next to a missing
///     neighbor the value's derivative is 1, and those by positions and nodes are zero. So gradients are never
///     NaN for finite cotangents
template <class Real>
void sample_vjp(const SampleProblem<Real>& problem, Series<const Real> cotangents, SampleGradients<Real> gradients,
                std::size_t threads = 0);

}  // namespace diffeo
