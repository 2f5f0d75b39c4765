#include "diffeo/statistics/critical_difference.hpp"

#include <gtest/gtest.h>

#include "diffeo/random.hpp"
#include "diffeo/statistics/holm.hpp"
#include "diffeo/statistics/wilcoxon.hpp"
#include "statistics/tables.hpp"
#include "support/message_of.hpp"

namespace diffeo {
namespace critical_difference_test {

using testing::message_of;
using testing::table_of;
using testing::table_of_equals;
using testing::table_with_ties;
using Names = std::vector<std::string>;
using Cliques = std::vector<std::vector<std::size_t>>;

/// Methods whose scores differ by `gap` from one to the next and scatter by `noise`, on 30 data sets.
ScoreTable ladder(const std::vector<double>& levels, double noise) {
  Random random(11);
  std::vector<std::vector<double>> scores;
  for (int dataset = 0; dataset < 30; ++dataset) {
    scores.emplace_back();
    for (const double level : levels) scores.back().push_back(level + noise * random.normal());
  }
  return table_of(std::move(scores));
}

TEST(CriticalDifference, PutsTheBestFirst) {
  const CriticalDifference found = critical_difference(table_with_ties());
  EXPECT_EQ(found.methods, (Names{"d", "c", "b", "a"}));
  EXPECT_EQ(found.ranks, (std::vector<double>{8.0 / 6, 14.0 / 6, 17.0 / 6, 21.0 / 6}));
  EXPECT_EQ(found.friedman.statistic, friedman(table_with_ties()).statistic);
  EXPECT_EQ(found.nemenyi_difference, nemenyi_critical_difference(4, 6));
}

TEST(CriticalDifference, KeepsTheOrderOfEqualRanks) {
  EXPECT_EQ(critical_difference(table_of({{1, 1, 2}, {1, 1, 2}})).methods, (Names{"c", "a", "b"}));
}

TEST(CriticalDifference, JoinsNoneThatAreFarApart) {
  for (const CliqueTest test : {CliqueTest::wilcoxon_holm, CliqueTest::nemenyi}) {
    EXPECT_EQ(critical_difference(ladder({1, 3, 5}, 0.01), test).cliques, Cliques{});
  }
}

TEST(CriticalDifference, JoinsAllThatAreEqual) {
  for (const CliqueTest test : {CliqueTest::wilcoxon_holm, CliqueTest::nemenyi}) {
    const CriticalDifference found = critical_difference(table_of_equals(8, 3), test);
    EXPECT_EQ(found.cliques, (Cliques{{0, 1, 2}}));
    EXPECT_EQ(found.friedman.p_value, 1.0);
  }
}

TEST(CriticalDifference, JoinsTheTwoThatAreAlike) {
  const CriticalDifference found = critical_difference(ladder({1, 5, 1, 9}, 0.3));
  EXPECT_EQ(found.methods[0], "d");
  EXPECT_EQ(found.methods[1], "b");
  EXPECT_EQ(found.cliques, (Cliques{{2, 3}}));
}

// Mean ranks 1, 2, 3, 4, 5 on ten data sets; the critical difference of five methods is 1.929: neighbours are joined,
// second neighbours are not.
TEST(CriticalDifference, MakesCliquesThatOverlap) {
  const ScoreTable table = table_of(std::vector<std::vector<double>>(10, {5, 4, 3, 2, 1}));
  const CriticalDifference found = critical_difference(table, CliqueTest::nemenyi);
  EXPECT_NEAR(found.nemenyi_difference, 1.929, 0.0005);  // three decimals as above
  EXPECT_EQ(found.cliques, (Cliques{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
  EXPECT_TRUE(found.p_values.empty());
}

// On five data sets the difference is 2.728: {0, 1} would lie within {0, 1, 2}.
TEST(CriticalDifference, LeavesOutCliquesWithinOthers) {
  const ScoreTable table = table_of(std::vector<std::vector<double>>(5, {5, 4, 3, 2, 1}));
  EXPECT_EQ(critical_difference(table, CliqueTest::nemenyi).cliques, (Cliques{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}}));
}

TEST(CriticalDifference, AdjustsThePValuesOfAllPairsTogether) {
  const ScoreTable table = ladder({1, 1.2, 1.5}, 0.3);
  const CriticalDifference found = critical_difference(table);
  ASSERT_EQ(found.methods, (Names{"c", "b", "a"}));
  const auto p = [&](std::size_t i, std::size_t j) {
    return wilcoxon_signed_rank(scores_of(table, i), scores_of(table, j)).p_value;
  };
  const std::vector<double> adjusted = holm_adjusted(std::vector{p(2, 1), p(2, 0), p(1, 0)});
  EXPECT_EQ(found.p_values,
            (std::vector<std::vector<double>>{
                {1.0, adjusted[0], adjusted[1]}, {adjusted[0], 1.0, adjusted[2]}, {adjusted[1], adjusted[2], 1.0}}));
}

TEST(CriticalDifference, DependsOnTheLevel) {
  const ScoreTable table = table_of({{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}});  // p = 2 / 2^5 = 0.0625
  EXPECT_EQ(critical_difference(table, CliqueTest::wilcoxon_holm, 0.05).cliques, (Cliques{{0, 1}}));
  EXPECT_EQ(critical_difference(table, CliqueTest::wilcoxon_holm, 0.0625).cliques, Cliques{});
  EXPECT_EQ(critical_difference(table, CliqueTest::wilcoxon_holm, 0.0625).level, 0.0625);
}

TEST(CriticalDifference, OfOneDataSetJoinsAll) {
  EXPECT_EQ(critical_difference(table_of({{3, 1, 2}})).cliques, (Cliques{{0, 1, 2}}));
  EXPECT_EQ(critical_difference(table_of({{3, 1, 2}}), CliqueTest::nemenyi).cliques, (Cliques{{0, 1, 2}}));
}

TEST(CriticalDifference, RefusesASingleMethodAndLevelsThatAreNone) {
  EXPECT_EQ(message_of([] { (void)critical_difference(table_of({{1}})); }),
            "methods: expected at least two to compare, got 1");
  EXPECT_EQ(message_of([] {
              (void)critical_difference(table_of({{1, 2}}), CliqueTest::nemenyi, 0.0);
            }),
            "level: expected a number between 0 and 1, got 0");
}

}  // namespace critical_difference_test
}  // namespace diffeo
