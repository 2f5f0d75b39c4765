#include "diffeo/prepare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/message_of.hpp"

namespace diffeo {
namespace prepare_test {

using testing::message_of;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();  // a sum, a root and a division of few values

Dataset of(const std::vector<std::vector<double>>& cases, std::size_t channels = 1) {
  Dataset set(channels);
  for (const auto& values : cases) set.add_case(values);
  return set;
}

void expect_values(const Dataset& set, std::size_t item, const std::vector<double>& expected) {
  const auto values = set.series(item).values();
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (std::isnan(expected[j])) {
      EXPECT_TRUE(std::isnan(values[j])) << j;
    } else {
      EXPECT_NEAR(values[j], expected[j], kRounding * std::max(1.0, std::fabs(expected[j]))) << j;
    }
  }
}

TEST(ZNormalize, GivesEachChannelMeanZeroAndThePopulationsDeviationOne) {
  const Dataset result = z_normalize(of({{10, 40, 20, 1, 1, 4}, {5, -5}}, 2));
  const double first = std::sqrt(1400.0 / 9), second = std::sqrt(2.0);  // root of the mean square about 70 / 3 and 2
  expect_values(result, 0,
                {(10 - 70.0 / 3) / first, (40 - 70.0 / 3) / first, (20 - 70.0 / 3) / first, -1 / second, -1 / second,
                 2 / second});
  expect_values(result, 1, {0, 0});
}

TEST(ZNormalize, LooksAtValuesPresentOnlyAndKeepsGaps) {
  expect_values(z_normalize(of({{kMissing, 1, kMissing, 3}})), 0, {kMissing, -1, kMissing, 1});
  expect_values(z_normalize(of({{kMissing, kMissing}})), 0, {kMissing, kMissing});
}

TEST(ZNormalize, MakesConstantChannelsZeroToTheLastBit) {
  for (const double value : {0.1, 1e300, -3.0, 0.0}) {
    const Dataset zero = z_normalize(of({std::vector<double>(37, value)}));
    for (const double result : zero.values()) EXPECT_EQ(result, 0.0);
  }
  expect_values(z_normalize(of({{kMissing, 0.1, 0.1}})), 0, {kMissing, 0, 0});
}

TEST(ZNormalize, IsTheSameForAnyUnit) {
  for (const double unit : {std::ldexp(1.0, 1020), std::ldexp(1.0, -1060), 8.0}) {
    const std::vector<double> values = {1 * unit, 2 * unit, 4 * unit, -3 * unit};
    EXPECT_TRUE(std::ranges::equal(z_normalize(of({values})).values(), z_normalize(of({{1, 2, 4, -3}})).values()));
  }
}

TEST(ZNormalize, RefusesInfinityByNameOfCaseAndChannel) {
  const Dataset set = of({{1, 2, 3, 4}, {1, 2, 3, -std::numeric_limits<double>::infinity()}}, 2);
  EXPECT_EQ(message_of([&] { (void)z_normalize(set); }),
            "case 1, channel 1: expected finite or missing values, got -inf");
}

TEST(Resample, BringsEverySeriesToOneLengthKeepingItsEnds) {
  const Dataset result = resample(of({{0, 1, 2, 3, 0, 2, 4, 6}, {7, 8}}, 2), 7);
  EXPECT_TRUE(result.equally_long());
  expect_values(result, 0, {0, 0.5, 1, 1.5, 2, 2.5, 3, 0, 1, 2, 3, 4, 5, 6});
  expect_values(result, 1, {7, 7, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8});
}

TEST(Resample, ToTheSameLengthChangesNoBit) {
  const std::vector<double> values = {0.1, 0.7, -1.3, 1e-300, 5};
  EXPECT_TRUE(std::ranges::equal(resample(of({values}), 5).values(), values));
}

TEST(Resample, IsMissingBesideAMissingNeighbor) {
  expect_values(resample(of({{1, kMissing, 3, 5}}), 7), 0, {1, kMissing, kMissing, kMissing, 3, 4, 5});
}

TEST(Resample, ToOneTimeStepKeepsTheFirst) { expect_values(resample(of({{4, 5, 6}}), 1), 0, {4}); }

TEST(Resample, RefusesALengthOfZero) { EXPECT_THROW((void)resample(of({{1}}), 0), std::invalid_argument); }

TEST(FillMissing, InterpolatesInsideAndRepeatsAtTheEnds) {
  expect_values(fill_missing(of({{kMissing, kMissing, 2, kMissing, kMissing, 8, 9, kMissing}})), 0,
                {2, 2, 2, 4, 6, 8, 9, 9});
  expect_values(fill_missing(of({{kMissing, 3, kMissing}})), 0, {3, 3, 3});
}

TEST(FillMissing, BetweenTheLargestNumbersDoesNotOverflow) {
  const double most = std::numeric_limits<double>::max();
  expect_values(fill_missing(of({{-most, kMissing, most}})), 0, {-most, 0, most});
}

TEST(FillMissing, LeavesCompleteSeriesAsTheyAre) {
  const std::vector<double> values = {0.1, -0.0, 3};
  EXPECT_TRUE(std::ranges::equal(fill_missing(of({values})).values(), values));
}

TEST(FillMissing, RefusesAChannelWithoutAnyValueByNameOfCaseAndChannel) {
  const Dataset set = of({{1, 2, 3, 4}, {1, 2, kMissing, kMissing}}, 2);
  EXPECT_EQ(message_of([&] { (void)fill_missing(set); }),
            "case 1, channel 1: expected at least one value to fill the missing ones from, got none");
}

TEST(Prepare, KeepsLabelsAndClassNamesThoseWithoutCasesIncluded) {
  Dataset set;
  set.declare_class("rare");
  set.add_case(std::vector{1.0, 2.0, 4.0}, "b");
  set.add_case(std::vector{1.0, kMissing}, "a");
  for (const Dataset& result : {z_normalize(set), resample(set, 4), fill_missing(set)}) {
    EXPECT_EQ(result.class_names(), (std::vector<std::string>{"rare", "b", "a"}));
    EXPECT_EQ(result.label(0), "b");
    EXPECT_EQ(result.label(1), "a");
  }
}

TEST(Prepare, OfAnEmptySetIsEmpty) {
  EXPECT_TRUE(z_normalize(Dataset(3)).empty());
  EXPECT_EQ(resample(Dataset(3), 4).channels(), 3u);
  EXPECT_TRUE(fill_missing(Dataset(3)).empty());
}

}  // namespace prepare_test
}  // namespace diffeo
