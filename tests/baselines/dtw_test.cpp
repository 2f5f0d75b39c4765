#include "diffeo/dtw.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "baselines/all_paths.hpp"
#include "baselines/random_series.hpp"

namespace diffeo {
namespace dtw_test {

using testing::Corridor;
using testing::cost_of;
using testing::least_cost;
using testing::on_every_instruction_set;
using testing::random_dataset;
using testing::random_series;
using testing::view;

constexpr std::uint64_t kSeed = 20240901;
// Sums of at most 11 cells of at most 3 channels, added in another order: 33 roundings and the root's.
constexpr double kTolerance = 40 * std::numeric_limits<double>::epsilon();
// As above for the longest series here: 2 x 80 cells.
constexpr double kLongTolerance = 500 * std::numeric_limits<double>::epsilon();

TEST(Dtw, OfASeriesWithItselfIsZero) {
  Random random(kSeed);
  const std::vector<double> a = random_series(random, 2, 37);
  EXPECT_EQ(dtw(view(a, 2), view(a, 2)), 0.0);
}

TEST(Dtw, IgnoresHowLongAValueIsHeld) {
  const std::vector<double> a = {0, 1, 1, 1, 2}, b = {0, 0, 1, 2, 2, 2};
  EXPECT_EQ(dtw(view(a), view(b)), 0.0);
}

TEST(Dtw, IsTheRootOfTheSummedSquares) {
  const std::vector<double> a = {0, 0}, b = {3, 4};
  EXPECT_EQ(dtw(view(a), view(b)), 5.0);
}

TEST(Dtw, IsTheLeastCostOfAllPaths) {
  Random random(kSeed);
  for (std::size_t n = 1; n <= 6; ++n) {
    for (std::size_t m = 1; m <= 6; ++m) {
      for (const std::size_t channels : {1, 3}) {
        const std::vector<double> a = random_series(random, channels, n), b = random_series(random, channels, m);
        const double expected = std::sqrt(least_cost(view(a, channels), view(b, channels)));
        EXPECT_NEAR(dtw(view(a, channels), view(b, channels)), expected, kTolerance * expected)
            << "lengths " << n << " and " << m << ", seed " << kSeed;
      }
    }
  }
}

TEST(Dtw, InsideAWindowIsTheLeastCostOfThePathsInsideIt) {
  Random random(kSeed);
  for (std::size_t n = 1; n <= 6; ++n) {
    for (std::size_t m = 1; m <= 6; ++m) {
      for (std::size_t radius = 0; radius < 6; ++radius) {
        const std::vector<double> a = random_series(random, 1, n), b = random_series(random, 1, m);
        const Corridor corridor{static_cast<std::ptrdiff_t>(radius)};
        const double expected = std::sqrt(least_cost(view(a), view(b), corridor));
        ASSERT_TRUE(std::isfinite(expected));
        EXPECT_NEAR(dtw(view(a), view(b), {.radius = radius}), expected, kTolerance * expected)
            << "lengths " << n << " and " << m << ", radius " << radius << ", seed " << kSeed;
      }
    }
  }
}

TEST(Dtw, InAWindowOfNoRadiusIsTheEuclideanDistance) {
  Random random(kSeed);
  const std::vector<double> a = random_series(random, 2, 80), b = random_series(random, 2, 80);
  double squared = 0;
  for (std::size_t k = 0; k < a.size(); ++k) squared += (a[k] - b[k]) * (a[k] - b[k]);
  EXPECT_NEAR(dtw(view(a, 2), view(b, 2), {.radius = 0}), std::sqrt(squared), kLongTolerance * std::sqrt(squared));
}

TEST(Dtw, IsTheSameBothWays) {
  Random random(kSeed);
  for (const std::size_t radius : {0, 3, 1000}) {
    const std::vector<double> a = random_series(random, 2, 61), b = random_series(random, 2, 44);
    EXPECT_EQ(dtw(view(a, 2), view(b, 2), {.radius = radius}), dtw(view(b, 2), view(a, 2), {.radius = radius}));
  }
}

TEST(Dtw, ReachesTheLimitOfTheValuesItTakes) {
  const std::vector<double> a = {1e150, -1e150}, b = {-1e150, -1e150, -1e150};
  EXPECT_NEAR(dtw(view(a), view(b)), 2e150, 2e150 * kTolerance);
}

void expect_path(const WarpingPath& path, SeriesView<const double> a, SeriesView<const double> b) {
  ASSERT_EQ(path.steps.front(), (PathStep{0, 0}));
  ASSERT_EQ(path.steps.back(), (PathStep{a.length - 1, b.length - 1}));
  for (std::size_t k = 1; k < path.steps.size(); ++k) {
    const std::size_t down = path.steps[k].first - path.steps[k - 1].first;
    const std::size_t right = path.steps[k].second - path.steps[k - 1].second;
    ASSERT_TRUE(down <= 1 && right <= 1 && down + right > 0) << "step " << k;
  }
  EXPECT_NEAR(std::sqrt(cost_of(a, b, path.steps)), path.distance, kLongTolerance * path.distance);
}

TEST(DtwPath, IsAPathOfTheDistance) {
  Random random(kSeed);
  for (std::size_t trial = 0; trial < 60; ++trial) {
    const std::size_t channels = 1 + random.below(3);
    const std::vector<double> a = random_series(random, channels, 1 + random.below(40));
    const std::vector<double> b = random_series(random, channels, 1 + random.below(40));
    WarpingWindow window;
    if (trial % 2 == 1) window.radius = random.below(10);
    SCOPED_TRACE(::testing::Message() << "trial " << trial << ", seed " << kSeed);
    const WarpingPath path = dtw_path(view(a, channels), view(b, channels), window);
    expect_path(path, view(a, channels), view(b, channels));
    EXPECT_EQ(path.distance, dtw(view(a, channels), view(b, channels), window));
  }
}

TEST(DtwPath, PrefersToAdvanceBothThenTheFirst) {
  const std::vector<double> two = {0, 0}, three = {0, 0, 0};
  EXPECT_EQ(dtw_path(view(three), view(two)).steps, (std::vector<PathStep>{{0, 0}, {1, 0}, {2, 1}}));
  EXPECT_EQ(dtw_path(view(two), view(three)).steps, (std::vector<PathStep>{{0, 0}, {0, 1}, {1, 2}}));
  // Both steps that advance one series cost 0; the one back along the first is taken.
  const std::vector<double> a = {0, 5, 5, 0}, b = {0, 5, 0};
  EXPECT_EQ(dtw_path(view(a), view(b)).steps, (std::vector<PathStep>{{0, 0}, {1, 1}, {2, 1}, {3, 2}}));
}

void expect_matrix_of_pairs(const Matrix& matrix, const Dataset& rows, const Dataset& columns,
                            const WarpingWindow& window) {
  ASSERT_EQ(matrix.rows(), rows.cases());
  ASSERT_EQ(matrix.columns(), columns.cases());
  for (std::size_t i = 0; i < rows.cases(); ++i) {
    for (std::size_t j = 0; j < columns.cases(); ++j) {
      ASSERT_EQ(matrix(i, j), dtw(rows.series(i), columns.series(j), window)) << i << ", " << j;
    }
  }
}

TEST(DtwMatrix, HoldsTheDistancesOfThePairsWhateverTheirLengths) {
  Random random(kSeed);
  const std::vector<WarpingWindow> windows = {{}, {.radius = 0}, {.radius = 4}, {.fraction = 0.1}, {.fraction = 1.0}};
  for (const WarpingWindow& window : windows) {
    for (const std::size_t shortest : {30, 1}) {
      SCOPED_TRACE(::testing::Message() << "lengths from " << shortest << " to 30, seed " << kSeed);
      const Dataset rows = random_dataset(random, 13, 2, shortest, 30);
      const Dataset columns = random_dataset(random, 11, 2, shortest, 30);
      expect_matrix_of_pairs(dtw_matrix(rows, window), rows, rows, window);
      expect_matrix_of_pairs(dtw_matrix(rows, columns, window), rows, columns, window);
    }
  }
}

TEST(DtwMatrix, HasTheSameBitsForAnyNumberOfThreadsAndInstructionSet) {
  Random random(kSeed);
  const Dataset cases = random_dataset(random, 24, 1, 90, 110);
  const auto values = [&](std::size_t threads) {
    const Matrix matrix = dtw_matrix(cases, {.fraction = 0.3}, threads);
    return std::vector<double>(matrix.values().begin(), matrix.values().end());
  };
  const std::vector<double> one = values(1);
  EXPECT_EQ(one, values(2));
  EXPECT_EQ(one, values(7));
  for (const std::vector<double>& other : on_every_instruction_set([&] { return values(2); })) EXPECT_EQ(one, other);
}

TEST(DtwMatrix, OfNothingIsEmptyAndOfOneCaseZero) {
  EXPECT_EQ(dtw_matrix(Dataset(2)).values().size(), 0u);
  Dataset one(1);
  one.add_case(std::vector<double>{1, 2});
  EXPECT_EQ(dtw_matrix(one)(0, 0), 0.0);
  EXPECT_EQ(dtw_matrix(one, Dataset(1)).columns(), 0u);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Dtw, RefusesWhatHasNoDistance) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> good = {1, 2}, gap = {1, missing}, endless = {1, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(message_of([&] { (void)dtw(view(good), view(gap)); }),
            "second: expected no missing values, got NaN at time 1; fill them in first");
  EXPECT_NE(message_of([&] { (void)dtw(view(endless), view(good)); }).find("first: expected values up to 1e150"),
            std::string::npos);
  EXPECT_THROW((void)dtw(view(good), {good.data(), 1, 0}), std::invalid_argument);
  EXPECT_THROW((void)dtw(view(good), view(good, 2)), std::invalid_argument);
  EXPECT_THROW((void)dtw(view(good), view(good), {.radius = 1, .fraction = 0.5}), std::invalid_argument);
  Dataset cases(1);
  cases.add_case(good);
  cases.add_case(gap);
  EXPECT_EQ(message_of([&] { (void)dtw_matrix(cases); }),
            "cases: case 1: expected no missing values, got NaN at time 1; fill them in first");
}

}  // namespace dtw_test
}  // namespace diffeo
