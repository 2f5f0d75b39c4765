#include "diffeo/slope_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "diffeo/random.hpp"
#include "support/true_warps.hpp"

namespace diffeo {
namespace slope_scale_test {

using testing::equally_spaced;

/// Sums in another order.
constexpr double kRounding = 1e-12;

std::vector<double> wave(std::size_t length, double height, double noise, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values;
  for (const double time : equally_spaced(length)) {
    values.push_back(height * std::sin(12.0 * time) + noise * random.normal());
  }
  return values;
}

SlopeScale scale_of(const std::vector<std::vector<double>>& series) {
  SlopeSums sums;
  for (const std::vector<double>& values : series) sums.add({values.data(), 1, values.size()});
  return sums.scale();
}

TEST(SlopeScale, IsTheSameFromPartsOfASet) {
  const std::vector<double> one = wave(80, 1.0, 0.1, 1);
  const std::vector<double> other = wave(120, 2.0, 0.2, 2);
  SlopeSums first;
  first.add({one.data(), 1, one.size()});
  SlopeSums second;
  second.add({other.data(), 1, other.size()});
  for (std::size_t i = 0; i < first.numbers().size(); ++i) first.numbers()[i] += second.numbers()[i];
  const SlopeScale expected = scale_of({one, other});
  EXPECT_EQ(first.scale().smoothing, expected.smoothing);
  EXPECT_NEAR(first.scale().slope, expected.slope, kRounding);
}

TEST(SlopeScale, SmoothsMoreWhereThereIsNoise) {
  const double clean = scale_of({wave(200, 1.0, 0.0, 1)}).smoothing;
  const double noisy = scale_of({wave(200, 1.0, 0.1, 1)}).smoothing;
  EXPECT_LT(clean, noisy);
  EXPECT_LT(noisy, scale_of({wave(200, 1.0, 1.0, 1)}).smoothing);
}

TEST(SlopeScale, OfConstantSeriesIsOne) { EXPECT_EQ(scale_of({std::vector<double>(50, 3.0)}).slope, 1.0); }

TEST(ScaledRootSlopes, DoNotDependOnUnits) {
  const std::vector<double> one = wave(100, 1.0, 0.0, 1);
  const std::vector<double> large = wave(100, 1000.0, 0.0, 1);
  const std::vector<double> of_one = scaled_root_slopes({one.data(), 1, one.size()}, scale_of({one}), 64);
  const std::vector<double> of_large = scaled_root_slopes({large.data(), 1, large.size()}, scale_of({large}), 64);
  ASSERT_EQ(of_one.size(), 64u);
  for (std::size_t i = 0; i < of_one.size(); ++i) EXPECT_NEAR(of_one[i], of_large[i], 1e-9);
}

TEST(ScaledRootSlopes, HaveTheSignsOfTheSlopesAndAreMissingInGaps) {
  std::vector<double> values = wave(101, 1.0, 0.0, 1);
  for (std::size_t i = 60; i < 80; ++i) values[i] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> slopes = scaled_root_slopes({values.data(), 1, values.size()}, scale_of({values}), 101);
  EXPECT_GT(slopes[5], 0.5);    // 12 cos(0.6)
  EXPECT_LT(slopes[25], -0.5);  // 12 cos(3)
  EXPECT_TRUE(std::isnan(slopes[70]));
  EXPECT_FALSE(std::isnan(slopes[40]));
}

}  // namespace slope_scale_test
}  // namespace diffeo
