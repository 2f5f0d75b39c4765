#include "align/slopes_criterion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "align/values_criterion.hpp"
#include "diffeo/random.hpp"
#include "support/criterion_checks.hpp"
#include "support/true_warps.hpp"

namespace diffeo {
namespace slopes_criterion_test {

using testing::central_difference;
using testing::cost_of;
using testing::equally_spaced;
using testing::equations_of;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
/// Central differences with this step lose about half the digits; kinks of the interpolation are 1e4 times farther
/// apart.
constexpr double kStep = 1e-6;
/// Of the largest entry of the gradient.
constexpr double kGradientTolerance = 1e-6;
/// Linear interpolation on 1601 points of peaks 50 points wide, read twice.
constexpr double kInterpolationError = 5e-3;
constexpr std::size_t kCells = 8;
constexpr std::size_t kFinePoints = 1601;
constexpr double kPeakWidth = 0.03;

constexpr WarpPrior kNoPrior{kCells, true, 0.0, 0.1};

std::vector<double> random_waves(std::size_t channels, std::size_t points, Random& random) {
  std::vector<double> values(channels * points);
  const double phase = random.uniform();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sin(0.4 * static_cast<double>(i % points) + phase) + 0.1 * random.normal();
  }
  return values;
}

Matrix random_velocities(std::size_t cases, Random& random) {
  Matrix velocities(cases, kCells + 1);
  for (std::size_t row = 0; row < cases; ++row) {
    for (std::size_t vertex = 1; vertex < kCells; ++vertex) velocities(row, vertex) = 0.1 * random.normal();
  }
  return velocities;
}

/// Two noisy series with two channels, and what they are compared with.
struct Scene {
  static constexpr std::size_t kCases = 2;
  static constexpr std::size_t kChannels = 2;
  static constexpr std::size_t kPoints = 41;
  std::vector<std::vector<double>> slopes;
  std::vector<double> target;
  Matrix velocities;
  WarpPrior prior{kCells, true, 0.01, 0.1};

  explicit Scene(std::uint64_t seed) {
    Random random(seed);
    for (std::size_t item = 0; item < kCases; ++item) slopes.push_back(random_waves(kChannels, kPoints, random));
    target = random_waves(kChannels, kPoints, random);
    velocities = random_velocities(kCases, random);
  }

  [[nodiscard]] SlopesCriterion criterion() const { return {slopes, target, kChannels, prior, 0.0, 1}; }
};

void expect_exact_gradient(const Scene& scene) {
  const SlopesCriterion criterion = scene.criterion();
  const std::vector<double> gradients = equations_of(criterion, scene.velocities).gradients;
  const std::size_t first_free = scene.prior.zero_boundary ? 1 : 0;
  const std::size_t free = kCells + 1 - 2 * first_free;
  ASSERT_EQ(gradients.size(), Scene::kCases * free);
  const double largest =
      std::fabs(*std::ranges::max_element(gradients, {}, [](double gradient) { return std::fabs(gradient); }));
  for (std::size_t row = 0; row < Scene::kCases; ++row) {
    for (std::size_t k = 0; k < free; ++k) {
      EXPECT_NEAR(2.0 * gradients[row * free + k],
                  central_difference(criterion, scene.velocities, row, first_free + k, kStep),
                  kGradientTolerance * (1.0 + largest))
          << "case " << row << ", velocity " << k;
    }
  }
}

/// Square-root slopes of a Gaussian peak.
std::vector<double> peak_slopes(double center, double height) {
  std::vector<double> result;
  for (const double time : equally_spaced(kFinePoints)) {
    const double z = (time - center) / kPeakWidth;
    const double slope = -height * z / kPeakWidth * std::exp(-0.5 * z * z);
    result.push_back(std::copysign(std::sqrt(std::fabs(slope)), slope));
  }
  return result;
}

std::vector<double> peak(double center) {
  std::vector<double> result;
  for (const double time : equally_spaced(kFinePoints)) {
    const double z = (time - center) / kPeakWidth;
    result.push_back(std::exp(-0.5 * z * z));
  }
  return result;
}

/// Series time runs e^{2.4} times as fast around the middle: nothing is left there of a narrow peak.
Matrix squeezing_the_middle() {
  Matrix velocities(1, kCells + 1);
  velocities(0, 3) = -0.3;
  velocities(0, 5) = 0.3;
  return velocities;
}

std::vector<double> warped(const std::vector<double>& slopes, const Matrix& velocities) {
  const SlopesCriterion criterion({slopes}, slopes, 1, kNoPrior, 0.0, 1);
  GroupState state;
  criterion.evaluate(velocities, state);
  return state.values;
}

double cost_at_rest(const std::vector<double>& slopes, const std::vector<double>& target) {
  return cost_of(SlopesCriterion({slopes}, target, 1, kNoPrior, 0.0, 1), Matrix(1, kCells + 1));
}

TEST(SlopesCriterion, HasTheGradientOfItsFiniteDifferences) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    expect_exact_gradient(Scene(seed));
  }
}

TEST(SlopesCriterion, HasAnExactGradientWithFreeEnds) {
  Scene scene(11);
  scene.prior.zero_boundary = false;
  for (std::size_t row = 0; row < Scene::kCases; ++row) {  // inwards: on an end, clamping would be a kink
    scene.velocities(row, 0) = 0.03;
    scene.velocities(row, kCells) = -0.02;
  }
  expect_exact_gradient(scene);
}

TEST(SlopesCriterion, HasAnExactGradientBesideMissingValues) {
  Scene scene(12);
  scene.slopes[0][10] = kMissing;
  scene.slopes[1][50] = scene.slopes[1][51] = kMissing;
  scene.target[30] = kMissing;
  expect_exact_gradient(scene);
}

TEST(SlopesCriterion, DoesNotSeeAWarpOfSeriesAndTemplateAlike) {
  const std::vector<double> slopes = peak_slopes(0.45, 1.0);
  const std::vector<double> target = peak_slopes(0.5, 0.6);
  const double expected = cost_at_rest(slopes, target);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    const Matrix velocities = random_velocities(1, random);
    EXPECT_NEAR(cost_at_rest(warped(slopes, velocities), warped(target, velocities)), expected,
                kInterpolationError * expected)
        << "seed " << seed;
  }
}

TEST(SlopesCriterion, DoesNotPayForSqueezingAPeakAway) {
  const std::vector<double> flat(kFinePoints, 0.0);
  const SlopesCriterion slopes({peak_slopes(0.5, 1.0)}, flat, 1, kNoPrior, 0.0, 1);
  const double before = cost_of(slopes, Matrix(1, kCells + 1));
  EXPECT_GE(cost_of(slopes, squeezing_the_middle()), (1.0 - kInterpolationError) * before);

  const std::vector<double> series = peak(0.5);
  const std::vector<SeriesView<const double>> views{std::span(series)};
  const SeriesView<const double> target{std::span(flat)};
  const ValuesCriterion values(
      views, &target, kFinePoints, {kCells, 0.0},
      {.scale = 1.0, .own_time = 0.0, .zero_boundary = true, .prior_weight = 0.0, .length_scale = 0.1, .threads = 1});
  EXPECT_LT(cost_of(values, squeezing_the_middle()), 0.2 * cost_of(values, Matrix(1, kCells + 1)));
}

TEST(SlopesCriterion, TakesGapsForFlat) {
  Scene scene(13);
  const std::vector<double> whole = scene.slopes[0];
  for (std::size_t i = 10; i < 20; ++i) scene.slopes[0][i] = kMissing;
  GroupState state;
  scene.criterion().evaluate(Matrix(Scene::kCases, kCells + 1), state);
  double expected = 0.0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const bool is_present = i < 10 || i >= 20;
    const double difference = (is_present ? whole[i] : 0.0) - scene.target[i];
    expected += difference * difference;
  }
  // Whether a value beside a gap is read depends on the rounding of its position: up to two of 82 values.
  EXPECT_NEAR(state.differences[0], expected / static_cast<double>(whole.size()), 0.1 * state.differences[0]);
  EXPECT_TRUE(std::isfinite(state.cost));
}

TEST(SlopesCriterion, TakesStepsThatSumToZeroWhereTheTargetIsTheMean) {
  Scene scene(14);
  scene.target.clear();
  const SlopesCriterion criterion = scene.criterion();
  const GroupStep step = criterion.step(equations_of(criterion, scene.velocities), 0.1);
  for (std::size_t k = 0; k < step.free_velocities.columns(); ++k) {
    EXPECT_NE(step.free_velocities(0, k), 0.0);
    EXPECT_NEAR(step.free_velocities(0, k) + step.free_velocities(1, k), 0.0, 1e-12);
  }
}

TEST(SlopesCriterion, IsComparedWithTheMeanOfWhatIsPresent) {
  const std::vector<double> first{1.0, 2.0, kMissing, kMissing, 0.0};
  const std::vector<double> second{3.0, 2.0, 5.0, kMissing, 1.0};
  const SlopesCriterion criterion({first, second}, {}, 1, kNoPrior, 0.0, 1);
  GroupState state;
  criterion.evaluate(Matrix(2, kCells + 1), state);
  EXPECT_EQ(state.target[0], 2.0);
  EXPECT_EQ(state.target[4], 0.5);
  EXPECT_TRUE(std::isnan(state.target[3]));
}

}  // namespace slopes_criterion_test
}  // namespace diffeo
