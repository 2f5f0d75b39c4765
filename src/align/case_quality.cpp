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
/// Slopes of noise follow any path. So the values, too, must lie closer along it: this share of their difference.
constexpr double kMissedValues = 0.8;
/// Times what a warp explains of noise.
constexpr double kMoreThanChance = 1.5;
/// Of short series a warp could explain everything by chance: a template that explains this much is trusted.
constexpr double kEnoughExplained = 0.8;
/// Squares relative to squares: below is rounding.
constexpr double kRounding = 1e-24;
constexpr double kQualityNanoseconds = 2e6;

std::vector<double> read_along(SeriesView<const double> target, std::span<const double> positions) {
  std::vector<double> fitted(target.channels * positions.size());
  read_values(target, positions, fitted);
  return fitted;
}

double squared_error(SeriesView<const double> series, std::span<const double> fitted) {
  double sum = 0.0;
  for (std::size_t index = 0; index < fitted.size(); ++index) {
    const double error = fitted[index] - series.data[index];
    if (!std::isnan(error)) sum += error * error;
  }
  return sum;
}

/// Sums over the samples that both have, about the means of a channel.
struct Moments {
  double series = 0.0;
  double fitted = 0.0;
  double both = 0.0;
  double samples = 0.0;
};

void add_moments(std::span<const double> series, std::span<const double> fitted, Moments& moments) {
  double mean = 0.0;
  double fitted_mean = 0.0;
  double samples = 0.0;
  const auto is_present = [&](std::size_t i) { return !std::isnan(series[i]) && !std::isnan(fitted[i]); };
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (!is_present(i)) continue;
    mean += series[i];
    fitted_mean += fitted[i];
    samples += 1.0;
  }
  if (samples == 0.0) return;
  mean /= samples;
  fitted_mean /= samples;
  moments.samples += samples;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (!is_present(i)) continue;
    moments.series += (series[i] - mean) * (series[i] - mean);
    moments.fitted += (fitted[i] - fitted_mean) * (fitted[i] - fitted_mean);
    moments.both += (series[i] - mean) * (fitted[i] - fitted_mean);
  }
}

/// What the template explains of the series, and may explain of noise. A series without any change is explained.
void add_explained(SeriesView<const double> series, std::vector<double> fitted, double own_share,
                   std::size_t free_velocities, CaseQuality& quality) {
  for (std::size_t i = 0; i < fitted.size() && own_share < 1.0; ++i) {
    if (!std::isnan(series.data[i])) fitted[i] = (fitted[i] - own_share * series.data[i]) / (1.0 - own_share);
  }
  Moments moments;
  for (std::size_t channel = 0; channel < series.channels; ++channel) {
    add_moments(series.channel(channel), std::span(fitted).subspan(channel * series.length, series.length), moments);
  }
  const double least = kRounding * moments.series;
  if (moments.fitted > least && moments.series > 0.0) {
    quality.explained = moments.both * std::abs(moments.both) / (moments.series * moments.fitted);
  } else if (moments.series > 0.0) {
    quality.explained = 0.0;
  }
  quality.explained_by_chance =
      std::min(kEnoughExplained, kMoreThanChance * static_cast<double>(free_velocities) / moments.samples);
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

/// The piecewise linear path read the other way round: where it has the values `times`.
std::vector<double> inverse_of(std::span<const double> path, std::span<const double> times) {
  std::vector<double> result;
  const auto steps = static_cast<double>(path.size() - 1);
  for (const double time : times) {
    const auto after = std::ranges::upper_bound(path, time);
    const auto right = std::clamp<std::ptrdiff_t>(after - path.begin(), 1, std::ssize(path) - 1);
    const double begin = path[static_cast<std::size_t>(right - 1)];
    const double width = path[static_cast<std::size_t>(right)] - begin;
    const double share = width > 0.0 ? std::clamp((time - begin) / width, 0.0, 1.0) : 0.0;
    result.push_back((static_cast<double>(right - 1) + share) / steps);
  }
  return result;
}

CaseQuality quality_of(SeriesView<const double> series, const std::vector<double>& velocities,
                       SeriesView<const double> target, double own_share, std::span<const double> slopes,
                       std::span<const double> target_slopes) {
  CaseQuality result;
  const std::vector<double> times = equally_spaced(series.length);
  const std::vector<double> fitted = read_along(target, flow(velocities, times, -1.0));
  result.inverse_consistent_error = squared_error(series, fitted);
  result.error_at_rest = squared_error(series, read_along(target, times));
  add_explained(series, fitted, own_share, velocities.size() - 2, result);
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
    const BestPath path = best_path(slopes, target_slopes, series.channels);
    result.missed = path.cost < kMissedShare * after &&
                    squared_error(series, read_along(target, inverse_of(path.positions, times))) <
                        kMissedValues * result.inverse_consistent_error;
  }
  const bool is_better = result.inverse_consistent_error <= result.error_at_rest || after <= before;
  const bool is_explained = result.explained >= result.explained_by_chance;
  result.reliable = is_better && is_explained && !result.squeezed && !result.missed;
  return result;
}

}  // namespace

std::vector<CaseQuality> case_quality(std::span<const SeriesView<const double>> series, Rows<const double> velocities,
                                      SeriesView<const double> target, double own_share, std::size_t threads) {
  std::vector<SeriesView<const double>> all(series.begin(), series.end());
  all.push_back(target);
  const double smoothing = smoothing_for_slopes(all, noise_variance(all));
  const std::vector<std::vector<double>> slopes = root_slopes(all, smoothing, kQualityPoints);
  std::vector<CaseQuality> result(series.size());
  const std::size_t workers =
      useful_threads(threads, series.size(), kQualityNanoseconds * static_cast<double>(series.size()));
  for_each_item(workers, series.size(), [&](std::size_t, std::size_t item) {
    const std::span<const double> row = velocities.row(item);
    result[item] = quality_of(series[item], {row.begin(), row.end()}, target, own_share, slopes[item], slopes.back());
  });
  return result;
}

}  // namespace diffeo
