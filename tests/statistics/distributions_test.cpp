#include "statistics/distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace diffeo::statistics {
namespace distributions_test {

constexpr double kRelative = 1e-12;  // as of the functions they are made of: special_functions.hpp
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void expect_relative(double value, double expected) { EXPECT_NEAR(value, expected, kRelative * expected); }

// scipy.stats.norm.sf(x)
TEST(Distributions, HaveTheNormalTail) {
  EXPECT_EQ(normal_upper_tail(0), 0.5);
  expect_relative(normal_upper_tail(1.96), 0.024997895148220435);
  expect_relative(normal_upper_tail(-1), 0.8413447460685429);
  expect_relative(normal_upper_tail(8), 6.22096057427174e-16);
  expect_relative(normal_upper_tail(30), 4.906713927147908e-198);
}

// scipy.stats.chi2.sf(x, degrees)
TEST(Distributions, HaveTheTailOfChiSquared) {
  expect_relative(chi_squared_upper_tail(3.84, 1), 0.05004352124870519);
  expect_relative(chi_squared_upper_tail(11.07, 5), 0.050009618622405425);
  expect_relative(chi_squared_upper_tail(120, 5), 3.1385797727553017e-24);
  expect_relative(chi_squared_upper_tail(0.5, 3), 0.9188914116546758);
}

// scipy.stats.f.sf(x, numerator, denominator)
TEST(Distributions, HaveTheTailOfFisher) {
  expect_relative(fisher_upper_tail(2.5, 5, 150), 0.033111851954284385);
  expect_relative(fisher_upper_tail(1, 1, 1), 0.5);
  expect_relative(fisher_upper_tail(40, 5, 150), 5.537504036204482e-26);
  expect_relative(fisher_upper_tail(0.2, 3, 9), 0.8937878919105775);
  EXPECT_EQ(fisher_upper_tail(0, 3, 9), 1.0);
  EXPECT_EQ(fisher_upper_tail(kInfinity, 3, 9), 0.0);
}

// 2 * scipy.stats.t.sf(t, degrees), where r = t / sqrt(degrees + t^2).
TEST(Distributions, HaveStudentsTailForCorrelations) {
  const double cases[][3] = {
      {2, 1, 0.2951672353008665}, {2.042, 30, 0.050028670656197906}, {10, 5, 0.00017094757574296363}, {0, 4, 1.0}};
  for (const auto& [t, degrees, expected] : cases) {
    const double coefficient = t / std::sqrt(degrees + t * t);
    expect_relative(correlation_two_sided_tail(coefficient, degrees), expected);
    expect_relative(correlation_two_sided_tail(-coefficient, degrees), expected);
  }
  EXPECT_EQ(correlation_two_sided_tail(1, 3), 0.0);
  EXPECT_EQ(correlation_two_sided_tail(-1, 3), 0.0);
}

}  // namespace distributions_test
}  // namespace diffeo::statistics
