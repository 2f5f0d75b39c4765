// Whether gamma is large enough beside the costs for the kernels' exponents.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "diffeo/dataset.hpp"
#include "diffeo/error.hpp"

namespace diffeo {

/// Bounds what soft-DTW may have to count: the costs of all paths between any of the series it was shown.
class SoftRange {
 public:
  void include(SeriesView<const double> series) {
    const auto [least, most] = std::minmax_element(series.data, series.data + series.size());
    least_ = std::min(least_, *least);
    most_ = std::max(most_, *most);
    longest_ = std::max(longest_, series.length);
    channels_ = series.channels;
  }

  void require_gamma(double gamma) const {
    require(gamma > 0 && std::isfinite(gamma), "gamma: expected a positive number, got ", gamma);
    const double range = most_ - least_;
    const double cost = range * range * static_cast<double>(channels_) * 2 * static_cast<double>(longest_);
    require(cost / gamma <= kMostExponent, "gamma: expected at least ", cost / kMostExponent, " for values that span ",
            range, ", got ", gamma, "; with less it is the square of dtw");
  }

 private:
  static constexpr double kMostExponent = 0x1p49;
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = -std::numeric_limits<double>::infinity();
  std::size_t longest_ = 0;
  std::size_t channels_ = 0;
};

}  // namespace diffeo
