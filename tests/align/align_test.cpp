#include "diffeo/align.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "diffeo/alignment_quality.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/generate.hpp"
#include "support/true_warps.hpp"

namespace diffeo {
namespace align_test {

using testing::equally_spaced;
using testing::row_of;
using testing::rows_of;
using testing::view_of;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kWarpError = 0.01;

BumpsOptions one_class() {
  BumpsOptions options;
  options.classes = 1;
  return options;
}

TEST(Align, RecoversTheTrueWarpsOfNoisySeries) {
  double sum = 0.0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Bumps bumps = generate_bumps(12, seed, one_class());
    Dataset unlabelled(bumps.dataset.block());
    const Alignment result = align(unlabelled);
    const double error = relative_warp_error(view_of(result.velocities), view_of(bumps.velocities));
    EXPECT_LE(error, kWarpError) << "seed " << seed;
    EXPECT_TRUE(result.classes.front().converged) << "seed " << seed;
    sum += error;
  }
  RecordProperty("mean_error_percent", std::to_string(100.0 * sum / 20));
}

TEST(Align, AlignsEveryClassByItself) {
  const Bumps bumps = generate_bumps(24, 5);
  const Alignment together = align(bumps.dataset);
  ASSERT_EQ(together.mean.cases(), 3u);
  EXPECT_EQ(together.mean.label(1), "2");
  EXPECT_EQ(together.aligned.label(4), bumps.dataset.label(4));
  const std::vector<std::size_t> second = bumps.dataset.cases_by_class()[1];
  const Alignment alone = align(bumps.dataset.subset(second));
  for (std::size_t i = 0; i < second.size(); ++i) {
    EXPECT_EQ(row_of(together.velocities, second[i]), row_of(alone.velocities, i));
  }
  EXPECT_LE(
      relative_warp_error(view_of(rows_of(together.velocities, second)), view_of(rows_of(bumps.velocities, second))),
      kWarpError);
}

TEST(Align, TellsHowMuchOfTheSearchLiesBehind) {
  const Bumps bumps = generate_bumps(24, 5);
  std::vector<double> done;
  AlignOptions options;
  options.progress = [&](const AlignStep& step) {
    done.push_back(step.done);
    return true;
  };
  const Alignment result = align(bumps.dataset, options);
  EXPECT_TRUE(std::ranges::is_sorted(done));
  EXPECT_GE(done.front(), 0.0);
  EXPECT_LE(done.back(), 1.0 + 1e-12);  // shares of classes are summed up
  EXPECT_GE(done.back(), 0.9);
  const std::size_t of_first_class = result.classes[0].history.size();
  EXPECT_LE(done[of_first_class - 1], 1.0 / 3.0 + 1e-12);  // three classes of 8
  EXPECT_GE(done[of_first_class], 1.0 / 3.0 - 1e-12);
}

TEST(Align, KeepsTheVelocitiesAtMeanZero) {
  const Bumps bumps = generate_bumps(10, 3, one_class());
  const Alignment result = align(bumps.dataset);
  for (std::size_t vertex = 0; vertex < result.velocities.columns(); ++vertex) {
    double sum = 0.0;
    for (std::size_t row = 0; row < 10; ++row) sum += result.velocities(row, vertex);
    EXPECT_NEAR(sum / 10.0, 0.0, 1e-12);
  }
}

TEST(Align, KeepsTheAverageWarpNearTheIdentity) {
  const Bumps bumps = generate_bumps(20, 4, one_class());
  const Alignment result = align(bumps.dataset);
  const std::vector<double> grid = equally_spaced(101);
  std::vector<double> average(101, 0.0);
  for (std::size_t row = 0; row < 20; ++row) {
    const std::vector<double> positions = flow(row_of(result.velocities, row), grid);
    for (std::size_t i = 0; i < 101; ++i) average[i] += positions[i] / 20.0;
  }
  for (std::size_t i = 0; i < 101; ++i) EXPECT_NEAR(average[i], grid[i], 0.01);  // displacements are ten times as large
}

TEST(Align, GivesTheSameBitsForAnyNumberOfThreads) {
  const Bumps bumps = generate_bumps(40, 6, one_class());
  AlignOptions options;
  options.threads = 1;
  const Alignment one = align(bumps.dataset, options);
  for (const std::size_t threads : {2u, 3u, 0u}) {
    options.threads = threads;
    const Alignment several = align(bumps.dataset, options);
    EXPECT_TRUE(std::ranges::equal(one.velocities.values(), several.velocities.values()));
    EXPECT_TRUE(std::ranges::equal(one.aligned.values(), several.aligned.values()));
  }
}

TEST(Align, LeavesEqualSeriesInPlace) {
  Dataset set;
  const Bumps bumps = generate_bumps(1, 7, one_class());
  for (int i = 0; i < 4; ++i) set.add_case(bumps.templates.series(0).values());
  const Alignment result = align(set);
  EXPECT_TRUE(std::ranges::equal(result.aligned.values(), set.values()));
  EXPECT_TRUE(result.classes.front().converged);
  for (const double velocity : result.velocities.values()) EXPECT_EQ(velocity, 0.0);
}

TEST(Align, TakesOneSeriesAsItsOwnMean) {
  const Bumps bumps = generate_bumps(1, 7, one_class());
  const Alignment result = align(bumps.dataset);
  EXPECT_TRUE(std::ranges::equal(result.mean.values(), bumps.dataset.values()));
  EXPECT_EQ(result.classes.front().variance, 0.0);
  EXPECT_TRUE(result.classes.front().converged);
}

TEST(Align, TakesAClassOfOneBesideOthers) {
  Dataset set;
  const Bumps bumps = generate_bumps(5, 8, one_class());
  for (std::size_t i = 0; i < 4; ++i) set.add_case(bumps.dataset.series(i).values(), "many");
  set.declare_class("none");
  set.add_case(bumps.dataset.series(4).values(), "one");
  const Alignment result = align(set);
  ASSERT_EQ(result.mean.cases(), 2u);  // a class without series has no mean
  EXPECT_EQ(result.mean.label(1), "one");
  EXPECT_TRUE(std::ranges::equal(result.mean.series(1).values(), set.series(4).values()));
}

TEST(Align, LeavesConstantSeriesInPlace) {
  Dataset set;
  set.add_case(std::vector<double>(30, 1.0));
  set.add_case(std::vector<double>(30, 2.0));
  const Alignment result = align(set);
  EXPECT_TRUE(std::ranges::equal(result.aligned.values(), set.values()));
  EXPECT_EQ(result.mean.values()[7], 1.5);
}

TEST(Align, TakesSeriesOfOneAndTwoSamples) {
  for (const std::size_t length : {1u, 2u}) {
    Dataset set;
    for (const double value : {0.0, 1.0, 3.0}) set.add_case(std::vector<double>(length, value));
    set.series(0).data[0] = -1.0;
    const Alignment result = align(set);
    EXPECT_EQ(result.aligned.longest(), length);
    for (const double value : result.aligned.values()) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(Align, BringsDifferentLengthsToACommonOne) {
  Dataset set;
  BumpsOptions options = one_class();
  options.noise = 0.0;
  options.displacement = 0.05;
  for (const std::size_t length : {80u, 100u, 130u}) {
    options.length = length;
    const Bumps bumps = generate_bumps(3, 9, options);  // the same warps for every length
    for (std::size_t i = 0; i < 3; ++i) set.add_case(bumps.dataset.series(i).values());
  }
  const Alignment longest = align(set);
  EXPECT_EQ(longest.aligned.block().time, 130u);
  EXPECT_LT(longest.classes[0].variance, 0.05 * longest.classes[0].variance_before);
  AlignOptions shorter;
  shorter.length = 60;
  EXPECT_EQ(align(set, shorter).aligned.block().time, 60u);
}

TEST(Align, IgnoresMissingValues) {
  const Bumps bumps = generate_bumps(8, 10, one_class());
  Dataset set = bumps.dataset;
  for (std::size_t i = 0; i < 8; ++i) {  // a gap of a tenth in each, wandering
    for (std::size_t j = 0; j < 12; ++j) set.series(i).data[10 + 12 * i + j] = kMissing;
  }
  const Alignment result = align(set);
  EXPECT_LE(relative_warp_error(view_of(result.velocities), view_of(bumps.velocities)), 2.0 * kWarpError);
  for (const double value : result.mean.values()) EXPECT_TRUE(std::isfinite(value));
  EXPECT_TRUE(result.aligned.has_missing());
}

TEST(Align, UsesTheOtherChannelsWhereOneIsMissing) {
  BumpsOptions options = one_class();
  options.channels = 2;
  const Bumps bumps = generate_bumps(6, 11, options);
  Dataset set = bumps.dataset;
  for (double& value : set.series(2).channel(1)) value = kMissing;
  const Alignment result = align(set);
  EXPECT_LE(relative_warp_error(view_of(result.velocities), view_of(bumps.velocities)), kWarpError);
  for (const double value : result.aligned.series(2).channel(1)) EXPECT_TRUE(std::isnan(value));
  for (const double value : result.mean.series(0).channel(1)) EXPECT_TRUE(std::isfinite(value));

  for (std::size_t i = 0; i < 6; ++i) {
    for (double& value : set.series(i).channel(1)) value = kMissing;
  }
  const Alignment empty_channel = align(set);
  for (const double value : empty_channel.mean.series(0).channel(1)) EXPECT_TRUE(std::isnan(value));
  EXPECT_LE(relative_warp_error(view_of(empty_channel.velocities), view_of(bumps.velocities)), 2.0 * kWarpError);
}

TEST(Align, RefusesWhatCannotBeAligned) {
  EXPECT_THROW((void)align(Dataset()), std::invalid_argument);
  Dataset set;
  set.add_case(std::vector<double>{1.0, 2.0});
  set.add_case(std::vector<double>{kMissing, kMissing});
  try {
    (void)align(set);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "case 1: expected at least one value, got 2 missing ones");
  }
}

}  // namespace align_test
}  // namespace diffeo
