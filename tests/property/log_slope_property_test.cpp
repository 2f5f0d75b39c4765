// What must hold for the log-slope of every field, on seeded random ones.
//
// Values may be off by a few roundings of the arguments: each argument times the derivative by it, and whatever such a
// rounding of the point changes, on both sides of a kink if one is near. Where that is more than kResolved, nothing is
// left to compare.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "diffeo/log_slope.hpp"
#include "support/random_problems.hpp"
#include "support/under_test.hpp"
#include "support/walking_flow.hpp"

namespace diffeo {
namespace log_slope_property_test {

using testing::derivative_tolerance;
using testing::Direction;
using testing::dot;
using testing::field_count;
using testing::for_random_problems;
using testing::kBackwardErrors;
using testing::kPoints;
using testing::kRoundoff;
using testing::Problem;
using testing::view;
using testing::with_neighbors;

constexpr double kResolved = 1e-3;

using Vector = std::vector<double>;

/// Log-slopes of any points under a random field, and what roundings of the arguments do to them.
struct Conditioned {
  Vector values;
  Vector by_point;
  Vector slack;

  Conditioned(const Problem<double>& problem, const Vector& points, double time)
      : values(under_test::flow_log_slope(problem.velocities, points, time, problem.field.domain)),
        by_point(points.size()),
        slack(points.size()) {
    Vector spread(points.size());
    for (const double side : {-1.0, 0.0, 1.0}) {
      Vector moved = points;
      for (double& x : moved) x += side * problem.slack(x);
      widen(problem, moved, time);
      const Vector there = under_test::flow_log_slope(problem.velocities, moved, time, problem.field.domain);
      for (std::size_t i = 0; i < points.size(); ++i) spread[i] = std::max(spread[i], std::fabs(there[i] - values[i]));
    }
    for (std::size_t i = 0; i < points.size(); ++i) slack[i] += spread[i];
  }

 private:
  void widen(const Problem<double>& problem, const Vector& points, double time) {
    const std::size_t vertices = problem.velocities.size();
    Vector jacobian(points.size() * vertices);
    const FlowProblem<double> view{.velocities = std::span(problem.velocities),
                                   .points = std::span(points),
                                   .times = {&time, 1},
                                   .domain = problem.field.domain};
    flow_log_slope_jacobian<double>(view, {jacobian.data(), points.size(), vertices}, 1);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double one = 1;
      double by_x = 0, by_time = 0;
      const FlowProblem<double> alone{
          .velocities = view.velocities, .points = {&points[i], 1, 1}, .times = view.times, .domain = view.domain};
      under_test::flow_log_slope_vjp<double>(alone, {&one, 1, 1}, {.points = {&by_x, 1, 1}, .times = {&by_time, 1}}, 1);
      double size =
          std::fabs(values[i]) + std::fabs(time * by_time) + (std::fabs(points[i]) + problem.reach()) * std::fabs(by_x);
      for (std::size_t j = 0; j < vertices; ++j) size += std::fabs(problem.velocities[j] * jacobian[i * vertices + j]);
      by_point[i] = std::max(by_point[i], std::fabs(by_x));
      slack[i] = std::max(slack[i], kBackwardErrors * kRoundoff<double> * size);
    }
  }
};

TEST(LogSlopeProperties, IsNeverNanAndAlwaysFinite) {
  for_random_problems<double>(field_count() / 10, [](const Problem<double>& problem, Random&) {
    for (const double value :
         under_test::flow_log_slope(problem.velocities, problem.points, problem.field.time, problem.field.domain)) {
      EXPECT_TRUE(std::isfinite(value));
    }
  });
  for_random_problems<float>(field_count() / 10, [](const Problem<float>& problem, Random&) {
    for (const float value :
         under_test::flow_log_slope(problem.velocities, problem.points, problem.field.time, problem.field.domain)) {
      EXPECT_TRUE(std::isfinite(value));
    }
  });
}

TEST(LogSlopeProperties, DerivativesAreNeverNan) {
  for_random_problems<double>(field_count() / 20, [](const Problem<double>& problem, Random& random) {
    const Direction direction(problem, random);
    for (std::size_t i = 0; i < kPoints; ++i) {
      Vector by_velocity(problem.velocities.size());
      double by_point = 0, by_time = 0;
      FlowProblem<double> alone = view(problem);
      alone.points = {&problem.points[i], 1, 1};
      under_test::flow_log_slope_vjp<double>(
          alone, {&direction.cotangents[i], 1, 1},
          {.velocities = std::span(by_velocity), .points = {&by_point, 1, 1}, .times = {&by_time, 1}}, 1);
      EXPECT_FALSE(std::isnan(by_point) || std::isnan(by_time)) << "x = " << problem.points[i];
      for (const double value : by_velocity) EXPECT_FALSE(std::isnan(value)) << "x = " << problem.points[i];
    }
  });
}

TEST(LogSlopeProperties, AgreesWithAWalkFromCellToCell) {
  std::uint64_t compared = 0;
  for_random_problems<double>(field_count() / 20, [&](const Problem<double>& problem, Random&) {
    const testing::WalkingFlow walk({problem.velocities.begin(), problem.velocities.end()}, problem.field.domain);
    const Conditioned log_slope(problem, problem.points, problem.field.time);
    for (std::size_t i = 0; i < kPoints; ++i) {
      if (!(log_slope.slack[i] < kResolved)) continue;
      const auto walked = static_cast<double>(walk.log_slope(problem.points[i], problem.field.time));
      EXPECT_NEAR(log_slope.values[i], walked, log_slope.slack[i]) << "x = " << problem.points[i];
      ++compared;
    }
  });
  EXPECT_GT(compared, field_count() / 10);
}

// Warps that stretch or squeeze by more than this lose the point they started from.
constexpr double kMostStretched = 8;

/// log phi'(x, s + t) = log phi'(x, s) + log phi'(phi(x, s), t); with t = -s the sum is 0.
TEST(LogSlopeProperties, AddsWhereFlowsComposeAndNegatesWhereTheyAreInverted) {
  std::uint64_t compared = 0;
  for_random_problems<double>(field_count() / 20, [&](const Problem<double>& problem, Random& random) {
    const double first = problem.field.time;
    const Vector positions = problem.flow(problem.points, first);
    if (!testing::all_finite(positions)) return;
    const Conditioned one(problem, problem.points, first);
    for (const double second : {-first, testing::uniform(random, -10, 10)}) {
      const Conditioned two(problem, positions, second);
      const Conditioned both(problem, problem.points, first + second);
      for (std::size_t i = 0; i < kPoints; ++i) {
        if (std::fabs(one.values[i]) > kMostStretched) continue;
        // The position is off by its own roundings, and by those of the point, grown by phi'.
        const double moved = std::exp(one.values[i]) * problem.slack(problem.points[i]) + problem.slack(positions[i]);
        const double slack = one.slack[i] + two.slack[i] + both.slack[i] + two.by_point[i] * moved;
        if (!(slack < kResolved)) continue;
        EXPECT_NEAR(one.values[i] + two.values[i], both.values[i], slack)
            << "x = " << problem.points[i] << ", then " << second;
        ++compared;
      }
    }
  });
  EXPECT_GT(compared, field_count() / 10);
}

TEST(LogSlopeProperties, IsTheLogarithmOfTheDerivativeByThePoint) {
  for_random_problems<double>(field_count() / 20, [](const Problem<double>& problem, Random&) {
    Vector by_point(kPoints);
    flow_derivatives<double>(view(problem), {.by_point = std::span(by_point)}, 1);
    const Conditioned log_slope(problem, problem.points, problem.field.time);
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double slack = 2 * log_slope.slack[i] + derivative_tolerance(problem);
      if (!std::isnormal(by_point[i]) || !(slack < kResolved)) continue;
      EXPECT_NEAR(log_slope.values[i], std::log(by_point[i]), slack) << "x = " << problem.points[i];
    }
  });
}

/// The product of cotangents, Jacobian and directions without any cancellation.
double size_of_product(const Problem<double>& problem, const Direction& direction) {
  const std::size_t vertices = problem.velocities.size();
  Vector jacobian(kPoints * vertices);
  flow_log_slope_jacobian<double>(view(problem), {jacobian.data(), kPoints, vertices}, 1);
  const Vector velocities = with_neighbors(direction.velocities);
  double size = 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    double row = 0;
    for (std::size_t j = 0; j < vertices; ++j) row += std::fabs(jacobian[i * vertices + j]) * velocities[j];
    size += std::fabs(direction.cotangents[i]) * row;
  }
  return size;
}

TEST(LogSlopeProperties, ProductsWithTheJacobianFromBothSidesAgree) {
  std::uint64_t compared = 0;
  for_random_problems<double>(field_count() / 20, [&](const Problem<double>& problem, Random& random) {
    const Direction direction(problem, random);
    Vector by_velocity(problem.velocities.size()), by_point(kPoints), forward(kPoints);
    double by_time = 0;
    under_test::flow_log_slope_vjp<double>(
        view(problem), std::span(direction.cotangents),
        {.velocities = std::span(by_velocity), .points = std::span(by_point), .times = {&by_time, 1}}, 1);
    flow_log_slope_jvp<double>(view(problem),
                               {.velocities = std::span(direction.velocities),
                                .points = std::span(direction.points),
                                .times = {&direction.time, 1}},
                               std::span(forward), 1);
    double size = size_of_product(problem, direction) + std::fabs(by_time * direction.time);
    for (std::size_t i = 0; i < kPoints; ++i) size += std::fabs(by_point[i] * direction.points[i]);
    if (!std::isfinite(size) || derivative_tolerance(problem) > 1e-3) return;
    const double from_left =
        dot(by_velocity, direction.velocities) + dot(by_point, direction.points) + by_time * direction.time;
    EXPECT_NEAR(from_left, dot(direction.cotangents, forward), derivative_tolerance(problem) * size);
    ++compared;
  });
  EXPECT_GT(compared, field_count() / 100);
}

TEST(LogSlopeProperties, DerivativesAreLimitsOfDifferences) {
  // Fields as training sees them: elsewhere differences over a finite step meet kinks. Central differences in long
  // double, step 1e-6: truncation about 1e-12 of the third derivative, cancellation 1e-13.
  constexpr long double kStep = 1e-6L;
  constexpr double kDifferenceTolerance = 1e-6;
  std::uint64_t compared = 0, close = 0;
  for_random_problems<double>(field_count() / 100, [&](const Problem<double>& drawn, Random& random) {
    Problem<double> problem = drawn;
    for (double& v : problem.velocities) v = 0.3 * random.normal();
    problem.field.time = testing::uniform(random, -1, 1);
    problem.field.domain = {};
    for (double& x : problem.points) x = random.uniform();
    const Direction direction(problem, random);
    Vector exact(kPoints);
    flow_log_slope_jvp<double>(view(problem),
                               {.velocities = std::span(direction.velocities),
                                .points = std::span(direction.points),
                                .times = {&direction.time, 1}},
                               std::span(exact), 1);
    const auto at = [&](std::size_t i, long double step) {
      std::vector<long double> v(problem.velocities.begin(), problem.velocities.end());
      for (std::size_t j = 0; j < v.size(); ++j) v[j] += step * direction.velocities[j];
      return testing::WalkingFlow(v, problem.field.domain)
          .log_slope(problem.points[i] + step * direction.points[i], problem.field.time + step * direction.time);
    };
    for (std::size_t i = 0; i < kPoints; ++i) {
      const auto difference = static_cast<double>((at(i, kStep) - at(i, -kStep)) / (2 * kStep));
      ++compared;
      close += std::fabs(difference - exact[i]) <= kDifferenceTolerance * (1 + std::fabs(exact[i])) ? 1 : 0;
    }
  });
  // The derivative jumps where a trajectory ends or starts at a vertex: few draws are that close to one.
  EXPECT_GE(static_cast<double>(close), 0.97 * static_cast<double>(compared));
}

}  // namespace log_slope_property_test
}  // namespace diffeo
