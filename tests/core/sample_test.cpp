#include "diffeo/sample.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/differences.hpp"
#include "core/interpolation.hpp"
#include "support/under_test.hpp"

namespace diffeo {
namespace sample_test {

using testing::differences;
using testing::expect_like_differences;
using testing::random_values;
using testing::weighted_sum;

const double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Whether nodes are given: both, where they may be.
std::vector<bool> with_and_without_grid() {
  return under_test::kHasGrids ? std::vector<bool>{false, true} : std::vector<bool>{false};
}

/// One series of one channel.
template <class Real>
std::vector<Real> sampled(const std::vector<Real>& series, const std::vector<Real>& positions,
                          const std::vector<Real>& grid = {}) {
  std::vector<Real> samples(positions.size());
  SampleProblem<Real> problem{{series.data(), 1, 1, series.size()}, std::span(positions)};
  if (!grid.empty()) problem.grid = std::span(grid);
  under_test::sample<Real>(problem, {samples.data(), 1, 1, samples.size()});
  return samples;
}

/// Several cases and channels that own their arguments; shared rows where a vector holds just one.
struct Case {
  std::size_t cases, channels, time, columns;
  std::vector<double> series, positions, grid;

  [[nodiscard]] SampleProblem<double> view() const {
    SampleProblem<double> problem{{series.data(), cases, channels, time},
                                  {positions.data(), positions.size() / columns, columns}};
    if (!grid.empty()) problem.grid = {grid.data(), grid.size() / time, time};
    return problem;
  }
  [[nodiscard]] std::vector<double> samples(std::size_t threads = 0) const {
    std::vector<double> result(cases * channels * columns);
    under_test::sample<double>(view(), {result.data(), cases, channels, columns}, threads);
    return result;
  }
};

struct CaseGradients {
  std::vector<double> series, positions, grid;
};

CaseGradients gradients_of(const Case& given, const std::vector<double>& cotangents, std::size_t threads = 0) {
  CaseGradients by{given.series, given.positions, given.grid};
  const SampleProblem<double> problem = given.view();
  SampleGradients<double> to{{by.series.data(), given.cases, given.channels, given.time},
                             {by.positions.data(), problem.positions.rows, given.columns}};
  if (!given.grid.empty()) to.grid = {by.grid.data(), problem.grid.rows, given.time};
  under_test::sample_vjp<double>(problem, {cotangents.data(), given.cases, given.channels, given.columns}, to, threads);
  return by;
}

std::vector<double> increasing_grid(std::size_t rows, std::size_t time, unsigned seed) {
  std::vector<double> grid = random_values(rows * time, 0.2, 1, seed);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (i % time != 0) grid[i] += grid[i - 1];
  }
  return grid;
}

TEST(Sample, InterpolatesBetweenNodesAndClampsOutside) {
  const std::vector<double> series = {1, 3, -1};
  EXPECT_EQ(sampled<double>(series, {-7, 0, 0.25, 0.5, 0.625, 1, 1e300}), (std::vector<double>{1, 1, 2, 3, 2, -1, -1}));
  if (!under_test::kHasGrids) return;
  EXPECT_EQ(sampled<double>(series, {-1, 2, 3, 4, 7, 10, 11}, {2, 4, 10}),
            (std::vector<double>{1, 1, 2, 3, 1, -1, -1}));
}

/// As many values as nodes, every third of them missing.
template <class Real>
std::vector<Real> gappy_series(std::size_t time) {
  std::vector<Real> series(time);
  for (std::size_t i = 0; i < time; ++i) {
    series[i] = i % 3 == 1 ? std::numeric_limits<Real>::quiet_NaN() : Real(1) / static_cast<Real>(i + 1);
  }
  return series;
}

template <class Real>
void expect_same_from(std::size_t first, const std::vector<Real>& samples, const std::vector<Real>& series) {
  for (std::size_t i = first; i < series.size(); ++i) {
    if (std::isnan(series[i])) {
      ASSERT_TRUE(std::isnan(samples[i])) << i << " of " << series.size();
    } else {
      ASSERT_EQ(samples[i], series[i]) << i << " of " << series.size();
    }
  }
}

/// Each way to compute equally spaced positions, on the regular and on the same grid given.
template <class Real>
void expect_identity_on_equal_spacing(std::size_t time) {
  const std::vector<Real> series = gappy_series<Real>(time);
  const Real step = Real(1) / static_cast<Real>(time - 1);
  std::vector<Real> divided(time), multiplied(time), reversed(time);
  for (std::size_t i = 0; i < time; ++i) {
    divided[i] = static_cast<Real>(i) / static_cast<Real>(time - 1);
    multiplied[i] = static_cast<Real>(i) * step;
    reversed[i] = Real(1) - static_cast<Real>(time - 1 - i) * step;
  }
  for (const auto& positions : {divided, multiplied}) {
    expect_same_from(0, sampled(series, positions), series);
    if (under_test::kHasGrids) expect_same_from(0, sampled(series, positions, divided), series);
  }
  // Counted from the end, small positions have the rounding errors of numbers near 1; nobody computes them
  // so.
  expect_same_from(time / 2, sampled(series, reversed), series);
  if (under_test::kHasGrids) expect_same_from(time / 2, sampled(series, reversed, divided), series);
}

TEST(Sample, AtEquallySpacedPositionsGivesTheSeriesBackToTheLastBit) {
  for (const std::size_t time : {2u, 3u, 7u, 50u, 99u, 128u, 1000u, 10007u}) {
    expect_identity_on_equal_spacing<float>(time);
    expect_identity_on_equal_spacing<double>(time);
  }
}

TEST(Sample, IsMissingBesideAMissingNeighborUnlessItsWeightIsZero) {
  const auto samples = sampled<double>({1, kMissing, 3, 4, 5}, {0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75});
  EXPECT_EQ(samples[0], 1);
  EXPECT_TRUE(std::isnan(samples[1]) && std::isnan(samples[2]) && std::isnan(samples[3]));
  EXPECT_EQ(samples[4], 3);
  EXPECT_DOUBLE_EQ(samples[5], 3.4);
  EXPECT_EQ(samples[6], 4);
}

TEST(Sample, CountsFourUnitsInTheLastPlaceAsTheNodeAndAThousandAsBeside) {
  std::vector<double> positions(2, 0.25);
  for (int i = 0; i < 4; ++i) positions[0] = std::nextafter(positions[0], 1.0);
  positions[1] += 1000 * std::numeric_limits<double>::epsilon();
  const auto samples = sampled<double>({0, 7, kMissing, 0, 0}, positions);
  EXPECT_EQ(samples[0], 7);
  EXPECT_TRUE(std::isnan(samples[1]));
}

TEST(Sample, StillInterpolatesWhereALongRowExhaustsThePrecision) {
  const std::size_t time = (1u << 22) + 1;  // in float, positions near 1 resolve a quarter of a segment
  std::vector<float> series(time);
  for (std::size_t i = 0; i < time; ++i) series[i] = static_cast<float>(i % 2);
  const float position = (static_cast<float>(time - 3) + 0.25f) / static_cast<float>(time - 1);
  EXPECT_EQ(sampled<float>(series, {position})[0], 0.25f);
}

TEST(Sample, OfASeriesOfOneTimeStepIsConstant) {
  for (const bool with_grid : with_and_without_grid()) {
    const std::vector<double> grid(with_grid ? 1 : 0, 0.3);
    EXPECT_EQ(sampled<double>({5}, {-1, 0, 0.3, 1, 2}, grid), std::vector<double>(5, 5.0));
    const CaseGradients by = gradients_of({1, 1, 1, 3, {5}, {-1, 0.3, 2}, grid}, {1, 2, 4});
    EXPECT_EQ(by.series, std::vector<double>{7});
    EXPECT_EQ(by.positions, std::vector<double>(3, 0.0));
    EXPECT_EQ(by.grid, std::vector<double>(grid.size(), 0.0));
  }
}

TEST(Sample, OfAConstantSeriesIsConstantToTheLastBit) {
  for (const double value : sampled(std::vector<double>(37, 0.1), random_values(1000, -0.1, 1.1, 5))) {
    ASSERT_EQ(value, 0.1);
  }
}

TEST(Sample, TakesPositionsAndGridsSharedOrPerCase) {
  const std::vector<double> series = random_values(2 * 2 * 4, -1, 1, 1);
  const std::vector<double> grids = increasing_grid(2, 4, 2);
  const std::vector<double> positions = random_values(2 * 5, 0, 3, 3);
  const auto part = [](const std::vector<double>& from, std::size_t first, std::size_t count) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  for (const bool shared_positions : {false, true}) {
    for (const std::size_t grid_rows :
         under_test::kHasGrids ? std::vector<std::size_t>{0, 1, 2} : std::vector<std::size_t>{0}) {
      Case both{2, 2, 4, 5, series, positions, part(grids, 0, grid_rows * 4)};
      if (shared_positions) both.positions.resize(5);
      const auto samples = both.samples();
      for (std::size_t row = 0; row < 4; ++row) {
        const std::size_t item = row / 2;
        const std::vector<double> grid = part(grids, grid_rows == 2 ? item * 4 : 0, grid_rows == 0 ? 0 : 4);
        const std::vector<double> own_positions = part(positions, shared_positions ? 0 : item * 5, 5);
        EXPECT_EQ(part(samples, row * 5, 5), sampled<double>(part(series, row * 4, 4), own_positions, grid));
      }
    }
  }
}

/// Positions away from nodes, where the samples are smooth, and some beyond the ends.
Case smooth_case(bool with_grid, bool shared, unsigned seed) {
  Case given{3, 2, 6, 9, random_values(3 * 2 * 6, -1, 1, seed), {}, {}};
  if (with_grid) given.grid = increasing_grid(shared ? 1 : 3, 6, seed + 1);
  const auto fractions = random_values((shared ? 1 : 3) * 9, 0.1, 0.9, seed + 2);
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    const std::size_t left = i % 5;
    const double* nodes = with_grid ? given.grid.data() + i / 9 * 6 : nullptr;
    const double inside = with_grid ? nodes[left] + fractions[i] * (nodes[left + 1] - nodes[left])
                                    : (static_cast<double>(left) + fractions[i]) / 5;
    given.positions.push_back(i % 9 == 7 ? -0.3 : i % 9 == 8 ? 99.0 : inside);
  }
  return given;
}

TEST(SampleVjp, AgreesWithDifferences) {
  unsigned seed = 10;
  for (const bool with_grid : with_and_without_grid()) {
    for (const bool shared : {false, true}) {
      Case given = smooth_case(with_grid, shared, seed += 10);
      const auto cotangents = random_values(3 * 2 * 9, -1, 1, seed + 5);
      const auto by = gradients_of(given, cotangents);
      const auto loss = [&] { return weighted_sum(cotangents, given.samples()); };
      expect_like_differences(by.series, differences(given.series, loss));
      expect_like_differences(by.positions, differences(given.positions, loss));
      expect_like_differences(by.grid, differences(given.grid, loss));
    }
  }
}

TEST(SampleVjp, AtANodeIsDecidedByTheSegmentOnTheRightAndByTheLeftOneAtTheEnd) {
  const Case given{1, 1, 3, 4, {0, 1, 5}, {0, 0.5, 1, 1.5}, {}};
  EXPECT_EQ(gradients_of(given, {1, 1, 1, 1}).positions, (std::vector<double>{2, 8, 8, 0}));
  if (!under_test::kHasGrids) return;
  const Case gridded{1, 1, 3, 3, {0, 1, 5}, {0, 1, 3}, {0, 1, 3}};
  const auto by = gradients_of(gridded, {1, 10, 100});
  EXPECT_EQ(by.positions, (std::vector<double>{1, 20, 200}));
  EXPECT_EQ(by.grid, (std::vector<double>{-1, -20, -200}));
  EXPECT_EQ(by.series, (std::vector<double>{1, 10, 100}));
}

TEST(SampleVjp, PassesNothingThroughMissingValuesAndIsNeverNaN) {
  const Case given{1, 1, 4, 4, {2, kMissing, 4, 5}, {0, 0.2, 1.0 / 3, 0.9}, {}};
  const auto by = gradients_of(given, {1, kMissing, kMissing, 1});
  EXPECT_EQ(by.positions[0], 0);  // the node counts, its missing neighbor leaves no slope
  EXPECT_EQ(by.positions[1], 0);
  EXPECT_EQ(by.positions[2], 0);
  EXPECT_NEAR(by.positions[3], 3, 1e-14);
  EXPECT_EQ(by.series[0], 1);
  EXPECT_EQ(by.series[1], 0);
  EXPECT_NEAR(by.series[2], 0.3, 1e-14);
  EXPECT_NEAR(by.series[3], 0.7, 1e-14);
}

TEST(SampleVjp, GivesTheSameBitsForAnyNumberOfThreads) {
  Case given{301, 2, 40, 50, random_values(301 * 2 * 40, -1, 1, 1), random_values(50, 0, 1, 2), {}};
  for (const bool with_grid : with_and_without_grid()) {
    if (with_grid) given.grid = testing::equally_spaced(40);
    const auto cotangents = random_values(301 * 2 * 50, -1, 1, 3);
    const auto expected = gradients_of(given, cotangents, 1);
    const auto samples = given.samples(1);
    for (const std::size_t threads : {2u, 5u, 16u}) {
      EXPECT_EQ(given.samples(threads), samples);
      const auto by = gradients_of(given, cotangents, threads);
      EXPECT_EQ(by.series, expected.series);
      EXPECT_EQ(by.positions, expected.positions);
      EXPECT_EQ(by.grid, expected.grid);
    }
  }
}

TEST(SampleVjp, InFloatIsThatInDoubleRounded) {
  const std::vector<float> series = {0.5f, 2.0f, -1.0f};
  const std::vector<float> positions = {0.25f, 0.75f};
  const std::vector<float> cotangents = {1.0f, 2.0f};
  std::vector<float> by_series(3), by_positions(2);
  under_test::sample_vjp<float>({{series.data(), 1, 1, 3}, std::span(positions)}, {cotangents.data(), 1, 1, 2},
                                {{by_series.data(), 1, 1, 3}, std::span(by_positions)});
  EXPECT_EQ(by_series, (std::vector<float>{0.5f, 1.5f, 1.0f}));
  EXPECT_EQ(by_positions, (std::vector<float>{3.0f, -12.0f}));
}

TEST(Sample, OfNothingIsNothing) {
  EXPECT_TRUE(sampled<double>({1, 2}, {}).empty());
  under_test::sample<double>({{nullptr, 0, 1, 5}, {nullptr, 1, 0}}, {nullptr, 0, 1, 0});
}

#if !defined(DIFFEO_TEST_KERNELS)  // kernels have rows of their own, and refuse nothing

TEST(SampleRow, DoesInIndexCoordinatesWhatSampleDoes) {
  const auto series = random_values(17, -1, 1, 1);
  const auto positions = random_values(200, -0.2, 1.2, 2);
  const auto cotangents = random_values(200, -1, 1, 3);
  std::vector<double> u;
  for (const double position : positions) u.push_back(position * 16);
  std::vector<double> samples(200), by_value(17, 1.0), by_u(200, 1.0);
  std::vector<interpolation::Location<double>> locations(200);
  interpolation::locate_row<double>(u, 17, locations.data());
  interpolation::sample_row<double>(series.data(), locations, samples.data());
  interpolation::sample_row_vjp<double>(series, locations, cotangents.data(), by_value.data(), by_u.data());
  EXPECT_EQ(samples, sampled(series, positions));
  const auto by = gradients_of({1, 1, 17, 200, series, positions, {}}, cotangents);
  constexpr double kTolerance = 200 * 4 * std::numeric_limits<double>::epsilon();  // as many additions, from 1 not 0
  for (std::size_t i = 0; i < 17; ++i) EXPECT_NEAR(by_value[i] - 1, by.series[i], kTolerance);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_NEAR((by_u[i] - 1) * 16, by.positions[i], kTolerance);
}

TEST(Sample, RefusesPositionsThatAreNotFinite) {
  EXPECT_THROW(sampled<double>({1, 2}, {0.5, kMissing}), std::invalid_argument);
  EXPECT_THROW(sampled<double>({1, 2}, {std::numeric_limits<double>::infinity()}), std::invalid_argument);
}

TEST(Sample, SaysWhereAGridDoesNotIncrease) {
  try {
    (void)sampled<double>({1, 2, 3, 4}, {0.5}, {0, 1, 1, 2});
    FAIL() << "expected an error";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("got 1 then 1 at 1 of row 0"), std::string::npos) << error.what();
  }
  EXPECT_THROW(sampled<double>({1, 2}, {0.5}, {0, kMissing}), std::invalid_argument);
}

TEST(Sample, RefusesShapesThatDoNotFit) {
  const std::vector<double> some(12, 0.0);
  std::vector<double> out(12);
  const auto call = [&](Series<const double> series, Rows<const double> positions, Rows<const double> grid,
                        Series<double> samples) {
    sample<double>({series, positions, grid}, samples);
  };
  const double* data = some.data();
  EXPECT_THROW(call({data, 2, 1, 0}, {data, 1, 3}, {}, {out.data(), 2, 1, 3}), std::invalid_argument);
  EXPECT_THROW(call({data, 3, 1, 2}, {data, 2, 3}, {}, {out.data(), 3, 1, 3}), std::invalid_argument);
  EXPECT_THROW(call({data, 2, 1, 2}, {data, 2, 3}, {}, {out.data(), 2, 1, 4}), std::invalid_argument);
  EXPECT_THROW(call({data, 2, 1, 2}, {data, 2, 3}, {data, 1, 3}, {out.data(), 2, 1, 3}), std::invalid_argument);
  EXPECT_THROW(sample_vjp<double>({{data, 2, 1, 2}, {data, 1, 3}}, {data, 2, 1, 3}, {{}, {}, {out.data(), 1, 2}}),
               std::invalid_argument);
  EXPECT_THROW(sample_vjp<double>({{data, 2, 1, 2}, {data, 1, 3}}, {data, 2, 1, 2}, {}), std::invalid_argument);
}

#endif

}  // namespace sample_test
}  // namespace diffeo
