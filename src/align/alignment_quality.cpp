#include "diffeo/alignment_quality.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/equally_spaced.hpp"
#include "diffeo/error.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/matrix.hpp"
#include "diffeo/sample.hpp"
#include "diffeo/warp.hpp"

namespace diffeo {
namespace {

constexpr std::size_t kErrorPoints = 201;
constexpr double kNothingToMeasure = std::numeric_limits<double>::quiet_NaN();

/// The points at which warps are compared, carried along `velocities` for `time`.
std::vector<double> carried(std::span<const double> velocities, std::span<const double> points, double time) {
  std::vector<double> positions(points.size());
  const std::array times{time};
  flow<double>({.velocities = velocities, .points = points, .times = times}, std::span(positions), 1);
  return positions;
}

constexpr double kFailure = 0.05;  // of the duration
constexpr double kPercentile = 0.95;

/// Row i: W_i at the positions of row i (or of the only row), linear between the points at which W_i is known.
Matrix true_times(Rows<const double> truth, Rows<const double> positions) {
  Matrix times(truth.rows, positions.columns);
  for (std::size_t item = 0; item < truth.rows; ++item) {
    sample<double>({{truth.data + item * truth.columns, 1, 1, truth.columns}, positions.row(item)},
                   {times.values().data() + item * times.columns(), 1, 1, times.columns()});
  }
  return times;
}

/// Row i: |C_i - mean C|.
Matrix deviations_from_the_mean(Matrix times) {
  for (std::size_t j = 0; j < times.columns(); ++j) {
    double mean = 0.0;
    for (std::size_t item = 0; item < times.rows(); ++item) mean += times(item, j);
    mean /= static_cast<double>(times.rows());
    for (std::size_t item = 0; item < times.rows(); ++item) times(item, j) = std::fabs(times(item, j) - mean);
  }
  return times;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The smallest value that at least this share of the values do not exceed.
double percentile_of(std::span<const double> values, double share) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  const auto wanted = sorted.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(sorted.begin(), wanted, sorted.end());
  return *wanted;
}

double share_of_failures(const Matrix& deviations) {
  std::size_t failed = 0;
  for (std::size_t item = 0; item < deviations.rows(); ++item) failed += mean_of(deviations.row(item)) > kFailure;
  return static_cast<double>(failed) / static_cast<double>(deviations.rows());
}

bool any_infinite(std::span<const double> values) {
  return std::ranges::any_of(values, [](double value) { return std::isinf(value); });
}
bool any_infinite(const Dataset& series) {
  for (std::size_t item = 0; item < series.cases(); ++item) {
    if (any_infinite(series.series(item).values())) return true;
  }
  return false;
}

void require_positions(const char* name, Rows<const double> positions) {
  require(positions.rows > 0 && positions.columns >= 2, name, ": expected at least 1 row of at least 2 points, got ",
          positions.rows, " of ", positions.columns);
  for (const double position : positions.values()) {
    require(std::isfinite(position), name, ": expected finite positions, got ", position);
  }
}

}  // namespace

std::vector<double> mean_series(const Dataset& aligned) {
  const Series<const double> block = aligned.block();
  const std::size_t size = block.channels * block.time;
  std::vector<double> mean(size, 0.0);
  std::vector<double> present(size, 0.0);
  for (std::size_t item = 0; item < block.cases; ++item) {
    const double* values = block.data + item * size;
    for (std::size_t index = 0; index < size; ++index) {
      if (std::isnan(values[index])) continue;
      present[index] += 1.0;
      mean[index] += values[index];
    }
  }
  for (std::size_t index = 0; index < size; ++index) mean[index] /= present[index];  // 0 / 0: missing
  return mean;
}

std::vector<double> variance_series(const Dataset& aligned) {
  const std::vector<double> mean = mean_series(aligned);
  std::vector<double> squares(mean.size(), 0.0);
  std::vector<double> present(mean.size(), 0.0);
  for (std::size_t item = 0; item < aligned.cases(); ++item) {
    const std::span<const double> values = aligned.series(item).values();
    for (std::size_t index = 0; index < mean.size(); ++index) {
      if (std::isnan(values[index])) continue;
      present[index] += 1.0;
      squares[index] += (values[index] - mean[index]) * (values[index] - mean[index]);
    }
  }
  for (std::size_t index = 0; index < mean.size(); ++index) squares[index] /= present[index];  // 0 / 0: missing
  return squares;
}

double within_variance(const Dataset& aligned) {
  double sum = 0.0;
  bool found = false;
  for (const double variance : variance_series(aligned)) {
    if (std::isnan(variance)) continue;
    sum += variance;
    found = true;
  }
  return found && !any_infinite(aligned) ? sum : kNothingToMeasure;
}

double inverse_consistent_error(const Dataset& series, Rows<const double> velocities, SeriesView<const double> mean) {
  require(mean.channels == series.channels(), "mean: expected ", series.channels(), " channels, got ", mean.channels);
  require(velocities.rows == series.cases(), "velocities: expected a row per case, ", series.cases(), ", got ",
          velocities.rows);
  const std::array inverse{-1.0};
  double sum = 0.0;
  bool found = false;
  for (std::size_t item = 0; item < series.cases(); ++item) {
    const SeriesView<const double> own = series.series(item);
    std::vector<double> back(own.size());
    warp<double>({.series = {mean.data, 1, mean.channels, mean.length},
                  .velocities = Rows<const double>(velocities.row(item)),
                  .times = inverse},
                 {back.data(), 1, own.channels, own.length}, 1);
    for (std::size_t index = 0; index < back.size(); ++index) {
      const double error = back[index] - own.data[index];
      if (std::isnan(error)) continue;
      sum += error * error;
      found = true;
    }
  }
  const bool is_measured = found && !any_infinite(series) && !any_infinite(mean.values());
  return is_measured ? sum / static_cast<double>(series.cases()) : kNothingToMeasure;
}

double relative_warp_error(Rows<const double> estimated, Rows<const double> truth) {
  require(estimated.rows == truth.rows, "estimated: expected ", truth.rows, " rows as the truth has, got ",
          estimated.rows);
  const std::vector<double> grid = equally_spaced(kErrorPoints);
  double sum = 0.0;
  std::size_t compared = 0;
  for (std::size_t target = 0; target < truth.rows; ++target) {
    const std::vector<double> estimated_middle = carried(estimated.row(target), grid, -1.0);
    const std::vector<double> true_middle = carried(truth.row(target), grid, 1.0);
    for (std::size_t source = 0; source < truth.rows; ++source) {
      if (source == target) continue;
      const std::vector<double> found = carried(estimated.row(source), estimated_middle, 1.0);
      const std::vector<double> expected = carried(truth.row(source), true_middle, -1.0);
      for (std::size_t i = 0; i < kErrorPoints; ++i) sum += std::fabs(found[i] - expected[i]);
      compared += kErrorPoints;
    }
  }
  return compared == 0 ? kNothingToMeasure : sum / static_cast<double>(compared);
}

TrueTimeSpread true_time_spread(Rows<const double> warps, Rows<const double> truth) {
  require_positions("warps", warps);
  require_positions("truth", truth);
  require(warps.rows == truth.rows, "warps: expected ", truth.rows, " rows as the truth has, got ", warps.rows);
  const std::vector<double> unmoved = equally_spaced(warps.columns);
  const Matrix before = deviations_from_the_mean(true_times(truth, std::span<const double>(unmoved)));
  const Matrix after = deviations_from_the_mean(true_times(truth, warps));
  return {.before = mean_of(before.values()),
          .after = mean_of(after.values()),
          .percentile_95 = percentile_of(after.values(), kPercentile),
          .failures = share_of_failures(after)};
}

}  // namespace diffeo
