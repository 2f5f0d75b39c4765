#include "align/difference.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "diffeo/flow.hpp"
#include "diffeo/random.hpp"
#include "support/true_warps.hpp"

namespace diffeo {
namespace difference_test {

using testing::equally_spaced;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
/// Central differences with this step lose about half the digits; kinks of the interpolation are 1e4 times farther
/// apart.
constexpr double kStep = 1e-6;
constexpr double kGradientTolerance = 1e-6;

/// A smooth pair of series with two channels, a warp, and everything that compares them.
struct Scene {
  static constexpr std::size_t kChannels = 2;
  std::vector<double> grid = equally_spaced(41);
  std::vector<double> series = std::vector<double>(kChannels * 37);
  std::vector<double> target = std::vector<double>(kChannels * 41);
  std::vector<double> velocities = std::vector<double>(9, 0.0);
  double own_time = 0.5;

  explicit Scene(std::uint64_t seed) {
    Random random(seed);
    for (std::size_t i = 0; i < series.size(); ++i)
      series[i] = std::sin(0.4 * static_cast<double>(i % 37)) + 0.1 * random.normal();
    for (std::size_t i = 0; i < target.size(); ++i)
      target[i] = std::sin(0.38 * static_cast<double>(i % 41)) + 0.1 * random.normal();
    for (std::size_t i = 1; i < 8; ++i) velocities[i] = 0.1 * random.normal();
    velocities.front() = 0.03;  // the ends move inwards: on an end, clamping would be a kink
    velocities.back() = -0.02;
  }

  [[nodiscard]] SeriesView<const double> view() const { return {series.data(), kChannels, series.size() / kChannels}; }

  template <class Use>
  void compare(const std::vector<double>& warp_velocities, const Use& use) const {
    const std::vector<double> positions = flow(warp_velocities, grid);
    std::vector<double> weights(grid.size());
    std::vector<double> values(target.size());
    fill_time_weights(positions, own_time, weights);
    read_values(view(), positions, values);
    use(Comparison{kChannels, own_time, positions, weights, values, target});
  }

  [[nodiscard]] double value(const std::vector<double>& warp_velocities) const {
    double result = 0.0;
    compare(warp_velocities, [&](const Comparison& comparison) { result = difference(comparison).mean(); });
    return result;
  }

  void normal_equations(std::vector<double>& gradient, std::vector<double>& hessian) const {
    const std::size_t vertices = velocities.size();
    std::vector<double> jacobian(grid.size() * vertices);
    const std::array time{1.0};
    flow_jacobian<double>(
        {.velocities = std::span<const double>(velocities), .points = std::span<const double>(grid), .times = time},
        Rows<double>(jacobian.data(), grid.size(), vertices), 1);
    compare(velocities, [&](const Comparison& comparison) {
      std::vector<double> slopes(target.size());
      read_slopes(view(), comparison.positions, slopes);
      gradient.assign(vertices, 0.0);
      hessian.assign(vertices * vertices, 0.0);
      std::vector<double> row(vertices);
      std::vector<double> other_row(vertices);
      add_normal_equations(comparison, slopes, Rows<const double>(jacobian.data(), grid.size(), vertices), 1.0,
                           gradient, hessian, row, other_row);
    });
  }
};

void expect_exact_gradient(const Scene& scene) {
  std::vector<double> gradient;
  std::vector<double> hessian;
  scene.normal_equations(gradient, hessian);
  for (std::size_t vertex = 0; vertex < gradient.size(); ++vertex) {
    std::vector<double> up = scene.velocities;
    std::vector<double> down = scene.velocities;
    up[vertex] += kStep;
    down[vertex] -= kStep;
    const double expected = (scene.value(up) - scene.value(down)) / (2.0 * kStep);
    EXPECT_NEAR(2.0 * gradient[vertex], expected, kGradientTolerance) << "vertex " << vertex;
  }
}

TEST(Difference, HasTheGradientOfItsFiniteDifferences) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    expect_exact_gradient(Scene(seed));
  }
}

TEST(Difference, HasAnExactGradientForEveryShareOfOwnTime) {
  for (const double own_time : {0.0, 0.3, 1.0}) {
    SCOPED_TRACE(own_time);
    Scene scene(11);
    scene.own_time = own_time;
    expect_exact_gradient(scene);
  }
}

TEST(Difference, HasAnExactGradientBesideMissingValues) {
  Scene scene(12);
  scene.series[10] = kMissing;
  scene.series[50] = scene.series[51] = kMissing;
  scene.target[30] = kMissing;
  expect_exact_gradient(scene);
}

/// The Gauss-Newton matrix by its definition: residuals sqrt(weight) r differentiated numerically.
TEST(Difference, HasTheGaussNewtonMatrixOfItsResiduals) {
  const Scene scene(13);
  std::vector<double> gradient;
  std::vector<double> hessian;
  scene.normal_equations(gradient, hessian);
  const auto residuals = [&](const std::vector<double>& velocities) {
    std::vector<double> result;
    scene.compare(velocities, [&](const Comparison& comparison) {
      for (std::size_t i = 0; i < comparison.values.size(); ++i) {
        result.push_back(std::sqrt(comparison.weights[i % comparison.points()]) *
                         (comparison.values[i] - comparison.target[i]));
      }
    });
    return result;
  };
  const std::size_t vertices = scene.velocities.size();
  std::vector<std::vector<double>> columns;
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
    std::vector<double> up = scene.velocities;
    std::vector<double> down = scene.velocities;
    up[vertex] += kStep;
    down[vertex] -= kStep;
    std::vector<double> column = residuals(up);
    const std::vector<double> lower = residuals(down);
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = (column[i] - lower[i]) / (2.0 * kStep);
    columns.push_back(column);
  }
  // The divisor is not 1: the ends move.
  const double present = [&] {
    double result = 0.0;
    scene.compare(scene.velocities, [&](const Comparison& comparison) { result = difference(comparison).present; });
    return result;
  }();
  for (std::size_t i = 0; i < vertices; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double expected = 0.0;
      for (std::size_t k = 0; k < columns[i].size(); ++k) expected += columns[i][k] * columns[j][k];
      EXPECT_NEAR(hessian[i * vertices + j], expected / present, 1e-5) << i << ", " << j;
    }
  }
}

TEST(Difference, WeighsTheWholeDurationAsOne) {
  Scene scene(14);
  scene.velocities.front() = scene.velocities.back() = 0.0;  // the ends stay in place
  for (const double own_time : {0.0, 0.5, 1.0}) {
    std::vector<double> weights(scene.grid.size());
    fill_time_weights(flow(scene.velocities, scene.grid), own_time, weights);
    double sum = 0.0;
    for (const double weight : weights) sum += weight;
    EXPECT_NEAR(sum, 1.0, 1e-14);
  }
}

TEST(Difference, LeavesMissingValuesOut) {
  const std::vector<double> positions{0.0, 0.5, 1.0};
  const std::vector<double> weights{0.25, 0.5, 0.25};
  const std::vector<double> values{1.0, kMissing, 3.0};
  const std::vector<double> target{0.0, 0.0, 1.0};
  const Difference result = difference({1, 0.0, positions, weights, values, target});
  EXPECT_EQ(result.present, 0.5);
  EXPECT_EQ(result.mean(), (0.25 * 1.0 + 0.25 * 4.0) / 0.5);
}

}  // namespace difference_test
}  // namespace diffeo
