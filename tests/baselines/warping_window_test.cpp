#include "diffeo/warping_window.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace diffeo {
namespace warping_window_test {

TEST(WarpingWindow, WithoutLimitsReachesEverywhere) { EXPECT_GE(radius_of({}, 3, 8), 8u); }

TEST(WarpingWindow, TakesARadiusAsItIs) {
  EXPECT_EQ(radius_of({.radius = 0}, 3, 8), 0u);
  EXPECT_EQ(radius_of({.radius = 5}, 3, 8), 5u);
}

TEST(WarpingWindow, TakesAFractionOfTheShorterLengthRoundedDown) {
  EXPECT_EQ(radius_of({.fraction = 0.1}, 275, 275), 27u);
  EXPECT_EQ(radius_of({.fraction = 0.5}, 7, 100), 3u);
  EXPECT_EQ(radius_of({.fraction = 0.5}, 100, 7), 3u);
  EXPECT_EQ(radius_of({.fraction = 0.0}, 100, 100), 0u);
  EXPECT_EQ(radius_of({.fraction = 1.0}, 100, 100), 100u);
}

TEST(WarpingWindow, RefusesBothAndFractionsOutsideZeroToOne) {
  EXPECT_THROW((void)radius_of({.radius = 1, .fraction = 0.1}, 5, 5), std::invalid_argument);
  EXPECT_THROW((void)radius_of({.fraction = -0.1}, 5, 5), std::invalid_argument);
  EXPECT_THROW((void)radius_of({.fraction = 1.1}, 5, 5), std::invalid_argument);
  EXPECT_THROW((void)radius_of({.fraction = std::nan("")}, 5, 5), std::invalid_argument);
}

}  // namespace warping_window_test
}  // namespace diffeo
