// Values that are not finite are refused by name. (A GPU cannot: it would have to be waited for.)
#include <gtest/gtest.h>

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

TEST(Warp, RefusesNumbersThatAreNotFinite) {
  EXPECT_THROW((void)warp(Vector(10, 1.0), Vector{0, kNan, 0}), std::invalid_argument);
  EXPECT_THROW((void)warp(Vector(10, 1.0), Vector{0, 1, 0}, kNan), std::invalid_argument);
}

}  // namespace refused_values_test
}  // namespace diffeo
