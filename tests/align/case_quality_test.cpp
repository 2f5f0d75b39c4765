#include "diffeo/case_quality.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "diffeo/align.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/generate_warped.hpp"
#include "diffeo/random.hpp"
#include "support/true_warps.hpp"

namespace diffeo {
namespace case_quality_test {

using testing::equally_spaced;
using testing::view_of;
using View = SeriesView<const double>;

constexpr std::size_t kLength = 201;
constexpr std::size_t kCells = 8;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
/// Displacement is read at 64 points: half a step beside the top of a parabola of curvature 4.
constexpr double kGridError = 2e-4;
/// Squares of what reading a series at its own samples may lose.
constexpr double kRounding = 1e-24;
/// Slopes are exponentials of sums over a few cells.
constexpr double kSlopeError = 1e-12;

struct Peak {
  double center;
  double height = 1.0;
  double width = 0.03;
};

std::vector<double> peaks_at(const std::vector<double>& times, const std::vector<Peak>& peaks) {
  std::vector<double> values;
  for (const double time : times) {
    double sum = 0.0;
    for (const Peak& peak : peaks) {
      const double z = (time - peak.center) / peak.width;
      sum += peak.height * std::exp(-0.5 * z * z);
    }
    values.push_back(sum);
  }
  return values;
}

std::vector<double> peaks(const std::vector<Peak>& peaks) { return peaks_at(equally_spaced(kLength), peaks); }

CaseQuality quality(const std::vector<double>& series, const std::vector<double>& velocities,
                    const std::vector<double>& target) {
  const std::vector<View> views{View(std::span(series))};
  return case_quality(views, Rows<const double>(std::span(velocities)), View(std::span(target)), 0.0, 1).front();
}

std::vector<double> random_velocities(std::uint64_t seed) {
  Random random(seed);
  std::vector<double> velocities(kCells + 1, 0.0);
  for (std::size_t i = 1; i < kCells; ++i) velocities[i] = 0.1 * random.normal();
  return velocities;
}

std::vector<double> negated(std::vector<double> velocities) {
  for (double& velocity : velocities) velocity = -velocity;
  return velocities;
}

const std::vector<Peak> kTwoPeaks{{0.35, 1.0, 0.05}, {0.65, 0.7, 0.05}};

/// The template read along the flow of the velocities: their inverse aligns it.
std::vector<double> warped_peaks(const std::vector<double>& velocities) {
  return peaks_at(flow(velocities, equally_spaced(kLength)), kTwoPeaks);
}

TEST(CaseQuality, TrustsACorrectWarp) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<double> truth = random_velocities(seed);
    const CaseQuality result = quality(warped_peaks(truth), negated(truth), peaks(kTwoPeaks));
    EXPECT_TRUE(result.reliable);
    EXPECT_FALSE(result.squeezed);
    EXPECT_FALSE(result.missed);
    EXPECT_LT(result.inverse_consistent_error, 0.01 * result.error_at_rest);
  }
}

TEST(CaseQuality, TrustsACorrectWarpOfAnotherHeightAndWithGaps) {
  const std::vector<double> truth = random_velocities(11);
  std::vector<double> series = warped_peaks(truth);
  for (double& value : series) value *= 1.5;
  for (std::size_t i = 20; i < 40; ++i) series[i] = kMissing;
  const CaseQuality result = quality(series, negated(truth), peaks(kTwoPeaks));
  EXPECT_TRUE(result.reliable);
  EXPECT_TRUE(std::isfinite(result.inverse_consistent_error));
}

TEST(CaseQuality, DoesNotTrustAWarpThatSqueezesAPeakAway) {
  std::vector<double> squeezing(kCells + 1, 0.0);
  squeezing[3] = -0.35;  // the middle of the series passes e^{2.8} times as fast
  squeezing[5] = 0.35;
  const std::vector<double> flat(kLength, 0.0);
  const CaseQuality result = quality(peaks({{0.5}}), squeezing, flat);
  EXPECT_TRUE(result.squeezed);
  EXPECT_FALSE(result.reliable);
}

TEST(CaseQuality, DoesNotTrustAWarpThatSqueezesAPeakOfTheTemplateAway) {
  std::vector<double> squeezing(kCells + 1, 0.0);
  squeezing[3] = 0.35;  // the middle of the template gets hardly any of the series' time
  squeezing[5] = -0.35;
  const std::vector<double> flat(kLength, 0.0);
  const CaseQuality result = quality(flat, squeezing, peaks({{0.5}}));
  EXPECT_TRUE(result.squeezed);
  EXPECT_FALSE(result.reliable);
}

TEST(CaseQuality, KnowsThatTheWrongPeakWasTaken) {
  const std::vector<double> series = peaks({{0.3}, {0.55, 0.6}});
  const std::vector<double> target = peaks({{0.5}, {0.75, 0.6}});
  std::vector<double> wrong(kCells + 1, 0.0);
  for (std::size_t i = 3; i <= 5; ++i) wrong[i] = 0.05;  // the second peak comes to lie on the first one's place
  const CaseQuality result = quality(series, wrong, target);
  EXPECT_TRUE(result.missed);
  EXPECT_FALSE(result.squeezed);
  EXPECT_FALSE(result.reliable);
}

TEST(CaseQuality, DoesNotTrustAWarpThatFitsNoBetterThanNone) {
  std::vector<double> needless(kCells + 1, 0.0);
  for (std::size_t i = 2; i <= 6; ++i) needless[i] = 0.005;  // a tenth of a peak's width: too little to be missed
  const CaseQuality result = quality(peaks(kTwoPeaks), needless, peaks(kTwoPeaks));
  EXPECT_FALSE(result.missed);
  EXPECT_FALSE(result.squeezed);
  EXPECT_NEAR(result.error_at_rest, 0.0, kRounding);
  EXPECT_GT(result.inverse_consistent_error, 0.01);
  EXPECT_FALSE(result.reliable);
}

std::vector<double> noise(Random& random, std::size_t length) {
  std::vector<double> values(length);
  for (double& value : values) value = random.normal();
  return values;
}

TEST(CaseQuality, TrustsNoWarpBetweenSeriesOfNoise) {
  for (const std::size_t length : {50u, 100u, 300u}) {
    for (const std::size_t cases : {4u, 20u}) {
      Random random(length + cases);
      Dataset set(1);
      for (std::size_t item = 0; item < cases; ++item) set.add_case(noise(random, length));
      for (const CaseQuality& each : align(set).quality) {
        EXPECT_LT(each.explained, each.explained_by_chance) << cases << " x " << length;
        EXPECT_FALSE(each.reliable);
      }
    }
  }
}

TEST(CaseQuality, TakesAPathThatFollowsNoiseForNoBetterAlignment) {
  WarpedOptions options = default_warped_options(WarpedKind::beats);
  options.family = WarpFamily::exponential;
  options.displacement = 0.2;
  options.noise = 0.05;
  const WarpedSeries beats = generate_warped(WarpedKind::beats, 15, 1, options);
  const Alignment found = align(beats.dataset);
  const auto missed = std::ranges::count_if(found.quality, &CaseQuality::missed);
  EXPECT_LE(missed, 1) << "R waves coincide";
}

TEST(CaseQuality, TrustsEqualSeriesAtRest) {
  const CaseQuality result = quality(peaks(kTwoPeaks), std::vector<double>(kCells + 1, 0.0), peaks(kTwoPeaks));
  EXPECT_TRUE(result.reliable);
  EXPECT_EQ(result.displacement, 0.0);
  EXPECT_EQ(result.strongest_stretch, 1.0);
  EXPECT_EQ(result.strongest_squeeze, 1.0);
  EXPECT_NEAR(result.inverse_consistent_error, 0.0, kRounding);
}

/// Two cells, velocity a in the middle: slopes e^{2a} at 0 and e^{-2a} at 1, and e^{-a} / 2 moves farthest, to
/// 1 - e^{-a} / 2.
TEST(CaseQuality, DescribesAKnownField) {
  for (const double a : {-0.3, 0.1, 0.4}) {
    const CaseQuality result = quality(peaks(kTwoPeaks), {0.0, a, 0.0}, peaks(kTwoPeaks));
    const double size = std::fabs(a);
    EXPECT_NEAR(result.strongest_stretch, std::exp(2.0 * size), kSlopeError) << "a " << a;
    EXPECT_NEAR(result.strongest_squeeze, std::exp(-2.0 * size), kSlopeError) << "a " << a;
    EXPECT_NEAR(result.displacement, 1.0 - std::exp(-size), kGridError) << "a " << a;
  }
}

/// Time that is squeezed e^{2.8} times takes less than a step of the grid on one side of the warp; on the other it is wide.
TEST(CaseQuality, SeesTheStrongestStretchAndSqueezeWhereTheyAreNarrow) {
  std::vector<double> velocities(17, 0.0);
  velocities[7] = -0.175;
  velocities[9] = 0.175;
  const double slope = std::exp(2.8);
  const CaseQuality stretched = quality(peaks(kTwoPeaks), velocities, peaks(kTwoPeaks));
  EXPECT_NEAR(stretched.strongest_stretch, slope, kSlopeError * slope);
  const CaseQuality squeezed = quality(peaks(kTwoPeaks), negated(velocities), peaks(kTwoPeaks));
  EXPECT_NEAR(squeezed.strongest_squeeze, 1.0 / slope, kSlopeError);
}

TEST(CaseQuality, JudgesEveryCaseByItsOwnRowForAnyNumberOfThreads) {
  const std::vector<double> target = peaks(kTwoPeaks);
  const std::vector<double> truth = random_velocities(12);
  const std::vector<double> series = warped_peaks(truth);
  const std::vector<View> views{View(std::span(series)), View(std::span(target))};
  Matrix velocities(2, kCells + 1);
  for (std::size_t i = 0; i <= kCells; ++i) velocities(0, i) = -truth[i];
  const std::vector<CaseQuality> one = case_quality(views, view_of(velocities), View(std::span(target)), 0.0, 1);
  const std::vector<CaseQuality> two = case_quality(views, view_of(velocities), View(std::span(target)), 0.0, 2);
  EXPECT_GT(one[0].displacement, 0.0);
  EXPECT_EQ(one[1].displacement, 0.0);
  for (std::size_t item = 0; item < 2; ++item) {
    EXPECT_EQ(one[item].inverse_consistent_error, two[item].inverse_consistent_error);
    EXPECT_EQ(one[item].reliable, two[item].reliable);
  }
}

}  // namespace case_quality_test
}  // namespace diffeo
