#include "diffeo/velocity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/differences.hpp"
#include "diffeo/tessellation.hpp"

namespace diffeo {
namespace velocity_test {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

template <class Real>
std::vector<Real> velocity_of(const std::vector<Real>& velocities, const std::vector<Real>& points,
                              Domain domain = {}) {
  std::vector<Real> values(points.size());
  velocity<Real>(std::span(velocities), std::span(points), domain, std::span(values));
  return values;
}

TEST(Velocity, IsTheVertexVelocityAtEveryVertexToTheLastBit) {
  for (const std::size_t cells : {1u, 3u, 10u, 49u, 1000u}) {
    const Tessellation tessellation(cells, -0.3, 0.71);
    const auto velocities = testing::random_values(cells + 1, -3, 3, 7);
    std::vector<double> points;
    for (std::size_t j = 0; j <= cells; ++j) points.push_back(tessellation.vertex(j));
    EXPECT_EQ(velocity_of(velocities, points, {-0.3, 0.71}), velocities);
  }
}

TEST(Velocity, IsTheVertexVelocityAtVerticesRoundedToFloat) {
  const std::vector<float> velocities = {1e-6f, 3e5f, -1.0f, 7e-9f, 2.0f, 1e4f, 0.0f, -8.0f, 1.0f, 5.0f, 0.25f};
  std::vector<float> points;
  for (std::size_t j = 0; j <= 10; ++j) points.push_back(static_cast<float>(Tessellation(10).vertex(j)));
  EXPECT_EQ(velocity_of(velocities, points), velocities);
}

TEST(Velocity, InterpolatesInsideACell) {
  const auto values = velocity_of<double>({1, 3, -1}, {0.125, 0.25, 0.625, 0.75});
  EXPECT_EQ(values, (std::vector<double>{1.5, 2, 2, 1}));
}

TEST(Velocity, OfAConstantFieldIsConstantToTheLastBit) {
  const std::vector<double> points = testing::random_values(1000, -5, 6, 3);
  for (const double value : velocity_of(std::vector<double>(8, 0.3), points)) ASSERT_EQ(value, 0.3);
}

TEST(Velocity, FollowsTheFirstAndLastCellBeyondTheDomain) {
  const auto values = velocity_of<double>({1, 3, 2}, {-0.5, 1.5, 1e30, -1e30});
  EXPECT_EQ(values[0], -1);
  EXPECT_EQ(values[1], 1);
  EXPECT_NEAR(values[2], -2e30, 4 * kEpsilon * 2e30);
  EXPECT_NEAR(values[3], -4e30, 4 * kEpsilon * 4e30);
}

TEST(Velocity, IsInfiniteWhereItOverflowsAndNeverNaN) {
  const double largest = std::numeric_limits<double>::max();
  const auto values = velocity_of<double>({-largest, largest, largest}, {0, 0.25, 0.5, -1, largest, -largest});
  EXPECT_EQ(values[0], -largest);
  EXPECT_EQ(values[1], 0);
  EXPECT_EQ(values[2], largest);
  EXPECT_EQ(values[3], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(values[4], largest);
  EXPECT_EQ(values[5], -std::numeric_limits<double>::infinity());
}

TEST(Velocity, TakesSharedPointsAndPointsPerRow) {
  const std::vector<double> velocities = {0, 1, 2, 0};
  const std::vector<double> points = {0.25, 0.5};
  std::vector<double> shared(4);
  velocity<double>({velocities.data(), 2, 2}, {points.data(), 1, 2}, {}, {shared.data(), 2, 2});
  EXPECT_EQ(shared, (std::vector<double>{0.25, 0.5, 1.5, 1}));
  std::vector<double> own(2);
  velocity<double>({velocities.data(), 2, 2}, {points.data(), 2, 1}, {}, {own.data(), 2, 1});
  EXPECT_EQ(own, (std::vector<double>{0.25, 1}));
}

TEST(Velocity, RefusesShapesThatDoNotFitAndValuesThatAreNotFinite) {
  const std::vector<double> some(6, 0.5);
  std::vector<double> out(6);
  const auto call = [&](Rows<const double> velocities, Rows<const double> points, Domain domain, Rows<double> values) {
    velocity<double>(velocities, points, domain, values);
  };
  const double* data = some.data();
  EXPECT_THROW(call({data, 3, 1}, {data, 1, 2}, {}, {out.data(), 3, 2}), std::invalid_argument);
  EXPECT_THROW(call({data, 3, 2}, {data, 2, 2}, {}, {out.data(), 3, 2}), std::invalid_argument);
  EXPECT_THROW(call({data, 3, 2}, {data, 1, 2}, {}, {out.data(), 1, 2}), std::invalid_argument);
  EXPECT_THROW(call({data, 3, 2}, {data, 1, 2}, {1, 0}, {out.data(), 3, 2}), std::invalid_argument);
  const std::vector<double> bad = {0, std::nan("")};
  EXPECT_THROW(call({bad.data(), 1, 2}, {data, 1, 2}, {}, {out.data(), 1, 2}), std::invalid_argument);
  EXPECT_THROW(call({data, 1, 2}, {bad.data(), 1, 2}, {}, {out.data(), 1, 2}), std::invalid_argument);
}

}  // namespace velocity_test
}  // namespace diffeo
