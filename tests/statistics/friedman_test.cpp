#include "diffeo/statistics/friedman.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "statistics/tables.hpp"
#include "support/message_of.hpp"

namespace diffeo {
namespace friedman_test {

using testing::message_of;
using testing::table_of;
using testing::table_of_equals;
using testing::table_with_ties;
constexpr double kRelative = 1e-12;         // of gamma and beta functions: special_functions.hpp
constexpr double kPublishedDigits = 0.001;  // tables have three decimals, some cut off and not rounded

void expect_relative(double value, double expected) { EXPECT_NEAR(value, expected, kRelative * expected); }

// scipy.stats.friedmanchisquare(*columns); scipy.stats.f.sf(F, k - 1, (k - 1) * (n - 1)) with F of its statistic.
TEST(Friedman, AgreesWithScipyWithoutTies) {
  const FriedmanResult result = friedman(table_of({{9.5, 8, 7, 6.5},
                                                   {9, 8.5, 6, 7},
                                                   {9.2, 9.3, 7, 6},
                                                   {8, 7, 6, 5},
                                                   {9, 8, 5, 4.5},
                                                   {7, 7.2, 6.1, 5.9},
                                                   {8.8, 8.1, 7.7, 7.9}}));
  expect_relative(result.statistic, 17.57142857142857);
  expect_relative(result.p_value, 0.0005390663454435295);
  expect_relative(result.iman_davenport, 30.75);
  expect_relative(result.iman_davenport_p_value, 2.682550007990255e-07);
}

TEST(Friedman, AgreesWithScipyWithTies) {
  const FriedmanResult result = friedman(table_with_ties());
  expect_relative(result.statistic, 11.25);
  expect_relative(result.p_value, 0.010448064558680668);
  expect_relative(result.iman_davenport, 25.0 / 3.0);
  expect_relative(result.iman_davenport_p_value, 0.0016927296262125046);
}

TEST(Friedman, FindsNothingWhereAllScoresAreEqual) {
  for (const std::size_t datasets : {1u, 5u}) {
    const FriedmanResult result = friedman(table_of_equals(datasets, 3));
    EXPECT_EQ(result.statistic, 0.0);
    EXPECT_EQ(result.p_value, 1.0);
    EXPECT_EQ(result.iman_davenport, 0.0);
    EXPECT_EQ(result.iman_davenport_p_value, 1.0);
  }
}

TEST(Friedman, FindsNothingWhereRanksBalance) {
  const FriedmanResult result = friedman(table_of({{1, 2, 3}, {2, 3, 1}, {3, 1, 2}}));
  EXPECT_EQ(result.statistic, 0.0);
  EXPECT_EQ(result.p_value, 1.0);
  EXPECT_EQ(result.iman_davenport_p_value, 1.0);
}

// All n data sets have the same order: the statistic is as large as it can be, n (k - 1).
TEST(Friedman, IsCertainWhereAllDataSetsAgree) {
  const FriedmanResult result = friedman(table_of({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {1, 5, 7}, {2, 3, 4}}));
  EXPECT_EQ(result.statistic, 10.0);
  expect_relative(result.p_value, std::exp(-5.0));  // chi-squared with two degrees of freedom
  EXPECT_EQ(result.iman_davenport, std::numeric_limits<double>::infinity());
  EXPECT_EQ(result.iman_davenport_p_value, 0.0);
}

TEST(Friedman, CannotDecideOnOneDataSet) {
  const FriedmanResult result = friedman(table_of({{1, 2, 3}}));
  EXPECT_EQ(result.statistic, 2.0);
  EXPECT_EQ(result.iman_davenport, 0.0);
  EXPECT_EQ(result.iman_davenport_p_value, 1.0);
}

// Three wins of four: rank sums 5 and 7, chi-squared (7 - 5)^2 / 4 = 1, and F = 3 * 1 / (4 - 1).
TEST(Friedman, OfTwoMethodsIsTheSignTest) {
  const FriedmanResult result = friedman(table_of({{1, 0}, {1, 0}, {1, 0}, {0, 1}}));
  EXPECT_EQ(result.statistic, 1.0);
  expect_relative(result.p_value, std::erfc(1.0 / std::numbers::sqrt2));
  EXPECT_EQ(result.iman_davenport, 1.0);
}

TEST(Friedman, RefusesASingleMethod) {
  EXPECT_EQ(message_of([] {
              (void)friedman(table_of({{1}, {2}}));
            }),
            "methods: expected at least two to compare, got 1");
}

// q at the level 0.05 for 2, 3, ... methods as published by Demsar (2006), table 5.
TEST(Nemenyi, AgreesWithThePublishedTable) {
  const std::vector<std::pair<std::size_t, double>> published = {{2, 1.960}, {3, 2.343}, {4, 2.569},
                                                                 {5, 2.728}, {6, 2.850}, {10, 3.164}};
  for (const auto& [methods, q] : published) {
    const auto k = static_cast<double>(methods);
    EXPECT_NEAR(nemenyi_critical_difference(methods, 30) / std::sqrt(k * (k + 1) / 180), q, kPublishedDigits)
        << methods;
  }
  EXPECT_NEAR(nemenyi_critical_difference(3, 14, 0.1) / std::sqrt(12.0 / 84), 2.052, kPublishedDigits);
}

TEST(Nemenyi, ShrinksWithTheRootOfTheNumberOfDataSets) {
  expect_relative(nemenyi_critical_difference(6, 10) / 2, nemenyi_critical_difference(6, 40));
}

TEST(Nemenyi, RefusesWhatCannotBeCompared) {
  EXPECT_EQ(message_of([] { (void)nemenyi_critical_difference(1, 5); }),
            "methods: expected at least two to compare, got 1");
  EXPECT_EQ(message_of([] { (void)nemenyi_critical_difference(2, 0); }), "datasets: expected at least one, got none");
  EXPECT_EQ(message_of([] { (void)nemenyi_critical_difference(2, 5, 1.0); }),
            "level: expected a number between 0 and 1, got 1");
}

}  // namespace friedman_test
}  // namespace diffeo
