#include "diffeo/alignment_measures.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/equally_spaced.hpp"
#include "diffeo/alignment_quality.hpp"
#include "diffeo/prepare.hpp"
#include "diffeo/sample.hpp"
#include "diffeo/slope_scale.hpp"

namespace diffeo {
namespace {

/// On either side of the time at which the slope of a warp is wanted. Warps have 15 digits, so slopes have 9.
constexpr double kHalfStep = 1e-6;

/// The warps of a set, a row per case.
struct WarpsOnGrid {
  Matrix positions;
  Matrix slopes;  ///< the derivatives
};

/// The same times for every case.
Matrix repeated(std::span<const double> times, std::size_t cases) {
  Matrix rows(cases, times.size());
  for (std::size_t item = 0; item < cases; ++item) {
    std::ranges::copy(times, rows.values().begin() + static_cast<std::ptrdiff_t>(item * times.size()));
  }
  return rows;
}

WarpsOnGrid warps_on_grid(const WarpingAligner& aligner, const Dataset& series, std::span<const double> grid) {
  const std::size_t count = grid.size();
  std::vector<double> times(grid.begin(), grid.end());
  for (const double time : grid) times.push_back(std::max(time - kHalfStep, 0.0));
  for (const double time : grid) times.push_back(std::min(time + kHalfStep, 1.0));
  const Matrix all = aligner.warp_times(series, repeated(times, series.cases()));
  WarpsOnGrid warps = {Matrix(series.cases(), count), Matrix(series.cases(), count)};
  for (std::size_t item = 0; item < series.cases(); ++item) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t left = count + i;
      const std::size_t right = 2 * count + i;
      warps.positions(item, i) = all(item, i);
      warps.slopes(item, i) = (all(item, right) - all(item, left)) / (times[right] - times[left]);
    }
  }
  return warps;
}

double displacement(const Matrix& warps, std::span<const double> grid) {
  double sum = 0.0;
  for (std::size_t item = 0; item < warps.rows(); ++item) {
    double largest = 0.0;
    for (std::size_t i = 0; i < grid.size(); ++i) largest = std::max(largest, std::fabs(warps(item, i) - grid[i]));
    sum += largest;
  }
  return sum / static_cast<double>(warps.rows());
}

double mean_warp_distance(const Matrix& warps, std::span<const double> grid) {
  double largest = 0.0;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    double sum = 0.0;
    for (std::size_t item = 0; item < warps.rows(); ++item) sum += warps(item, i) - grid[i];
    largest = std::max(largest, std::fabs(sum) / static_cast<double>(warps.rows()));
  }
  return largest;
}

void measure_slopes_of_warps(const Matrix& warps, AlignmentMeasures& measures) {
  const auto steps = static_cast<double>(warps.columns() - 1);
  measures.least_slope = measures.largest_slope = steps * (warps(0, 1) - warps(0, 0));
  for (std::size_t item = 0; item < warps.rows(); ++item) {
    for (std::size_t i = 1; i < warps.columns(); ++i) {
      const double slope = steps * (warps(item, i) - warps(item, i - 1));
      measures.least_slope = std::min(measures.least_slope, slope);
      measures.largest_slope = std::max(measures.largest_slope, slope);
    }
  }
}

SlopeScale slope_scale_of(const Dataset& series) {
  SlopeSums sums;
  for (std::size_t item = 0; item < series.cases(); ++item) sums.add(series.series(item));
  return sums.scale();
}

/// Of `values`, a case of the same number of channels and `points` each, with the labels of `series`.
Dataset labeled_as(const Dataset& series, std::vector<double> values, std::size_t points) {
  Dataset result(series.channels(), std::move(values), std::vector<std::size_t>(series.cases(), points));
  if (series.labeled()) {
    result.set_labels({series.labels().begin(), series.labels().end()}, series.class_names());
  }
  return result;
}

/// q of every series in its own time.
Dataset root_slopes_of(const Dataset& series, const SlopeScale& scale, std::size_t points) {
  std::vector<double> values;
  for (std::size_t item = 0; item < series.cases(); ++item) {
    const std::vector<double> own = scaled_root_slopes(series.series(item), scale, points);
    values.insert(values.end(), own.begin(), own.end());
  }
  return labeled_as(series, std::move(values), points);
}

/// (q o phi) sqrt(phi'); 0 beyond the ends of a series, where its value stays.
Dataset warped_root_slopes(const Dataset& root_slopes, const WarpsOnGrid& warps) {
  const Series<const double> block = root_slopes.block();
  std::vector<double> values(block.size());
  sample<double>({block, {warps.positions.values().data(), block.cases, block.time}},
                 {values.data(), block.cases, block.channels, block.time}, 1);
  for (std::size_t index = 0; index < values.size(); ++index) {
    const std::size_t item = index / (block.channels * block.time);
    const std::size_t time = index % block.time;
    const bool is_inside = warps.positions(item, time) >= 0.0 && warps.positions(item, time) <= 1.0;
    values[index] *= is_inside ? std::sqrt(std::max(warps.slopes(item, time), 0.0)) : 0.0;
  }
  return labeled_as(root_slopes, std::move(values), block.time);
}

/// For every case the mean of its class; missing where the class has no value.
Dataset class_means(const Dataset& aligned) {
  const std::size_t size = aligned.channels() * aligned.longest();
  std::vector<double> values(aligned.cases() * size);
  for (const std::vector<std::size_t>& cases : aligned.groups()) {
    const std::vector<double> mean = mean_series(aligned.subset(cases));
    for (const std::size_t item : cases) {
      std::ranges::copy(mean, values.begin() + static_cast<std::ptrdiff_t>(item * size));
    }
  }
  return labeled_as(aligned, std::move(values), aligned.longest());
}

/// Equally long series, each read at the length of its row of `series`.
Dataset at_own_lengths(const Dataset& equally_long, const Dataset& series) {
  Dataset result(series.channels());
  for (std::size_t item = 0; item < series.cases(); ++item) {
    const SeriesView<const double> source = equally_long.series(item);
    const std::vector<double> times = equally_spaced(series.length(item));
    std::vector<double> values(series.channels() * times.size());
    sample<double>({{source.data, 1, source.channels, source.length}, Rows<const double>(times)},
                   {values.data(), 1, source.channels, times.size()}, 1);
    result.add_case(values);
  }
  return result;
}

/// Averaged over the values of a series, then over the series that have any.
double mean_squared_difference(const Dataset& found, const Dataset& series) {
  double sum = 0.0;
  double counted = 0.0;
  for (std::size_t item = 0; item < series.cases(); ++item) {
    const std::span<const double> own = series.series(item).values();
    const std::span<const double> other = found.series(item).values();
    double squares = 0.0;
    double present = 0.0;
    for (std::size_t index = 0; index < own.size(); ++index) {
      const double difference = other[index] - own[index];
      if (std::isnan(difference)) continue;
      squares += difference * difference;
      present += 1.0;
    }
    if (present == 0.0) continue;
    sum += squares / present;
    counted += 1.0;
  }
  return sum / counted;  // NaN if there is nothing to compare
}

MeasureChange inverse_consistent_errors(const WarpingAligner& aligner, const Dataset& test, const Dataset& aligned) {
  const Dataset unwarped = class_means(resample(test, aligned.longest()));
  return {mean_squared_difference(at_own_lengths(unwarped, test), test),
          mean_squared_difference(aligner.inverse_transform(class_means(aligned), test), test)};
}

MeasureChange slope_variances(const WarpsOnGrid& warps, const Dataset& test, const SlopeScale& scale) {
  const Dataset own = root_slopes_of(test, scale, warps.positions.columns());
  return {weighted_within_variance(own), weighted_within_variance(warped_root_slopes(own, warps))};
}

}  // namespace

AlignmentMeasures alignment_measures(const WarpingAligner& aligner, const Dataset& test, const Dataset& training) {
  const Dataset aligned = aligner.transform(test);
  const std::vector<double> grid = equally_spaced(std::max<std::size_t>(aligned.longest(), 2));
  const WarpsOnGrid warps = warps_on_grid(aligner, test, grid);
  AlignmentMeasures measures;
  measures.slope_variance = slope_variances(warps, test, slope_scale_of(training));
  measures.inverse_consistent_error = inverse_consistent_errors(aligner, test, aligned);
  measure_slopes_of_warps(warps.positions, measures);
  measures.displacement = displacement(warps.positions, grid);
  measures.mean_warp_distance = mean_warp_distance(warps.positions, grid);
  measures.training_mean_warp_distance =
      mean_warp_distance(aligner.warp_times(training, repeated(grid, training.cases())), grid);
  return measures;
}

double weighted_within_variance(const Dataset& series) {
  double sum = 0.0;
  for (const std::vector<std::size_t>& cases : series.groups()) {
    sum += static_cast<double>(cases.size()) * within_variance(series.subset(cases));
  }
  return sum / static_cast<double>(series.cases());
}

}  // namespace diffeo
