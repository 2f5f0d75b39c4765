// Values in closed form, and the starts, ends and fields where formulas break. Exactness on random fields is in
// tests/golden and tests/property.
#include "diffeo/log_slope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "diffeo/random.hpp"
#include "support/flow_batch.hpp"
#include "support/under_test.hpp"

namespace diffeo {
namespace log_slope_test {

// A few roundings of numbers of order 1.
constexpr double kRounding = 16 * 0x1p-53;

using Vector = std::vector<double>;
using testing::FlowBatch;
using testing::grid_points;

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

TEST(LogSlope, OfVelocitiesWhoseSlopesVanishInFloatIsANumber) {
  const std::vector<float> velocities(5, 5.6e-36f), points = {0.25f, 0.3f, 0.5f};
  for (const double time : {6e23, -6e23, 1e35}) {
    EXPECT_EQ(under_test::flow_log_slope(velocities, points, time), std::vector<float>(3, 0.0f));
    for (const float position : under_test::flow(velocities, points, time)) EXPECT_TRUE(std::isfinite(position));
  }
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

TEST(LogSlope, GivesTheSameBitsForPointsInAnyOrder) {
  const Vector sorted = grid_points(1000, -0.5, 1.5);
  const Vector backwards(sorted.rbegin(), sorted.rend());
  const Vector expected = under_test::flow_log_slope(kFree, sorted);
  const Vector reversed = under_test::flow_log_slope(kFree, backwards);
  EXPECT_TRUE(std::equal(reversed.rbegin(), reversed.rend(), expected.begin()));
}

TEST(LogSlope, GivesTheSameBitsForAnyNumberOfThreads) {
  const FlowBatch batch(100, 17, 2000, 5);
  Vector once(batch.rows * batch.points), again(once.size());
  under_test::flow_log_slope(batch.problem(), {once.data(), batch.rows, batch.points}, 1);
  for (const std::size_t threads : {2u, 3u, 8u}) {
    under_test::flow_log_slope(batch.problem(), {again.data(), batch.rows, batch.points}, threads);
    EXPECT_EQ(once, again) << threads << " threads";
  }
}

TEST(LogSlope, OfNoPointsIsEmpty) { EXPECT_TRUE(under_test::flow_log_slope(kFree, Vector{}).empty()); }

struct Gradient {
  Vector velocities, points;
  double time = 0;

  Gradient(const Vector& field, const Vector& from, const Vector& cotangents, double duration)
      : velocities(field.size()), points(from.size()) {
    under_test::flow_log_slope_vjp<double>(
        {.velocities = std::span(field), .points = std::span(from), .times = {&duration, 1}}, std::span(cotangents),
        {.velocities = std::span(velocities), .points = std::span(points), .times = {&time, 1}}, 1);
  }
};

TEST(LogSlopeVjp, IsTheTransposeOfTheJacobian) {
  const FlowBatch batch(6, 40, 200, 10);
  Vector jacobian(6 * 200 * 41), gradient(6 * 41);
  flow_log_slope_jacobian(batch.problem(), {jacobian.data(), 6 * 200, 41}, 2);
  under_test::flow_log_slope_vjp<double>(batch.problem(), {batch.cotangents.data(), 6, 200},
                                         {.velocities = {gradient.data(), 6, 41}}, 2);
  for (std::size_t row = 0; row < 6; ++row) {
    for (std::size_t j = 0; j < 41; ++j) {
      double sum = 0, size = 0;
      for (std::size_t i = 0; i < 200; ++i) {
        const double term = batch.cotangents[row * 200 + i] * jacobian[(row * 200 + i) * 41 + j];
        sum += term;
        size += std::fabs(term);
      }
      EXPECT_NEAR(gradient[row * 41 + j], sum, 1e-12 * (1 + size));
    }
  }
}

TEST(LogSlopeVjp, AtTimeZeroKnowsTheSlopeOnTheRight) {
  // Inside cells and on vertices, whichever way the field moves there.
  const Vector slopes = {1.5, -5.5, 3.5, 3, -5.5};
  for (std::size_t cell = 0; cell < 5; ++cell) {
    for (const double share : {0.0, 0.3, 0.9}) {
      const double x = (static_cast<double>(cell) + share) / 5;
      for (const double time : {0.0, -0.0}) {
        const Gradient gradient(kFree, {x}, {1.0}, time);
        EXPECT_NEAR(gradient.time, slopes[cell], 8 * kRounding) << x;
        EXPECT_EQ(gradient.points[0], 0.0) << x;
        EXPECT_EQ(gradient.velocities, Vector(6, 0.0)) << x;
      }
    }
  }
}

TEST(LogSlopeVjp, ByThePointIsTheDifferenceOfSlopesOverTheVelocity) {
  // From 0.75, where v = 0.75, into the last cell, whose slope is -5.5 instead of 3.
  EXPECT_NEAR(Gradient(kFree, {0.75}, {1.0}, 0.1).points[0], (-5.5 - 3) / 0.75, 64 * kRounding);
  // Those who stay have none.
  EXPECT_EQ(Gradient(kFree, {0.61}, {1.0}, 0.1).points[0], 0.0);
  EXPECT_EQ(Gradient(kFree, {7.0}, {1.0}, 0.1).points[0], 0.0);
}

TEST(LogSlopeVjp, EndingOnAVertexTakesTheSlopeOnItsRight) {
  // A constant field that carries 0.25 to the vertex 0.5 exactly, forwards; then a slope of -0.5, or back to 0.
  const Vector velocities = {0.25, 0.25, 0.25, 0.125, 0.125};
  EXPECT_EQ(Gradient(velocities, {0.25}, {1.0}, 1.0).time, -0.5);
  EXPECT_EQ(Gradient(velocities, {0.25}, {1.0}, 1.0).points[0], -2.0);
  EXPECT_EQ(Gradient(velocities, {0.5}, {1.0}, -1.0).time, 0.0);
}

TEST(LogSlopeVjp, AtAFixedPointIsTimeOverTheWidth) {
  // v = 0 at the vertex 0.4 and at 0.5 inside a cell: both stay in a cell of slope -1.
  for (const auto& [velocities, x] : {std::pair<Vector, double>{{0, 0.4, 0, -0.2, -0.2, 0}, 0.4},
                                      std::pair<Vector, double>{{0.5, 0.3, 0.1, -0.1, -0.3, -0.5}, 0.5}}) {
    const Gradient gradient(velocities, {x}, {1.0}, 2.0);
    expect_near(gradient.velocities, {0, 0, -10, 10, 0, 0}, 64 * kRounding);
    EXPECT_EQ(gradient.points[0], 0.0);
    EXPECT_NEAR(gradient.time, -1.0, 4 * kRounding);
  }
}

TEST(LogSlopeVjp, BackInTimeIsThatOfTheNegatedField) {
  const Vector points = grid_points(401, -0.5, 1.5);
  Vector negated = kFree, cotangents(401);
  for (double& v : negated) v = -v;
  for (std::size_t i = 0; i < 401; ++i) cotangents[i] = std::sin(7 * points[i]);
  const Gradient one(kFree, points, cotangents, -0.8), other(negated, points, cotangents, 0.8);
  for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(one.velocities[j], -other.velocities[j]);
  EXPECT_EQ(one.points, other.points);
  EXPECT_EQ(one.time, -other.time);
}

TEST(LogSlopeVjp, GivesTheSameBitsForAnyNumberOfThreads) {
  const FlowBatch batch(90, 21, 1500, 8);
  const Vector points(batch.point_rows.begin(), batch.point_rows.begin() + 1500);
  const double time = 0.7;
  const FlowProblem<double> problem{
      .velocities = {batch.velocities.data(), 90, 22}, .points = std::span(points), .times = {&time, 1}};
  struct Result {
    Vector velocities = Vector(90 * 22), points = Vector(1500), time = Vector(1);
    bool operator==(const Result&) const = default;
  };
  const auto run = [&](std::size_t threads) {
    Result result;
    under_test::flow_log_slope_vjp<double>(
        problem, {batch.cotangents.data(), 90, 1500},
        {.velocities = {result.velocities.data(), 90, 22}, .points = std::span(result.points), .times = result.time},
        threads);
    return result;
  };
  const Result once = run(1);
  for (const std::size_t threads : {2u, 5u, 16u}) EXPECT_TRUE(run(threads) == once) << threads << " threads";
}

TEST(LogSlopeVjp, PassesNothingOnForZeroCotangentsEvenWhereDerivativesAreInfinite) {
  const Gradient gradient({0, 0, 0, 0, -200, 0}, {1 - 1e-300}, {0.0}, 1.0);
  EXPECT_EQ(gradient.velocities, Vector(6, 0.0));
  EXPECT_EQ(gradient.points[0], 0.0);
}

}  // namespace log_slope_test
}  // namespace diffeo
