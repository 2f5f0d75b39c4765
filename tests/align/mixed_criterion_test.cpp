#include "align/mixed_criterion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "diffeo/random.hpp"
#include "support/criterion_checks.hpp"
#include "support/true_warps.hpp"

namespace diffeo {
namespace mixed_criterion_test {

using testing::central_difference;
using testing::cost_of;
using testing::equally_spaced;
using testing::equations_of;
using View = SeriesView<const double>;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
/// Far below the distance between kinks of the interpolation, so that few points cross one.
constexpr double kStep = 1e-7;
/// Of the largest entry of the gradient: rounding of the cost over the step, and the few kinks that are crossed.
constexpr double kGradientTolerance = 1e-4;
constexpr std::size_t kCells = 8;
constexpr std::size_t kFinePoints = 1001;

double wave(double time, double phase) { return std::sin(6.0 * std::numbers::pi * time + phase); }

std::vector<double> waves(std::size_t channels, std::size_t length, double phase, double height = 1.0) {
  std::vector<double> values;
  for (std::size_t channel = 0; channel < channels; ++channel) {
    for (const double time : equally_spaced(length)) {
      values.push_back(height * wave(time, phase + static_cast<double>(channel)));
    }
  }
  return values;
}

Matrix random_velocities(std::size_t cases, std::uint64_t seed) {
  Random random(seed);
  Matrix velocities(cases, kCells + 1);
  for (std::size_t row = 0; row < cases; ++row) {
    for (std::size_t vertex = 1; vertex < kCells; ++vertex) velocities(row, vertex) = 0.1 * random.normal();
  }
  return velocities;
}

MixedParameters parameters(double height_ratio, double gain_ratio) {
  return {.noise = 0.01,
          .height_ratio = height_ratio,
          .gain_ratio = gain_ratio,
          .warp_ratio = 10.0,
          .warp_length_scale = 0.1,
          .height_length_scale = 0.2,
          .scale = 1.0};
}

/// Series of different lengths, two channels each; what they are compared with may be missing: then it is their mean.
struct Scene {
  static constexpr std::size_t kChannels = 2;
  std::vector<std::vector<double>> values;
  std::vector<double> target = waves(kChannels, kFinePoints, 0.0);
  double height_ratio = 5.0;
  double gain_ratio = 0.0;
  std::size_t points = kFinePoints;
  bool has_target = true;

  explicit Scene(std::uint64_t seed) {
    Random random(seed);
    for (const std::size_t length : {60u, 83u, 100u}) {
      values.push_back(waves(kChannels, length, 0.3 * random.normal(), 1.0 + 0.2 * random.normal()));
      for (double& value : values.back()) value += 0.05 * random.normal();
    }
  }

  [[nodiscard]] MixedSeries series() const {
    std::vector<View> views;
    for (const std::vector<double>& own : values) views.emplace_back(own.data(), kChannels, own.size() / kChannels);
    const View target_view(target.data(), kChannels, target.size() / kChannels);
    return {views, has_target ? &target_view : nullptr, points};
  }
  [[nodiscard]] MixedCriterion criterion(const MixedSeries& own) const {
    return {own, parameters(height_ratio, gain_ratio), 1.0, kCells, true, 1};
  }
};

void expect_gradient(const Scene& scene, std::uint64_t seed) {
  const MixedSeries series = scene.series();
  const MixedCriterion criterion = scene.criterion(series);
  const Matrix velocities = random_velocities(series.cases(), seed);
  const std::vector<double> gradients = equations_of(criterion, velocities).gradients;
  const std::size_t free = kCells - 1;
  ASSERT_EQ(gradients.size(), series.cases() * free);
  double largest = 0.0;
  for (const double gradient : gradients) largest = std::max(largest, std::fabs(2.0 * gradient));
  for (std::size_t row = 0; row < series.cases(); ++row) {
    for (std::size_t k = 0; k < free; ++k) {
      EXPECT_NEAR(2.0 * gradients[row * free + k], central_difference(criterion, velocities, row, 1 + k, kStep),
                  kGradientTolerance * largest)
          << "case " << row << ", velocity " << k;
    }
  }
}

TEST(MixedCriterion, HasTheGradientOfItsFiniteDifferences) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (const double height_ratio : {0.0, 5.0, 500.0}) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", height ratio " << height_ratio);
      Scene scene(seed);
      scene.height_ratio = height_ratio;
      expect_gradient(scene, 100 + seed);
    }
  }
}

TEST(MixedCriterion, HasTheGradientWithGains) {
  for (const double gain_ratio : {0.1, 10.0, 1e4}) {
    SCOPED_TRACE(gain_ratio);
    Scene scene(12);
    scene.gain_ratio = gain_ratio;
    expect_gradient(scene, 112);
  }
}

TEST(MixedCriterion, HasTheGradientBesideMissingValues) {
  Scene scene(6);
  scene.gain_ratio = 10.0;
  for (std::size_t i = 20; i < 30; ++i) scene.values[0][i] = kMissing;
  for (std::size_t i = 100; i < 110; ++i) scene.values[1][i] = kMissing;
  for (std::size_t i = 0; i < 5; ++i) scene.values[2][i] = kMissing;
  expect_gradient(scene, 106);
}

TEST(MixedCriterion, ComparesValuesWhereHeightsAgree) {
  Scene scene(7);
  scene.height_ratio = 0.0;
  scene.values.resize(1);
  const MixedSeries series = scene.series();
  GroupState state;
  scene.criterion(series).evaluate(Matrix(1, kCells + 1), state);
  const std::size_t length = series.length(0);
  double sum = 0.0;
  for (std::size_t i = 0; i < 2 * length; ++i) {
    const double time = static_cast<double>(i % length) / static_cast<double>(length - 1);
    const double difference = scene.values[0][i] - wave(time, static_cast<double>(i / length));
    sum += difference * difference;
  }
  const double expected = sum / static_cast<double>(2 * kFinePoints);
  EXPECT_NEAR(state.difference, expected, 1e-3 * expected);  // the template is read between its points
}

TEST(MixedCriterion, ForgivesHeightsMoreWhereTheyVary) {
  Scene scene(8);
  scene.values.assign(1, waves(2, 100, 0.0, 1.3));
  double last = std::numeric_limits<double>::infinity();
  for (const double height_ratio : {0.0, 1.0, 100.0, 1e4}) {
    scene.height_ratio = height_ratio;
    const MixedSeries series = scene.series();
    const double cost = cost_of(scene.criterion(series), Matrix(1, kCells + 1));
    EXPECT_LT(cost, last) << "height ratio " << height_ratio;
    last = cost;
  }
}

TEST(MixedCriterion, ForgivesAGainWhatItCostsAsAGain) {
  Scene scene(8);
  scene.height_ratio = 0.0;
  constexpr double kGain = 0.3;
  scene.values.assign(1, waves(2, 100, 0.0, 1.0 + kGain));
  const auto cost = [&](double gain_ratio) {
    scene.gain_ratio = gain_ratio;
    const MixedSeries series = scene.series();
    return cost_of(scene.criterion(series), Matrix(1, kCells + 1));
  };
  // One gain for each of two channels; the residual is gain times shape, so what stays is the gain's own penalty.
  constexpr double kGainRatio = 100.0;
  const double penalty = 2.0 * kGain * kGain / kGainRatio / static_cast<double>(2 * kFinePoints);
  EXPECT_GT(cost(0.0), 1e3 * penalty);
  EXPECT_NEAR(cost(kGainRatio), penalty, 0.02 * penalty);  // to first order in 1 / (ratio * square of the shape)
}

TEST(MixedCriterion, DoesNotPayForSqueezingAPeakAway) {
  Scene scene(9);
  scene.height_ratio = 0.0;
  scene.target.assign(2 * kFinePoints, 0.0);  // flat
  std::vector<double> peak;
  for (const double time : equally_spaced(200)) peak.push_back(std::exp(-0.5 * std::pow((time - 0.5) / 0.03, 2.0)));
  peak.resize(400, 0.0);
  scene.values.assign(1, peak);
  const MixedSeries series = scene.series();
  const MixedCriterion criterion = scene.criterion(series);
  Matrix squeezing(1, kCells + 1);
  squeezing(0, 3) = -0.3;
  squeezing(0, 5) = 0.3;
  GroupState before;
  GroupState after;
  criterion.evaluate(Matrix(1, kCells + 1), before);
  criterion.evaluate(squeezing, after);
  EXPECT_GE(after.difference, before.difference);
}

TEST(MixedCriterion, LeavesMissingValuesOutAndStaysFinite) {
  Scene scene(10);
  scene.has_target = false;
  scene.points = 100;
  for (std::vector<double>& values : scene.values) {
    for (std::size_t i = 0; i < 12; ++i) values[i] = kMissing;  // nobody is there at the beginning
  }
  const MixedSeries series = scene.series();
  EXPECT_EQ(series.present_samples(0), 120.0 - 12.0);
  GroupState state;
  scene.criterion(series).evaluate(random_velocities(3, 10), state);
  EXPECT_TRUE(std::isfinite(state.cost));
  for (const double value : state.target) EXPECT_TRUE(std::isfinite(value));
}

TEST(MixedCriterion, TakesStepsThatSumToZeroWhereTheTargetIsTheMean) {
  Scene scene(11);
  scene.has_target = false;
  scene.points = 100;
  const MixedSeries series = scene.series();
  const MixedCriterion criterion = scene.criterion(series);
  const GroupStep step = criterion.step(equations_of(criterion, random_velocities(3, 11)), 0.1);
  for (std::size_t k = 0; k < step.free_velocities.columns(); ++k) {
    double sum = 0.0;
    for (std::size_t row = 0; row < 3; ++row) sum += step.free_velocities(row, k);
    EXPECT_NE(step.free_velocities(0, k), 0.0);
    EXPECT_NEAR(sum, 0.0, 1e-12);
  }
}

}  // namespace mixed_criterion_test
}  // namespace diffeo
