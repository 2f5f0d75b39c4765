// Time counted in samples of a series: how a warp sees it.
//
// The domain is [0, last], last the index of the last sample (1 for a single one), and velocities are multiplied by it.
// An output of n samples reads the series where the flow takes n points that divide the domain equally.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/kernels/inline.hpp"

namespace diffeo {

/// The end of the domain for a series of `time` samples.
[[nodiscard]] inline double last_sample(std::size_t time) noexcept {
  return static_cast<double>(std::max<std::size_t>(time - 1, 1));
}

/// Points that divide [0, last] equally.
template <class Real>
struct SamplePoints {
  double last;
  double steps;

  SamplePoints(double end, std::size_t length) noexcept
      : last(end), steps(static_cast<double>(std::max<std::size_t>(length - 1, 1))) {}
  [[nodiscard]] DIFFEO_HOST_DEVICE Real operator[](std::size_t j) const noexcept {
    return static_cast<Real>(last * static_cast<double>(j) / steps);
  }
};

/// A velocity on [0, 1], in samples.
template <class Real>
[[nodiscard]] DIFFEO_HOST_DEVICE inline Real in_samples(Real velocity, double last) noexcept {
  return static_cast<Real>(static_cast<double>(velocity) * last);
}

}  // namespace diffeo
