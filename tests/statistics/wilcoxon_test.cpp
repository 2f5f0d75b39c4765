#include "diffeo/statistics/wilcoxon.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "diffeo/random.hpp"
#include "diffeo/statistics/ranks.hpp"
#include "support/message_of.hpp"

namespace diffeo {
namespace wilcoxon_test {

using testing::message_of;
using Values = std::vector<double>;
constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();  // of the complementary error function

WilcoxonResult against_zero(const Values& differences) {
  return wilcoxon_signed_rank(differences, Values(differences.size(), 0.0));
}

/// 1 .. count, where every `period`-th is negative.
Values alternating(int count, int period) {
  Values values;
  for (int i = 1; i <= count; ++i) values.push_back(i % period == 0 ? -i : i);
  return values;
}

/// All choices of signs, one after the other.
double brute_force_p_value(const Values& differences) {
  Values magnitudes;
  for (const double difference : differences) magnitudes.push_back(std::fabs(difference));
  const Values ranks = fractional_ranks(magnitudes);
  const double statistic = against_zero(differences).statistic;
  const unsigned choices = 1u << differences.size();
  int as_small = 0;
  for (unsigned signs = 0; signs < choices; ++signs) {
    double sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) sum += (signs >> i & 1u) ? ranks[i] : 0.0;
    as_small += sum <= statistic;
  }
  return std::min(1.0, 2.0 * as_small / choices);
}

// scipy.stats.wilcoxon(differences, correction=False, method="exact")
TEST(Wilcoxon, GivesTheExactProbabilityOfSmallSamples) {
  const WilcoxonResult twelve = against_zero({-1.5, 2, 3.5, -4, 5, 6.5, 7, 8, -9, 10, 11, 12});
  EXPECT_EQ(twelve.statistic, 14.0);
  EXPECT_EQ(twelve.p_value, 0.05224609375);
  EXPECT_EQ(twelve.pairs, 12u);
  EXPECT_TRUE(twelve.exact);
  const WilcoxonResult fifty = against_zero(alternating(50, 4));
  EXPECT_EQ(fifty.statistic, 312.0);
  EXPECT_NEAR(fifty.p_value, 0.0013303578723942167, kRounding);
  EXPECT_TRUE(fifty.exact);
  EXPECT_NEAR(against_zero(alternating(50, 3)).p_value, 0.02616696817119646, kRounding);
}

TEST(Wilcoxon, CountsEveryChoiceOfSigns) {
  Random random(3);
  for (int size = 1; size <= 10; ++size) {
    Values differences;
    for (int i = 0; i < size; ++i) differences.push_back(random.normal());
    EXPECT_EQ(against_zero(differences).p_value, brute_force_p_value(differences)) << size;
  }
}

// scipy.stats.wilcoxon(differences, correction=False, method="asymptotic")
TEST(Wilcoxon, UsesTheNormalDistributionForMoreThanFiftyPairs) {
  const WilcoxonResult result = against_zero(alternating(51, 4));
  EXPECT_EQ(result.statistic, 312.0);
  EXPECT_NEAR(result.p_value, 0.0010015645649264209, kRounding);
  EXPECT_FALSE(result.exact);
}

// The same call: 1, 1, 2, 2, 2, 3, ... with every fourth negative.
TEST(Wilcoxon, CorrectsForTiesOfMoreThanFiftyPairs) {
  Values differences;
  for (int i = 1; i <= 60; ++i) differences.push_back((i % 4 == 0 ? -1 : 1) * (1 + i / 3));
  const WilcoxonResult result = against_zero(differences);
  EXPECT_EQ(result.statistic, 479.0);
  EXPECT_NEAR(result.p_value, 0.0013250596022392248, kRounding);
  EXPECT_FALSE(result.exact);
}

// scipy.stats.wilcoxon(first, second, correction=False), on an example of textbooks with one pair of equals.
TEST(Wilcoxon, IsExactWithTies) {
  const Values first = {125, 115, 130, 140, 140, 115, 140, 125, 140, 135};
  const Values second = {110, 122, 125, 120, 140, 124, 123, 137, 135, 145};
  const WilcoxonResult result = wilcoxon_signed_rank(first, second);
  EXPECT_EQ(result.statistic, 18.0);
  EXPECT_EQ(result.p_value, 0.6328125);
  EXPECT_EQ(result.pairs, 9u);
  EXPECT_TRUE(result.exact);
  EXPECT_EQ(against_zero({-1, 1, 2, -2, 3, 3, 4, 4, -5, 6, 6, 7}).p_value, 0.05029296875);
  Random random(5);
  for (int size = 1; size <= 10; ++size) {
    Values differences;
    for (int i = 0; i < size; ++i) differences.push_back(std::round(3.0 * random.normal()) + 0.25);
    EXPECT_EQ(against_zero(differences).p_value, brute_force_p_value(differences)) << size;
  }
}

TEST(Wilcoxon, CannotDecideOnFiveDataSets) {
  EXPECT_EQ(wilcoxon_signed_rank(Values{.6, .7, .8, .9, .9}, Values{.5, .6, .7, .7, .5}).p_value, 0.0625);
}

TEST(Wilcoxon, SeesTiesThroughRounding) {
  Values first, second;  // twentieths apart, half of them each way
  for (int i = 0; i < 12; ++i) {
    first.push_back((i + (i % 2 == 0 ? 1 : 2)) / 20.0);
    second.push_back((i + (i % 2 == 0 ? 2 : 1)) / 20.0);
  }
  EXPECT_EQ(wilcoxon_signed_rank(first, second).p_value, 1.0);
  EXPECT_EQ(wilcoxon_signed_rank(Values{0.1 + 0.2, 0.5}, Values{0.3, 0.4}).pairs, 1u);
}

TEST(Wilcoxon, DropsEqualScores) {
  const WilcoxonResult with_equals = against_zero({0, 1, 2, 0, -3, 4, 5, 0});
  const WilcoxonResult without = against_zero({1, 2, -3, 4, 5});
  EXPECT_EQ(with_equals.p_value, without.p_value);
  EXPECT_EQ(with_equals.pairs, 5u);
  EXPECT_TRUE(with_equals.exact);
}

TEST(Wilcoxon, IsTheSameTheOtherWayRound) {
  const Values first = {0.9, 0.8, 0.75, 0.6, 0.95, 0.7, 0.85};
  const Values second = {0.81, 0.82, 0.6, 0.55, 0.65, 0.74, 0.65};
  EXPECT_EQ(wilcoxon_signed_rank(first, second).p_value, 0.078125);
  EXPECT_EQ(wilcoxon_signed_rank(second, first).p_value, 0.078125);
  EXPECT_EQ(wilcoxon_signed_rank(second, first).statistic, 3.0);
}

TEST(Wilcoxon, FindsNothingWhereAllScoresAreEqual) {
  for (const Values& scores : {Values{}, Values{0.5}, Values{0.5, 0.7, 0.9}}) {
    const WilcoxonResult result = wilcoxon_signed_rank(scores, scores);
    EXPECT_EQ(result.p_value, 1.0);
    EXPECT_EQ(result.statistic, 0.0);
    EXPECT_EQ(result.pairs, 0u);
  }
}

TEST(Wilcoxon, CannotDecideOnOneDataSet) {
  EXPECT_EQ(against_zero({0.3}).p_value, 1.0);
  EXPECT_EQ(against_zero({-1.0, 1.0}).p_value, 1.0);
}

TEST(Wilcoxon, RefusesDifferentLengthsAndWhatIsNoScore) {
  EXPECT_EQ(message_of([] {
              (void)wilcoxon_signed_rank(Values{1, 2}, Values{1});
            }),
            "second: expected 2 values as in first, got 1");
  EXPECT_EQ(message_of([] {
              (void)wilcoxon_signed_rank(Values{1, 2}, Values{1, std::nan("")});
            }),
            "second: expected finite values, got nan at 1");
}

}  // namespace wilcoxon_test
}  // namespace diffeo
