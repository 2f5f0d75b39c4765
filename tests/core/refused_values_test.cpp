// Values that are not finite are refused by name. (A GPU cannot: it would have to be waited for.)
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "diffeo/flow.hpp"
#include "diffeo/warp.hpp"

namespace diffeo {
namespace refused_values_test {

using Vector = std::vector<double>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

double flow_one(const Vector& velocities, double x, double time = 1) { return flow(velocities, Vector{x}, time)[0]; }

TEST(Flow, RefusesNumbersThatAreNotFinite) {
  for (const double bad : {kNan, kInfinite, -kInfinite}) {
    EXPECT_THROW(flow_one({0, bad, 0}, 0.5), std::invalid_argument);
    EXPECT_THROW(flow_one({0, 1, 0}, bad), std::invalid_argument);
    EXPECT_THROW(flow_one({0, 1, 0}, 0.5, bad), std::invalid_argument);
    EXPECT_THROW((void)flow(Vector{0, 1, 0}, Vector{0.5}, 1.0, {0, bad}), std::invalid_argument);
  }
}

TEST(Flow, NamesTheArgumentTheRowAndTheColumnOfABadNumber) {
  try {
    (void)flow(Vector{0, 1, 0}, Vector{0.5, kNan});
    FAIL() << "expected an error";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "points: expected finite values, got nan in row 0, column 1");
  }
}

TEST(Flow, RefusesVelocitiesWhoseDifferencesOverflow) {
  const Vector steep = {-1e308, 1e308};
  EXPECT_THROW(flow_one(steep, 0.5), std::invalid_argument);
  EXPECT_THROW(flow_one({1e308, -1e308}, 0.3), std::invalid_argument);
  EXPECT_THROW((void)flow(std::vector<float>{-3e38f, 3e38f}, std::vector<float>{0.5f}), std::invalid_argument);
  EXPECT_THROW((void)warp(Vector(10, 1.0), steep), std::invalid_argument);
  try {
    flow_one(steep, 0.5);
    FAIL() << "expected an error";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "velocities: expected magnitudes up to 5.35754303593e+300 in 1 cells, got -1e+308 in row 0, column 0");
  }
}

TEST(Flow, OfTheLargestVelocitiesIsNeverNan) {
  for (const double time : {1.0, -1.0, 1e-300, 1e300}) {
    for (const Vector& velocities : {Vector{-5e300, 5e300}, Vector{5e300, -5e300}}) {
      for (const double x : {0.0, 0.3, 0.5, 0.9, 1.0}) EXPECT_FALSE(std::isnan(flow_one(velocities, x, time))) << x;
    }
    for (const std::vector<float>& velocities : {std::vector{-6e35f, 6e35f}, std::vector{6e35f, -6e35f}}) {
      for (const float x : {0.0f, 0.3f, 0.5f, 0.9f, 1.0f}) {
        EXPECT_FALSE(std::isnan(flow(velocities, std::vector{x}, time)[0])) << x;
      }
    }
  }
}

TEST(Warp, RefusesNumbersThatAreNotFinite) {
  EXPECT_THROW((void)warp(Vector(10, 1.0), Vector{0, kNan, 0}), std::invalid_argument);
  EXPECT_THROW((void)warp(Vector(10, 1.0), Vector{0, 1, 0}, kNan), std::invalid_argument);
}

}  // namespace refused_values_test
}  // namespace diffeo
