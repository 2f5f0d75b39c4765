#include "diffeo/align.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "diffeo/alignment_quality.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/generate.hpp"
#include "diffeo/generate_warped.hpp"
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
    Dataset unlabeled(bumps.dataset.block());
    const Alignment result = align(unlabeled);
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

TEST(AlignTo, TakesTheTimeOfTheTemplate) {
  const Bumps bumps = generate_bumps(8, 5, one_class());
  const Dataset early = bumps.dataset.subset(std::vector<std::size_t>{0});
  const Alignment alignment = align_to(bumps.dataset, early);
  std::vector<std::size_t> all(8);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::vector<double> positions = flow(row_of(alignment.velocities, 0), equally_spaced(65));
  for (std::size_t j = 0; j < positions.size(); ++j) EXPECT_NEAR(positions[j], equally_spaced(65)[j], 1e-6);
  EXPECT_LT(within_variance(alignment.aligned), 0.3 * within_variance(bumps.dataset));
  // The series do not agree on a middle time, but on that of the template.
  for (const CaseQuality& each : alignment.quality) EXPECT_TRUE(each.reliable);
}

TEST(AlignTo, GivesEveryClassItsOwnTemplateAndTheTemplatesLength) {
  const Bumps bumps = generate_bumps(12, 5);
  Dataset templates;
  for (const char* name : {"3", "1", "2"}) {
    for (std::size_t item = 0; item < 12; ++item) {
      if (bumps.dataset.label(item) != name) continue;
      templates.add_case(bumps.dataset.series(item).values().subspan(0, 100), name);
      break;
    }
  }
  const Alignment together = align_to(bumps.dataset, templates);
  EXPECT_EQ(together.aligned.longest(), 100u);
  for (const std::vector<std::size_t>& items : bumps.dataset.groups()) {
    const Dataset one = bumps.dataset.subset(items);
    std::size_t place = 0;
    while (templates.label(place) != one.label(0)) ++place;
    const Alignment alone = align_to(one, templates.subset(std::vector<std::size_t>{place}));
    for (std::size_t row = 0; row < items.size(); ++row) {
      EXPECT_EQ(row_of(together.velocities, items[row]), row_of(alone.velocities, row));
    }
  }
}

TEST(AlignTo, RefusesTemplatesThatDoNotFit) {
  const Bumps bumps = generate_bumps(6, 5);
  const auto message_of = [&](const Dataset& templates) -> std::string {
    try {
      (void)align_to(bumps.dataset, templates);
    } catch (const std::invalid_argument& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(message_of(Dataset()), "template: expected one, got none");
  Dataset two(2);
  two.add_case(std::vector{0.0, 1.0});
  EXPECT_EQ(message_of(two), "template: expected 1 channels as the series have, got 2");
  Dataset ragged;
  ragged.add_case(std::vector{0.0, 1.0}, "1");
  ragged.add_case(std::vector{0.0, 1.0, 2.0}, "2");
  EXPECT_EQ(message_of(ragged), "template: expected templates of one length, got 2 to 3 time steps");
  Dataset lacking;
  lacking.add_case(std::vector{0.0, 1.0}, "1");
  lacking.add_case(std::vector{0.0, 1.0}, "2");
  EXPECT_EQ(message_of(lacking), "template: expected one for class 3, got none");
  Dataset empty;
  empty.add_case(std::vector{kMissing, kMissing});
  EXPECT_EQ(message_of(empty), "template: expected at least one value, got 2 missing ones");
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

/// A row of docs/results/truth.md, "What must hold": two peaks, and the spread of true times that may be left, as a
/// share of that before, on average over three sets.
struct TruthRow {
  double height;
  double noise;
  std::uint64_t first_seed;
  double most;
};

constexpr double kLeftOfHeights = 0.10;       // truth.md demands it of height 0.25
constexpr double kLeftOfNoisyHeights = 0.22;  // ... with noise 0.05
constexpr double kLeftOfTallHeights = 0.28;   // truth.md demands it of height 0.4
constexpr double kLeftOfNoisyTallHeights = 0.36;
constexpr double kLeftOfEqualHeights = 0.01;  // truth.md demands it where only time varies
constexpr double kLeftOfNoise = 0.12;
constexpr std::size_t kTruthCases = 21;
constexpr std::size_t kTruthSets = 3;

WarpedSeries two_peaks(double height, double noise, std::uint64_t seed) {
  WarpedOptions options = default_warped_options(WarpedKind::two_peaks);
  options.height = height;
  options.noise = noise;
  return generate_warped(WarpedKind::two_peaks, kTruthCases, seed, options);
}

/// The share of the spread of true times that is left.
double spread_left(const Alignment& alignment, const WarpedSeries& truth) {
  const std::vector<double> grid = equally_spaced(201);
  Matrix positions(alignment.velocities.rows(), grid.size());
  for (std::size_t row = 0; row < positions.rows(); ++row) {
    std::ranges::copy(flow(row_of(alignment.velocities, row), grid),
                      positions.values().begin() + static_cast<std::ptrdiff_t>(row * grid.size()));
  }
  return true_time_spread(view_of(positions), view_of(truth.warps)).share();
}

double mean_spread_left(const TruthRow& row) {
  double sum = 0.0;
  for (std::uint64_t seed = row.first_seed; seed < row.first_seed + kTruthSets; ++seed) {
    const WarpedSeries truth = two_peaks(row.height, row.noise, seed);
    sum += spread_left(align(truth.dataset), truth);
  }
  return sum / static_cast<double>(kTruthSets);
}

TEST(Align, FindsTheTrueTimesOfTwoPeaks) {
  for (const TruthRow& row :
       {TruthRow{0.25, 0.0, 0, kLeftOfHeights}, TruthRow{0.25, 0.05, 0, kLeftOfNoisyHeights},
        TruthRow{0.4, 0.0, 0, kLeftOfTallHeights}, TruthRow{0.4, 0.05, 1, kLeftOfNoisyTallHeights},
        TruthRow{0.0, 0.0, 0, kLeftOfEqualHeights}, TruthRow{0.0, 0.05, 0, kLeftOfNoise}}) {
    const double left = mean_spread_left(row);
    RecordProperty("height_" + std::to_string(row.height) + "_noise_" + std::to_string(row.noise),
                   std::to_string(left));
    EXPECT_LE(left, row.most) << "height " << row.height << ", noise " << row.noise << ", seeds from "
                              << row.first_seed;
  }
}

AlignOptions with_criterion(const char* name) {
  AlignOptions options;
  options.criterion = align_criterion(name);
  return options;
}

TEST(Align, ExplainsHeightsByTimeWhereValuesAreAskedFor) {
  const WarpedSeries truth = two_peaks(0.4, 0.0, 1);
  const Alignment values = align(truth.dataset, with_criterion("values"));
  const Alignment automatic = align(truth.dataset);
  EXPECT_LT(values.classes[0].variance, automatic.classes[0].variance);
  EXPECT_GT(spread_left(values, truth), spread_left(automatic, truth));
}

TEST(Align, KeepsHeightsThatValuesWouldSqueeze) {
  for (const double noise : {0.0, 0.05}) {
    const WarpedSeries truth = two_peaks(0.25, noise, 0);
    const Alignment automatic = align(truth.dataset);
    const Alignment mixed = align(truth.dataset, with_criterion("mixed"));
    EXPECT_TRUE(std::ranges::equal(automatic.velocities.values(), mixed.velocities.values())) << "noise " << noise;
  }
}

TEST(Align, KeepsTheVelocitiesOfEveryClassAtMeanZero) {
  const Bumps bumps = generate_bumps(15, 12);
  const Alignment result = align(bumps.dataset);
  for (const std::vector<std::size_t>& items : bumps.dataset.cases_by_class()) {
    for (std::size_t vertex = 0; vertex < result.velocities.columns(); ++vertex) {
      double sum = 0.0;
      for (const std::size_t item : items) sum += result.velocities(item, vertex);
      EXPECT_NEAR(sum / static_cast<double>(items.size()), 0.0, 1e-12);
    }
  }
}

/// Slopes care little for values, so the variance may grow where peaks differ in height; what goes astray grows more.
constexpr double kMostVariance = 1.5;

void expect_sound(const Dataset& set, const AlignOptions& options) {
  const Alignment result = align(set, options);
  EXPECT_EQ(result.aligned.cases(), set.cases());
  EXPECT_EQ(result.quality.size(), set.cases());
  for (const double velocity : result.velocities.values()) EXPECT_TRUE(std::isfinite(velocity));
  EXPECT_TRUE(std::isfinite(result.classes[0].cost));
  EXPECT_LE(result.classes[0].variance, kMostVariance * result.classes[0].variance_before);
}

Dataset odd_series(WarpedKind kind, std::size_t cases, std::size_t channels, double length_spread, double missing) {
  WarpedOptions options = default_warped_options(kind);
  options.noise = 0.02;
  options.displacement = 0.1;
  options.channels = channels;
  options.length_spread = length_spread;
  options.missing = missing;
  return generate_warped(kind, cases, 5, options).dataset;
}

TEST(Align, TakesOddSeriesByEveryCriterion) {
  Dataset constant;
  for (int i = 0; i < 5; ++i) constant.add_case(std::vector<double>(40, 0.5 * i));
  for (const std::string_view name : align_criterion_names()) {
    SCOPED_TRACE(name);
    AlignOptions options;
    options.criterion = align_criterion(name);
    expect_sound(odd_series(WarpedKind::peaks, 6, 1, 0.0, 0.1), options);
    expect_sound(odd_series(WarpedKind::peaks, 6, 1, 0.4, 0.0), options);
    expect_sound(odd_series(WarpedKind::peaks, 6, 2, 0.3, 0.1), options);
    expect_sound(odd_series(WarpedKind::steps, 6, 1, 0.0, 0.0), options);
    for (const std::size_t cases : {1u, 2u, 3u}) {
      expect_sound(odd_series(WarpedKind::two_peaks, cases, 1, 0.0, 0.0), options);
    }
    expect_sound(constant, options);
  }
}

TEST(Align, GivesTheSameBitsForOneThreadAndTwoWhereHeightsVary) {
  const WarpedSeries truth = two_peaks(0.25, 0.05, 2);
  AlignOptions options;
  options.threads = 1;
  const Alignment one = align(truth.dataset, options);
  options.threads = 2;
  const Alignment two = align(truth.dataset, options);
  EXPECT_TRUE(std::ranges::equal(one.velocities.values(), two.velocities.values()));
  EXPECT_TRUE(std::ranges::equal(one.mean.values(), two.mean.values()));
}

}  // namespace align_test
}  // namespace diffeo
