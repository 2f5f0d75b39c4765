#include "align/stuck.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "align/mixed_model.hpp"
#include "align/root_slopes.hpp"
#include "align/solver.hpp"
#include "diffeo/generate.hpp"

namespace diffeo {
namespace stuck_test {

using Views = std::vector<SeriesView<const double>>;

constexpr std::size_t kCases = 8;
/// Velocities of the freed series and of those found before: both stop at a tolerance of 1e-3.
constexpr double kSameField = 0.05;

/// A group that has been aligned, and its model.
struct Aligned {
  Bumps bumps;
  Views views;
  AlignOptions options;
  double scale = 0.0;
  double smoothing = 0.0;
  MixedFit fit;

  explicit Aligned(std::uint64_t seed) : bumps(generate_bumps(kCases, seed, {.classes = 1})) {
    for (std::size_t item = 0; item < kCases; ++item) views.push_back(bumps.dataset.series(item));
    const GroupSolution solution = solve_group(views, nullptr, length(), options);
    scale = variance_over_time(views);
    smoothing = smoothing_for_slopes(views, noise_variance(views));
    fit.parameters = solution.model;
    evaluate(solution.velocities);
  }

  [[nodiscard]] std::size_t length() const { return bumps.dataset.longest(); }

  void evaluate(const Matrix& velocities) {
    const MixedSeries series(views, nullptr, length());
    const MixedCriterion criterion(series, fit.parameters, scale, options.cells, options.zero_boundary, 1);
    criterion.evaluate(velocities, fit.state);
  }

  std::size_t free() { return free_stuck_series(views, length(), smoothing, scale, options, fit); }
};

TEST(FreeStuckSeries, LeavesAGoodAlignmentAlone) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Aligned aligned(seed);
    const Matrix before = aligned.fit.state.velocities;
    EXPECT_EQ(aligned.free(), 0u) << "seed " << seed;
    for (std::size_t i = 0; i < before.values().size(); ++i) {
      ASSERT_EQ(aligned.fit.state.velocities.values()[i], before.values()[i]) << "seed " << seed;
    }
  }
}

TEST(FreeStuckSeries, FreesASeriesThatWasPutFarAway) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Aligned aligned(seed);
    const Matrix right = aligned.fit.state.velocities;
    Matrix wrong = right;
    for (std::size_t vertex = 1; vertex + 1 < wrong.columns(); ++vertex) wrong(2, vertex) += 0.4;
    aligned.evaluate(wrong);
    EXPECT_GE(aligned.free(), 1u) << "seed " << seed;
    const Matrix& found = aligned.fit.state.velocities;
    double sum = 0.0;
    for (std::size_t vertex = 0; vertex < found.columns(); ++vertex) {
      sum += std::fabs(found(2, vertex) - right(2, vertex)) / static_cast<double>(found.columns());
      double mean = 0.0;
      for (std::size_t item = 0; item < kCases; ++item) mean += found(item, vertex);
      EXPECT_NEAR(mean, 0.0, 1e-12) << "seed " << seed << ": velocities have mean zero";
    }
    EXPECT_LT(sum, kSameField) << "seed " << seed;
  }
}

}  // namespace stuck_test
}  // namespace diffeo
