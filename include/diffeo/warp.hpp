// Warps series: flow and sampling in one pass.
//
//   warped_i(j) = series_i(phi_i(j / (length - 1), time_i)),   phi_i the flow of velocities_i on [0, 1]
//
// The positions are never stored: each block is flowed, the channels are read there, and the next block follows.
// Internally, time is measured in samples of the series, so a zero field returns the series bit for bit.
//
//   series       (cases, channels, time); NaN means missing (see diffeo/sample.hpp)
//   velocities   (cases, cells + 1), or one row shared by the cases
//   times        one per case, or one for all; -1 applies the exact inverse of the warp
//   warped       (cases, channels, length), any length >= 1; a length of 1 reads the series at phi(0)
//
//   * O(length * channels + cells) per case; bit-identical for any number of threads
//   * std::invalid_argument for mismatched shapes and non-finite velocities or times
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "diffeo/rows.hpp"
#include "diffeo/sample.hpp"

namespace diffeo {

template <class Real>
struct WarpProblem {
  Series<const Real> series;
  Rows<const Real> velocities;
  std::span<const double> times;

  [[nodiscard]] double time(std::size_t item) const noexcept { return times[times.size() == 1 ? 0 : item]; }
};

template <class Real>
void warp(const WarpProblem<Real>& problem, Series<Real> warped, std::size_t threads = 0);

/// One series of one channel, to the same length.
template <class Real>
[[nodiscard]] std::vector<Real> warp(const std::vector<Real>& series, const std::vector<Real>& velocities,
                                     double time = 1.0);

/// Outputs of a vector-Jacobian product. An empty view or span is not computed. Gradients of shared velocities and of a
/// shared time are summed over the cases.
template <class Real>
struct WarpGradients {
  Series<Real> series = {};
  Rows<Real> velocities = {};
  std::span<double> times = {};
};

/// Gradients of sum_icj cotangents(i, c, j) * warped(i, c, j); missing values as in sample_vjp.
template <class Real>
void warp_vjp(const WarpProblem<Real>& problem, Series<const Real> cotangents, WarpGradients<Real> gradients,
              std::size_t threads = 0);

}  // namespace diffeo
