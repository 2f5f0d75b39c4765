#include "statistics/studentized_range.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace diffeo::statistics {
namespace studentized_range_test {

constexpr double kRelative = 1e-12;  // the trapezoidal rule and some hundred roundings
constexpr double kScipy = 1e-7;      // what SciPy's own integration is good for

// The difference of two normal numbers is normal with the variance 2.
TEST(NormalRange, OfTwoIsTheirDifference) {
  for (const double q : {0.0, 0.1, 1.0, 3.0, 8.0, 20.0}) {
    EXPECT_NEAR(normal_range_upper_tail(q, 2), std::erfc(q / 2), kRelative * std::erfc(q / 2)) << q;
  }
}

// scipy.stats.studentized_range.sf(q, k, inf)
TEST(NormalRange, HasTheTailThatScipyHas) {
  EXPECT_NEAR(normal_range_upper_tail(1, 3), 0.7592873587706612, kScipy);
  EXPECT_NEAR(normal_range_upper_tail(4, 6), 0.05307611569799564, kScipy);
  EXPECT_NEAR(normal_range_upper_tail(6, 20), 0.003602433764930746, kScipy);
}

// scipy.stats.studentized_range.ppf(1 - level, k, inf)
TEST(NormalRange, HasTheQuantilesThatScipyHas) {
  EXPECT_NEAR(normal_range_quantile(0.05, 2), 2.771807648699355, kScipy);
  EXPECT_NEAR(normal_range_quantile(0.05, 6), 4.030092053180576, kScipy);
  EXPECT_NEAR(normal_range_quantile(0.1, 6), 3.660720941720752, kScipy);
  EXPECT_NEAR(normal_range_quantile(0.01, 6), 4.757047249408221, kScipy);
  EXPECT_NEAR(normal_range_quantile(0.05, 20), 5.0116887941184425, kScipy);
  EXPECT_NEAR(normal_range_quantile(0.05, 100), 6.084637537173171, kScipy);
}

TEST(NormalRange, QuantilesAreExceededWithTheirLevel) {
  for (const double level : {1e-12, 0.001, 0.5, 0.999}) {
    for (const std::size_t count : {2u, 7u, 50u}) {
      const double tail = normal_range_upper_tail(normal_range_quantile(level, count), count);
      EXPECT_NEAR(tail, level, kRelative * level) << level << " " << count;
    }
  }
}

TEST(NormalRange, IsNeverBelowZero) { EXPECT_NEAR(normal_range_upper_tail(0, 9), 1.0, kRelative); }

}  // namespace studentized_range_test
}  // namespace diffeo::statistics
