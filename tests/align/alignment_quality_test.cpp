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
  EXPECT_EQ(relative_warp_error({rest.data(), 1, 4}, {truth.data(), 1, 4}), 0.0);
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

}  // namespace alignment_quality_test
}  // namespace diffeo
