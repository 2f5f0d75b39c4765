#include "diffeo/soft_dtw.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "baselines/all_paths.hpp"
#include "baselines/random_series.hpp"
#include "diffeo/dtw.hpp"

namespace diffeo {
namespace soft_dtw_test {

using testing::on_every_instruction_set;
using testing::random_series;
using testing::soft_least_cost;
using testing::view;

constexpr std::uint64_t kSeed = 20240902;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Up to 11 cells on a path, a handful of roundings each, relative to the larger of the value and gamma.
constexpr double kTolerance = 100 * kEpsilon;
constexpr double kStep = 1e-5;
// Central differences: truncation of the order of kStep^2, rounding of the order of epsilon / kStep times the value.
constexpr double kDifferenceTolerance = 1e-7;

TEST(SoftDtw, IsTheSoftMinimumOverAllPaths) {
  Random random(kSeed);
  for (std::size_t n = 1; n <= 6; ++n) {
    for (std::size_t m = 1; m <= 6; ++m) {
      for (const double gamma : {0.01, 0.5, 1.0, 30.0}) {
        const std::size_t channels = 1 + (n + m) % 2;
        const std::vector<double> a = random_series(random, channels, n), b = random_series(random, channels, m);
        const double expected = soft_least_cost(view(a, channels), view(b, channels), gamma);
        EXPECT_NEAR(soft_dtw(view(a, channels), view(b, channels), gamma), expected,
                    kTolerance * std::max(std::fabs(expected), gamma))
            << "lengths " << n << " and " << m << ", gamma " << gamma << ", seed " << kSeed;
      }
    }
  }
}

TEST(SoftDtw, OfASingleSampleIsItsSquaredDifference) {
  const std::vector<double> a = {3}, b = {-1};
  EXPECT_NEAR(soft_dtw(view(a), view(b), 0.7), 16, 16 * kTolerance);
}

TEST(SoftDtw, TendsToTheSquareOfDtw) {
  Random random(kSeed);
  const std::vector<double> a = random_series(random, 1, 70), b = random_series(random, 1, 55);
  const double squared = std::pow(dtw(view(a), view(b)), 2);
  for (const double gamma : {1e-3, 1e-6, 1e-9}) {
    const double soft = soft_dtw(view(a), view(b), gamma);
    EXPECT_LE(soft, squared * (1 + 1e-13));
    EXPECT_GE(soft, squared - gamma * 125 * std::log(3.0));  // no more than 3^(n + m) paths
  }
}

TEST(SoftDtw, KeepsItsDigitsWhereExponentialsWouldVanish) {
  const std::vector<double> a(50, 0.0), b(60, 1e6);
  // All cells cost 1e12: the shortest paths have 60 of them, and there are 59 choose 10 of those.
  const double paths = std::lgamma(60.0) - std::lgamma(11.0) - std::lgamma(50.0);
  EXPECT_NEAR(soft_dtw(view(a), view(b), 1.0), 60e12 - paths, 60e12 * kTolerance);
}

TEST(SoftDtwGradient, AgreesWithDifferences) {
  Random random(kSeed);
  for (const std::size_t channels : {1, 3}) {
    for (const double gamma : {0.1, 1.0, 20.0}) {
      std::vector<double> a = random_series(random, channels, 23);
      const std::vector<double> b = random_series(random, channels, 31);
      const SoftDtwGradient gradient = soft_dtw_gradient(view(a, channels), view(b, channels), gamma);
      EXPECT_EQ(gradient.value, soft_dtw(view(a, channels), view(b, channels), gamma));
      for (std::size_t k = 0; k < a.size(); ++k) {
        const double held = a[k];
        a[k] = held + kStep;
        const double above = soft_dtw(view(a, channels), view(b, channels), gamma);
        a[k] = held - kStep;
        const double below = soft_dtw(view(a, channels), view(b, channels), gamma);
        a[k] = held;
        EXPECT_NEAR(gradient.by_first[k], (above - below) / (2 * kStep), kDifferenceTolerance * 100)
            << "entry " << k << ", gamma " << gamma << ", seed " << kSeed;
      }
    }
  }
}

TEST(SoftDtwGradient, WeighsEverySampleByItsVisits) {
  // With b constant and far away every cell costs the same, so that the gradient counts visits: as many cells per path
  // on average as the rows' probabilities add up to, and no row less than 1.
  const std::vector<double> a(9, 0.0), b(12, -2.0);
  const SoftDtwGradient gradient = soft_dtw_gradient(view(a), view(b), 1.0);
  double visits = 0;
  for (const double by : gradient.by_first) {
    EXPECT_GE(by / 4, 1 - kTolerance);
    visits += by / 4;
  }
  EXPECT_GE(visits, 12);
  EXPECT_LE(visits, 20);
}

TEST(SoftDtw, HasTheSameBitsOnEveryInstructionSet) {
  Random random(kSeed);
  const std::vector<double> a = random_series(random, 2, 130), b = random_series(random, 2, 97);
  const auto run = [&] {
    const SoftDtwGradient result = soft_dtw_gradient(view(a, 2), view(b, 2), 0.3);
    std::vector<double> all = result.by_first;
    all.push_back(result.value);
    return all;
  };
  const std::vector<double> expected = run();
  for (const std::vector<double>& other : on_every_instruction_set(run)) EXPECT_EQ(expected, other);
}

TEST(SoftDtw, RefusesGammaThatIsNotPositiveOrTooSmallAndMissingValues) {
  const std::vector<double> a = {1, 2}, gap = {1, std::numeric_limits<double>::quiet_NaN()};
  for (const double gamma : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e-20}) {
    EXPECT_THROW((void)soft_dtw(view(a), view(a), gamma), std::invalid_argument) << gamma;
    EXPECT_THROW((void)soft_dtw_gradient(view(a), view(a), gamma), std::invalid_argument) << gamma;
  }
  EXPECT_THROW((void)soft_dtw(view(gap), view(a)), std::invalid_argument);
  EXPECT_THROW((void)soft_dtw(view(a), view(a, 2)), std::invalid_argument);
}

}  // namespace soft_dtw_test
}  // namespace diffeo
