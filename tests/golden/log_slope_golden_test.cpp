// Log-slopes and their derivatives against exact reference vectors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/rounding.hpp"
#include "diffeo/log_slope.hpp"
#include "support/golden_cases.hpp"
#include "support/under_test.hpp"

namespace diffeo {
namespace log_slope_golden_test {

using testing::LogSlopeCase;

// A backward-stable evaluation stays within a small multiple of the unit roundoff times the conditioning.
constexpr double kRoundings = 16;
// Derivatives are compared with the largest of their row: entries far smaller than it come from cancellation.
constexpr double kDerivativeTolerance = 1e-9;

std::string name_of(const LogSlopeCase& c, std::size_t i) {
  return c.tag + ", " + std::to_string(c.velocities.size() - 1) + " cells, t = " + std::to_string(c.time) +
         ", x = " + ::testing::PrintToString(c.points[i]);
}

/// Whether a point, rounded, is another one: onto a vertex or off it.
template <class Real>
bool changes_when_rounded(const LogSlopeCase& c, double x) {
  const double cells = static_cast<double>(c.velocities.size() - 1);
  const double width = c.domain.upper - c.domain.lower;
  const double place = (x - c.domain.lower) / width * cells;
  const double rounded_place = (rounded_to<Real>(x) - c.domain.lower) / width * cells;
  return x != rounded_to<Real>(x) && (std::floor(place) != std::floor(rounded_place) || rounded_place == place);
}

template <class Real>
void expect_exact_values(double unit_roundoff) {
  double worst = 0;
  std::string worst_case;
  for (const LogSlopeCase& c : testing::log_slope_cases()) {
    const std::vector<Real> values = under_test::flow_log_slope(testing::rounded<Real>(c.velocities),
                                                                testing::rounded<Real>(c.points), c.time, c.domain);
    for (std::size_t i = 0; i < c.points.size(); ++i) {
      if (changes_when_rounded<Real>(c, c.points[i])) continue;
      const double unit = unit_roundoff * (std::fabs(c.log_slopes[i]) + c.conditions[i]);
      const double error = std::fabs(static_cast<double>(values[i]) - c.log_slopes[i]);
      EXPECT_LE(error, kRoundings * unit) << name_of(c, i) << ": " << values[i] << ", expected " << c.log_slopes[i];
      if (error > worst * unit) {
        worst = error / unit;
        worst_case = name_of(c, i);
      }
    }
  }
  std::cout << "worst error: " << worst << " roundings (" << worst_case << ")\n";
}

TEST(GoldenLogSlope, IsExactInDouble) { expect_exact_values<double>(0x1p-53); }
TEST(GoldenLogSlope, IsExactInFloat) { expect_exact_values<float>(0x1p-24); }

/// How far a derivative is off, over `size`; 0 at kinks, where it must only be a number.
double error_of(double value, double expected, double size) {
  EXPECT_FALSE(std::isnan(value));
  if (std::isinf(expected) || value == expected) return 0;
  return std::fabs(value - expected) / size;
}

TEST(GoldenLogSlope, HasExactVectorJacobianProducts) {
  double worst = 0;
  for (const LogSlopeCase& c : testing::log_slope_cases()) {
    const std::size_t vertices = c.velocities.size();
    for (std::size_t i = 0; i < c.points.size(); ++i) {
      const std::vector<double> point = {c.points[i]}, one = {1.0};
      std::vector<double> by_velocity(vertices), by_point(1), by_time(1);
      under_test::flow_log_slope_vjp<double>(
          {.velocities = std::span(c.velocities),
           .points = std::span(point),
           .times = {&c.time, 1},
           .domain = c.domain},
          std::span(one), {.velocities = std::span(by_velocity), .points = std::span(by_point), .times = by_time}, 1);
      const double largest = c.largest_by_velocity[i];
      for (std::size_t j = 0; j < vertices; ++j) {
        const double error = error_of(by_velocity[j], c.by_velocity[i][j], largest);
        EXPECT_LE(error, kDerivativeTolerance)
            << name_of(c, i) << ", vertex " << j << ": " << by_velocity[j] << ", expected " << c.by_velocity[i][j];
        worst = std::max(worst, error);
      }
      // Those by the point are per length: where slopes agree but for rounding, the domain's.
      const double by_width = 1 / (c.domain.upper - c.domain.lower);
      EXPECT_LE(error_of(by_point[0], c.by_point[i], std::max(by_width, std::fabs(c.by_point[i]))),
                kDerivativeTolerance)
          << name_of(c, i) << ", by point: " << by_point[0] << ", expected " << c.by_point[i];
      EXPECT_LE(error_of(by_time[0], c.by_time[i], std::fabs(c.by_time[i])), kDerivativeTolerance)
          << name_of(c, i) << ", by time: " << by_time[0] << ", expected " << c.by_time[i];
    }
  }
  std::cout << "worst error by velocities: " << worst << " of the largest\n";
}

TEST(GoldenLogSlope, HasTheSameJacobianPointByPoint) {
  for (const LogSlopeCase& c : testing::log_slope_cases()) {
    const std::size_t vertices = c.velocities.size();
    std::vector<double> jacobian(c.points.size() * vertices);
    flow_log_slope_jacobian<double>({.velocities = std::span(c.velocities),
                                     .points = std::span(c.points),
                                     .times = {&c.time, 1},
                                     .domain = c.domain},
                                    {jacobian.data(), c.points.size(), vertices}, 1);
    for (std::size_t i = 0; i < c.points.size(); ++i) {
      const double largest = c.largest_by_velocity[i];
      for (std::size_t j = 0; j < vertices; ++j) {
        EXPECT_LE(error_of(jacobian[i * vertices + j], c.by_velocity[i][j], largest), kDerivativeTolerance)
            << name_of(c, i) << ", vertex " << j;
      }
    }
  }
}

}  // namespace log_slope_golden_test
}  // namespace diffeo
