#include "diffeo/generate_warped.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace diffeo {
namespace generate_warped_test {

constexpr std::uint64_t kSeed = 20;
constexpr std::size_t kCases = 9;

std::vector<WarpedKind> kinds() {
  return {WarpedKind::two_peaks, WarpedKind::peaks, WarpedKind::narrow_peaks, WarpedKind::beats, WarpedKind::steps};
}

std::vector<WarpFamily> families_with_a_strength() {
  return {WarpFamily::flow, WarpFamily::exponential, WarpFamily::fourier, WarpFamily::logistic};
}

/// Equal bit for bit, missing values included.
void expect_same(std::span<const double> one, std::span<const double> other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_TRUE(one[i] == other[i] || (std::isnan(one[i]) && std::isnan(other[i]))) << i;
  }
}

double warp_at(const WarpedSeries& made, std::size_t item, double x) {
  const auto row = made.warps.row(item);
  const double place = x * static_cast<double>(row.size() - 1);
  const auto left = std::min(static_cast<std::size_t>(place), row.size() - 2);
  const double share = place - static_cast<double>(left);
  return (1 - share) * row[left] + share * row[left + 1];
}

double largest_displacement(const WarpedSeries& made) {
  double largest = 0;
  for (std::size_t i = 0; i < made.warps.rows(); ++i) {
    for (std::size_t j = 0; j < made.warps.columns(); ++j) {
      const double x = static_cast<double>(j) / static_cast<double>(made.warps.columns() - 1);
      largest = std::max(largest, std::fabs(made.warps(i, j) - x));
    }
  }
  return largest;
}

TEST(GenerateWarped, GivesTheSameSeriesForTheSameSeedAndOthersForAnother) {
  for (const WarpedKind kind : kinds()) {
    const WarpedSeries one = generate_warped(kind, kCases, kSeed), same = generate_warped(kind, kCases, kSeed);
    expect_same(one.dataset.values(), same.dataset.values());
    expect_same(one.warps.values(), same.warps.values());
    expect_same(one.marks.values(), same.marks.values());
    const WarpedSeries other = generate_warped(kind, kCases, kSeed + 1);
    EXPECT_FALSE(std::ranges::equal(one.dataset.values(), other.dataset.values()));
  }
}

TEST(GenerateWarped, HasWarpsThatIncreaseStrictlyFromZeroToOne) {
  for (const WarpFamily family : families_with_a_strength()) {
    const WarpedSeries made =
        generate_warped(WarpedKind::peaks, kCases, kSeed, {.family = family, .displacement = 0.25});
    for (std::size_t i = 0; i < kCases; ++i) {
      const auto row = made.warps.row(i);
      EXPECT_EQ(row.front(), 0.0);
      EXPECT_EQ(row.back(), 1.0);
      for (std::size_t j = 1; j < row.size(); ++j) EXPECT_LT(row[j - 1], row[j]);
    }
  }
}

TEST(GenerateWarped, ReachesTheDisplacementInEveryFamily) {
  // The warps are compared at every fifth of the 1001 points at which the displacement is exact: a peak of |W - x| of
  // height 0.3 and curvature up to some 100 is missed by 0.0025^2 / 2 * 100 at most.
  constexpr double kBetweenPoints = 5e-4;
  for (const WarpFamily family : families_with_a_strength()) {
    for (const double displacement : {0.05, 0.2, 0.3}) {
      const WarpedSeries made =
          generate_warped(WarpedKind::steps, 30, kSeed, {.family = family, .displacement = displacement});
      EXPECT_LE(largest_displacement(made), displacement);
      EXPECT_NEAR(largest_displacement(made), displacement, kBetweenPoints);
    }
  }
}

TEST(GenerateWarped, HasTheTwoPeaksOfTheLiterature) {
  WarpedOptions options = default_warped_options(WarpedKind::two_peaks);
  options.height = 0;
  const WarpedSeries made = generate_warped(WarpedKind::two_peaks, 21, kSeed, options);
  ASSERT_EQ(made.dataset.longest(), 101u);
  constexpr double kRoundedStrength = 1e-5;  // a displacement of 0.1233 is a = 0.99999
  for (std::size_t i = 0; i < 21; ++i) {
    const double a = -1 + 0.1 * static_cast<double>(i);
    for (std::size_t j = 0; j <= 100; ++j) {
      const double x = static_cast<double>(j) / 100;
      const double warped = i == 10 ? x : std::expm1(a * x) / std::expm1(a);
      const double t = 6 * warped - 3;
      const double expected = std::exp(-0.5 * (t - 1.5) * (t - 1.5)) + std::exp(-0.5 * (t + 1.5) * (t + 1.5));
      ASSERT_NEAR(made.dataset.series(i).data[j], expected, kRoundedStrength);
    }
  }
}

TEST(GenerateWarped, HasHeightsOfTheDeviationGiven) {
  WarpedOptions options = default_warped_options(WarpedKind::two_peaks);
  options.height = 0.4;
  options.displacement = 0;
  constexpr std::size_t kMany = 2000;
  const WarpedSeries made = generate_warped(WarpedKind::two_peaks, kMany, kSeed, options);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < kMany; ++i) {
    const double value = made.dataset.series(i).data[25];  // at the first peak
    sum += value / kMany;
    squares += value * value / kMany;
  }
  // The other peak adds exp(-4.5) = 0.011 there. Five standard errors: 0.4 / sqrt(2000) and 0.4 / sqrt(4000).
  EXPECT_NEAR(sum, 1.011, 0.045);
  EXPECT_NEAR(std::sqrt(squares - sum * sum), 0.4, 0.032);
}

TEST(GenerateWarped, PutsMarksWhereTheWarpReachesTheTemplates) {
  constexpr double kBetweenPoints = 2e-3;  // W is known at 201 points
  for (const WarpedKind kind : kinds()) {
    const WarpedSeries made = generate_warped(kind, kCases, kSeed);
    ASSERT_EQ(made.marks.columns(), made.template_marks.size());
    for (std::size_t i = 0; i < kCases; ++i) {
      for (std::size_t k = 0; k < made.marks.columns(); ++k) {
        EXPECT_NEAR(warp_at(made, i, made.marks(i, k)), made.template_marks[k], kBetweenPoints);
      }
    }
  }
}

TEST(GenerateWarped, HasBeatsWhoseRWavesAreAtTheirMarksAndOfAnyHeight) {
  WarpedOptions options = default_warped_options(WarpedKind::beats);
  options.noise = 0;
  constexpr std::size_t kR = 2;
  const WarpedSeries made = generate_warped(WarpedKind::beats, 300, kSeed, options);
  double lowest = std::numeric_limits<double>::infinity(), highest = 0;
  double first = 1, last = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const double mark = made.marks(i, kR);
    const auto series = made.dataset.series(i).values();
    const double height = series[static_cast<std::size_t>(std::lround(255 * mark))];
    lowest = std::min(lowest, height);
    highest = std::max(highest, height);
    first = std::min(first, mark);
    last = std::max(last, mark);
  }
  // The sample next to the mark is up to half a step, a sixth of the wave's width, away from its top.
  EXPECT_GT(lowest, 0.25);
  EXPECT_LT(lowest, 0.35);
  EXPECT_GT(highest, 2.8);
  EXPECT_LT(highest, 3.05);
  EXPECT_NEAR(last - first, 0.2, 0.01);  // 0.1 to either side, somewhat less away from the middle
}

TEST(GenerateWarped, MovesNarrowPeaksWithoutChangingThem) {
  const WarpedSeries made = generate_warped(WarpedKind::narrow_peaks, 100, kSeed);
  double farthest = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    const auto series = made.dataset.series(i).values();
    for (std::size_t k = 0; k < 2; ++k) {
      const double mark = made.marks(i, k);
      farthest = std::max(farthest, std::fabs(mark - made.template_marks[k]));
      for (std::size_t j = 0; j < 256; ++j) {
        const double distance = static_cast<double>(j) / 255 - mark;
        if (std::fabs(distance) > 0.059) continue;
        const double u = distance / 0.03;
        EXPECT_NEAR(series[j], std::exp(-0.5 * u * u), 1e-2);  // the tail of the other peak, at least 0.13 away
      }
    }
  }
  EXPECT_LE(farthest, 0.3);
  EXPECT_GT(farthest, 0.25);
}

TEST(GenerateWarped, IsTheTemplateWhereNothingVaries) {
  for (const WarpedKind kind : {WarpedKind::peaks, WarpedKind::steps, WarpedKind::two_peaks}) {
    const WarpedSeries made = generate_warped(kind, 3, kSeed, {.displacement = 0, .channels = 2});
    for (std::size_t i = 0; i < 3; ++i) {
      expect_same(made.dataset.series(i).values(), made.template_case.series(0).values());
    }
    const auto channels = made.template_case.series(0);
    EXPECT_FALSE(std::ranges::equal(channels.channel(0), channels.channel(1)));
  }
}

TEST(GenerateWarped, KeepsWarpsAndHeightsWhenNoiseChanges) {
  WarpedOptions options = default_warped_options(WarpedKind::peaks);
  options.noise = 0;
  const WarpedSeries quiet = generate_warped(WarpedKind::peaks, kCases, kSeed, options);
  options.noise = 0.1;
  const WarpedSeries noisy = generate_warped(WarpedKind::peaks, kCases, kSeed, options);
  expect_same(quiet.warps.values(), noisy.warps.values());
  const auto one = quiet.dataset.values(), other = noisy.dataset.values();
  double squares = 0;
  for (std::size_t i = 0; i < one.size(); ++i) squares += (one[i] - other[i]) * (one[i] - other[i]);
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(one.size())), 0.1, 0.011);  // 1152 draws: five standard errors
}

TEST(GenerateWarped, HasDifferentLengthsAndGapsWhereAskedFor) {
  const WarpedSeries made = generate_warped(WarpedKind::peaks, 200, kSeed, {.length = 100, .length_spread = 0.3});
  EXPECT_EQ(made.dataset.shortest(), 70u);
  EXPECT_EQ(made.dataset.longest(), 100u);
  const WarpedSeries gaps =
      generate_warped(WarpedKind::peaks, 50, kSeed, {.length = 100, .missing = 0.1, .channels = 2});
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t c = 0; c < 2; ++c) {
      const auto values = gaps.dataset.series(i).channel(c);
      EXPECT_EQ(std::ranges::count_if(values, [](double value) { return std::isnan(value); }), 10);
      EXPECT_FALSE(std::isnan(values.front()) || std::isnan(values.back()));
    }
  }
}

TEST(GenerateWarped, OfNoCasesIsAnEmptySet) {
  const WarpedSeries none = generate_warped(WarpedKind::beats, 0, kSeed);
  EXPECT_TRUE(none.dataset.empty());
  EXPECT_EQ(none.warps.rows(), 0u);
  EXPECT_EQ(none.template_case.cases(), 1u);
}

TEST(GenerateWarped, NamesKindsAndFamiliesBothWays) {
  for (const WarpedKind kind : kinds()) {
    EXPECT_EQ(warped_kind(warped_kind_names()[static_cast<std::size_t>(kind)]), kind);
  }
  for (const WarpFamily family : families_with_a_strength()) {
    EXPECT_EQ(warp_family(warp_family_names()[static_cast<std::size_t>(family)]), family);
  }
  EXPECT_THROW((void)warped_kind("sines"), std::invalid_argument);
  EXPECT_THROW((void)warp_family("affine"), std::invalid_argument);
}

TEST(GenerateWarped, RefusesOptionsOutOfRange) {
  const auto refused = [](const WarpedOptions& options) {
    EXPECT_THROW((void)generate_warped(WarpedKind::peaks, 3, kSeed, options), std::invalid_argument);
  };
  refused({.displacement = 0.51});
  refused({.displacement = -0.1});
  refused({.height = -1});
  refused({.width = std::numeric_limits<double>::infinity()});
  refused({.noise = std::numeric_limits<double>::quiet_NaN()});
  refused({.length = 1});
  refused({.length_spread = 0.95});
  refused({.missing = 0.6});
  refused({.channels = 0});
  refused({.peaks = 0});
  refused({.family = WarpFamily::moves, .peaks = 20});  // no room for twenty peaks to move in
}

}  // namespace generate_warped_test
}  // namespace diffeo
