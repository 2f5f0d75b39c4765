#include "align/resolution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace diffeo {
namespace resolution_test {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

TEST(Resolutions, EndWithAllCellsAndNoSmoothing) {
  for (const std::size_t cells : {1u, 2u, 5u, 16u, 24u, 300u}) {
    const std::vector<Resolution> levels = resolutions(cells);
    EXPECT_EQ(levels.back().cells, cells);
    EXPECT_EQ(levels.back().smoothing, 0.0);
    for (std::size_t i = 1; i < levels.size(); ++i) {
      EXPECT_GE(levels[i].cells, levels[i - 1].cells);
      EXPECT_LT(levels[i].smoothing, levels[i - 1].smoothing);
    }
  }
}

TEST(Resolutions, KeepAFieldWhenCellsAreDivided) {
  const std::vector<double> coarse{0.0, 1.0, -2.0, 0.5, 0.0};
  const std::vector<double> fine = velocities_on(coarse, 8);
  for (std::size_t vertex = 0; vertex <= 4; ++vertex) EXPECT_EQ(fine[2 * vertex], coarse[vertex]);
  EXPECT_EQ(fine[1], 0.5);
  EXPECT_EQ(fine[3], -0.5);
}

TEST(Smoother, LeavesConstantsAndIgnoresMissingValues) {
  std::vector<double> series(500, 2.5);
  series[100] = series[101] = kMissing;
  Smoother smoother(0.03);
  const std::vector<double> smoothed = smoother.smoothed(std::span<const double>(series));
  EXPECT_EQ(smoothed.size(), samples_at(500, 0.03));
  EXPECT_LT(smoothed.size(), 200u);
  for (const double value : smoothed) EXPECT_NEAR(value, 2.5, 1e-14);
}

TEST(Smoother, InventsNothingInALongGap) {
  std::vector<double> series(500, 1.0);
  for (std::size_t i = 100; i < 300; ++i) series[i] = kMissing;
  Smoother smoother(0.015);
  const std::vector<double> smoothed = smoother.smoothed(std::span<const double>(series));
  EXPECT_TRUE(std::isnan(smoothed[smoothed.size() * 2 / 5]));
  EXPECT_EQ(smoothed.front(), 1.0);
}

TEST(Smoother, ReducesWhatIsFasterThanTheKernel) {
  std::vector<double> series(400);
  for (std::size_t i = 0; i < series.size(); ++i) series[i] = i % 2 == 0 ? 1.0 : -1.0;
  Smoother smoother(0.015);
  const std::vector<double> smoothed = smoother.smoothed(std::span<const double>(series));
  for (std::size_t i = 20; i + 20 < smoothed.size(); ++i) EXPECT_LT(std::fabs(smoothed[i]), 0.01);
}

TEST(Smoother, TakesSeriesOfOneAndTwoSamples) {
  Smoother smoother(0.06);
  const std::vector<double> one{4.0};
  const std::vector<double> two{1.0, 3.0};
  EXPECT_EQ(smoother.smoothed(std::span<const double>(one)), one);
  EXPECT_EQ(smoother.smoothed(std::span<const double>(two)), two);
}

}  // namespace resolution_test
}  // namespace diffeo
