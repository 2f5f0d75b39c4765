// Values in closed form, and the starts, ends and fields where formulas break. Exactness on random fields is in
// tests/golden and tests/property.
#include "diffeo/log_slope.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "diffeo/random.hpp"
#include "support/under_test.hpp"

namespace diffeo {
namespace log_slope_test {

// A few roundings of numbers of order 1.
constexpr double kRounding = 16 * 0x1p-53;

using Vector = std::vector<double>;

Vector grid_points(std::size_t count, double lower = 0, double upper = 1) {
  Vector points(count);
  for (std::size_t i = 0; i < count; ++i) {
    points[i] = lower + (upper - lower) * static_cast<double>(i) / static_cast<double>(count - 1);
  }
  return points;
}

double log_slope_one(const Vector& velocities, double x, double time = 1) {
  return under_test::flow_log_slope(velocities, Vector{x}, time)[0];
}

FlowProblem<double> problem_of(const Vector& velocities, const double& x, const double& time) {
  return {.velocities = std::span(velocities), .points = {&x, 1, 1}, .times = {&time, 1}};
}

/// d log-slope / d velocities at one point.
Vector jacobian_row(const Vector& velocities, double x, double time = 1) {
  Vector row(velocities.size());
  flow_log_slope_jacobian<double>(problem_of(velocities, x, time), std::span(row), 1);
  return row;
}

void expect_near(const Vector& values, const Vector& expected, double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance) << i;
}

const Vector kFree = {0.4, 0.7, -0.4, 0.3, 0.9, -0.2};  // five cells of slopes 1.5, -5.5, 3.5, 3, -5.5

TEST(LogSlope, AtTimeZeroIsZero) {
  for (const double value : under_test::flow_log_slope(kFree, grid_points(101, -1, 2), 0.0)) EXPECT_EQ(value, 0.0);
  for (const double by_velocity : jacobian_row(kFree, 0.4, 0.0)) EXPECT_EQ(by_velocity, 0.0);
}

TEST(LogSlope, OfAFieldAtRestIsZero) {
  const Vector log_slopes = under_test::flow_log_slope(Vector(6, 0.0), grid_points(101, -1, 2), 3.0);
  EXPECT_EQ(log_slopes, Vector(101, 0.0));
}

TEST(LogSlope, OfAConstantFieldIsExactlyZero) {
  for (const double time : {1.0, -2.0, 0.01}) {
    EXPECT_EQ(under_test::flow_log_slope(Vector(6, 0.3), grid_points(101, -1, 2), time), Vector(101, 0.0));
  }
}

TEST(LogSlope, OfOneCellIsSlopeTimesTime) {
  for (const double time : {-3.0, -1e-3, 0.5, 2.0}) {
    for (const double x : {-5.0, 0.0, 0.7, 1.0, 9.0}) {
      EXPECT_NEAR(log_slope_one({0.2, 0.5}, x, time), 0.3 * time, kRounding * std::fabs(time));
      expect_near(jacobian_row({0.2, 0.5}, x, time), {-time, time}, kRounding * std::fabs(time));
    }
  }
}

TEST(LogSlope, AtAFixedPointIsTheSlopeOnItsRightTimesTime) {
  // Zeros at the vertices 0, 0.4 and 1; the slopes right of them are 2, -1 and (the last cell goes on) 1.
  const Vector velocities = {0, 0.4, 0, -0.2, -0.2, 0};
  for (const double time : {1.5, -1.5}) {
    EXPECT_NEAR(log_slope_one(velocities, 0.0, time), 2 * time, 4 * kRounding);
    EXPECT_NEAR(log_slope_one(velocities, 0.4, time), -1 * time, 4 * kRounding);
    EXPECT_NEAR(log_slope_one(velocities, 1.0, time), 1 * time, 4 * kRounding);
  }
  // Inside a cell: v = 0.5 - x.
  EXPECT_NEAR(log_slope_one({0.5, -0.5}, 0.5, 2.0), -2.0, kRounding);
}

TEST(LogSlope, BesideAFixedPointNeedsNoDifferenceOfFractions) {
  // v = x up to 0.5, then constant: from x the border is reached after log(0.5 / x), and log phi' is that.
  const Vector velocities = {0, 0.5, 0.5};
  for (const double x : {1e-3, 1e-9, 1e-100}) {
    const double reach = std::log(0.5 / x);
    EXPECT_NEAR(log_slope_one(velocities, x, reach + 0.25), reach, kRounding * reach);
    // d log phi' = d log(v_1 / v(x)) + 0.25 d(slope of the second cell), with v(x) = (1 - 2x) v_0 + 2x v_1.
    const Vector expected = {-(1 - 2 * x) / x, -0.5, 0.5};
    expect_near(jacobian_row(velocities, x, reach + 0.25), expected, kRounding * reach / x);
  }
}

TEST(LogSlope, WhereSlopesVanishComesFromTheOtherCells) {
  // v = 0.5, then falling to 0.25 over [0.5, 1]: slope -0.5 from the border on.
  const Vector velocities = {0.5, 0.5, 0.25};
  EXPECT_EQ(log_slope_one(velocities, 0.1, 0.5), 0.0);
  EXPECT_NEAR(log_slope_one(velocities, 0.25, 1.0), -0.5 * 0.5, kRounding);
  // Back from 0.75, where v = 0.375: the border after log(0.5 / 0.375) / 0.5.
  EXPECT_NEAR(log_slope_one(velocities, 0.75, -1.0), std::log(0.5 / 0.375), kRounding);
}

TEST(LogSlope, OfTinyVelocitiesOverLongTimesIsExact) {
  Vector velocities(6);
  for (std::size_t j = 0; j < 6; ++j) velocities[j] = 1e-8 * static_cast<double>(j + 1);
  // v = 1e-8 (1 + 5x): the slope is 5e-8 wherever the point is.
  EXPECT_NEAR(log_slope_one(velocities, 0.3, 1e7), 0.5, 4 * kRounding);
  for (double& v : velocities) v *= 1e-250;
  EXPECT_NEAR(log_slope_one(velocities, 0.3, 1e257), 0.5, 4 * kRounding);
}

TEST(LogSlope, FromAVertexFollowsTheFlow) {
  // From 0.2 (v = 0.7) to the right: slope -5.5; at time -1 to the left: slope 1.5.
  EXPECT_NEAR(log_slope_one(kFree, 0.2, 0.05), -5.5 * 0.05, kRounding);
  EXPECT_NEAR(log_slope_one(kFree, 0.2, -0.05), -1.5 * 0.05, kRounding);
  // From 0.8 (v = 0.9) to the right and back to the left.
  EXPECT_NEAR(log_slope_one(kFree, 0.8, 0.1), -5.5 * 0.1, kRounding);
  EXPECT_NEAR(log_slope_one(kFree, 0.8, -0.1), -3.0 * 0.1, kRounding);
}

TEST(LogSlope, EndingOnAVertexIsTheSumUpToIt) {
  // v = 1 + x on [0, 1]: two cells of slope 1, one of slope -1. From 0 the vertex at 0.5 is met at log 1.5.
  const Vector velocities = {1.0, 1.5, 1.0};
  EXPECT_NEAR(log_slope_one(velocities, 0.0, std::log(1.5)), std::log(1.5), kRounding);
  EXPECT_NEAR(log_slope_one(velocities, 0.0, 2 * std::log(1.5)), 0.0, kRounding);
  EXPECT_NEAR(log_slope_one(velocities, 1.0, -std::log(1.5)), std::log(1.5), kRounding);
}

TEST(LogSlope, BackInTimeIsThatOfTheNegatedField) {
  Vector negated = kFree;
  for (double& v : negated) v = -v;
  const Vector points = grid_points(401, -0.5, 1.5);
  EXPECT_EQ(under_test::flow_log_slope(kFree, points, -0.8), under_test::flow_log_slope(negated, points, 0.8));
}

TEST(LogSlope, IsTheLogarithmOfTheDerivativeByThePoint) {
  const Vector points = grid_points(301, -0.5, 1.5);
  for (const double time : {1.0, -0.7, 4.0}) {
    Vector by_point(301), log_slope(301);
    flow_derivatives<double>({.velocities = std::span(kFree), .points = std::span(points), .times = {&time, 1}},
                             {.by_point = std::span(by_point), .log_slope = std::span(log_slope)}, 1);
    const Vector direct = under_test::flow_log_slope(kFree, points, time);
    for (std::size_t i = 0; i < 301; ++i) {
      EXPECT_NEAR(log_slope[i], std::log(by_point[i]), 64 * kRounding) << points[i];
      EXPECT_NEAR(direct[i], log_slope[i], 8 * kRounding) << points[i];
    }
  }
}

TEST(LogSlope, StaysFiniteWhereTheDerivativeOverflows) {
  EXPECT_NEAR(log_slope_one({0, 10}, 1e300, 100.0), 1000.0, 1000 * kRounding);
  EXPECT_NEAR(log_slope_one({0, 10}, 0.0, -1000.0), -10000.0, 10000 * kRounding);
}

TEST(LogSlope, RefusesShapesThatDoNotFit) {
  Vector out(30);
  const double time = 1;
  const Vector points(10);
  const FlowProblem<double> problem{.velocities = std::span(kFree), .points = std::span(points), .times = {&time, 1}};
  EXPECT_THROW(under_test::flow_log_slope(problem, {out.data(), 1, 9}), std::invalid_argument);
  EXPECT_THROW(flow_log_slope_jacobian(problem, {out.data(), 5, 6}), std::invalid_argument);
  EXPECT_THROW(flow_log_slope_jvp<double>(problem, {}, {out.data(), 2, 10}), std::invalid_argument);
}

TEST(LogSlopeJvp, IsTheJacobianTimesTheDirection) {
  Random random(21);
  for (int repeat = 0; repeat < 200; ++repeat) {
    Vector velocities(1 + 2 + random.below(20)), direction(velocities.size());
    for (double& v : velocities) v = 0.5 * random.normal();
    for (double& v : direction) v = random.normal();
    const double x = 1.4 * random.uniform() - 0.2, time = 2 * random.normal();
    double tangent = 0;
    const FlowTangents<double> along{.velocities = {direction.data(), 1, direction.size()}};
    flow_log_slope_jvp<double>(problem_of(velocities, x, time), along, {&tangent, 1, 1}, 1);
    const Vector row = jacobian_row(velocities, x, time);
    double size = 1;
    for (std::size_t j = 0; j < row.size(); ++j) size += std::fabs(row[j] * direction[j]);
    EXPECT_NEAR(tangent, std::inner_product(row.begin(), row.end(), direction.begin(), 0.0), 1e-10 * size) << repeat;
  }
}

}  // namespace log_slope_test
}  // namespace diffeo
