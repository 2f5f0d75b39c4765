#include "align/path_start.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "align/best_path.hpp"
#include "align/criterion.hpp"
#include "align/difference.hpp"
#include "align/root_slopes.hpp"
#include "align/warp_fit.hpp"
#include "core/equally_spaced.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {
namespace {

/// Grids of paths: the coarsest that resolves the slopes. A single series is worth the finest.
constexpr std::size_t kCoarsestPoints = 64;
constexpr std::size_t kFinestPoints = 256;
/// Slopes are resolved if neighbors differ by less than this share of their mean square.
constexpr double kResolvedShare = 0.12;
/// Rounds of paths and mean; a finer grid is dear, and its mean good sooner.
constexpr std::size_t kPathRounds = 4;
constexpr std::size_t kFinerPathRounds = 2;
/// Of the mean squared slope: flat stretches count a little.
constexpr double kFlatWeight = 0.02;
constexpr double kNanosecondsPerGridCell = 25.0;

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = a[i] - b[i];
    if (!std::isnan(difference)) sum += difference * difference;
  }
  return sum;
}

/// How much neighbors on the grid differ, relative to what they are.
double roughness(std::span<const std::vector<double>> slopes, std::size_t channels) {
  double differences = 0.0;
  double squares = 0.0;
  for (const std::vector<double>& own : slopes) {
    const std::size_t points = own.size() / channels;
    for (std::size_t index = 0; index < own.size(); ++index) {
      if (index % points == 0 || std::isnan(own[index]) || std::isnan(own[index - 1])) continue;
      differences += (own[index] - own[index - 1]) * (own[index] - own[index - 1]);
      squares += own[index] * own[index];
    }
  }
  return squares > 0.0 ? differences / squares : 0.0;
}

/// Slopes on a grid that is as fine as they need, at most as fine as the series.
std::vector<std::vector<double>> resolved_slopes(std::span<const SeriesView<const double>> series, double smoothing,
                                                 std::size_t coarsest, std::size_t length) {
  std::size_t points = std::clamp<std::size_t>(length, 2, coarsest);
  for (;;) {
    std::vector<std::vector<double>> slopes = root_slopes(series, smoothing, points);
    const std::size_t finer = std::min({2 * points, kFinestPoints, std::max<std::size_t>(length, 2)});
    if (finer <= points || roughness(slopes, series.front().channels) < kResolvedShare) return slopes;
    points = finer;
  }
}

/// The series nearest to all others.
const std::vector<double>& medoid(std::span<const std::vector<double>> slopes) {
  std::size_t best = 0;
  double least = 0.0;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    double sum = 0.0;
    for (const std::vector<double>& other : slopes) sum += squared_distance(slopes[i], other);
    if (i > 0 && !(sum < least)) continue;
    best = i;
    least = sum;
  }
  return slopes[best];
}

double read(std::span<const double> values, double position) {
  const double scaled = std::clamp(position, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto left = std::min(static_cast<std::size_t>(scaled), values.size() - 2);
  return values[left] + (scaled - static_cast<double>(left)) * (values[left + 1] - values[left]);
}

/// The inverse of an increasing path on the grid.
std::vector<double> inverse_of(std::span<const double> path) {
  std::vector<double> result(path.size());
  std::size_t left = 0;
  const double steps = static_cast<double>(path.size() - 1);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const double value = static_cast<double>(i) / steps;
    while (left + 2 < path.size() && path[left + 1] < value) ++left;
    const double fraction = (value - path[left]) / (path[left + 1] - path[left]);
    result[i] = (static_cast<double>(left) + std::clamp(fraction, 0.0, 1.0)) / steps;
  }
  return result;
}

/// Composes every path with the inverse of their mean, so that on average nothing moves.
void center(Matrix& paths) {
  const std::size_t points = paths.columns();
  std::vector<double> mean(points, 0.0);
  for (std::size_t item = 0; item < paths.rows(); ++item) {
    for (std::size_t i = 0; i < points; ++i) mean[i] += paths(item, i) / static_cast<double>(paths.rows());
  }
  const std::vector<double> back = inverse_of(mean);
  for (std::size_t item = 0; item < paths.rows(); ++item) {
    const std::vector<double> own(paths.row(item).begin(), paths.row(item).end());
    for (std::size_t i = 0; i < points; ++i) paths(item, i) = read(own, back[i]);
  }
}

/// Mean of the slopes along their paths; missing values are left out.
std::vector<double> mean_along(std::span<const std::vector<double>> slopes, const Matrix& paths, std::size_t channels) {
  const std::size_t points = paths.columns();
  const double steps = static_cast<double>(points - 1);
  std::vector<double> mean(channels * points, 0.0);
  std::vector<double> present(mean.size(), 0.0);
  std::vector<double> values(mean.size());
  for (std::size_t item = 0; item < slopes.size(); ++item) {
    const std::span<const double> path = paths.row(item);
    read_values({slopes[item].data(), channels, points}, path, values);
    for (std::size_t index = 0; index < values.size(); ++index) {
      const std::size_t left = index % points == 0 ? 0 : index % points - 1;
      const std::size_t right = std::min(index % points + 1, points - 1);
      const double slope = std::max((path[right] - path[left]) * steps / static_cast<double>(right - left), 1e-3);
      if (std::isnan(values[index])) continue;
      mean[index] += values[index] * std::sqrt(slope);
      present[index] += 1.0;
    }
  }
  for (std::size_t index = 0; index < mean.size(); ++index) mean[index] /= present[index];  // 0 / 0: missing
  return mean;
}

void fill_paths(std::span<const std::vector<double>> slopes, std::span<const double> target, std::size_t channels,
                std::size_t threads, Matrix& paths) {
  const double cells = static_cast<double>(paths.columns() * paths.columns());
  const std::size_t workers =
      useful_threads(threads, slopes.size(), kNanosecondsPerGridCell * cells * static_cast<double>(slopes.size()));
  for_each_item(workers, slopes.size(), [&](std::size_t, std::size_t item) {
    const BestPath path = best_path(slopes[item], target, channels);
    std::ranges::copy(path.positions, paths.values().begin() + static_cast<std::ptrdiff_t>(item * paths.columns()));
  });
}

/// What the points of the grid are worth: the target's squared slopes.
std::vector<double> feature_weights(std::span<const double> target, std::size_t channels) {
  const std::size_t points = target.size() / channels;
  std::vector<double> squares(points, 0.0);
  double total = 0.0;
  for (std::size_t index = 0; index < target.size(); ++index) {
    if (std::isnan(target[index])) continue;
    squares[index % points] += target[index] * target[index];
    total += target[index] * target[index];
  }
  const double mean = total > 0.0 ? total / static_cast<double>(points) : 1.0;
  for (double& weight : squares) weight = weight / mean + kFlatWeight;
  return squares;
}

}  // namespace

Matrix path_start(std::span<const SeriesView<const double>> series, const SeriesView<const double>* target,
                  double smoothing, std::size_t length, const AlignOptions& options) {
  const std::size_t channels = series.front().channels;
  std::vector<SeriesView<const double>> all(series.begin(), series.end());
  if (target != nullptr) all.push_back(*target);
  std::vector<std::vector<double>> slopes =
      resolved_slopes(all, smoothing, series.size() > 1 ? kCoarsestPoints : kFinestPoints, length);
  const std::size_t points = slopes.front().size() / channels;
  const std::span<const std::vector<double>> own(slopes.data(), series.size());
  std::vector<double> goal = target == nullptr ? medoid(own) : slopes.back();
  Matrix paths(series.size(), points);
  const std::size_t rounds = points > kCoarsestPoints ? kFinerPathRounds : kPathRounds;
  if (target != nullptr) fill_paths(own, goal, channels, options.threads, paths);
  for (std::size_t round = 0; target == nullptr && round < rounds; ++round) {
    fill_paths(own, goal, channels, options.threads, paths);
    center(paths);
    goal = mean_along(own, paths, channels);
  }
  Matrix velocities = velocities_of_paths(paths, feature_weights(goal, channels), options);
  if (target == nullptr) subtract_mean(velocities);
  return velocities;
}

}  // namespace diffeo
