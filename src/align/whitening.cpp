#include "align/whitening.hpp"

#include <algorithm>
#include <cmath>

namespace diffeo {
namespace {

/// Covariance of the two states.
struct Covariance {
  double height;
  double mixed;
  double slope;
};

}  // namespace

Whitening::Whitening(std::size_t length, std::span<const char> present, double ratio, double length_scale) {
  const double spacing = length > 1 ? 1.0 / static_cast<double>(length - 1) : 1.0;
  const double rate = std::sqrt(3.0) / length_scale;
  const double decay = std::exp(-rate * spacing);
  const double a = decay * (1.0 + rate * spacing);
  const double b = decay * spacing;
  const double c = -decay * rate * rate * spacing;
  const double d = decay * (1.0 - rate * spacing);
  transition_[0] = a;
  transition_[1] = b;
  transition_[2] = c;
  transition_[3] = d;
  const Covariance rest{ratio, 0.0, ratio * rate * rate};
  // What a step adds, so that the process stays as it is: rest - F rest F^T.
  const Covariance added{rest.height - (a * a * rest.height + b * b * rest.slope),
                         -(a * c * rest.height + b * d * rest.slope),
                         rest.slope - (c * c * rest.height + d * d * rest.slope)};
  Covariance predicted = rest;
  steps_.reserve(length);
  for (std::size_t sample = 0; sample < length; ++sample) {
    Covariance filtered = predicted;
    if (present.empty() || present[sample]) {
      const double variance = predicted.height + 1.0;
      const double height_gain = predicted.height / variance;
      const double slope_gain = predicted.mixed / variance;
      filtered = {predicted.height - height_gain * predicted.height, predicted.mixed - height_gain * predicted.mixed,
                  predicted.slope - slope_gain * predicted.mixed};
      log_determinant_ += std::log(variance);
      steps_.push_back({height_gain, slope_gain, 1.0 / std::sqrt(variance)});
    } else {
      steps_.push_back({0.0, 0.0, 0.0});
    }
    const auto& [height, mixed, slope] = filtered;
    predicted = {a * a * height + 2.0 * a * b * mixed + b * b * slope + added.height,
                 a * c * height + (a * d + b * c) * mixed + b * d * slope + added.mixed,
                 c * c * height + 2.0 * c * d * mixed + d * d * slope + added.slope};
  }
}

void Whitening::whiten(std::span<double> block, std::size_t columns, std::span<double> states) const noexcept {
  double* heights = states.data();
  double* slopes = heights + columns;
  std::fill_n(heights, 2 * columns, 0.0);
  const auto [a, b, c, d] = transition_;
  double* row = block.data();
  for (const kernels::WhiteningStep step : steps_) {  // copies, so that the loop over columns need not read them again
    for (std::size_t column = 0; column < columns; ++column) {
      // A missing sample may hold anything; it must not come in through 0 * NaN.
      const double innovation = step.factor == 0.0 ? 0.0 : row[column] - heights[column];
      const double height = heights[column] + step.height_gain * innovation;
      const double slope = slopes[column] + step.slope_gain * innovation;
      row[column] = step.factor * innovation;
      heights[column] = a * height + b * slope;
      slopes[column] = c * height + d * slope;
    }
    row += columns;
  }
}

}  // namespace diffeo
