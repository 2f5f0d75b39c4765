#include "diffeo/statistics/comparison.hpp"

#include <gtest/gtest.h>

#include "statistics/tables.hpp"
#include "support/message_of.hpp"

namespace diffeo {
namespace comparison_test {

using testing::message_of;
using testing::table_of;
using testing::table_of_equals;
using testing::table_with_ties;
constexpr double kRounding = 1e-13;  // of percentages of sums of a few numbers

// Column b against a: 0.72 > 0.70, 0.60 = 0.60, 0.85 < 0.90, 0.58 > 0.55, 0.81 = 0.81, 0.62 > 0.45.
TEST(Comparison, CountsWinsTiesAndLosses) {
  const PairComparison found = compare_methods(table_with_ties(), 1, 0);
  EXPECT_EQ(found.count.wins, 3u);
  EXPECT_EQ(found.count.ties, 2u);
  EXPECT_EQ(found.count.losses, 1u);
  EXPECT_EQ(found.better_percent, 50.0);
  EXPECT_NEAR(found.no_worse_percent, 500.0 / 6, kRounding);
}

// Sums 4.01 and 4.18.
TEST(Comparison, SaysByHowMuchTheMeanIsHigher) {
  const PairComparison found = compare_methods(table_with_ties(), 1, 0);
  EXPECT_NEAR(found.mean_difference, 0.17 / 6, kRounding);
  EXPECT_NEAR(found.relative_change_percent, 100 * 0.17 / 4.01, 100 * kRounding);
}

TEST(Comparison, TestsThePairAlone) {
  const ScoreTable table = table_with_ties();
  const WilcoxonResult test = wilcoxon_signed_rank(scores_of(table, 3), scores_of(table, 0));
  const PairComparison found = compare_methods(table, 3, 0);
  EXPECT_EQ(found.test.p_value, test.p_value);
  EXPECT_EQ(found.test.pairs, 5u);
}

TEST(Comparison, TheOtherWayRoundSwapsWinsAndLosses) {
  const auto all = pairwise_comparisons(table_with_ties());
  ASSERT_EQ(all.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_EQ(all[i].size(), 4u);
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_EQ(all[i][j].count.wins, all[j][i].count.losses);
      EXPECT_EQ(all[i][j].count.ties, all[j][i].count.ties);
      EXPECT_EQ(all[i][j].mean_difference, -all[j][i].mean_difference);
      EXPECT_EQ(all[i][j].test.p_value, all[j][i].test.p_value);
    }
    EXPECT_EQ(all[i][i].count.ties, 6u);
  }
}

TEST(Comparison, OfEqualScoresFindsNothing) {
  const PairComparison found = compare_methods(table_of_equals(4, 2), 0, 1);
  EXPECT_EQ(found.count.ties, 4u);
  EXPECT_EQ(found.better_percent, 0.0);
  EXPECT_EQ(found.no_worse_percent, 100.0);
  EXPECT_EQ(found.mean_difference, 0.0);
  EXPECT_EQ(found.relative_change_percent, 0.0);
  EXPECT_EQ(found.test.p_value, 1.0);
}

TEST(Comparison, HasNoRelativeChangeFromZero) {
  EXPECT_EQ(compare_methods(table_of({{0.5, 0.0}}), 0, 1).relative_change_percent, 0.0);
}

TEST(Comparison, OfNegativeScoresKeepsTheSign) {
  EXPECT_EQ(compare_methods(table_of({{-1.0, -2.0}}), 0, 1).relative_change_percent, 50.0);
}

TEST(Comparison, RefusesTablesWithoutMethodsAndMethodsThatThereAreNot) {
  EXPECT_EQ(message_of([] { (void)pairwise_comparisons({}); }), "methods: expected at least one, got none");
  EXPECT_EQ(message_of([] {
              (void)compare_methods(table_of({{1, 2}}), 0, 2);
            }),
            "method: expected a number below 2, got 2");
}

}  // namespace comparison_test
}  // namespace diffeo
