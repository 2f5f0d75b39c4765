#include "align/best_path.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "diffeo/random.hpp"
#include "support/true_warps.hpp"

namespace diffeo {
namespace best_path_test {

using testing::equally_spaced;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLongestMove = 6;
/// Sums in single precision.
constexpr double kRounding = 1e-5;

std::vector<double> random_slopes(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> slopes(size);
  for (double& slope : slopes) slope = random.normal();
  return slopes;
}

/// Square-root slopes of a Gaussian peak of that center and standard deviation.
std::vector<double> peak_slopes(double center, double width, std::size_t points) {
  std::vector<double> result;
  for (const double time : equally_spaced(points)) {
    const double z = (time - center) / width;
    const double slope = -z / width * std::exp(-0.5 * z * z);
    result.push_back(std::copysign(std::sqrt(std::fabs(slope)), slope));
  }
  return result;
}

/// All paths of a tiny grid, tried one after the other.
struct BruteForce {
  const std::vector<double>& slopes;
  const std::vector<double>& target;
  std::size_t channels;
  std::size_t points;

  /// The straight piece from (i, j) to (to_i, to_j), i in the target's time.
  [[nodiscard]] double piece(std::size_t i, std::size_t j, std::size_t to_i, std::size_t to_j) const {
    const double slope = static_cast<double>(to_j - j) / static_cast<double>(to_i - i);
    double sum = 0.0;
    for (std::size_t channel = 0; channel < channels; ++channel) {
      const double* values = slopes.data() + channel * points;
      for (std::size_t at = i; at <= to_i; ++at) {
        const double position = static_cast<double>(j) + slope * static_cast<double>(at - i);
        const std::size_t left = std::min(static_cast<std::size_t>(position), to_j - 1);
        const double fraction = position - static_cast<double>(left);
        const double value = values[left] + fraction * (values[left + 1] - values[left]);
        const double difference = value * std::sqrt(slope) - target[channel * points + at];
        const double weight = at == i || at == to_i ? 0.5 : 1.0;
        if (!std::isnan(difference)) sum += weight * difference * difference;
      }
    }
    return sum;
  }

  [[nodiscard]] double least_from(std::size_t i, std::size_t j) const {
    if (i + 1 == points && j + 1 == points) return 0.0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t to_i = i + 1; to_i < std::min(points, i + kLongestMove + 1); ++to_i) {
      for (std::size_t to_j = j + 1; to_j < std::min(points, j + kLongestMove + 1); ++to_j) {
        if (std::gcd(to_i - i, to_j - j) != 1) continue;
        least = std::min(least, piece(i, j, to_i, to_j) + least_from(to_i, to_j));
      }
    }
    return least;
  }
};

void expect_the_least_of_all_paths(const std::vector<double>& slopes, const std::vector<double>& target,
                                   std::size_t channels) {
  const std::size_t points = target.size() / channels;
  const double expected = BruteForce{slopes, target, channels, points}.least_from(0, 0);
  EXPECT_NEAR(best_path(slopes, target, channels).cost, expected / static_cast<double>(points - 1), kRounding);
}

void expect_increasing_from_0_to_1(const std::vector<double>& positions) {
  EXPECT_EQ(positions.front(), 0.0);
  EXPECT_EQ(positions.back(), 1.0);
  for (std::size_t i = 1; i < positions.size(); ++i) EXPECT_LT(positions[i - 1], positions[i]) << "point " << i;
}

TEST(BestPath, IsTheBestOfAllPathsOfTinyGrids) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    for (const std::size_t points : {2u, 3u, 4u, 5u}) {
      expect_the_least_of_all_paths(random_slopes(points, seed), random_slopes(points, 100 + seed), 1);
    }
  }
}

/// The first step of the series lasts `steps` of the target: as long as a move may be, or one longer.
TEST(BestPath, StretchesTimeSixfoldInOneMove) {
  for (const std::size_t steps : {kLongestMove, kLongestMove + 1}) {
    SCOPED_TRACE(steps);
    std::vector<double> slopes(steps + 2, 0.0);
    slopes[0] = slopes[1] = 3.0;
    std::vector<double> target(steps + 2, 3.0 / std::sqrt(static_cast<double>(steps)));
    target.back() = 0.0;
    expect_the_least_of_all_paths(slopes, target, 1);
  }
}

TEST(BestPath, IsTheBestForSeveralChannelsTogether) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    expect_the_least_of_all_paths(random_slopes(3 * 5, seed), random_slopes(3 * 5, 100 + seed), 3);
  }
}

TEST(BestPath, LeavesMissingValuesOfTheTargetOut) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<double> target = random_slopes(5, 100 + seed);
    target[3] = kMissing;
    expect_the_least_of_all_paths(random_slopes(5, seed), target, 1);
  }
}

TEST(BestPath, TakesGapsOfTheSeriesForFlat) {
  const std::vector<double> target = random_slopes(40, 1);
  std::vector<double> flat = random_slopes(40, 2);
  std::vector<double> missing = flat;
  for (std::size_t i = 10; i < 20; ++i) {
    flat[i] = 0.0;
    missing[i] = kMissing;
  }
  EXPECT_EQ(best_path(missing, target, 1).positions, best_path(flat, target, 1).positions);
  EXPECT_EQ(best_path(missing, target, 1).cost, best_path(flat, target, 1).cost);
}

TEST(BestPath, FindsAPeakFarAway) {
  constexpr std::size_t kPoints = 101;
  constexpr double kShift = 0.3;  // of the length, ten times the peak's standard deviation
  const std::vector<double> target = peak_slopes(0.35, 0.03, kPoints);
  const BestPath path = best_path(peak_slopes(0.35 + kShift, 0.03, kPoints), target, 1);
  expect_increasing_from_0_to_1(path.positions);
  for (std::size_t i = 32; i <= 38; ++i) {
    const double time = static_cast<double>(i) / static_cast<double>(kPoints - 1);
    EXPECT_NEAR(path.positions[i], time + kShift, 0.01) << "point " << i;  // a step of the grid
  }
}

TEST(BestPath, LeavesEqualSeriesInPlace) {
  const std::vector<double> slopes = random_slopes(2 * 64, 1);
  const BestPath path = best_path(slopes, slopes, 2);
  EXPECT_NEAR(path.cost, 0.0, kRounding);
  const std::vector<double> grid = equally_spaced(64);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_DOUBLE_EQ(path.positions[i], grid[i]);
}

TEST(BestPath, IncreasesFrom0To1) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    expect_increasing_from_0_to_1(best_path(random_slopes(50, seed), random_slopes(50, 100 + seed), 1).positions);
  }
}

TEST(BestPath, FollowsTheChannelThatSaysSomething) {
  constexpr std::size_t kPoints = 81;
  std::vector<double> slopes(kPoints, 0.0);
  std::vector<double> target(kPoints, 0.0);
  const std::vector<double> moved = peak_slopes(0.6, 0.04, kPoints);
  const std::vector<double> still = peak_slopes(0.4, 0.04, kPoints);
  slopes.insert(slopes.end(), moved.begin(), moved.end());
  target.insert(target.end(), still.begin(), still.end());
  EXPECT_EQ(best_path(slopes, target, 2).positions, best_path(moved, still, 1).positions);
}

TEST(BestPath, GoesThroughGapsWithoutLosingTheRest) {
  constexpr std::size_t kPoints = 81;
  std::vector<double> slopes = peak_slopes(0.6, 0.04, kPoints);
  for (std::size_t i = 5; i < 15; ++i) slopes[i] = kMissing;
  const BestPath path = best_path(slopes, peak_slopes(0.4, 0.04, kPoints), 1);
  expect_increasing_from_0_to_1(path.positions);
  EXPECT_NEAR(path.positions[32], 0.6, 0.02);
}

}  // namespace best_path_test
}  // namespace diffeo
