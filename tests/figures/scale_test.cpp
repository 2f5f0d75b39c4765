#include "figures/scale.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace diffeo::figures {
namespace scale_test {

constexpr double kRounding = 1e-12;  // a few roundings of numbers below 100

void expect_ticks(const std::vector<double>& ticks, const std::vector<double>& expected) {
  ASSERT_EQ(ticks.size(), expected.size());
  for (std::size_t at = 0; at < ticks.size(); ++at) EXPECT_NEAR(ticks[at], expected[at], kRounding * expected.back());
}

TEST(Scale, PutsTheEndsOfItsRangeAtTheEndsOfItsPlaces) {
  const Scale linear = linear_scale({2.0, 4.0}, {100.0, 0.0});
  EXPECT_NEAR(linear.at(2.0), 100.0, kRounding);
  EXPECT_NEAR(linear.at(3.0), 50.0, kRounding);
  EXPECT_NEAR(linear.at(4.0), 0.0, kRounding);
  const Scale logarithmic = logarithmic_scale({1.0, 100.0}, {0.0, 80.0});
  EXPECT_NEAR(logarithmic.at(1.0), 0.0, kRounding);
  EXPECT_NEAR(logarithmic.at(10.0), 40.0, kRounding);
  EXPECT_NEAR(logarithmic.at(100.0), 80.0, 100 * kRounding);
}

TEST(Scale, HasRoundTicksWithinItsRange) {
  expect_ticks(linear_scale({0.0, 1.0}, {0.0, 1.0}).ticks(5), {0.0, 0.2, 0.4, 0.6, 0.8, 1.0});
  expect_ticks(linear_scale({-0.3, 0.3}, {0.0, 1.0}).ticks(3), {-0.2, 0.0, 0.2});
  expect_ticks(logarithmic_scale({0.5, 2000.0}, {0.0, 1.0}).ticks(5), {1.0, 10.0, 100.0, 1000.0});
  expect_ticks(logarithmic_scale({3.0, 300.0}, {0.0, 1.0}).ticks(5), {5.0, 10.0, 20.0, 50.0, 100.0, 200.0});
  expect_ticks(logarithmic_scale({10.5, 18.0}, {0.0, 1.0}).ticks(4), {12.0, 14.0, 16.0, 18.0});
}

TEST(Scale, ShowsTheTicksThatAreSet) {
  Scale scale = logarithmic_scale({4.0, 256.0}, {0.0, 1.0});
  scale.set_ticks({4.0, 32.0, 256.0});
  expect_ticks(scale.ticks(9), {4.0, 32.0, 256.0});
}

TEST(Scale, SkipsPowersOfTenWhereThereAreMany) {
  EXPECT_LE(logarithmic_scale({1e-16, 1.0}, {0.0, 1.0}).ticks(5).size(), 6u);
}

TEST(Scale, OfARangeWithoutExtentIsWidened) {
  for (const Range range : {Range{0.0, 0.0}, Range{5.0, 5.0}, Range{-2.0, -2.0}}) {
    const Scale scale = linear_scale(range, {0.0, 100.0});
    EXPECT_NEAR(scale.at(range.low), 50.0, kRounding * 100.0);
    EXPECT_FALSE(scale.ticks(4).empty());
  }
  const Scale scale = logarithmic_scale({7.0, 7.0}, {0.0, 100.0});
  EXPECT_NEAR(scale.at(7.0), 50.0, kRounding * 100.0);
  EXPECT_FALSE(scale.ticks(4).empty());
}

TEST(Scale, PutsWhatIsNotPositiveAtTheLowerEndOfALogarithmicScale) {
  const Scale scale = logarithmic_scale({1.0, 10.0}, {20.0, 80.0});
  EXPECT_EQ(scale.at(0.0), 20.0);
  EXPECT_EQ(scale.at(-3.0), 20.0);
}

TEST(Scale, RangesLeaveOutWhatIsNotFinite) {
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  const std::array<double, 4> values = {missing, 3.0, -1.0, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(range_of(values).low, -1.0);
  EXPECT_EQ(range_of(values).high, 3.0);
  EXPECT_EQ(positive_range_of(values).low, 3.0);
  EXPECT_EQ(range_of({}).high, 1.0);
  EXPECT_EQ(positive_range_of({}).low, 0.1);
}

TEST(Scale, WritesTicksShort) {
  EXPECT_EQ(tick_text(0.2), "0.2");
  EXPECT_EQ(tick_text(1000.0), "1,000");
  EXPECT_EQ(tick_text(20000.0), "20,000");
  EXPECT_EQ(tick_text(1e-5), "10⁻⁵");
  EXPECT_EQ(tick_text(1e12), "10¹²");
  EXPECT_EQ(tick_text(-0.05), "−0.05");
}

}  // namespace scale_test
}  // namespace diffeo::figures
