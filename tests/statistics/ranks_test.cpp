#include "diffeo/statistics/ranks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "statistics/tables.hpp"
#include "support/message_of.hpp"

namespace diffeo {
namespace ranks_test {

using testing::message_of;
using testing::table_of;
using testing::table_with_ties;
using Values = std::vector<double>;
constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();  // of means of a few ranks and logarithms

void expect_near(const Values& values, const Values& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], kRounding * expected[i]) << i;
}

TEST(FractionalRanks, BeginWithOneAtTheSmallest) {
  EXPECT_EQ(fractional_ranks(Values{0.3, -2, 7, 0.1}), (Values{3, 1, 4, 2}));
}

TEST(FractionalRanks, AreSharedByEqualValues) {
  EXPECT_EQ(fractional_ranks(Values{10, 30, 10}), (Values{1.5, 3, 1.5}));
  EXPECT_EQ(fractional_ranks(Values{5, 5, 1, 5, 9}), (Values{3, 3, 1, 3, 5}));
  EXPECT_EQ(fractional_ranks(Values{0.0, -0.0}), (Values{1.5, 1.5}));
}

TEST(FractionalRanks, OfNothingAreNone) { EXPECT_TRUE(fractional_ranks(Values{}).empty()); }

TEST(FractionalRanks, RefuseWhatHasNoOrder) {
  EXPECT_EQ(message_of([] {
              (void)fractional_ranks(Values{1, std::nan("")});
            }),
            "values: expected finite values, got nan at 1");
}

TEST(MethodRanks, GiveOneToTheBestScore) {
  EXPECT_EQ(method_ranks(table_of({{0.5, 0.9, 0.7}, {0.2, 0.2, 0.1}})),
            (std::vector<Values>{{3, 1, 2}, {1.5, 1.5, 3}}));
}

TEST(MethodRanks, AddUpToTheSameOnEveryDataSet) {
  for (const Values& ranks : method_ranks(table_with_ties())) {
    EXPECT_EQ(std::accumulate(ranks.begin(), ranks.end(), 0.0), 10.0);
  }
}

TEST(MeanRanks, AverageOverDataSets) {
  expect_near(mean_ranks(table_with_ties()), {21.0 / 6, 17.0 / 6, 14.0 / 6, 8.0 / 6});
}

// scipy.stats.gmean(ranks, axis=0) with the ranks of scipy.stats.rankdata(-row).
TEST(MeanRanks, AverageGeometricallyAsScipyDoes) {
  expect_near(geometric_mean_ranks(table_with_ties()),
              {3.4478752740675325, 2.7365804185549725, 2.2649344008227015, 1.2464414358392173});
}

TEST(MeanRanks, OfOneDataSetAreItsRanks) {
  const ScoreTable table = table_of({{0.5, 0.9, 0.7}});
  EXPECT_EQ(mean_ranks(table), (Values{3, 1, 2}));
  expect_near(geometric_mean_ranks(table), {3, 1, 2});
}

}  // namespace ranks_test
}  // namespace diffeo
