#include "diffeo/warp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "diffeo/flow.hpp"
#include "diffeo/random.hpp"
#include "support/under_test.hpp"

namespace diffeo {
namespace warp_test {

using Vector = std::vector<double>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// Positions of order `length` samples, a few roundings each, times slopes of order 1.
constexpr double kTolerance = 1e-11;
// Central differences, step 1e-6, of a piecewise smooth function.
constexpr double kStep = 1e-6, kDifferenceTolerance = 1e-6;

struct Batch {
  std::size_t cases, channels, time, cells;
  Vector series, velocities, times;

  Batch(std::size_t case_count, std::size_t channel_count, std::size_t length, std::size_t cell_count,
        std::uint64_t seed)
      : cases(case_count), channels(channel_count), time(length), cells(cell_count) {
    Random random(seed);
    for (std::size_t i = 0; i < cases * channels * time; ++i) series.push_back(random.normal());
    for (std::size_t i = 0; i < cases * (cells + 1); ++i) velocities.push_back(0.2 * random.normal());
    for (std::size_t i = 0; i < cases; ++i) times.push_back(0.5 + random.uniform());
  }
  [[nodiscard]] WarpProblem<double> problem() const {
    return {.series = {series.data(), cases, channels, time},
            .velocities = {velocities.data(), cases, cells + 1},
            .times = times};
  }
  [[nodiscard]] Vector warped(std::size_t length, std::size_t threads = 1) const {
    Vector out(cases * channels * length);
    under_test::warp(problem(), {out.data(), cases, channels, length}, threads);
    return out;
  }
};

TEST(Warp, OfAFieldAtRestGivesTheSeriesBackToTheLastBitEvenBesideMissingValues) {
  for (const std::size_t length : {1u, 2u, 50u, 275u, 1000u, 4097u}) {
    Random random(length);
    Vector series(length);
    for (double& value : series) value = random.uniform() < 0.1 ? kNan : random.normal();
    const Vector warped = under_test::warp(series, Vector(31, 0.0));
    for (std::size_t i = 0; i < length; ++i) {
      EXPECT_TRUE(warped[i] == series[i] || (std::isnan(warped[i]) && std::isnan(series[i]))) << length << ": " << i;
    }
  }
}

TEST(Warp, IsSamplingAtTheFlow) {
  const Batch batch(3, 2, 200, 12, 1);
  const std::size_t length = 330;
  const Vector warped = batch.warped(length);
  Vector grid(length), positions(3 * length), sampled(warped.size());
  for (std::size_t i = 0; i < length; ++i) grid[i] = static_cast<double>(i) / static_cast<double>(length - 1);
  under_test::flow<double>(
      {.velocities = {batch.velocities.data(), 3, 13}, .points = std::span(std::as_const(grid)), .times = batch.times},
      {positions.data(), 3, length}, 1);
  under_test::sample<double>({.series = {batch.series.data(), 3, 2, 200}, .positions = {positions.data(), 3, length}},
                             {sampled.data(), 3, 2, length}, 1);
  for (std::size_t i = 0; i < warped.size(); ++i) EXPECT_NEAR(warped[i], sampled[i], kTolerance);
}

TEST(Warp, IsUndoneByTheInverseUpToInterpolation) {
  const std::size_t length = 2000;
  Vector series(length), velocities(33, 0.0);
  for (std::size_t j = 1; j < 32; ++j) velocities[j] = 0.05 * std::sin(0.4 * static_cast<double>(j));
  for (std::size_t i = 0; i < length; ++i) series[i] = std::sin(12.0 * static_cast<double>(i) / length);
  const Vector back = under_test::warp(under_test::warp(series, velocities), velocities, -1.0);
  // Linear interpolation of a curvature of 144 over 1/2000, stretched by less than 3, twice.
  for (std::size_t i = 0; i < length; ++i) EXPECT_NEAR(back[i], series[i], 144.0 / (length * length) * 10);
}

TEST(Warp, GivesTheSameBitsForAnyNumberOfThreads) {
  const Batch batch(64, 3, 700, 20, 2);
  EXPECT_EQ(batch.warped(1500, 1), batch.warped(1500, 4));
}

struct Gradients {
  Vector series, velocities, times;
};

Gradients gradients_of(const Batch& batch, const Vector& cotangents, std::size_t length) {
  Gradients out{Vector(batch.series.size()), Vector(batch.velocities.size()), Vector(batch.times.size())};
  under_test::warp_vjp<double>(batch.problem(), {cotangents.data(), batch.cases, batch.channels, length},
                               {.series = {out.series.data(), batch.cases, batch.channels, batch.time},
                                .velocities = {out.velocities.data(), batch.cases, batch.cells + 1},
                                .times = out.times},
                               2);
  return out;
}

double weighted(const Vector& values, const Vector& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] * weights[i];
  return sum;
}

TEST(WarpVjp, IsTheLimitOfDifferences) {
  const std::size_t length = 90;
  Batch batch(2, 2, 60, 6, 3);
  Random random(7);
  Vector cotangents(2 * 2 * length);
  for (double& value : cotangents) value = random.normal();
  const Gradients gradients = gradients_of(batch, cotangents, length);
  const auto check = [&](Vector Batch::*member, const Vector& gradient) {
    for (std::size_t i = 0; i < gradient.size(); i += 3) {
      Batch moved = batch;
      const double middle = (moved.*member)[i];
      const auto at = [&](double value) {
        (moved.*member)[i] = value;
        return weighted(moved.warped(length), cotangents);
      };
      const double slope = (at(middle + kStep) - at(middle - kStep)) / (2 * kStep);
      EXPECT_NEAR(gradient[i], slope, kDifferenceTolerance * (1 + std::fabs(slope)) * 100);
    }
  };
  check(&Batch::series, gradients.series);
  check(&Batch::velocities, gradients.velocities);
  check(&Batch::times, gradients.times);
}

TEST(WarpVjp, SumsTheGradientOfSharedVelocities) {
  Batch batch(5, 1, 80, 7, 9);
  const Vector shared(batch.velocities.begin(), batch.velocities.begin() + 8);
  for (std::size_t row = 1; row < 5; ++row)
    std::copy(shared.begin(), shared.end(), batch.velocities.begin() + static_cast<std::ptrdiff_t>(8 * row));
  const Vector cotangents(5 * 80, 1.0);
  const Gradients separate = gradients_of(batch, cotangents, 80);
  Vector together(8);
  under_test::warp_vjp<double>(
      {.series = {batch.series.data(), 5, 1, 80}, .velocities = std::span(shared), .times = batch.times},
      {cotangents.data(), 5, 1, 80}, {.velocities = std::span(together)}, 2);
  for (std::size_t j = 0; j < 8; ++j) {
    double sum = 0;
    for (std::size_t row = 0; row < 5; ++row) sum += separate.velocities[row * 8 + j];
    EXPECT_NEAR(together[j], sum, kTolerance * (1 + std::fabs(sum)));
  }
}

TEST(WarpVjp, IgnoresMissingValues) {
  Batch batch(1, 1, 40, 5, 10);
  batch.series[17] = kNan;
  const Gradients gradients = gradients_of(batch, Vector(40, 1.0), 40);
  for (const double value : gradients.velocities) EXPECT_TRUE(std::isfinite(value));
  for (const double value : gradients.series) EXPECT_TRUE(std::isfinite(value));
  EXPECT_EQ(gradients.series[17], 0.0);
}

TEST(Warp, RefusesWhatDoesNotFit) {
  const Batch batch(3, 1, 20, 4, 11);
  Vector out(60);
  WarpProblem<double> problem = batch.problem();
  EXPECT_THROW(under_test::warp(problem, {out.data(), 2, 1, 20}), std::invalid_argument);
  EXPECT_THROW(under_test::warp(problem, {out.data(), 3, 1, 0}), std::invalid_argument);
  problem.velocities = {batch.velocities.data(), 2, 5};
  EXPECT_THROW(under_test::warp(problem, {out.data(), 3, 1, 20}), std::invalid_argument);
}

}  // namespace warp_test
}  // namespace diffeo
