#include "diffeo/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "diffeo/flow.hpp"

namespace diffeo {
namespace generate_test {

constexpr std::uint64_t kSeed = 20;

/// The mean over all cases of a class, time step by time step.
std::vector<double> class_mean(const Dataset& set, std::size_t number) {
  std::vector<double> mean(set.longest(), 0.0);
  const std::vector<std::size_t> items = set.cases_by_class()[number];
  for (const std::size_t item : items) {
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += set.series(item).data[j];
  }
  for (double& value : mean) value /= static_cast<double>(items.size());
  return mean;
}

double mean_of(const std::vector<double>& values, std::size_t first, std::size_t last) {
  const auto begin = values.begin();
  return std::accumulate(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last), 0.0) /
         static_cast<double>(last - first);
}

void expect_same(const Dataset& one, const Dataset& other) {
  ASSERT_EQ(one.values().size(), other.values().size());
  EXPECT_TRUE(std::equal(one.values().begin(), one.values().end(), other.values().begin()));
}

TEST(Generate, GivesTheSameSeriesForTheSameSeedAndOthersForAnother) {
  expect_same(generate_cbf(7, kSeed), generate_cbf(7, kSeed));
  expect_same(generate_synthetic_control(7, kSeed), generate_synthetic_control(7, kSeed));
  expect_same(generate_bumps(7, kSeed).dataset, generate_bumps(7, kSeed).dataset);
  EXPECT_NE(generate_cbf(1, 1).values()[0], generate_cbf(1, 2).values()[0]);
  EXPECT_NE(generate_synthetic_control(1, 1).values()[0], generate_synthetic_control(1, 2).values()[0]);
  EXPECT_NE(generate_bumps(1, 1).dataset.values()[0], generate_bumps(1, 2).dataset.values()[0]);
}

TEST(Generate, HasThePublishedLengthsAndTheArchivesLabelsInTurn) {
  const Dataset cbf = generate_cbf(7, kSeed);
  EXPECT_EQ(cbf.length(0), 128u);
  EXPECT_EQ(cbf.class_names(), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(cbf.label(5), "3");
  EXPECT_EQ(cbf.label(6), "1");
  const Dataset charts = generate_synthetic_control(7, kSeed);
  EXPECT_EQ(charts.length(0), 60u);
  EXPECT_EQ(charts.class_names().size(), 6u);
  EXPECT_EQ(charts.label(6), "1");
}

TEST(Generate, OfNoCasesIsAnEmptySet) {
  EXPECT_TRUE(generate_cbf(0, kSeed).empty());
  EXPECT_TRUE(generate_synthetic_control(0, kSeed).empty());
  const Bumps none = generate_bumps(0, kSeed);
  EXPECT_TRUE(none.dataset.empty());
  EXPECT_EQ(none.velocities.rows(), 0u);
  EXPECT_EQ(none.templates.cases(), 3u);
}

// E.g. the mean of 1000 standard normal numbers at each of the first 15 steps: 4 standard deviations and more.
constexpr double kNoiseOfAMean = 0.15;

TEST(GenerateCbf, HasMeansAsTheFormulasSay) {
  const Dataset set = generate_cbf(3000, kSeed);
  for (std::size_t number = 0; number < 3; ++number) {
    const std::vector<double> mean = class_mean(set, number);
    for (std::size_t j = 0; j < 15; ++j) EXPECT_NEAR(mean[j], 0, kNoiseOfAMean);  // t < 16: before any onset
  }
  // At t = 48 every event has begun (a <= 32) and none has ended (b >= 48): a cylinder is at its full height of 6.
  EXPECT_NEAR(class_mean(set, 0)[47], 6, kNoiseOfAMean);
  // There (t - a) / (b - a) has the expectation E[48 - a] E[1 / (b - a)] = 24 * mean of 1/32 .. 1/96; a funnel the
  // rest.
  double inverse_duration = 0;
  for (int duration = 32; duration <= 96; ++duration) inverse_duration += 1.0 / duration / 65;
  EXPECT_NEAR(class_mean(set, 1)[47], 6 * 24 * inverse_duration, kNoiseOfAMean);
  EXPECT_NEAR(class_mean(set, 2)[47], 6 * (1 - 24 * inverse_duration), kNoiseOfAMean);
}

TEST(GenerateCbf, HasOnsetsAndEndsInProportionForOtherLengths) {
  const Dataset set = generate_cbf(3000, kSeed, 512);
  const std::vector<double> mean = class_mean(set, 0);
  EXPECT_NEAR(mean_of(mean, 0, 63), 0, kNoiseOfAMean);
  EXPECT_NEAR(mean_of(mean, 128, 191), 6, kNoiseOfAMean);
}

TEST(GenerateSyntheticControl, StaysWithinThePublishedRanges) {
  const Dataset set = generate_synthetic_control(600, kSeed);
  const auto by_class = set.cases_by_class();
  for (const std::size_t item : by_class[0]) {
    for (const double value : set.series(item).values()) ASSERT_TRUE(value >= 24 && value < 36) << value;
  }
  for (const std::size_t item : by_class[2]) {
    for (std::size_t j = 0; j < 60; ++j) {
      const double t = static_cast<double>(j + 1), value = set.series(item).data[j];
      ASSERT_TRUE(value >= 24 + 0.2 * t && value < 36 + 0.5 * t) << value << " at " << t;
    }
  }
  for (const std::size_t item : by_class[5]) {
    for (std::size_t j = 0; j < 60; ++j) {
      const double value = set.series(item).data[j];
      ASSERT_TRUE(j + 1 >= 20 || (value >= 24 && value < 36)) << value;
      ASSERT_TRUE(j + 1 < 40 || (value >= 24 - 20 && value < 36 - 7.5)) << value;
    }
  }
}

TEST(GenerateSyntheticControl, HasMeansAsTheFormulasSay) {
  constexpr double kTolerance = 0.7;  // a shift's height, spread over 12.5, over 1000 cases, and more than 4 deviations
  const Dataset set = generate_synthetic_control(6000, kSeed);
  EXPECT_NEAR(mean_of(class_mean(set, 0), 0, 60), 30, kTolerance);
  EXPECT_NEAR(class_mean(set, 2)[59], 30 + 0.35 * 60, kTolerance);
  EXPECT_NEAR(class_mean(set, 3)[59], 30 - 0.35 * 60, kTolerance);
  EXPECT_NEAR(class_mean(set, 4)[59], 30 + 13.75, kTolerance);
  EXPECT_NEAR(class_mean(set, 5)[59], 30 - 13.75, kTolerance);
  // A cycle adds half its squared amplitude to the variance s^2 * 3 of the noise: E[a^2] / 2 with a in [10, 15).
  double variance = 0;
  const auto by_class = set.cases_by_class();
  for (const std::size_t item : by_class[1]) {
    for (const double value : set.series(item).values()) variance += (value - 30) * (value - 30) / 60 / 1000;
  }
  EXPECT_NEAR(variance, 4 * 3 + (15.0 * 15 * 15 - 1000) / 15 / 2, 5);
}

BumpsOptions without_noise() {
  BumpsOptions options;
  options.noise = 0;
  return options;
}

std::vector<double> warp_of(const Bumps& bumps, std::size_t item, const std::vector<double>& points, double time) {
  const auto velocities = bumps.velocities.row(item);
  return flow<double>({velocities.begin(), velocities.end()}, points, time);
}

std::vector<double> fine_points() {
  std::vector<double> points(1001);
  for (std::size_t j = 0; j < points.size(); ++j) points[j] = static_cast<double>(j) / 1000;
  return points;
}

double largest_displacement(const Bumps& bumps) {
  const std::vector<double> points = fine_points();
  double largest = 0;
  for (std::size_t item = 0; item < bumps.dataset.cases(); ++item) {
    const std::vector<double> warped = warp_of(bumps, item, points, 1.0);
    for (std::size_t j = 0; j < points.size(); ++j) largest = std::max(largest, std::fabs(warped[j] - points[j]));
  }
  return largest;
}

TEST(GenerateBumps, MovesTheFarthestPointByTheDisplacementAndNoneFarther) {
  for (const double displacement : {0.01, 0.1, 0.2}) {
    BumpsOptions options;
    options.displacement = displacement;
    const double largest = largest_displacement(generate_bumps(30, kSeed, options));
    EXPECT_LE(largest, displacement);
    EXPECT_NEAR(largest, displacement, 1e-6 * displacement);
  }
}

TEST(GenerateBumps, IsTheTemplateAgainAfterTheInverseWarp) {
  BumpsOptions options = without_noise();
  options.length = 2001;
  options.channels = 2;
  const Bumps bumps = generate_bumps(6, kSeed, options);
  std::vector<double> points(options.length);
  for (std::size_t j = 0; j < points.size(); ++j) points[j] = static_cast<double>(j) / 2000;
  constexpr double kInterpolation =
      1e-3;  // h^2 / 8 times a curvature of some 1 / 0.03^2, with room for the warp's slope
  for (std::size_t item = 0; item < 6; ++item) {
    const std::vector<double> back = warp_of(bumps, item, points, -1.0);
    for (std::size_t channel = 0; channel < 2; ++channel) {
      const auto series = bumps.dataset.series(item).channel(channel);
      const auto clean = bumps.templates.series(item % 3).channel(channel);
      std::vector<double> aligned(points.size());
      sample<double>({{series.data(), 1, 1, series.size()}, std::span<const double>(back)},
                     {aligned.data(), 1, 1, aligned.size()});
      for (std::size_t j = 0; j < points.size(); ++j) ASSERT_NEAR(aligned[j], clean[j], kInterpolation);
    }
  }
}

TEST(GenerateBumps, HasTemplatesOfAmplitudeOneThatDifferBetweenClassesAndChannels) {
  BumpsOptions options;
  options.classes = 4;
  options.channels = 3;
  options.length = 1001;
  const Dataset templates = generate_bumps(2, kSeed, options).templates;
  ASSERT_EQ(templates.cases(), 4u);
  std::vector<std::vector<double>> channels;
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(templates.label(k), std::to_string(k + 1));
    for (std::size_t c = 0; c < 3; ++c) {
      const auto values = templates.series(k).channel(c);
      double amplitude = 0;
      for (const double value : values) amplitude = std::max(amplitude, std::fabs(value));
      EXPECT_NEAR(amplitude, 1, 4 * std::numeric_limits<double>::epsilon());  // heights and sum rounded
      channels.emplace_back(values.begin(), values.end());
    }
  }
  for (std::size_t i = 0; i < channels.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(channels[i], channels[j]);
  }
}

TEST(GenerateBumps, AddsNoiseOfTheGivenDeviation) {
  BumpsOptions options;
  options.displacement = 0;
  const Bumps bumps = generate_bumps(300, kSeed, options);
  double squares = 0;
  for (std::size_t item = 0; item < 300; ++item) {
    const auto clean = bumps.templates.series(item % 3).values();
    const auto series = bumps.dataset.series(item).values();
    for (std::size_t j = 0; j < series.size(); ++j) squares += (series[j] - clean[j]) * (series[j] - clean[j]);
  }
  const double deviation = std::sqrt(squares / static_cast<double>(bumps.dataset.values().size()));
  EXPECT_NEAR(deviation, 0.05, 0.001);  // 38,400 draws: five standard errors
}

TEST(GenerateBumps, WithoutNoiseAndDisplacementIsTheTemplates) {
  BumpsOptions options = without_noise();
  options.displacement = 0;
  const Bumps bumps = generate_bumps(6, kSeed, options);
  for (std::size_t item = 0; item < 6; ++item) {
    const auto clean = bumps.templates.series(item % 3).values();
    const auto series = bumps.dataset.series(item).values();
    EXPECT_TRUE(std::equal(series.begin(), series.end(), clean.begin()));
  }
}

TEST(GenerateBumps, KeepsTemplatesAndWarpsWhenLengthAndNoiseChange) {
  BumpsOptions options = without_noise();
  const Bumps coarse = generate_bumps(5, kSeed);
  options.length = 255;  // 2 * 127 + 1: every second time step is one of the coarse ones
  const Bumps fine = generate_bumps(5, kSeed, options);
  EXPECT_TRUE(std::ranges::equal(coarse.velocities.values(), fine.velocities.values()));
  for (std::size_t j = 0; j < 128; ++j) {
    ASSERT_NEAR(coarse.templates.values()[j], fine.templates.values()[2 * j], 1e-13);  // j/127 and 2j/254, rounded
  }
}

TEST(Generate, RefusesOptionsOutOfRange) {
  EXPECT_THROW((void)generate_cbf(1, kSeed, 7), std::invalid_argument);
  EXPECT_THROW((void)generate_synthetic_control(1, kSeed, 2), std::invalid_argument);
  const auto refused = [](auto change) {
    BumpsOptions options;
    change(options);
    EXPECT_THROW((void)generate_bumps(3, kSeed, options), std::invalid_argument);
  };
  refused([](BumpsOptions& o) { o.classes = 0; });
  refused([](BumpsOptions& o) { o.channels = 0; });
  refused([](BumpsOptions& o) { o.length = 1; });
  refused([](BumpsOptions& o) { o.bumps = 0; });
  refused([](BumpsOptions& o) { o.cells = 1; });
  refused([](BumpsOptions& o) { o.displacement = 0.31; });
  refused([](BumpsOptions& o) { o.displacement = -0.1; });
  refused([](BumpsOptions& o) { o.noise = std::numeric_limits<double>::quiet_NaN(); });
  refused([](BumpsOptions& o) { o.length_scale = 0; });
}

}  // namespace generate_test
}  // namespace diffeo
