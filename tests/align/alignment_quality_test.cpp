#include "diffeo/alignment_quality.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "diffeo/warp.hpp"

namespace diffeo {
namespace {

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

}  // namespace
}  // namespace diffeo
