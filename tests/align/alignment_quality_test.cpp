#include "diffeo/alignment_quality.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "diffeo/warp.hpp"

namespace diffeo {
namespace alignment_quality_test {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

TEST(AlignmentQuality, SumsTheVarianceOverTime) {
  Dataset set;
  set.add_case(std::vector{1.0, 0.0, 5.0});
  set.add_case(std::vector{3.0, 0.0, kMissing});
  EXPECT_EQ(within_variance(set), 1.0);  // 1 + 0, and nothing to vary in the last
  EXPECT_EQ(mean_series(set), (std::vector{2.0, 0.0, 5.0}));
}

TEST(AlignmentQuality, HasNoInverseConsistentErrorWhereTheMeanWarpedBackIsTheSeries) {
  const std::vector<double> mean{0.0, 1.0, 4.0, 2.0, 0.0};
  const std::vector<double> velocities{0.0, 0.3, 0.0};
  Dataset set;
  set.add_case(warp(mean, velocities, -1.0));
  const Rows<const double> rows{std::span<const double>(velocities)};
  EXPECT_EQ(inverse_consistent_error(set, rows, std::span<const double>(mean)), 0.0);
  set.series(0).data[2] += 2.0;
  EXPECT_NEAR(inverse_consistent_error(set, rows, std::span<const double>(mean)), 4.0, 1e-12);
}

TEST(AlignmentQuality, FindsNoWarpErrorInTheTrueWarpsUndone) {
  const std::vector<double> truth{0.0, 0.3, -0.2, 0.0, 0.0, -0.1, 0.25, 0.0};
  std::vector<double> undone = truth;
  for (double& velocity : undone) velocity = -velocity;
  const Rows<const double> true_rows(truth.data(), 2, 4);
  EXPECT_LT(relative_warp_error({undone.data(), 2, 4}, true_rows), 1e-15);
  const std::vector<double> rest(8, 0.0);
  EXPECT_GT(relative_warp_error({rest.data(), 2, 4}, true_rows), 0.05);
}

TEST(AlignmentQuality, CallsNothingPerfectThatItCannotMeasure) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const std::vector<double> rest{0.0, 0.0, 0.0, 0.0}, mean{1.0, 2.0}, broken_mean{1.0, kInfinite};
  const Rows<const double> velocities(rest.data(), 2, 2);
  for (const double bad : {kMissing, kInfinite, -kInfinite}) {
    Dataset set;
    set.add_case(std::vector{bad, bad});
    set.add_case(std::vector{bad, bad});
    EXPECT_TRUE(std::isnan(within_variance(set))) << bad;
    EXPECT_TRUE(std::isnan(inverse_consistent_error(set, velocities, std::span<const double>(mean)))) << bad;
  }
  Dataset partly;
  partly.add_case(std::vector{1.0, kInfinite});
  partly.add_case(std::vector{1.0, 2.0});
  EXPECT_TRUE(std::isnan(within_variance(partly)));
  Dataset finite;
  finite.add_case(mean);
  finite.add_case(mean);
  EXPECT_TRUE(std::isnan(inverse_consistent_error(finite, velocities, std::span<const double>(broken_mean))));
  EXPECT_TRUE(std::isnan(relative_warp_error({rest.data(), 1, 4}, {rest.data(), 1, 4})));
}

TEST(AlignmentQuality, CannotSeeAWarpThatAllSeriesShare) {
  // psi_i o phi_i is the same warp for both: phi_i = psi^{-1} o h with one psi and one h.
  const std::vector<double> truth{0.0, 0.3, -0.2, 0.0, 0.0, 0.3, -0.2, 0.0};
  const std::vector<double> found{0.0, 0.1, 0.4, 0.0, 0.0, 0.1, 0.4, 0.0};
  EXPECT_LT(relative_warp_error({found.data(), 2, 4}, {truth.data(), 2, 4}), 1e-14);
}

TEST(AlignmentQuality, RefusesShapesThatDoNotFit) {
  Dataset set;
  set.add_case(std::vector{1.0, 2.0});
  const std::vector<double> mean{1.0, 2.0};
  const std::vector<double> velocities(6, 0.0);
  EXPECT_THROW((void)inverse_consistent_error(set, {velocities.data(), 2, 3}, std::span<const double>(mean)),
               std::invalid_argument);
  EXPECT_THROW((void)inverse_consistent_error(set, {velocities.data(), 1, 3}, {mean.data(), 2, 1}),
               std::invalid_argument);
  set.add_case(std::vector{1.0});
  EXPECT_THROW((void)within_variance(set), std::invalid_argument);
}

constexpr double kRounding = 1e-15;  // a few roundings of numbers below 1

TEST(TrueTimeSpread, IsAllOfItWhereNothingWasDone) {
  const std::vector<double> truth{0.0, 0.3, 1.0, 0.0, 0.7, 1.0};
  const std::vector<double> rest{0.0, 0.5, 1.0, 0.0, 0.5, 1.0};
  const TrueTimeSpread spread = true_time_spread({rest.data(), 2, 3}, {truth.data(), 2, 3});
  EXPECT_EQ(spread.share(), 1.0);
  EXPECT_NEAR(spread.before, 0.2 / 3, kRounding);  // 0, 0.2 and 0
  EXPECT_NEAR(spread.percentile_95, 0.2, kRounding);
  EXPECT_EQ(spread.failures, 1.0);  // both are 0.067 off on average
}

TEST(TrueTimeSpread, IsNoneWhereTheTrueWarpsAreUndoneUpToACommonOne) {
  const std::vector<double> truth{0.0, 0.25, 0.5, 0.75, 1.0, 0.0, 0.25, 0.5, 0.75, 1.0};
  const std::vector<double> common{0.0, 0.04, 0.16, 0.36, 1.0, 0.0, 0.04, 0.16, 0.36, 1.0};
  const TrueTimeSpread spread = true_time_spread({common.data(), 2, 5}, {truth.data(), 2, 5});
  EXPECT_EQ(spread.after, 0.0);
  EXPECT_EQ(spread.share(), 0.0);
  const std::vector<double> bent{0.0, 0.8, 1.0, 0.0, 0.2, 1.0};           // W(0.5) = 0.8 and 0.2
  const std::vector<double> inverse{0.0, 0.3125, 1.0, 0.0, 0.6875, 1.0};  // phi(0.5): where W is 0.5
  const TrueTimeSpread aligned = true_time_spread({inverse.data(), 2, 3}, {bent.data(), 2, 3});
  EXPECT_NEAR(aligned.after, 0.0, kRounding);
  EXPECT_EQ(aligned.failures, 0.0);
}

TEST(TrueTimeSpread, CountsTheCasesThatAreFarOff) {
  std::vector<double> straight;
  for (int i = 0; i < 4; ++i) straight.insert(straight.end(), {0.0, 0.5, 1.0});
  std::vector<double> warps = straight;
  warps[4] = 0.9;  // case 1, in the middle: 0.4 from the others, 0.3 from the mean, 0.1 on average over the points
  const TrueTimeSpread spread = true_time_spread({warps.data(), 4, 3}, {straight.data(), 4, 3});
  EXPECT_EQ(spread.failures, 0.25);
  EXPECT_NEAR(spread.percentile_95, 0.3, kRounding);
}

TEST(TrueTimeSpread, RefusesPositionsThatDoNotFit) {
  const std::vector<double> rows{0.0, 0.5, 1.0, 0.0, kMissing, 1.0};
  EXPECT_THROW((void)true_time_spread({rows.data(), 1, 3}, {rows.data(), 2, 3}), std::invalid_argument);
  EXPECT_THROW((void)true_time_spread({rows.data(), 1, 1}, {rows.data(), 1, 3}), std::invalid_argument);
  EXPECT_THROW((void)true_time_spread({rows.data(), 2, 3}, {rows.data(), 2, 3}), std::invalid_argument);
}

}  // namespace alignment_quality_test
}  // namespace diffeo
