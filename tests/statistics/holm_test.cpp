#include "diffeo/statistics/holm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/message_of.hpp"

namespace diffeo {
namespace holm_test {

using testing::message_of;
using Values = std::vector<double>;
constexpr double kRounding = 2 * std::numeric_limits<double>::epsilon();  // one product

void expect_adjusted(const Values& p_values, const Values& expected) {
  const Values adjusted = holm_adjusted(p_values);
  ASSERT_EQ(adjusted.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(adjusted[i], expected[i], kRounding) << i;
}

// By hand; statsmodels.stats.multitest.multipletests(p, method="holm") has the same.
TEST(Holm, MultipliesTheSmallestByAllTheNextByOneLess) {
  expect_adjusted({0.01, 0.02, 0.2, 0.25}, {0.04, 0.06, 0.4, 0.4});
}

TEST(Holm, NeverDecreasesAlongTheOrder) { expect_adjusted({0.01, 0.04, 0.03}, {0.03, 0.06, 0.06}); }

TEST(Holm, KeepsTheOrderGiven) { expect_adjusted({0.25, 0.01, 0.2, 0.02}, {0.4, 0.04, 0.4, 0.06}); }

TEST(Holm, StopsAtOne) { expect_adjusted({0.9, 0.5, 0.4}, {1, 1, 1}); }

TEST(Holm, LeavesASingleTestAlone) {
  expect_adjusted({0.04}, {0.04});
  expect_adjusted({}, {});
}

TEST(Holm, RefusesWhatIsNoProbability) {
  EXPECT_EQ(message_of([] { (void)holm_adjusted(Values{0.5, 1.5}); }), "p_values: expected numbers in 0 .. 1, got 1.5");
  EXPECT_EQ(message_of([] { (void)holm_adjusted(Values{std::nan("")}); }),
            "p_values: expected numbers in 0 .. 1, got nan");
}

}  // namespace holm_test
}  // namespace diffeo
