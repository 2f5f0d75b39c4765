// The flow against exact reference vectors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"
#include "diffeo/flow.hpp"
#include "support/golden_cases.hpp"
#include "support/under_test.hpp"

namespace diffeo {
namespace flow_golden_test {

using testing::GoldenCase;

// A backward-stable evaluation stays within a small multiple of the unit roundoff times the conditioning; a plain
// step-by-step one meets 2 except where hundreds of crossings accumulate (29).
constexpr double kRoundings = 16;
constexpr double kRoundingsOverHundredsOfCells = 8 * kRoundings;
// Derivatives are compared with the largest of their row: entries far smaller than it come from cancellation.
constexpr double kDerivativeTolerance = 1e-9;

double roundings(const GoldenCase& c) {
  return c.tag == "large_constant_crossing_all" ? kRoundingsOverHundredsOfCells : kRoundings;
}

template <class Real>
FlowProblem<Real> problem_of(const GoldenCase& c, const std::vector<Real>& velocities,
                             const std::vector<Real>& points) {
  return {.velocities = std::span(velocities), .points = std::span(points), .times = {&c.time, 1}, .domain = c.domain};
}

/// An expected value of infinity means "overflows in truth".
::testing::AssertionResult is_near(double value, double expected, double tolerance) {
  if (std::isnan(value)) return ::testing::AssertionFailure() << "NaN, expected " << expected;
  if (std::isinf(expected)) {
    // Exactly 0 is right where the hat function of a vertex is 0 at a repelling border (large, x = 1): the reference's
    // 150 digits do not resolve 0 * e^1500.
    if (std::isinf(value) || value == 0) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << value << " where the truth overflows";
  }
  if (std::fabs(value - expected) <= tolerance) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << value << ", expected " << expected << ", off by "
                                       << std::fabs(value - expected) / tolerance << " times the tolerance "
                                       << tolerance;
}

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

template <class Real>
void expect_exact_positions(double unit_roundoff) {
  double worst = 0;
  std::string worst_case;
  for (const GoldenCase& c : testing::golden_cases()) {
    const std::vector<Real> positions =
        under_test::flow(testing::rounded<Real>(c.velocities), testing::rounded<Real>(c.points), c.time, c.domain);
    for (std::size_t i = 0; i < c.points.size(); ++i) {
      // Rounding such a point moves it onto the border, where it is fixed: another input, not an error.
      if (std::fabs(c.points[i]) < 1 && std::fabs(rounded_to<Real>(c.points[i])) == 1) continue;
      const double unit = unit_roundoff * (std::fabs(c.positions[i]) + c.conditions[i] + c.width());
      EXPECT_TRUE(is_near(static_cast<double>(positions[i]), c.positions[i], roundings(c) * unit))
          << c.tag << ", " << c.velocities.size() - 1 << " cells, t = " << c.time << ", x = " << c.points[i];
      if (std::isfinite(c.positions[i]) && c.tag != "large_constant_crossing_all") {
        const double error = std::fabs(static_cast<double>(positions[i]) - c.positions[i]) / unit;
        if (error > worst) worst_case = c.tag;
        worst = std::max(worst, error);
      }
    }
  }
  std::cout << "worst error: " << worst << " roundings (" << worst_case << ")\n";
}

TEST(GoldenFlow, IsExactInDouble) { expect_exact_positions<double>(0x1p-53); }
TEST(GoldenFlow, IsExactInFloat) { expect_exact_positions<float>(0x1p-24); }

TEST(GoldenFlow, HasExactVectorJacobianProducts) {
  for (const GoldenCase& c : testing::golden_cases()) {
    const std::size_t vertices = c.velocities.size();
    for (std::size_t i = 0; i < c.points.size(); ++i) {
      const std::vector<double> point = {c.points[i]};
      const std::vector<double> one = {1.0};
      std::vector<double> by_velocity(vertices), by_point(1), by_time(1);
      under_test::flow_vjp<double>(
          problem_of<double>(c, c.velocities, point), std::span(one),
          {.velocities = std::span(by_velocity), .points = std::span(by_point), .times = by_time}, 1);
      const auto where = [&] {
        return c.tag + ", " + std::to_string(vertices - 1) + " cells, t = " + std::to_string(c.time) +
               ", x = " + std::to_string(c.points[i]);
      };
      const std::vector<double>& expected = c.by_velocity[i];
      const double largest = largest_of(expected);
      for (std::size_t j = 0; j < vertices; ++j) {
        EXPECT_TRUE(is_near(by_velocity[j], expected[j], kDerivativeTolerance * largest))
            << where() << ", vertex " << j;
      }
      EXPECT_TRUE(is_near(by_point[0], c.by_point[i], kDerivativeTolerance * std::fabs(c.by_point[i]))) << where();
      EXPECT_TRUE(is_near(by_time[0], c.by_time[i], kDerivativeTolerance * largest_of(c.by_time))) << where();
    }
  }
}

}  // namespace flow_golden_test
}  // namespace diffeo
