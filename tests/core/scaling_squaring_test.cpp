#include "diffeo/scaling_squaring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "core/differences.hpp"
#include "diffeo/error.hpp"

namespace diffeo {
namespace scaling_squaring_test {

using testing::equally_spaced;
using testing::expect_gradients_like_differences;
using testing::gradients_of;
using testing::largest_difference;
using testing::OwnedProblem;
using testing::random_values;

struct ScalingSquaring {
  std::size_t squarings;
  std::size_t threads = 0;
  void operator()(const FlowProblem<double>& problem, Rows<double> positions) const {
    flow_scaling_squaring(problem, squarings, positions, threads);
  }
  void operator()(const FlowProblem<double>& problem, Rows<const double> cotangents,
                  FlowGradients<double> gradients) const {
    flow_scaling_squaring_vjp(problem, squarings, cotangents, gradients, threads);
  }
};

struct Exact {
  void operator()(const FlowProblem<double>& problem, Rows<double> positions) const { flow(problem, positions); }
  void operator()(const FlowProblem<double>& problem, Rows<const double> cotangents,
                  FlowGradients<double> gradients) const {
    flow_vjp(problem, cotangents, gradients);
  }
};

/// 64 cells that follow a sine: smooth as far as grids coarser than the cells can tell.
std::vector<double> sine_field(double amplitude) {
  std::vector<double> velocities = equally_spaced(65);
  for (double& value : velocities) value = amplitude * std::sin(2 * std::numbers::pi * value);
  return velocities;
}

OwnedProblem sine_problem(std::size_t points, double time = 1) {
  return {1, sine_field(0.3), equally_spaced(points), {time}};
}

double error_of(const OwnedProblem& problem, std::size_t squarings) {
  return largest_difference(problem.positions(ScalingSquaring{squarings}), problem.positions(Exact{}));
}

/// Three random fields of five cells; the points are spread and their flow leaves the grid's ends (no zero
/// boundary).
OwnedProblem random_problem(unsigned seed, double time = 1) {
  OwnedProblem problem{3, random_values(3 * 6, -0.4, 0.4, seed), equally_spaced(12, -0.1, 1.05), {time}};
  const auto shifts = random_values(12, -0.04, 0.04, seed + 1);
  for (std::size_t i = 0; i < 12; ++i) problem.points[i] += shifts[i];
  return problem;
}

OwnedProblem random_problem_per_row(unsigned seed) {
  OwnedProblem problem = random_problem(seed);
  for (int i = 0; i < 2; ++i) {
    const auto other = random_problem(seed + 50).points;
    problem.points.insert(problem.points.end(), other.rbegin(), other.rend());
  }
  problem.point_rows = 3;
  problem.times = {1.0, -0.7, 0.4};
  return problem;
}

TEST(ScalingSquaring, WithoutSquaringsIsTheExactFlowToTheLastBit) {
  for (const OwnedProblem& problem : {random_problem(1), random_problem(2, -3.0), random_problem_per_row(3)}) {
    EXPECT_EQ(problem.positions(ScalingSquaring{0}), problem.positions(Exact{}));
    const auto cotangents = random_values(36, -1, 1, 4);
    const auto by = gradients_of(problem, cotangents, ScalingSquaring{0});
    const auto exact = gradients_of(problem, cotangents, Exact{});
    EXPECT_EQ(by.velocities, exact.velocities);
    EXPECT_EQ(by.points, exact.points);
    EXPECT_EQ(by.times, exact.times);
  }
}

TEST(ScalingSquaring, DividesTheTimeSoThatMoreSquaringsDoNotGoFurther) {
  const OwnedProblem problem = sine_problem(501);
  for (const std::size_t squarings : {1u, 2u, 4u, 8u, 16u}) EXPECT_LT(error_of(problem, squarings), 1e-4) << squarings;
}

TEST(ScalingSquaring, HasAnErrorThatFallsWithTheSquareOfTheSpacing) {
  for (const std::size_t squarings : {1u, 3u, 8u}) {
    for (const double time : {1.0, -1.0}) {
      const double coarse = error_of(sine_problem(101, time), squarings);
      const double fine = error_of(sine_problem(801, time), squarings);
      EXPECT_NEAR(std::log2(coarse / fine) / 3, 2, 0.25) << squarings << " squarings, time " << time;
    }
  }
}

TEST(ScalingSquaring, IsExactOnALinearFieldBeyondTheEndsOfTheGridToo) {
  const OwnedProblem linear{1, {0.8, -0.3}, {0.2, 0.5, 0.6}, {1.0}};  // interpolation of affine functions is exact
  constexpr double kRounding = 256 * 8 * std::numeric_limits<double>::epsilon();  // 2^squarings small steps
  EXPECT_LT(error_of(linear, 8), kRounding);
}

TEST(ScalingSquaring, OfUnsortedPointsIsThatOfTheSortedOnesInTheirOrder) {
  const OwnedProblem sorted = random_problem(5);
  OwnedProblem shuffled = sorted;
  const std::vector<std::size_t> order = {7, 2, 11, 0, 9, 4, 1, 10, 3, 8, 6, 5};
  const auto cotangents = random_values(36, -1, 1, 6);
  auto shuffled_cotangents = cotangents;
  for (std::size_t i = 0; i < 12; ++i) {
    shuffled.points[i] = sorted.points[order[i]];
    for (std::size_t row = 0; row < 3; ++row) shuffled_cotangents[row * 12 + i] = cotangents[row * 12 + order[i]];
  }
  const auto expected = sorted.positions(ScalingSquaring{4});
  const auto positions = shuffled.positions(ScalingSquaring{4});
  const auto expected_by = gradients_of(sorted, cotangents, ScalingSquaring{4});
  const auto by = gradients_of(shuffled, shuffled_cotangents, ScalingSquaring{4});
  for (std::size_t i = 0; i < 36; ++i) EXPECT_EQ(positions[i], expected[i / 12 * 12 + order[i % 12]]);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(by.points[i], expected_by.points[order[i]]);
  EXPECT_EQ(by.velocities, expected_by.velocities);
  EXPECT_EQ(by.times, expected_by.times);
}

TEST(ScalingSquaring, TakesEqualPointsAsOne) {
  OwnedProblem once{1, {0.1, -0.2, 0.3}, {0, 0.2, 0.5, 0.7, 1}, {1.0}};
  OwnedProblem twice = once;
  twice.points = {1, 0, 0, 0.2, 0.5, 0.5, 0.5, 0.7, 1, 1};
  const auto expected = once.positions(ScalingSquaring{3});
  const auto positions = twice.positions(ScalingSquaring{3});
  const std::vector<std::size_t> same = {4, 0, 0, 1, 2, 2, 2, 3, 4, 4};
  for (std::size_t i = 0; i < same.size(); ++i) EXPECT_EQ(positions[i], expected[same[i]]);
}

TEST(ScalingSquaringVjp, OfEqualPointsHasTheSumOfTheirGradients) {
  const OwnedProblem once{1, {0.1, -0.2, 0.3}, {0.05, 0.2, 0.55, 0.7, 0.9}, {1.0}};
  OwnedProblem twice = once;
  twice.points = {0.05, 0.05, 0.2, 0.55, 0.55, 0.7, 0.9, 0.9};
  const auto expected = gradients_of(once, {1, 1, 1, 1, 1}, ScalingSquaring{3});
  const auto by = gradients_of(twice, {0.5, 0.5, 1, 0.25, 0.75, 1, 0.5, 0.5}, ScalingSquaring{3});
  constexpr double kRounding = 1e-14;
  EXPECT_NEAR(by.points[0] + by.points[1], expected.points[0], kRounding);
  EXPECT_NEAR(by.points[2], expected.points[1], kRounding);
  EXPECT_NEAR(by.points[3] + by.points[4], expected.points[2], kRounding);
  EXPECT_NEAR(by.points[6] + by.points[7], expected.points[4], kRounding);
  EXPECT_LT(largest_difference(by.velocities, expected.velocities), kRounding);
}

TEST(ScalingSquaring, OfASinglePointIsExact) {
  OwnedProblem problem{2, {0.1, -0.2, 0.3, 0.5, 0.1, 0.2}, {0.3, 0.3, 0.3}, {1.5}};
  constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();
  EXPECT_LT(error_of(problem, 6), kRounding);
  const std::vector<double> cotangents = {1, 2, 3, 4, 5, 6};
  const auto by = gradients_of(problem, cotangents, ScalingSquaring{6});
  const auto exact = gradients_of(problem, cotangents, Exact{});
  EXPECT_LT(largest_difference(by.velocities, exact.velocities), 16 * kRounding);
  EXPECT_LT(largest_difference(by.points, exact.points), 16 * kRounding);
  EXPECT_LT(largest_difference(by.times, exact.times), 16 * kRounding);
}

TEST(ScalingSquaringVjp, AgreesWithDifferences) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    for (const OwnedProblem& problem :
         {random_problem(seed), random_problem(seed, -1.3), random_problem_per_row(seed)}) {
      const auto cotangents = random_values(36, -1, 1, seed + 99);
      for (const std::size_t squarings : {1u, 2u, 5u}) {
        SCOPED_TRACE(message("seed ", seed, ", squarings ", squarings));
        expect_gradients_like_differences(problem, cotangents, ScalingSquaring{squarings});
      }
    }
  }
}

TEST(ScalingSquaring, ForNoTimeOrNoVelocityIsTheIdentityToTheLastBit) {
  OwnedProblem still = random_problem(8, 0.0);
  const auto positions = still.positions(ScalingSquaring{5});
  for (std::size_t i = 0; i < positions.size(); ++i) EXPECT_EQ(positions[i], still.points[i % 12]);
  OwnedProblem zero = random_problem(8);
  std::fill(zero.velocities.begin(), zero.velocities.end(), 0.0);
  EXPECT_EQ(zero.positions(ScalingSquaring{5}), positions);
}

TEST(ScalingSquaring, IsInfiniteWhereItOverflowsAndNeverNaN) {
  const OwnedProblem huge{1, {-1e3, 1e3, -1e3, 1e3}, {-1e200, -1, 0, 0.3, 0.6, 1, 2, 1e200, 1e300}, {30.0}};
  for (const std::size_t squarings : {1u, 4u, 12u}) {
    for (const double position : huge.positions(ScalingSquaring{squarings})) EXPECT_FALSE(std::isnan(position));
  }
}

TEST(ScalingSquaring, GivesTheSameBitsForAnyNumberOfThreads) {
  OwnedProblem problem{200, random_values(200 * 6, -0.4, 0.4, 1), equally_spaced(64), {1.0}};
  const auto cotangents = random_values(200 * 64, -1, 1, 3);
  const auto positions = problem.positions(ScalingSquaring{4, 1});
  const auto by = gradients_of(problem, cotangents, ScalingSquaring{4, 1});
  EXPECT_EQ(problem.positions(ScalingSquaring{4, 5}), positions);
  const auto again = gradients_of(problem, cotangents, ScalingSquaring{4, 5});
  EXPECT_EQ(again.velocities, by.velocities);
  EXPECT_EQ(again.points, by.points);
  EXPECT_EQ(again.times, by.times);
}

TEST(ScalingSquaring, InFloatLosesNothingToTheSquarings) {
  const auto field = sine_field(0.3);
  const auto grid = equally_spaced(101);
  const std::vector<float> velocities(field.begin(), field.end());
  const std::vector<float> points(grid.begin(), grid.end());
  const std::vector<double> time = {1.0};
  std::vector<float> positions(101);
  flow_scaling_squaring<float>({std::span(velocities), std::span(points), time}, 12, std::span(positions));
  const OwnedProblem widened{1, {velocities.begin(), velocities.end()}, {points.begin(), points.end()}, time};
  const auto expected = widened.positions(ScalingSquaring{12});
  for (std::size_t i = 0; i < 101; ++i) EXPECT_EQ(positions[i], static_cast<float>(expected[i]));
}

TEST(ScalingSquaring, RefusesTooManySquarings) {
  const OwnedProblem problem = random_problem(9);
  EXPECT_NO_THROW((void)problem.positions(ScalingSquaring{kMaximumSquarings}));
  EXPECT_THROW((void)problem.positions(ScalingSquaring{kMaximumSquarings + 1}), std::invalid_argument);
  EXPECT_THROW((void)gradients_of(problem, std::vector<double>(36), ScalingSquaring{kMaximumSquarings + 1}),
               std::invalid_argument);
}

TEST(ScalingSquaring, RefusesArgumentsThatDoNotFitOrAreNotFinite) {
  const auto expect_refused = [](auto spoil) {
    OwnedProblem problem = random_problem_per_row(8);
    spoil(problem);
    EXPECT_THROW((void)problem.positions(ScalingSquaring{2}), std::invalid_argument);
  };
  expect_refused([](OwnedProblem& problem) { problem.points[3] = std::nan(""); });
  expect_refused([](OwnedProblem& problem) { problem.velocities[3] = std::nan(""); });
  expect_refused([](OwnedProblem& problem) { problem.times.resize(2); });
  expect_refused([](OwnedProblem& problem) { problem.point_rows = 2; });
  const OwnedProblem problem = random_problem(9);
  std::vector<double> out(36);
  EXPECT_THROW(flow_scaling_squaring(problem.view(), 2, Rows<double>(out.data(), 2, 12)), std::invalid_argument);
  EXPECT_THROW(flow_scaling_squaring_vjp(problem.view(), 2, {out.data(), 2, 12}, {}), std::invalid_argument);
}

}  // namespace scaling_squaring_test
}  // namespace diffeo
