#include "centering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "diffeo/random.hpp"
#include "layered_warp.hpp"
#include "thread_group.hpp"

namespace diffeo {
namespace centering_test {

constexpr std::size_t kCases = 12;
constexpr std::size_t kVertices = 9;
/// Sums over processes are added in another order, and so is what is made of them.
constexpr double kRounding = 1e-12;

/// Warps that have something in common: all of them lead ahead, some more, some less. Both ends stay.
std::vector<Matrix> leading(std::size_t layers, double size) {
  Random random(3);
  std::vector<Matrix> result(layers, Matrix(kCases, kVertices));
  for (Matrix& layer : result) {
    for (std::size_t row = 0; row < kCases; ++row) {
      for (std::size_t vertex = 1; vertex + 1 < kVertices; ++vertex) {
        layer(row, vertex) = size * (1.0 + 0.5 * random.normal());
      }
    }
  }
  return result;
}

double distance_of_mean_warp(const std::vector<Matrix>& layers, const TrainingOptions& options) {
  const Matrix times = equal_times(layers.front().rows(), kVertices);
  const Matrix warps = layered_positions(layers, times, options, false, 1);
  double largest = 0.0;
  for (std::size_t i = 0; i < kVertices; ++i) {
    double mean = 0.0;
    for (std::size_t row = 0; row < warps.rows(); ++row) mean += warps(row, i) / static_cast<double>(warps.rows());
    largest = std::max(largest, std::abs(mean - times(0, i)));
  }
  return largest;
}

TEST(CenteringOffsets, MakeTheMeanWarpTheIdentityAtEveryVertex) {
  for (const std::size_t layers : {1U, 3U}) {
    std::vector<Matrix> velocities = leading(layers, 0.2 / static_cast<double>(layers));
    const TrainingOptions options;
    ASSERT_GT(distance_of_mean_warp(velocities, options), 0.05);
    subtract_offsets(centering_offsets(velocities, options, Group(), 1), velocities);
    EXPECT_LE(distance_of_mean_warp(velocities, options), kCenteredWithin) << layers;
  }
}

TEST(CenteringOffsets, AreZeroForWarpsThatAreCenteredAlready) {
  std::vector<Matrix> velocities = leading(1, 0.0);
  const auto offsets = centering_offsets(velocities, {}, Group(), 1);
  EXPECT_EQ(offsets, std::vector(1, std::vector<double>(kVertices, 0.0)));
}

TEST(CenteringOffsets, AreThoseOfOneProcessInSeveral) {
  const std::vector<Matrix> velocities = leading(1, 0.2);
  const auto alone = centering_offsets(velocities, {}, Group(), 1);
  testing::in_threads(3, [&](const Group& group) {
    const std::size_t own = kCases / 3;
    const auto offsets = centering_offsets({rows_from(velocities[0], group.rank() * own, own)}, {}, group, 1);
    for (std::size_t i = 0; i < kVertices; ++i) EXPECT_NEAR(offsets[0][i], alone[0][i], kRounding);
  });
}

TEST(CenteringOffsets, NeverLeaveTheMeanFurtherAwayThanItWas) {
  std::vector<Matrix> velocities = leading(1, 40.0);  // squeezes nearly everything into no time
  const double before = distance_of_mean_warp(velocities, {});
  subtract_offsets(centering_offsets(velocities, {}, Group(), 1), velocities);
  EXPECT_LE(distance_of_mean_warp(velocities, {}), before);
}

}  // namespace centering_test
}  // namespace diffeo
