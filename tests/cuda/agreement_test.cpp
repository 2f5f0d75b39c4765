// The kernels compute what the library computes: the same positions and log-slopes to the last bit, gradients to
// rounding.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "core/kernels/kernel_set.hpp"
#include "diffeo/random.hpp"
#include "support/random_fields.hpp"
#include "support/under_test.hpp"

namespace diffeo {
namespace agreement_test {

using testing::RandomField;

constexpr std::uint64_t kSeed = 11;
constexpr int kFields = 300;
// Roundings of a sum of a few hundred terms in another order, each of which is right to a few.
constexpr double kSumRoundings = 512;

template <class Real>
constexpr double kUnit = std::numeric_limits<Real>::epsilon() / 2;

/// Whether the library multiplies and adds in one rounding, as a GPU does.
template <class Real>
bool library_fuses() {
  return std::string_view(kernels::best_kernels<Real>().name) != "baseline";
}

/// The same bits where nothing stands in the way, otherwise the same number to a few roundings; NaN is NaN.
template <class Real>
void expect_same(const std::vector<Real>& kernels, const std::vector<Real>& library, double size) {
  ASSERT_EQ(kernels.size(), library.size());
  const bool same_bits = library_fuses<Real>() && under_test::kHasTheSameLogarithms;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto got = static_cast<double>(kernels[i]), wanted = static_cast<double>(library[i]);
    if (std::isnan(wanted) ? std::isnan(got) : got == wanted) continue;
    EXPECT_FALSE(same_bits) << i << ": " << got << ", the library has " << wanted;
    EXPECT_NEAR(got, wanted, 256 * kUnit<Real> * (size + std::fabs(wanted))) << i;
  }
}

template <class Sum>
double largest_of(const std::vector<Sum>& sums) {
  double largest = 0;
  for (const Sum value : sums) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  return largest;
}

/// Sums of numbers in the precision Real; the sums themselves may have another. Those whose terms cancel are less
/// certain: `size` is that of others that are made of such terms.
template <class Real, class Sum>
void expect_near(const std::vector<Sum>& kernels, const std::vector<Sum>& library, double size = 0) {
  ASSERT_EQ(kernels.size(), library.size());
  const double largest = std::max(size, largest_of(library));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto got = static_cast<double>(kernels[i]), wanted = static_cast<double>(library[i]);
    EXPECT_NEAR(got, wanted, kSumRoundings * kUnit<Real> * largest) << i;
  }
}

template <class Real>
std::vector<Real> normal_numbers(Random& random, std::size_t count, double size = 1) {
  std::vector<Real> numbers(count);
  for (Real& value : numbers) value = static_cast<Real>(size * random.normal());
  return numbers;
}

/// By one vector function of velocities, points, time and domain, and by the other.
template <class Real, class Kernels, class Library>
void expect_the_librarys_values(const Kernels& kernels, const Library& library) {
  Random random(kSeed);
  for (int i = 0; i < kFields; ++i) {
    const RandomField field = testing::random_field(random);
    const std::vector<double> wanted = testing::random_points(random, field, 300);
    const std::vector<Real> velocities(field.velocities.begin(), field.velocities.end());
    std::vector<Real> points(wanted.begin(), wanted.end());
    if (i % 3 == 0) std::swap(points.front(), points.back());
    expect_same(kernels(velocities, points, field.time, field.domain),
                library(velocities, points, field.time, field.domain),
                std::fabs(field.domain.lower) + std::fabs(field.domain.upper));
    if (::testing::Test::HasFailure()) FAIL() << "seed " << kSeed << ", field " << i;
  }
}

template <class Real>
void expect_the_librarys_positions() {
  expect_the_librarys_values<Real>([](const auto&... arguments) { return under_test::flow<Real>(arguments...); },
                                   [](const auto&... arguments) { return diffeo::flow<Real>(arguments...); });
}
TEST(KernelAgreement, PositionsAreTheLibrarysInFloat) { expect_the_librarys_positions<float>(); }
TEST(KernelAgreement, PositionsAreTheLibrarysInDouble) { expect_the_librarys_positions<double>(); }

template <class Real>
void expect_the_librarys_log_slopes() {
  expect_the_librarys_values<Real>(
      [](const auto&... arguments) { return under_test::flow_log_slope<Real>(arguments...); },
      [](const auto&... arguments) { return diffeo::flow_log_slope<Real>(arguments...); });
}
TEST(KernelAgreement, LogSlopesAreTheLibrarysInFloat) { expect_the_librarys_log_slopes<float>(); }
TEST(KernelAgreement, LogSlopesAreTheLibrarysInDouble) { expect_the_librarys_log_slopes<double>(); }

/// A batch of fields as training sees them, in which points meet all kinds of pieces.
template <class Real>
struct FlowBatch {
  std::size_t rows, cells, points;
  std::vector<Real> velocities, point_rows, cotangents;
  std::vector<double> times;

  FlowBatch(std::size_t row_count, std::size_t cell_count, std::size_t point_count, bool sorted, std::uint64_t seed)
      : rows(row_count), cells(cell_count), points(point_count) {
    Random random(seed);
    velocities = normal_numbers<Real>(random, rows * (cells + 1), 0.4);
    point_rows.resize(rows * points);
    for (std::size_t i = 0; i < point_rows.size(); ++i) {
      const double place = sorted ? static_cast<double>(i % points) / static_cast<double>(points) : random.uniform();
      point_rows[i] = static_cast<Real>(1.2 * place - 0.1);
    }
    cotangents = normal_numbers<Real>(random, rows * points);
    for (std::size_t i = 0; i < rows; ++i) times.push_back(random.normal());
  }
  [[nodiscard]] FlowProblem<Real> problem(bool shared) const {
    return {.velocities = {velocities.data(), rows, cells + 1},
            .points = {point_rows.data(), shared ? 1 : rows, points},
            .times = std::span(times).first(shared ? 1 : rows)};
  }
};

template <class Real>
struct FlowResult {
  std::vector<Real> velocities, points;
  std::vector<double> times;

  template <class Vjp>
  FlowResult(const FlowBatch<Real>& batch, bool shared, const Vjp& vjp)
      : velocities(batch.velocities.size()),
        points(shared ? batch.points : batch.rows * batch.points),
        times(shared ? 1 : batch.rows) {
    vjp(batch.problem(shared), Rows<const Real>(batch.cotangents.data(), batch.rows, batch.points),
        FlowGradients<Real>{.velocities = {velocities.data(), batch.rows, batch.cells + 1},
                            .points = {points.data(), shared ? 1 : batch.rows, batch.points},
                            .times = times});
  }
};

/// By one product of a problem, cotangents and gradients, and by the other.
template <class Real, class Kernels, class Library>
void expect_the_librarys_products(const Kernels& by_kernels, const Library& by_library) {
  for (const bool shared : {false, true}) {
    for (const bool sorted : {false, true}) {
      // Points for several parts of a field, and fields for several passes.
      const FlowBatch<Real> batch(5, 12, 9000, sorted, kSeed);
      const FlowResult<Real> kernels(batch, shared, by_kernels);
      const FlowResult<Real> library(batch, shared, by_library);
      expect_near<Real>(kernels.velocities, library.velocities);
      expect_near<Real>(kernels.times, library.times);
      expect_near<Real>(kernels.points, library.points);
    }
  }
}

template <class Real>
void expect_the_librarys_gradients() {
  expect_the_librarys_products<Real>([](const auto&... arguments) { under_test::flow_vjp<Real>(arguments..., 2); },
                                     [](const auto&... arguments) { diffeo::flow_vjp<Real>(arguments..., 1); });
}
TEST(KernelAgreement, GradientsAreTheLibrarysInFloat) { expect_the_librarys_gradients<float>(); }
TEST(KernelAgreement, GradientsAreTheLibrarysInDouble) { expect_the_librarys_gradients<double>(); }

template <class Real>
void expect_the_librarys_log_slope_gradients() {
  expect_the_librarys_products<Real>(
      [](const auto&... arguments) { under_test::flow_log_slope_vjp<Real>(arguments..., 2); },
      [](const auto&... arguments) { diffeo::flow_log_slope_vjp<Real>(arguments..., 1); });
}
TEST(KernelAgreement, LogSlopeGradientsAreTheLibrarysInFloat) { expect_the_librarys_log_slope_gradients<float>(); }
TEST(KernelAgreement, LogSlopeGradientsAreTheLibrarysInDouble) { expect_the_librarys_log_slope_gradients<double>(); }

struct SeriesShape {
  std::size_t cases = 7, channels = 2, time = 150, length = 333;
};

/// Series with gaps.
template <class Real>
struct SeriesBatch : SeriesShape {
  static constexpr std::size_t cells = 9;
  std::vector<Real> series, velocities, cotangents, positions;
  std::vector<double> times;

  explicit SeriesBatch(std::uint64_t seed, const SeriesShape& shape = {}) : SeriesShape(shape) {
    Random random(seed);
    series = normal_numbers<Real>(random, cases * channels * time);
    for (Real& value : series) value = random.uniform() < 0.05 ? std::numeric_limits<Real>::quiet_NaN() : value;
    velocities = normal_numbers<Real>(random, cases * (cells + 1), 0.3);
    cotangents = normal_numbers<Real>(random, cases * channels * length);
    for (std::size_t i = 0; i < cases * length; ++i) {
      positions.push_back(static_cast<Real>(1.2 * random.uniform() - 0.1));
    }
    for (std::size_t i = 0; i < cases; ++i) times.push_back(random.normal());
  }
  [[nodiscard]] Series<const Real> block() const { return {series.data(), cases, channels, time}; }
  [[nodiscard]] Series<const Real> weights() const { return {cotangents.data(), cases, channels, length}; }
  [[nodiscard]] WarpProblem<Real> warp_problem(bool shared) const {
    return {.series = block(),
            .velocities = {velocities.data(), shared ? 1 : cases, cells + 1},
            .times = std::span(times).first(shared ? 1 : cases)};
  }
  [[nodiscard]] SampleProblem<Real> sample_problem(bool shared) const {
    return {.series = block(), .positions = {positions.data(), shared ? 1 : cases, length}};
  }
};

template <class Real>
struct WarpResult {
  std::vector<Real> warped, series, velocities;
  std::vector<double> times;

  template <class Warp, class Vjp>
  WarpResult(const SeriesBatch<Real>& batch, bool shared, const Warp& warp, const Vjp& vjp)
      : warped(batch.cotangents.size()),
        series(batch.series.size()),
        velocities((shared ? 1 : batch.cases) * (batch.cells + 1)),
        times(shared ? 1 : batch.cases) {
    warp(batch.warp_problem(shared), Series<Real>(warped.data(), batch.cases, batch.channels, batch.length));
    vjp(batch.warp_problem(shared), batch.weights(),
        WarpGradients<Real>{.series = {series.data(), batch.cases, batch.channels, batch.time},
                            .velocities = {velocities.data(), shared ? 1 : batch.cases, batch.cells + 1},
                            .times = times});
  }
};

/// What a gradient by time is measured by. A flow knows only time * velocities, so it is a sum of what comes by
/// velocities; over millions of steps, of which most cancel, these say how large the terms were, and the sum does not.
enum class TimesAreMeasuredBy { kThemselves, kVelocities };

template <class Real>
void expect_the_librarys_warps(const SeriesBatch<Real>& batch, bool shared,
                               TimesAreMeasuredBy measure = TimesAreMeasuredBy::kThemselves) {
  const WarpResult<Real> kernels(
      batch, shared, [](const auto&... arguments) { under_test::warp<Real>(arguments..., 2); },
      [](const auto&... arguments) { under_test::warp_vjp<Real>(arguments..., 2); });
  const WarpResult<Real> library(
      batch, shared, [](const auto&... arguments) { diffeo::warp<Real>(arguments..., 1); },
      [](const auto&... arguments) { diffeo::warp_vjp<Real>(arguments..., 1); });
  expect_same(kernels.warped, library.warped, static_cast<double>(batch.time));
  expect_same(kernels.series, library.series, static_cast<double>(batch.time));
  expect_near<Real>(kernels.velocities, library.velocities);
  const bool cancel = measure == TimesAreMeasuredBy::kVelocities;
  expect_near<Real>(kernels.times, library.times, cancel ? largest_of(library.velocities) : 0.0);
}

template <class Real>
void expect_the_librarys_warps() {
  for (const bool shared : {false, true}) {
    for (const std::size_t steps : {1u, 2u, 150u}) {
      expect_the_librarys_warps(SeriesBatch<Real>(kSeed, {.time = steps}), shared);
    }
  }
}
TEST(KernelAgreement, WarpsAreTheLibrarysInFloat) { expect_the_librarys_warps<float>(); }
TEST(KernelAgreement, WarpsAreTheLibrarysInDouble) { expect_the_librarys_warps<double>(); }

template <class Real>
struct SampleResult {
  std::vector<Real> samples, series, positions;

  template <class Sample, class Vjp>
  SampleResult(const SeriesBatch<Real>& batch, bool shared, const Sample& sample, const Vjp& vjp)
      : samples(batch.cotangents.size()),
        series(batch.series.size()),
        positions((shared ? 1 : batch.cases) * batch.length) {
    sample(batch.sample_problem(shared), Series<Real>(samples.data(), batch.cases, batch.channels, batch.length));
    vjp(batch.sample_problem(shared), batch.weights(),
        SampleGradients<Real>{.series = {series.data(), batch.cases, batch.channels, batch.time},
                              .positions = {positions.data(), shared ? 1 : batch.cases, batch.length}});
  }
};

template <class Real>
void expect_the_librarys_samples(const SeriesBatch<Real>& batch, bool shared) {
  const SampleResult<Real> kernels(
      batch, shared, [](const auto&... arguments) { under_test::sample<Real>(arguments..., 2); },
      [](const auto&... arguments) { under_test::sample_vjp<Real>(arguments..., 2); });
  const SampleResult<Real> library(
      batch, shared, [](const auto&... arguments) { diffeo::sample<Real>(arguments..., 1); },
      [](const auto&... arguments) { diffeo::sample_vjp<Real>(arguments..., 1); });
  EXPECT_EQ(std::memcmp(kernels.samples.data(), library.samples.data(), kernels.samples.size() * sizeof(Real)), 0);
  EXPECT_EQ(kernels.series, library.series);
  expect_near<Real>(kernels.positions, library.positions);
}
TEST(KernelAgreement, SamplesAreTheLibrarysInAnyOrderOfPositions) {
  for (const bool shared : {false, true}) expect_the_librarys_samples(SeriesBatch<double>(kSeed), shared);
}

TEST(Kernels, GiveTheSameBitsEveryTime) {
  const FlowBatch<float> batch(6, 20, 3000, false, kSeed);
  const SeriesBatch<float> series(kSeed);
  const auto flow = [&](std::size_t threads) {
    return FlowResult<float>(batch, true,
                             [&](const auto&... arguments) { under_test::flow_vjp<float>(arguments..., threads); });
  };
  const auto warp = [&](std::size_t threads) {
    return WarpResult<float>(
        series, true, [&](const auto&... arguments) { under_test::warp<float>(arguments..., threads); },
        [&](const auto&... arguments) { under_test::warp_vjp<float>(arguments..., threads); });
  };
  const FlowResult<float> once = flow(1);
  const WarpResult<float> warped_once = warp(1);
  for (const std::size_t threads : {2u, 3u, 4u}) {
    const FlowResult<float> again = flow(threads);
    EXPECT_EQ(once.velocities, again.velocities);
    EXPECT_EQ(once.points, again.points);
    EXPECT_EQ(once.times, again.times);
    const WarpResult<float> warped_again = warp(threads);
    EXPECT_EQ(warped_once.series, warped_again.series);
    EXPECT_EQ(warped_once.velocities, warped_again.velocities);
    EXPECT_EQ(warped_once.times, warped_again.times);
  }
}

TEST(Kernels, KeepNumbersThatAreNotFiniteToTheirOwnFields) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  FlowBatch<double> batch(6, 5, 40, true, kSeed);
  const FlowBatch<double> whole = batch;
  batch.velocities[6 + 2] = kNan;            // field 1
  batch.velocities[2 * 6] = -kInfinite;      // field 2
  batch.times[3] = kNan;                     // field 3
  batch.point_rows[4 * 40 + 7] = kInfinite;  // field 4
  std::vector<double> positions(6 * 40), expected(6 * 40);
  under_test::flow<double>(batch.problem(false), {positions.data(), 6, 40}, 1);
  under_test::flow<double>(whole.problem(false), {expected.data(), 6, 40}, 1);
  const auto vjp = [](const auto&... arguments) { under_test::flow_vjp<double>(arguments..., 1); };
  const FlowResult<double> gradients(batch, false, vjp), wanted(whole, false, vjp);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const bool broken = (i >= 40 && i < 160) || i == 4 * 40 + 7;
    EXPECT_TRUE(broken ? std::isnan(positions[i]) : positions[i] == expected[i]) << i;
    EXPECT_TRUE(broken ? std::isnan(gradients.points[i]) : gradients.points[i] == wanted.points[i]) << i;
  }
  for (std::size_t field = 0; field < 6; ++field) {
    const bool broken = field >= 1 && field <= 3;
    if (field == 4) continue;  // one of its points is broken, and with it the sums that it belongs to
    EXPECT_TRUE(broken ? std::isnan(gradients.times[field]) : gradients.times[field] == wanted.times[field]) << field;
    for (std::size_t j = 0; j < 6; ++j) {
      const double got = gradients.velocities[6 * field + j];
      EXPECT_TRUE(broken ? std::isnan(got) : got == wanted.velocities[6 * field + j]) << field;
    }
  }
}

TEST(Kernels, ReadNaNWhereAWarpIsNotFiniteAndPassNothingOn) {
  SeriesBatch<double> batch(kSeed);
  batch.velocities[3] = std::numeric_limits<double>::quiet_NaN();  // case 0
  const WarpResult<double> result(
      batch, false, [](const auto&... arguments) { under_test::warp<double>(arguments..., 1); },
      [](const auto&... arguments) { under_test::warp_vjp<double>(arguments..., 1); });
  const std::size_t values = batch.channels * batch.length, steps = batch.channels * batch.time;
  for (std::size_t i = 0; i < values; ++i) EXPECT_TRUE(std::isnan(result.warped[i]));
  for (std::size_t i = 0; i < steps; ++i) EXPECT_EQ(result.series[i], 0.0);
  for (std::size_t i = steps; i < result.series.size(); ++i) EXPECT_TRUE(std::isfinite(result.series[i]));
}

TEST(Kernels, TakeBatchesOfNothing) {
  const std::vector<double> velocities(6), none;
  const double time = 1;
  std::vector<double> gradient(6, 7.0), points = {0.5}, by_point = {7.0};
  under_test::flow_vjp<double>({.velocities = std::span(velocities), .points = std::span(none), .times = {&time, 1}},
                               std::span(none), {.velocities = std::span(gradient)}, 1);
  EXPECT_EQ(gradient, std::vector<double>(6, 0.0));
  under_test::flow_vjp<double>(
      {.velocities = {velocities.data(), 0, 6}, .points = std::span(std::as_const(points)), .times = {&time, 1}},
      {none.data(), 0, 1}, {.points = std::span(by_point)}, 1);
  EXPECT_EQ(by_point[0], 0.0);
}

TEST(Kernels, WriteNoGradientByTimeWhereNoneIsWanted) {
  const FlowBatch<double> batch(2, 3, 10, true, kSeed);
  std::vector<double> velocities(batch.velocities.size()), times(2, 7.0);
  under_test::flow_vjp<double>(batch.problem(false), {batch.cotangents.data(), 2, 10},
                               {.velocities = {velocities.data(), 2, 4}, .times = std::span(times).first(0)}, 1);
  EXPECT_EQ(times, std::vector<double>(2, 7.0));
}

// The largest sizes that are promised (docs/guide/gpu.md); under sanitizers, where all takes many times longer, fewer.
#ifdef DIFFEO_SANITIZED
constexpr std::size_t kMostFields = 20'000;
constexpr std::size_t kMostPoints = 200'000;
#else
constexpr std::size_t kMostFields = 1'000'000;
constexpr std::size_t kMostPoints = 10'000'000;
#endif
constexpr std::size_t kMostCells = 4096;

void expect_the_librarys_flow(std::size_t fields, std::size_t cells, std::size_t points) {
  const FlowBatch<float> batch(fields, cells, points, true, kSeed);
  std::vector<float> positions(fields * points), expected(positions.size());
  under_test::flow<float>(batch.problem(false), {positions.data(), fields, points}, 1);
  diffeo::flow<float>(batch.problem(false), {expected.data(), fields, points}, 1);
  expect_same(positions, expected, 1);
  const FlowResult<float> kernels(batch, false,
                                  [](const auto&... arguments) { under_test::flow_vjp<float>(arguments..., 1); });
  const FlowResult<float> library(batch, false,
                                  [](const auto&... arguments) { diffeo::flow_vjp<float>(arguments..., 1); });
  expect_near<float>(kernels.velocities, library.velocities);
}
TEST(Kernels, TakeAMillionFields) { expect_the_librarys_flow(kMostFields, 1, 1); }
TEST(Kernels, TakeThousandsOfCells) { expect_the_librarys_flow(2, kMostCells, 3000); }
TEST(Kernels, TakeTenMillionPoints) { expect_the_librarys_flow(1, 3, kMostPoints); }

TEST(Kernels, TakeAMillionSeries) {
  expect_the_librarys_samples(SeriesBatch<float>(kSeed, {.cases = kMostFields, .channels = 1, .time = 2, .length = 1}),
                              false);
}

TEST(Kernels, TakeTenMillionSteps) {
  const auto expect = [](std::size_t steps, std::size_t length) {
    expect_the_librarys_warps(SeriesBatch<double>(kSeed, {.cases = 1, .channels = 1, .time = steps, .length = length}),
                              false, TimesAreMeasuredBy::kVelocities);
  };
  expect(kMostPoints, 8);
  expect(8, kMostPoints);
}

}  // namespace agreement_test
}  // namespace diffeo
