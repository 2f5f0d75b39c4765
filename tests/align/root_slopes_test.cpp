#include "align/root_slopes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "diffeo/random.hpp"
#include "support/true_warps.hpp"

namespace diffeo {
namespace root_slopes_test {

using testing::equally_spaced;
using View = SeriesView<const double>;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmoothing = 0.01;
/// The median of some 6000 squares has a relative standard error of about 2 %.
constexpr double kNoiseTolerance = 0.1;
constexpr double kRounding = 1e-12;

std::vector<double> wave(std::size_t length, double height = 1.0) {
  std::vector<double> values;
  for (const double time : equally_spaced(length)) values.push_back(height * std::sin(2.0 * std::numbers::pi * time));
  return values;
}

std::vector<double> noisy_wave(std::size_t length, double deviation, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values = wave(length);
  for (double& value : values) value += deviation * random.normal();
  return values;
}

std::vector<View> views_of(const std::vector<std::vector<double>>& series, std::size_t channels = 1) {
  std::vector<View> views;
  for (const std::vector<double>& values : series) {
    views.emplace_back(values.data(), channels, values.size() / channels);
  }
  return views;
}

TEST(NoiseVariance, RecoversTheNoiseOfSmoothSeries) {
  for (const double deviation : {0.02, 0.1, 0.5}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      std::vector<std::vector<double>> series;
      for (std::uint64_t item = 0; item < 20; ++item) series.push_back(noisy_wave(300, deviation, 100 * seed + item));
      const double truth = deviation * deviation;
      EXPECT_NEAR(noise_variance(views_of(series)), truth, kNoiseTolerance * truth)
          << "deviation " << deviation << ", seed " << seed;
    }
  }
}

TEST(NoiseVariance, LeavesMissingValuesOut) {
  std::vector<std::vector<double>> series;
  for (std::uint64_t item = 1; item <= 20; ++item) {
    series.push_back(noisy_wave(300, 0.1, item));
    for (std::size_t i = 50; i < 80; ++i) series.back()[i] = kMissing;
  }
  EXPECT_NEAR(noise_variance(views_of(series)), 0.01, kNoiseTolerance * 0.01);
}

TEST(NoiseVariance, IsZeroForStraightLines) {
  const std::vector<std::vector<double>> series{{0.0, 1.0, 2.0, 3.0, 4.0}, std::vector<double>(7, 3.0), {5.0}};
  EXPECT_EQ(noise_variance(views_of(series)), 0.0);
}

TEST(SmoothingForSlopes, GrowsWithTheNoise) {
  const std::vector<std::vector<double>> series{wave(200)};
  double last = 0.0;
  for (const double deviation : {0.0, 0.02, 0.1, 0.3, 1.0}) {
    const double smoothing = smoothing_for_slopes(views_of(series), deviation * deviation);
    EXPECT_GE(smoothing, last) << "deviation " << deviation;
    last = smoothing;
  }
  EXPECT_GT(last, smoothing_for_slopes(views_of(series), 0.0));
}

TEST(RootSlopes, HaveUnitMeanSquare) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto slopes = root_slopes(
        views_of({noisy_wave(100, 0.1, seed), noisy_wave(140, 0.1, 10 + seed), wave(90, 3.0)}), kSmoothing, 64);
    double sum = 0.0;
    for (const std::vector<double>& values : slopes) {
      ASSERT_EQ(values.size(), 64u);
      for (const double value : values) sum += value * value;
    }
    EXPECT_NEAR(sum / (3 * 64), 1.0, kRounding) << "seed " << seed;
  }
}

TEST(RootSlopes, AreMissingWhereTheSeriesIs) {
  constexpr std::size_t kPoints = 101;
  std::vector<double> values = wave(kPoints);
  for (std::size_t i = 40; i < 60; ++i) values[i] = kMissing;
  const std::vector<std::vector<double>> series{values, wave(kPoints)};
  const auto slopes = root_slopes(views_of(series), kSmoothing, kPoints);
  // Smoothing and differences move the edges of a gap by up to two samples.
  for (std::size_t i = 42; i < 58; ++i) EXPECT_TRUE(std::isnan(slopes[0][i])) << "point " << i;
  for (std::size_t i = 0; i < 38; ++i) {
    EXPECT_TRUE(std::isfinite(slopes[0][i])) << "point " << i;
    EXPECT_TRUE(std::isfinite(slopes[0][kPoints - 1 - i])) << "point " << kPoints - 1 - i;
  }
  for (const double value : slopes[1]) EXPECT_TRUE(std::isfinite(value));
}

TEST(RootSlopes, UseTheOtherChannelWhereOneIsMissing) {
  constexpr std::size_t kPoints = 101;
  std::vector<double> values = wave(kPoints);
  values.insert(values.end(), kPoints, kMissing);
  const auto slopes = root_slopes(views_of({values}, 2), kSmoothing, kPoints);
  for (std::size_t i = 0; i < kPoints; ++i) {
    EXPECT_TRUE(std::isfinite(slopes[0][i]));
    EXPECT_TRUE(std::isnan(slopes[0][kPoints + i]));
  }
}

TEST(RootSlopes, GrowWithTheRootOfTheHeight) {
  const std::vector<std::vector<double>> series{wave(200), wave(200, 4.0)};
  const auto slopes = root_slopes(views_of(series), kSmoothing, 101);
  // Where the wave is steep; on its top the root is smooth, and so linear. The floor is 5 % of the root mean square
  // slope of both, some 15 % of the lower one's own: that changes the fourth root by less than 1 %.
  for (const std::size_t point : {5u, 50u, 95u}) {
    EXPECT_NEAR(slopes[1][point] / slopes[0][point], 2.0, 0.02) << "point " << point;
  }
}

TEST(RootSlopes, DoNotDependOnUnits) {
  const auto slopes = root_slopes(views_of({wave(100), wave(120, 2.0)}), kSmoothing, 64);
  const auto scaled = root_slopes(views_of({wave(100, 1000.0), wave(120, 2000.0)}), kSmoothing, 64);
  for (std::size_t item = 0; item < 2; ++item) {
    for (std::size_t i = 0; i < 64; ++i) EXPECT_NEAR(slopes[item][i], scaled[item][i], kRounding);
  }
}

TEST(RootSlopes, AreZeroForConstantSeries) {
  const auto slopes = root_slopes(views_of({std::vector<double>(30, 2.0)}), kSmoothing, 16);
  for (const double value : slopes.front()) EXPECT_EQ(value, 0.0);
}

}  // namespace root_slopes_test
}  // namespace diffeo
