// What the tests of derivatives and of random fields share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "diffeo/flow.hpp"

namespace diffeo::testing {

/// Central differences with this step have an error of about step^2 times the third derivative, plus
/// eps/step: near 1e-10 for functions and derivatives of order 1, more where third derivatives are of order
/// 100.
inline constexpr double kDifferenceStep = 1e-5;
inline constexpr double kDifferenceTolerance = 1e-7;
/// Of the entries of a gradient at most this part may lie at a kink, where differences tell nothing (one
/// point at a kink spoils several vertex velocities).
inline constexpr double kMostKinks = 0.25;

template <class Loss>
double central_difference(double& entry, double step, const Loss& loss) {
  const double kept = entry;
  entry = kept + step;
  const double above = loss();
  entry = kept - step;
  const double below = loss();
  entry = kept;
  return (above - below) / (2 * step);
}

/// d loss / d argument, entry by entry; `loss` reads the argument through its own reference. NaN where a kink
/// or a jump lies within the step: there the difference depends on the step.
template <class Loss>
std::vector<double> differences(std::vector<double>& argument, const Loss& loss) {
  std::vector<double> gradient;
  for (double& entry : argument) {
    const double wide = central_difference(entry, kDifferenceStep, loss);
    const double narrow = central_difference(entry, kDifferenceStep / 4, loss);
    gradient.push_back(std::abs(wide - narrow) < kDifferenceTolerance ? narrow : std::nan(""));
  }
  return gradient;
}

inline void expect_like_differences(std::span<const double> gradient, std::span<const double> differences) {
  ASSERT_EQ(gradient.size(), differences.size());
  std::size_t kinks = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    if (std::isnan(differences[i])) {
      ++kinks;
      EXPECT_TRUE(std::isfinite(gradient[i]));
    } else {
      EXPECT_NEAR(gradient[i], differences[i], kDifferenceTolerance) << "entry " << i;
    }
  }
  EXPECT_LE(static_cast<double>(kinks), 1 + kMostKinks * static_cast<double>(gradient.size()));
}

inline double weighted_sum(std::span<const double> weights, std::span<const double> values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += weights[i] * values[i];
  return sum;
}

inline double largest_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

inline std::vector<double> random_values(std::size_t count, double lower, double upper, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> values(count);
  for (double& value : values) {
    value = lower + (upper - lower) * static_cast<double>(engine() >> 11) * 0x1p-53;  // the same on every platform
  }
  return values;
}

inline std::vector<double> equally_spaced(std::size_t count, double lower = 0, double upper = 1) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = lower + (upper - lower) * static_cast<double>(i) / static_cast<double>(count - 1);
  }
  return values;
}

/// A flow problem that owns its arguments. One row of points, or one time, is shared by the batch.
struct OwnedProblem {
  std::size_t batch;
  std::vector<double> velocities;
  std::vector<double> points;
  std::vector<double> times;
  std::size_t point_rows = 1;
  Domain domain = {};

  [[nodiscard]] std::size_t columns() const { return points.size() / point_rows; }
  [[nodiscard]] FlowProblem<double> view() const {
    return {
        {velocities.data(), batch, velocities.size() / batch}, {points.data(), point_rows, columns()}, times, domain};
  }
  /// The positions by any kind of flow: method(problem, positions).
  template <class Method>
  [[nodiscard]] std::vector<double> positions(const Method& method) const {
    std::vector<double> result(batch * columns());
    method(view(), Rows<double>(result.data(), batch, columns()));
    return result;
  }
};

struct OwnedGradients {
  std::vector<double> velocities;
  std::vector<double> points;
  std::vector<double> times;
};

/// The gradients by any kind of flow: method(problem, cotangents, gradients).
template <class Method>
OwnedGradients gradients_of(const OwnedProblem& problem, const std::vector<double>& cotangents, const Method& method) {
  OwnedGradients gradients{std::vector<double>(problem.velocities.size()), std::vector<double>(problem.points.size()),
                           std::vector<double>(problem.times.size())};
  const FlowProblem<double> view = problem.view();
  method(view, Rows<const double>(cotangents.data(), problem.batch, problem.columns()),
         FlowGradients<double>{{gradients.velocities.data(), view.velocities.rows, view.velocities.columns},
                               {gradients.points.data(), view.points.rows, view.points.columns},
                               gradients.times});
  return gradients;
}

/// The gradients of a method against differences of its positions.
template <class Method>
void expect_gradients_like_differences(OwnedProblem problem, const std::vector<double>& cotangents,
                                       const Method& method) {
  const OwnedGradients by = gradients_of(problem, cotangents, method);
  const auto loss = [&] { return weighted_sum(cotangents, problem.positions(method)); };
  expect_like_differences(by.velocities, differences(problem.velocities, loss));
  expect_like_differences(by.points, differences(problem.points, loss));
  expect_like_differences(by.times, differences(problem.times, loss));
}

}  // namespace diffeo::testing
