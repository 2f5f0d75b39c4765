#include "diffeo/case_quality.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "align/best_path.hpp"
#include "align/difference.hpp"
#include "align/root_slopes.hpp"
#include "core/equally_spaced.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/log_slope.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {
namespace {

constexpr std::size_t kQualityPoints = 64;
/// Time below this share of the other's is a squeeze.
constexpr double kSqueeze = 0.1;
/// Features are squeezed away if more than this share of the slopes, of series or template, lies in squeezed time.
constexpr double kSqueezedShare = 0.25;
/// A path is much better if it leaves less than this share of the slopes' difference, and that difference is more than
/// noise.
constexpr double kMissedShare = 0.4;
constexpr double kMissedLeast = 0.25;
constexpr double kQualityNanoseconds = 2e6;

double squared_error(SeriesView<const double> series, SeriesView<const double> target,
                     std::span<const double> positions) {
  std::vector<double> fitted(series.size());
  read_values(target, positions, fitted);
  double sum = 0.0;
  for (std::size_t index = 0; index < fitted.size(); ++index) {
    const double error = fitted[index] - series.data[index];
    if (!std::isnan(error)) sum += error * error;
  }
  return sum;
}

/// Mean square over grid and channels of q(phi) sqrt(phi') - target.
double slope_difference(std::span<const double> slopes, std::span<const double> target, std::size_t channels,
                        std::span<const double> positions, std::span<const double> log_slopes) {
  const std::size_t points = positions.size();
  std::vector<double> values(slopes.size());
  read_values({slopes.data(), channels, points}, positions, values);
  double sum = 0.0;
  for (std::size_t index = 0; index < values.size(); ++index) {
    const double value = std::isnan(values[index]) ? 0.0 : values[index];  // a gap is flat
    const double difference = value * std::exp(0.5 * log_slopes[index % points]) - target[index];
    if (!std::isnan(difference)) sum += difference * difference;
  }
  return sum / static_cast<double>(points);
}

/// The share of a series' slopes that lies where its time gets hardly any of the other's; `log_slopes` are those of the
/// other's time along its own.
double squeezed_share(std::span<const double> slopes, std::size_t channels, std::span<const double> log_slopes) {
  const std::size_t points = slopes.size() / channels;
  double total = 0.0;
  double squeezed = 0.0;
  for (std::size_t index = 0; index < slopes.size(); ++index) {
    if (std::isnan(slopes[index])) continue;
    const double weight = slopes[index] * slopes[index];
    total += weight;
    if (log_slopes[index % points] < std::log(kSqueeze)) squeezed += weight;
  }
  return total > 0.0 ? squeezed / total : 0.0;
}

CaseQuality quality_of(SeriesView<const double> series, const std::vector<double>& velocities,
                       SeriesView<const double> target, std::span<const double> slopes,
                       std::span<const double> target_slopes) {
  CaseQuality result;
  const std::vector<double> times = equally_spaced(series.length);
  result.inverse_consistent_error = squared_error(series, target, flow(velocities, times, -1.0));
  result.error_at_rest = squared_error(series, target, times);
  const std::vector<double> grid = equally_spaced(kQualityPoints);
  const std::vector<double> positions = flow(velocities, grid);
  const std::vector<double> log_slopes = flow_log_slope(velocities, grid);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    result.displacement = std::max(result.displacement, std::fabs(positions[i] - grid[i]));
  }
  // What is narrow in common time, between points of the grid, is wide in own time, and the other way round.
  const std::vector<double> inverse_log_slopes = flow_log_slope(velocities, grid, -1.0);
  const auto [least, largest] = std::ranges::minmax(log_slopes);
  const auto [inverse_least, inverse_largest] = std::ranges::minmax(inverse_log_slopes);
  result.strongest_squeeze = std::exp(std::min(least, -inverse_largest));
  result.strongest_stretch = std::exp(std::max(largest, -inverse_least));
  result.squeezed = std::max(squeezed_share(slopes, series.channels, inverse_log_slopes),
                             squeezed_share(target_slopes, series.channels, log_slopes)) > kSqueezedShare;
  const std::vector<double> at_rest(grid.size(), 0.0);
  const double before = slope_difference(slopes, target_slopes, series.channels, grid, at_rest);
  const double after = slope_difference(slopes, target_slopes, series.channels, positions, log_slopes);
  if (after > kMissedLeast) {
    result.missed = best_path(slopes, target_slopes, series.channels).cost < kMissedShare * after;
  }
  const bool is_better = result.inverse_consistent_error <= result.error_at_rest || after <= before;
  result.reliable = is_better && !result.squeezed && !result.missed;
  return result;
}

}  // namespace

std::vector<CaseQuality> case_quality(std::span<const SeriesView<const double>> series, Rows<const double> velocities,
                                      SeriesView<const double> target, std::size_t threads) {
  std::vector<SeriesView<const double>> all(series.begin(), series.end());
  all.push_back(target);
  const double smoothing = smoothing_for_slopes(all, noise_variance(all));
  const std::vector<std::vector<double>> slopes = root_slopes(all, smoothing, kQualityPoints);
  std::vector<CaseQuality> result(series.size());
  const std::size_t workers =
      useful_threads(threads, series.size(), kQualityNanoseconds * static_cast<double>(series.size()));
  for_each_item(workers, series.size(), [&](std::size_t, std::size_t item) {
    const std::span<const double> row = velocities.row(item);
    result[item] = quality_of(series[item], {row.begin(), row.end()}, target, slopes[item], slopes.back());
  });
  return result;
}

}  // namespace diffeo
