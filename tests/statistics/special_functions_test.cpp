#include "statistics/special_functions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace diffeo::statistics {
namespace special_functions_test {

// Powers with exponents of some hundreds multiply the roundings of logarithms.
constexpr double kRelative = 1e-12;

// scipy.special.gammaincc(a, x)
TEST(UpperGamma, AgreesWithScipy) {
  const double cases[][3] = {{0.5, 0.1, 0.6547208460185768}, {1, 1, 0.36787944117144245},
                             {2.5, 7, 0.01560941610026691},  {10, 3, 0.9988975118698845},
                             {50, 60, 0.08440668109369177},  {200, 150, 0.9999429031142579},
                             {3, 40, 3.572865928700233e-15}};
  for (const auto& [a, x, expected] : cases) {
    EXPECT_NEAR(regularised_upper_gamma(a, x), expected, kRelative * expected) << a << " " << x;
  }
}

TEST(UpperGamma, OfOneIsTheExponentialFunction) {
  for (const double x : {0.01, 0.5, 1.99, 2.01, 30.0, 600.0}) {
    EXPECT_NEAR(regularised_upper_gamma(1, x), std::exp(-x), kRelative * std::exp(-x)) << x;
  }
}

TEST(UpperGamma, HasItsLimits) {
  EXPECT_EQ(regularised_upper_gamma(2, 0), 1.0);
  EXPECT_EQ(regularised_upper_gamma(2, std::numeric_limits<double>::infinity()), 0.0);
  EXPECT_EQ(regularised_upper_gamma(2, 5000), 0.0);
}

// scipy.special.betainc(a, b, x)
TEST(Beta, AgreesWithScipy) {
  const double cases[][4] = {{0.5, 0.5, 0.25, 1.0 / 3},
                             {2, 3, 0.4, 0.5248},
                             {5, 0.5, 0.99, 0.7571581091015623},
                             {50, 2, 0.9, 0.030922651243920716},
                             {0.5, 200, 0.001, 0.4727558929747644},
                             {300, 300, 0.48, 0.16359739201521586},
                             {1, 1, 0.3, 0.3}};
  for (const auto& [a, b, x, expected] : cases) {
    EXPECT_NEAR(regularised_beta(a, b, x), expected, kRelative * expected) << a << " " << b << " " << x;
  }
}

TEST(Beta, OfOneIsAPower) {
  for (const double x : {1e-6, 0.2, 0.5, 0.9}) {
    EXPECT_NEAR(regularised_beta(7, 1, x), std::pow(x, 7), kRelative * std::pow(x, 7)) << x;
  }
}

TEST(Beta, IsOneTogetherWithItsMirrorImage) {
  for (const double x : {0.05, 0.3, 0.5, 0.8}) {
    EXPECT_NEAR(regularised_beta(3.5, 0.5, x) + regularised_beta(0.5, 3.5, 1 - x), 1.0, kRelative) << x;
  }
}

TEST(Beta, HasItsLimits) {
  EXPECT_EQ(regularised_beta(2, 3, 0), 0.0);
  EXPECT_EQ(regularised_beta(2, 3, 1), 1.0);
}

}  // namespace special_functions_test
}  // namespace diffeo::statistics
