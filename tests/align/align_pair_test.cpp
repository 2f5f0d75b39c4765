#include "diffeo/align_pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "diffeo/flow.hpp"
#include "diffeo/generate.hpp"
#include "diffeo/warp.hpp"
#include "support/message_of.hpp"
#include "support/true_warps.hpp"

namespace diffeo {
namespace align_pair_test {

using testing::equally_spaced;
using testing::mean_distance;
using testing::message_of;
using testing::true_relation;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
/// What alignment promises on series with 5 % noise and displacements of 10 %, as a fraction of the duration.
/// Squares of rounding errors of values of order 1.
constexpr double kRounding = 1e-28;
constexpr double kWarpError = 0.01;

std::span<const double> span_of(const std::vector<double>& values) { return values; }

std::vector<double> wave(std::size_t length, double shift) {
  std::vector<double> values(length);
  for (std::size_t i = 0; i < length; ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(length - 1, 1));
    values[i] = std::exp(-50.0 * (x - 0.3 - shift) * (x - 0.3 - shift)) -
                std::exp(-80.0 * (x - 0.7 - shift) * (x - 0.7 - shift));
  }
  return values;
}

TEST(AlignPair, RecoversTheTrueWarpsOfNoisySeries) {
  BumpsOptions options;
  options.classes = 1;
  double worst = 0.0;
  double sum = 0.0;
  std::size_t pairs = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Bumps bumps = generate_bumps(8, seed, options);
    const std::vector<double> grid = equally_spaced(options.length);
    for (std::size_t source = 0; source < 8; ++source) {
      const std::size_t target = (source + 1) % 8;
      const PairAlignment pair = align_pair(bumps.dataset.series(source), bumps.dataset.series(target));
      const double error = mean_distance(pair.warp, true_relation(bumps.velocities, source, target, grid));
      EXPECT_TRUE(pair.converged);
      worst = std::max(worst, error);
      sum += error;
      ++pairs;
    }
  }
  RecordProperty("mean_error_percent", std::to_string(100.0 * sum / static_cast<double>(pairs)));
  RecordProperty("worst_error_percent", std::to_string(100.0 * worst));
  EXPECT_LE(sum / static_cast<double>(pairs), kWarpError) << "worst " << worst;
}

TEST(AlignPair, LeavesEqualSeriesInPlace) {
  const std::vector<double> series = wave(100, 0.0);
  const PairAlignment pair = align_pair(span_of(series), span_of(series));
  EXPECT_TRUE(pair.converged);
  EXPECT_EQ(pair.aligned, series);
  EXPECT_LE(pair.cost, kRounding);
  for (const double velocity : pair.velocities) EXPECT_EQ(velocity, 0.0);
}

TEST(AlignPair, LowersTheCostInEveryStepOfAResolution) {
  const std::vector<double> source = wave(150, 0.05);
  const std::vector<double> target = wave(150, -0.05);
  const PairAlignment pair = align_pair(span_of(source), span_of(target));
  EXPECT_TRUE(pair.converged);
  ASSERT_FALSE(pair.history.empty());
  for (std::size_t i = 1; i < pair.history.size(); ++i) {
    if (pair.history[i].smoothing == pair.history[i - 1].smoothing) {
      EXPECT_LT(pair.history[i].cost, pair.history[i - 1].cost);
    }
  }
  EXPECT_LT(pair.cost, 0.05 * pair.initial_cost);
  EXPECT_EQ(pair.cost, pair.difference + pair.penalty);
}

TEST(AlignPair, CarriesTheWarpItsExactInverseAndTheAlignedSeries) {
  const std::vector<double> source = wave(120, 0.06);
  const std::vector<double> target = wave(80, 0.0);
  const PairAlignment pair = align_pair(span_of(source), span_of(target));
  const std::vector<double> grid = equally_spaced(80);
  ASSERT_EQ(pair.length, 80u);
  ASSERT_EQ(pair.aligned.size(), 80u);
  EXPECT_EQ(pair.warp, flow(pair.velocities, grid));
  const std::vector<double> there_and_back = flow(pair.velocities, pair.inverse);
  for (std::size_t i = 0; i < grid.size(); ++i) EXPECT_NEAR(there_and_back[i], grid[i], 1e-13);
  EXPECT_TRUE(std::is_sorted(pair.warp.begin(), pair.warp.end(), std::less_equal<>()));  // strictly increasing
}

TEST(AlignPair, UsesAllChannels) {
  // One channel says where the first half belongs, the other the second.
  const auto bump = [](double center) {
    std::vector<double> values(100);
    for (std::size_t i = 0; i < 100; ++i) values[i] = std::exp(-0.02 * std::pow(static_cast<double>(i) - center, 2));
    return values;
  };
  const auto join = [](std::vector<double> a, const std::vector<double>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const std::vector<double> source = join(bump(30), bump(70));
  const std::vector<double> target = join(bump(25), bump(75));
  const PairAlignment pair = align_pair({source.data(), 2, 100}, {target.data(), 2, 100});
  EXPECT_NEAR(pair.warp[25] * 99, 30, 0.5);
  EXPECT_NEAR(pair.warp[75] * 99, 70, 0.5);
}

TEST(AlignPair, IgnoresMissingValues) {
  const std::vector<double> source = wave(100, 0.05);
  std::vector<double> target = wave(100, 0.0);
  const PairAlignment complete = align_pair(span_of(source), span_of(target));
  for (std::size_t i = 45; i < 55; ++i) target[i] = kMissing;  // between the two features
  const PairAlignment gappy = align_pair(span_of(source), span_of(target));
  EXPECT_LT(mean_distance(complete.warp, gappy.warp), kWarpError);
  EXPECT_TRUE(std::none_of(gappy.aligned.begin(), gappy.aligned.end(), [](double v) { return std::isnan(v); }));
}

/// A peak of the target that the source does not have is not moved into a gap of the source to be rid of it.
TEST(AlignPair, DoesNotHideFeaturesOfTheTargetInAGap) {
  constexpr std::size_t kLength = 201;
  std::vector<double> source;
  std::vector<double> target;
  for (const double time : equally_spaced(kLength)) {
    const auto peak = [&](double center) { return std::exp(-0.5 * std::pow((time - center) / 0.04, 2.0)); };
    source.push_back(time > 0.45 && time < 0.55 ? kMissing : peak(0.3));
    target.push_back(peak(0.3) + peak(0.7));
  }
  const PairAlignment pair = align_pair(span_of(source), span_of(target));
  const std::vector<double> there = flow(pair.velocities, std::vector<double>{0.3, 0.7});
  EXPECT_NEAR(there[0], 0.3, 0.01);
  EXPECT_GT(there[1], 0.6) << "the second peak has gone into the gap";
}

TEST(AlignPair, KeepsMissingValuesOfTheSourceMissing) {
  std::vector<double> source = wave(100, 0.0);
  const std::vector<double> target = source;
  source[50] = kMissing;
  const PairAlignment pair = align_pair(span_of(source), span_of(target));
  EXPECT_TRUE(std::isnan(pair.aligned[50]));
}

TEST(AlignPair, IsDefinedForConstantAndForVeryShortSeries) {
  const std::vector<double> constant(50, 3.0);
  const std::vector<double> other(50, 5.0);
  const PairAlignment flat = align_pair(span_of(constant), span_of(other));
  EXPECT_TRUE(flat.converged);
  EXPECT_EQ(flat.aligned, constant);
  for (const std::size_t length : {1u, 2u, 3u}) {
    const std::vector<double> source = wave(length, 0.1);
    const std::vector<double> target = wave(length, 0.0);
    const PairAlignment pair = align_pair(span_of(source), span_of(target));
    EXPECT_EQ(pair.aligned.size(), length);
    for (const double value : pair.aligned) EXPECT_TRUE(std::isfinite(value));
    EXPECT_LE(pair.cost, pair.initial_cost);
  }
}

TEST(AlignPair, MovesTheEndsOnlyWhereTheyAreFree) {
  const std::vector<double> source = wave(200, 0.1);
  const std::vector<double> target = wave(200, 0.0);
  AlignOptions free_ends;
  free_ends.zero_boundary = false;
  EXPECT_EQ(align_pair(span_of(source), span_of(target)).warp.front(), 0.0);
  const PairAlignment shifted = align_pair(span_of(source), span_of(target), free_ends);
  EXPECT_GT(shifted.warp.front(), 0.02);
  EXPECT_NEAR(shifted.warp[100], 100.0 / 199.0 + 0.1, 0.01);
}

TEST(AlignPair, WarpsLessUnderAStrongerPrior) {
  const std::vector<double> source = wave(150, 0.05);
  const std::vector<double> target = wave(150, -0.05);
  AlignOptions strong;
  strong.prior_weight = 100.0;
  const std::vector<double> grid = equally_spaced(150);
  EXPECT_LT(mean_distance(align_pair(span_of(source), span_of(target), strong).warp, grid),
            0.2 * mean_distance(align_pair(span_of(source), span_of(target)).warp, grid));
}

TEST(AlignPair, DoesNotDependOnUnits) {
  std::vector<double> source = wave(100, 0.05);
  std::vector<double> target = wave(100, -0.03);
  const PairAlignment small = align_pair(span_of(source), span_of(target));
  for (double& value : source) value *= 1024.0;  // exact
  for (double& value : target) value *= 1024.0;
  const PairAlignment large = align_pair(span_of(source), span_of(target));
  EXPECT_EQ(small.velocities, large.velocities);
}

TEST(AlignPair, StopsWhenProgressSaysSo) {
  const std::vector<double> source = wave(150, 0.05);
  const std::vector<double> target = wave(150, -0.05);
  AlignOptions options;
  std::size_t calls = 0;
  options.progress = [&](const AlignStep&) { return ++calls < 3; };
  const PairAlignment pair = align_pair(span_of(source), span_of(target), options);
  EXPECT_EQ(calls, 3u);
  EXPECT_FALSE(pair.converged);
  EXPECT_EQ(pair.velocities.size(), options.cells + 1);
}

TEST(AlignPair, SaysWhenIterationsRunOut) {
  const std::vector<double> source = wave(150, 0.05);
  const std::vector<double> target = wave(150, -0.05);
  AlignOptions options;
  options.max_iterations = 1;
  EXPECT_FALSE(align_pair(span_of(source), span_of(target), options).converged);
}

TEST(AlignPair, RefusesWhatCannotBeAligned) {
  const std::vector<double> good = wave(20, 0.0);
  const std::vector<double> nothing(20, kMissing);
  std::vector<double> infinite = good;
  infinite[3] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message_of([&] { (void)align_pair(span_of(nothing), span_of(good)); }),
            "source: expected at least one value, got 20 missing ones");
  EXPECT_EQ(message_of([&] { (void)align_pair(span_of(good), span_of(infinite)); }),
            "target: expected finite or missing values, got an infinite one");
  EXPECT_EQ(message_of([&] {
              (void)align_pair({good.data(), 2, 10}, span_of(good));
            }),
            "source: expected 1 channels as the target has, got 2");
}

TEST(AlignPair, RefusesOptionsOutOfRange) {
  const std::vector<double> series = wave(20, 0.0);
  const auto with = [&](auto change) {
    AlignOptions options;
    change(options);
    return message_of([&] { (void)align_pair(span_of(series), span_of(series), options); });
  };
  EXPECT_EQ(with([](AlignOptions& o) { o.cells = 1; }), "cells: expected at least 2 with zero_boundary, got 1");
  EXPECT_EQ(with([](AlignOptions& o) { o.prior_weight = -1.0; }),
            "prior_weight: expected a positive number, or 0 for one from the data, got -1");
  EXPECT_EQ(with([](AlignOptions& o) { o.length_scale = -1.0; }),
            "length_scale: expected a positive number, or 0 for one from the data, got -1");
  EXPECT_EQ(with([](AlignOptions& o) { o.own_time = 1.5; }), "own_time: expected 0 to 1, got 1.5");
  EXPECT_EQ(with([](AlignOptions& o) { o.tolerance = kMissing; }), "tolerance: expected a positive number, got nan");
  EXPECT_EQ(with([](AlignOptions& o) { o.max_iterations = 0; }), "max_iterations: expected at least 1, got 0");
}

}  // namespace align_pair_test
}  // namespace diffeo
