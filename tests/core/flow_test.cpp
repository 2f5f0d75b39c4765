// Shapes, errors, and the inputs that break public implementations. Exactness is in tests/golden and tests/property,
// values that are refused in refused_values_test.cpp.
#include "diffeo/flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "diffeo/random.hpp"
#include "diffeo/velocity.hpp"
#include "support/flow_batch.hpp"
#include "support/under_test.hpp"
#include "support/walking_flow.hpp"

namespace diffeo {
namespace flow_test {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// A few roundings of numbers of order 1.
constexpr double kRounding = 16 * 0x1p-53;

using Vector = std::vector<double>;
using Batch = testing::FlowBatch;
using testing::grid_points;

double flow_one(const Vector& velocities, double x, double time = 1) {
  return under_test::flow(velocities, Vector{x}, time)[0];
}

TEST(Flow, AtTimeZeroIsTheIdentity) {
  const Vector points = grid_points(101, -1, 2);
  EXPECT_EQ(under_test::flow(Vector{3, -50, 7, 1e-9, 0, 2}, points, 0.0), points);
}

TEST(Flow, OfAConstantFieldShiftsEverything) {
  for (const double x : {-1.0, 0.0, 0.05, 0.2, 0.3, 0.85, 1.0, 3.0}) {
    EXPECT_NEAR(flow_one(Vector(6, 0.3), x), x + 0.3, kRounding * (1 + std::fabs(x)));
  }
}

TEST(Flow, OfAConstantFieldHasDerivativesThatSumToTheTime) {
  // Raising all velocities together is raising the constant: d(x + v t)/dv = t.
  const Vector velocities(6, 0.3), points = grid_points(50, -0.2, 1.2);
  const double time = 1;
  Vector jacobian(points.size() * 6);
  flow_jacobian<double>({.velocities = std::span(velocities), .points = std::span(points), .times = {&time, 1}},
                        {jacobian.data(), points.size(), 6}, 1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR(std::accumulate(jacobian.begin() + static_cast<std::ptrdiff_t>(6 * i),
                                jacobian.begin() + static_cast<std::ptrdiff_t>(6 * i + 6), 0.0),
                time, 16 * kRounding);
  }
}

TEST(Flow, StaysExactWhenSlopesAlmostVanish) {
  for (const auto& [rise, x] : {std::pair{1e-6, 0.05}, std::pair{1.3e-7, 0.3}, std::pair{1e-15, 0.1}}) {
    Vector velocities(6);
    for (std::size_t j = 0; j < 6; ++j) velocities[j] = 0.3 + rise * static_cast<double>(j) / 5;
    // v = 0.3 + a x on [0, 1]: phi = x + (0.3 + a x) expm1(a)/a.
    const long double a = rise;
    const long double exact = x + (0.3L + a * x) * std::expm1(a) / a;
    EXPECT_NEAR(flow_one(velocities, x), static_cast<double>(exact), kRounding);
  }
}

TEST(Flow, KeepsARepellingBorderFixed) {
  EXPECT_EQ(flow_one({0, 0, 0, 0, -7.6, 0}, 1.0), 1.0);
  EXPECT_EQ(flow_one({0, 0, 0, 0, -200, 0}, 1.0), 1.0);
  EXPECT_EQ(flow_one({0, 50, 50, 50, 50, 0}, 0.0), 0.0);
  EXPECT_EQ(flow_one({0, 0, 0, 0, -200, 0}, 1.0, 5.0), 1.0);
}

TEST(Flow, IsExactForTinyVelocitiesOverLongTimes) {
  Vector velocities(6);
  for (std::size_t j = 0; j < 6; ++j) velocities[j] = 1e-8 * static_cast<double>(j + 1);
  // v = 1e-8 (1 + 5x), t = 1e7: 1 + 5 phi = (1 + 5x) e^{0.5}.
  EXPECT_NEAR(flow_one(velocities, 0.3, 1e7), (2.5 * std::exp(0.5) - 1) / 5, 8 * kRounding);
}

TEST(Flow, OfLargeVelocitiesStaysMonotone) {
  for (const double size : {30.0, 300.0, 3000.0}) {
    Random random(static_cast<std::uint64_t>(size));
    for (int repeat = 0; repeat < 50; ++repeat) {
      Vector velocities(31);
      for (double& v : velocities) v = size * random.normal();
      velocities.front() = velocities.back() = 0;
      const Vector positions = under_test::flow(velocities, grid_points(1000));
      for (std::size_t i = 0; i + 1 < positions.size(); ++i) ASSERT_LE(positions[i], positions[i + 1] + 2 * 0x1p-53);
      EXPECT_EQ(positions.front(), 0.0);
      EXPECT_EQ(positions.back(), 1.0);
    }
  }
}

TEST(Flow, FarOutsideFollowsTheAffineExtension) {
  // v = 0.3 - 0.2 x beyond the left border: contracts to 1.5.
  const Vector velocities = {0.3, 0.1};
  for (const double x : {1e30, -1e30, 1e300}) {
    const double time = 40;
    const double expected = 1.5 + (x - 1.5) * std::exp(-0.2 * time);
    EXPECT_NEAR(flow_one(velocities, x, time), expected, 64 * 0x1p-53 * std::fabs(expected));
  }
  EXPECT_EQ(flow_one({0, 10}, 1e300, 100.0), kInfinite);
  EXPECT_EQ(flow_one({0, 10}, -1e300, 100.0), -kInfinite);
}

TEST(Flow, OfOneCellIsTheExponential) {
  for (const double time : {-3.0, -1e-3, 0.5, 2.0}) {
    EXPECT_NEAR(flow_one({0.2, 0.5}, 0.7, time), 0.7 + 0.41 * std::expm1(0.3 * time) / 0.3, 8 * kRounding);
  }
}

TEST(Flow, WorksAtTheLargestNumberOfCells) {
  constexpr std::size_t kCells = 65536;
  Vector velocities(kCells + 1);
  for (std::size_t j = 0; j <= kCells; ++j) velocities[j] = 0.3 * std::sin(40.0 * static_cast<double>(j) / kCells);
  const testing::WalkingFlow walk({velocities.begin(), velocities.end()}, {});
  for (const double time : {1.0, -2.0}) {
    for (const double x : {0.0, 0.123456, 0.5, 0.99, 1.0}) {
      EXPECT_NEAR(flow_one(velocities, x, time), static_cast<double>(walk(x, time)), 100 * kRounding);
    }
  }
  const std::vector<float> single(velocities.begin(), velocities.end());
  const std::vector<float> points = {0.1f, 0.6f};
  for (std::size_t i = 0; i < 2; ++i) {
    // Float positions do not resolve cells better than 2^-24 * 65536 of a cell.
    EXPECT_NEAR(under_test::flow(single, points)[i], static_cast<double>(walk(static_cast<double>(points[i]), 1.0)),
                64 * 0x1p-24);
  }
}

TEST(Flow, WorksOnDomainsFarFromZero) {
  for (const double lower : {1e3, -1e6, 1e15}) {
    const Domain domain{lower, lower + 4};
    const Vector velocities = {0, 1, 0.5, 2, 0};
    const Vector points = {lower, lower + 1, lower + 2.5, lower + 4};
    const Vector shifted = under_test::flow(velocities, points, 1.0, domain);
    const Vector expected = under_test::flow(velocities, Vector{0, 1, 2.5, 4}, 1.0, {0, 4});
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(shifted[i] - lower, expected[i], std::fabs(lower) * 0x1p-52 + kRounding * 4);
    }
  }
}

TEST(Flow, GivesTheSameBitsForPointsInAnyOrder) {
  const Vector velocities = {0, 0.7, -0.4, 0.9, 0.2, -0.3, 0};
  const Vector sorted = grid_points(1000, -0.5, 1.5);
  Vector shuffled = sorted;
  Random random(3);
  for (std::size_t i = shuffled.size(); i > 1; --i) std::swap(shuffled[i - 1], shuffled[random.below(i)]);
  const Vector expected = under_test::flow(velocities, sorted), got = under_test::flow(velocities, shuffled);
  for (std::size_t i = 0; i < shuffled.size(); ++i) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), shuffled[i]) - sorted.begin();
    EXPECT_EQ(got[i], expected[static_cast<std::size_t>(place)]);
  }
  const Vector backwards(sorted.rbegin(), sorted.rend());
  const Vector reversed = under_test::flow(velocities, backwards);
  EXPECT_TRUE(std::equal(reversed.rbegin(), reversed.rend(), expected.begin()));
}

TEST(Flow, GivesTheSameBitsForAnyNumberOfThreads) {
  const Batch batch(100, 17, 2000, 5);
  Vector once(batch.rows * batch.points), again(once.size());
  under_test::flow(batch.problem(), {once.data(), batch.rows, batch.points}, 1);
  for (const std::size_t threads : {2u, 3u, 8u}) {
    under_test::flow(batch.problem(), {again.data(), batch.rows, batch.points}, threads);
    EXPECT_EQ(once, again) << threads << " threads";
  }
}

TEST(Flow, SharesPointsAndTimesOfOneRow) {
  const Batch batch(7, 9, 40, 6);
  const Vector points(batch.point_rows.begin(), batch.point_rows.begin() + 40);
  const double time = 0.8;
  Vector together(7 * 40);
  under_test::flow<double>(
      {.velocities = {batch.velocities.data(), 7, 10}, .points = std::span(points), .times = {&time, 1}},
      {together.data(), 7, 40}, 2);
  for (std::size_t row = 0; row < 7; ++row) {
    const Vector velocities(batch.velocities.begin() + static_cast<std::ptrdiff_t>(10 * row),
                            batch.velocities.begin() + static_cast<std::ptrdiff_t>(10 * row + 10));
    const Vector alone = under_test::flow(velocities, points, time);
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + static_cast<std::ptrdiff_t>(40 * row)));
  }
}

TEST(Flow, HandlesMorePointsThanOneChunk) {
  const Vector velocities = {0, 0.5, -0.3, 0.2, 0};
  const Vector points = grid_points(700'001);
  const Vector positions = under_test::flow(velocities, points);
  for (std::size_t i = 0; i < points.size(); i += 9999) EXPECT_EQ(positions[i], flow_one(velocities, points[i]));
}

TEST(FlowVjp, GivesTheSameBitsForAnyNumberOfThreads) {
  const Batch batch(90, 21, 1500, 8);
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
    under_test::flow_vjp<double>(
        problem, {batch.cotangents.data(), 90, 1500},
        {.velocities = {result.velocities.data(), 90, 22}, .points = std::span(result.points), .times = result.time},
        threads);
    return result;
  };
  const Result once = run(1);
  for (const std::size_t threads : {2u, 5u, 16u}) EXPECT_TRUE(run(threads) == once) << threads << " threads";
}

TEST(FlowVjp, SumsGradientsOfSharedArguments) {
  const Batch batch(5, 8, 30, 9);
  const Vector points(batch.point_rows.begin(), batch.point_rows.begin() + 30);
  const double time = 0.6;
  Vector summed(30), repeated_points, separate(5 * 30), time_sum(1), times(5, time), time_rows(5);
  for (int row = 0; row < 5; ++row) repeated_points.insert(repeated_points.end(), points.begin(), points.end());
  const Rows<const double> velocities{batch.velocities.data(), 5, 9}, cotangents{batch.cotangents.data(), 5, 30};
  under_test::flow_vjp<double>({.velocities = velocities, .points = std::span(points), .times = {&time, 1}}, cotangents,
                               {.points = std::span(summed), .times = time_sum}, 1);
  under_test::flow_vjp<double>({.velocities = velocities, .points = {repeated_points.data(), 5, 30}, .times = times},
                               cotangents, {.points = {separate.data(), 5, 30}, .times = time_rows}, 1);
  for (std::size_t i = 0; i < 30; ++i) {
    double sum = 0;
    for (std::size_t row = 0; row < 5; ++row) sum += separate[row * 30 + i];
    EXPECT_NEAR(summed[i], sum, 64 * kRounding);
  }
  EXPECT_NEAR(time_sum[0], std::accumulate(time_rows.begin(), time_rows.end(), 0.0), 64 * kRounding);
}

/// The vectors of the Jacobian against the formulas point by point: points in any order, inside the domain and beyond.
TEST(FlowJacobian, HasDirectionalDerivativesForColumns) {
  constexpr std::size_t kVertices = 13, kPoints = 600;
  const Batch batch(6, kVertices - 1, kPoints, 12);
  Vector jacobian(6 * kPoints * kVertices), column(6 * kPoints);
  flow_jacobian(batch.problem(), {jacobian.data(), 6 * kPoints, kVertices}, 2);
  for (std::size_t j = 0; j < kVertices; ++j) {
    Vector direction(6 * kVertices);
    for (std::size_t row = 0; row < 6; ++row) direction[row * kVertices + j] = 1;
    flow_jvp<double>(batch.problem(), {.velocities = {direction.data(), 6, kVertices}}, {column.data(), 6, kPoints}, 2);
    for (std::size_t i = 0; i < column.size(); ++i) {
      EXPECT_NEAR(jacobian[i * kVertices + j], column[i], 1e-12 * (1 + std::fabs(column[i]))) << "point " << i;
    }
  }
}

TEST(FlowVjp, IsTheTransposeOfTheJacobian) {
  const Batch batch(6, 40, 200, 10);
  Vector jacobian(6 * 200 * 41), gradient(6 * 41);
  flow_jacobian(batch.problem(), {jacobian.data(), 6 * 200, 41}, 2);
  under_test::flow_vjp<double>(batch.problem(), {batch.cotangents.data(), 6, 200},
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

TEST(FlowVjp, PassesNothingOnForZeroCotangentsEvenWhereDerivativesAreInfinite) {
  const Vector velocities = {0, 0, 0, 0, -200, 0}, points = {1.0}, cotangents = {0.0};
  const double time = 1;
  Vector gradient(6), by_point(1);
  under_test::flow_vjp<double>({.velocities = std::span(velocities), .points = std::span(points), .times = {&time, 1}},
                               std::span(cotangents),
                               {.velocities = std::span(gradient), .points = std::span(by_point)}, 1);
  EXPECT_EQ(gradient, Vector(6, 0.0));
  EXPECT_EQ(by_point[0], 0.0);
}

struct Gradient {
  Vector velocities, points;
  double time = 0;

  Gradient(const Vector& field, const Vector& from, const Vector& cotangents, double duration)
      : velocities(field.size()), points(from.size()) {
    under_test::flow_vjp<double>(
        {.velocities = std::span(field), .points = std::span(from), .times = {&duration, 1}}, std::span(cotangents),
        {.velocities = std::span(velocities), .points = std::span(points), .times = {&time, 1}}, 1);
  }
};

const Vector kFree = {0.4, 0.7, -0.4, 0.3, 0.9, -0.2};

TEST(FlowVjp, AtTimeZeroPassesCotangentsOnAndKnowsTheVelocity) {
  const Vector points = grid_points(401, -0.5, 1.5);
  Vector cotangents(401), velocity(401);
  for (std::size_t i = 0; i < 401; ++i) cotangents[i] = std::cos(points[i]);
  const Gradient gradient(kFree, points, cotangents, 0.0);
  diffeo::velocity<double>(std::span(kFree), std::span(points), {}, std::span(velocity), 1);
  for (std::size_t i = 0; i < 401; ++i) EXPECT_NEAR(gradient.points[i], cotangents[i], kRounding);
  for (const double by_velocity : gradient.velocities) EXPECT_EQ(by_velocity, 0.0);
  const double expected = std::inner_product(cotangents.begin(), cotangents.end(), velocity.begin(), 0.0);
  EXPECT_NEAR(gradient.time, expected, 401 * kRounding);
}

TEST(FlowVjp, OfAConstantFieldIntegratesTheHatFunctions) {
  // phi = x + 0.3: d phi / d v_j is the integral of the hat function of vertex j from x to phi, over the velocity.
  const auto hat_integral = [](double x, std::size_t vertex) {
    const double u = 5 * x - static_cast<double>(vertex);
    if (u <= -1 || u >= 1) return u < 0 ? 0.0 : 0.2;
    return (u < 0 ? (1 + u) * (1 + u) / 2 : 1 - (1 - u) * (1 - u) / 2) / 5;
  };
  for (const double x : {0.0, 0.05, 0.2, 0.33, 0.6999}) {
    const Gradient gradient(Vector(6, 0.3), {x}, {1.0}, 1.0);
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_NEAR(gradient.velocities[j], (hat_integral(x + 0.3, j) - hat_integral(x, j)) / 0.3, 8 * kRounding);
    }
    EXPECT_NEAR(gradient.points[0], 1.0, kRounding);
    EXPECT_NEAR(gradient.time, 0.3, kRounding);
  }
}

TEST(FlowVjp, BackInTimeIsThatOfTheNegatedField) {
  const Vector points = grid_points(401, -0.5, 1.5);
  Vector negated = kFree, cotangents(401);
  for (double& v : negated) v = -v;
  for (std::size_t i = 0; i < 401; ++i) cotangents[i] = std::sin(7 * points[i]);
  const Gradient one(kFree, points, cotangents, -0.8), other(negated, points, cotangents, 0.8);
  const double tolerance = 500 * kRounding;  // sums of 401 terms
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(one.velocities[j], -other.velocities[j], tolerance);
  for (std::size_t i = 0; i < 401; ++i) EXPECT_NEAR(one.points[i], other.points[i], 8 * kRounding);
  EXPECT_NEAR(one.time, -other.time, tolerance);
}

TEST(Flow, OfLargeVelocitiesStaysMonotoneInFloatForwardsAndBack) {
  std::vector<float> points(2001);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = static_cast<float>(i) / 2000.0f;
  Random random(17);
  for (const double speed : {30.0, 300.0}) {
    for (const double time : {1.0, -1.0}) {
      std::vector<float> velocities(9);
      for (float& v : velocities) v = static_cast<float>(speed * (2 * random.uniform() - 1));
      velocities.front() = velocities.back() = 0;
      const std::vector<float> positions = under_test::flow(velocities, points, time);
      for (std::size_t i = 0; i + 1 < positions.size(); ++i) ASSERT_GE(positions[i + 1], positions[i] - 0x1p-24f);
      EXPECT_EQ(positions.front(), 0.0f);
      EXPECT_EQ(positions.back(), 1.0f);
    }
  }
}

TEST(Flow, RefusesShapesThatDoNotFit) {
  const Batch batch(3, 5, 10, 11);
  Vector out(30);
  FlowProblem<double> problem = batch.problem();
  problem.points = {batch.point_rows.data(), 2, 10};
  EXPECT_THROW(under_test::flow(problem, {out.data(), 3, 10}), std::invalid_argument);
  problem = batch.problem();
  EXPECT_THROW(under_test::flow(problem, {out.data(), 2, 10}), std::invalid_argument);
  problem.times = std::span(batch.times).first(2);
  EXPECT_THROW(under_test::flow(problem, {out.data(), 3, 10}), std::invalid_argument);
  problem = batch.problem();
  problem.velocities = {batch.velocities.data(), 3, 1};
  EXPECT_THROW(under_test::flow(problem, {out.data(), 3, 10}), std::invalid_argument);
  problem = batch.problem();
  EXPECT_THROW(under_test::flow_vjp<double>(problem, {batch.cotangents.data(), 3, 9}, {}), std::invalid_argument);
}

TEST(Flow, OfNoPointsIsEmpty) { EXPECT_TRUE(under_test::flow(Vector{0, 1, 0}, Vector{}).empty()); }

}  // namespace flow_test
}  // namespace diffeo
