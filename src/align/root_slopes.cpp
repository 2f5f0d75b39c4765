#include "align/root_slopes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "align/difference.hpp"
#include "align/resolution.hpp"
#include "core/equally_spaced.hpp"
#include "diffeo/slope_scale.hpp"

namespace diffeo {
namespace {

constexpr std::array kSlopeNoiseSmoothings{0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08};
static_assert(kSlopeNoiseSmoothings.size() == SlopeSums::kSmoothings);
/// Share of the variance of slopes that noise may have.
constexpr double kNoiseShare = 0.05;
/// Smaller root mean square slopes are rounding: series of a set have a size of about 1.
constexpr double kLeastSlope = 1e-9;
/// The root is smooth below this share of the root mean square slope.
constexpr double kSmoothRoot = 0.05;
/// The median of the square of a standard normal number.
constexpr double kMedianSquare = 0.4549;

double median(std::vector<double>& values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Slopes by central differences, one-sided at the ends; missing beside a missing value.
std::vector<double> slopes_of(SeriesView<const double> series) {
  std::vector<double> slopes(series.size(), 0.0);
  if (series.length < 2) return slopes;
  const double steps = static_cast<double>(series.length - 1);
  for (std::size_t channel = 0; channel < series.channels; ++channel) {
    const std::span<const double> values = series.channel(channel);
    for (std::size_t i = 0; i < series.length; ++i) {
      const std::size_t left = i == 0 ? 0 : i - 1;
      const std::size_t right = std::min(i + 1, series.length - 1);
      slopes[channel * series.length + i] = (values[right] - values[left]) * steps / static_cast<double>(right - left);
    }
  }
  return slopes;
}

std::vector<double> smoothed_slopes(Smoother& smoother, SeriesView<const double> series) {
  const std::vector<double> smoothed = smoother.smoothed(series);
  return slopes_of({smoothed.data(), series.channels, smoothed.size() / series.channels});
}

struct MeanSquare {
  double sum = 0.0;
  double count = 0.0;
  void add(std::span<const double> values) {
    for (const double value : values) {
      if (std::isnan(value)) continue;
      sum += value * value;
      count += 1.0;
    }
  }
  [[nodiscard]] double value() const { return count > 0.0 ? sum / count : 0.0; }
};

/// The variance that white noise of variance 1 leaves in the slopes of a series smoothed so much.
double slope_variance_of_noise(std::size_t length, double smoothing) {
  const double steps = static_cast<double>(std::max<std::size_t>(length, 2) - 1);
  const double smoothed = 1.0 / steps / (4.0 * std::sqrt(std::numbers::pi) * smoothing * smoothing * smoothing);
  return std::min(smoothed, 0.5 * steps * steps);
}

/// Slopes (channels, points) over the smooth root of their size, all channels together.
void divide_by_roots(std::span<double> values, std::size_t points, double floor) {
  for (std::size_t point = 0; point < points; ++point) {
    double square = floor;
    for (std::size_t index = point; index < values.size(); index += points) {
      if (!std::isnan(values[index])) square += values[index] * values[index];
    }
    const double divisor = std::max(std::sqrt(std::sqrt(square)), std::numeric_limits<double>::min());
    for (std::size_t index = point; index < values.size(); index += points) values[index] /= divisor;
  }
}

}  // namespace

double noise_variance(std::span<const SeriesView<const double>> series) {
  std::vector<double> squares;
  for (const SeriesView<const double>& item : series) {
    for (std::size_t channel = 0; channel < item.channels; ++channel) {
      const std::span<const double> values = item.channel(channel);
      for (std::size_t i = 1; i + 1 < values.size(); ++i) {
        const double second = values[i - 1] - 2.0 * values[i] + values[i + 1];
        if (!std::isnan(second)) squares.push_back(second * second);
      }
    }
  }
  return median(squares) / kMedianSquare / 6.0;
}

double smoothing_for_slopes(std::span<const SeriesView<const double>> series, double noise) {
  for (const double smoothing : kSlopeNoiseSmoothings) {
    Smoother smoother(smoothing);
    MeanSquare slopes;
    double noise_of_slopes = 0.0;
    for (const SeriesView<const double>& item : series) {
      slopes.add(smoothed_slopes(smoother, item));
      noise_of_slopes += noise * slope_variance_of_noise(item.length, smoothing) / static_cast<double>(series.size());
    }
    if (noise_of_slopes < kNoiseShare * slopes.value()) return smoothing;
  }
  return kSlopeNoiseSmoothings.back();
}

void SlopeSums::add(SeriesView<const double> series) {
  const double noise = noise_variance({&series, 1});
  numbers_[0] += 1.0;
  numbers_[1] += noise;
  for (std::size_t index = 0; index < kSmoothings; ++index) {
    Smoother smoother(kSlopeNoiseSmoothings[index]);
    MeanSquare slopes;
    slopes.add(smoothed_slopes(smoother, series));
    double* sums = numbers_.data() + 2 + 3 * index;
    sums[0] += slope_variance_of_noise(series.length, kSlopeNoiseSmoothings[index]);
    sums[1] += slopes.sum * static_cast<double>(series.channels);
    sums[2] += slopes.count;
  }
}

SlopeScale SlopeSums::scale() const {
  const double noise = numbers_[1] / numbers_[0];
  for (std::size_t index = 0; index < kSmoothings; ++index) {
    const double* sums = numbers_.data() + 2 + 3 * index;
    const double square = sums[2] > 0.0 ? sums[1] / sums[2] : 0.0;
    const bool is_last = index + 1 == kSmoothings;
    if (!is_last && !(noise * sums[0] / numbers_[0] < kNoiseShare * square)) continue;
    return {kSlopeNoiseSmoothings[index], square > kLeastSlope * kLeastSlope ? std::sqrt(square) : 1.0};
  }
  return {};  // not reached: the last is taken as it is
}

std::vector<double> scaled_root_slopes(SeriesView<const double> series, const SlopeScale& scale, std::size_t points) {
  Smoother smoother(scale.smoothing);
  const std::vector<double> own = smoothed_slopes(smoother, series);
  std::vector<double> values(series.channels * points);
  read_values({own.data(), series.channels, own.size() / series.channels}, equally_spaced(points), values);
  for (double& value : values) value /= scale.slope;
  divide_by_roots(values, points, kSmoothRoot * kSmoothRoot);
  return values;
}

std::vector<std::vector<double>> root_slopes(std::span<const SeriesView<const double>> series, double smoothing,
                                             std::size_t points) {
  const std::vector<double> grid = equally_spaced(points);
  Smoother smoother(smoothing);
  std::vector<std::vector<double>> result;
  MeanSquare slopes;
  for (const SeriesView<const double>& item : series) {
    const std::vector<double> own = smoothed_slopes(smoother, item);
    std::vector<double>& values = result.emplace_back(item.channels * points);
    read_values({own.data(), item.channels, own.size() / item.channels}, grid, values);
    slopes.add(values);
  }
  const double floor = kSmoothRoot * kSmoothRoot * slopes.value();
  MeanSquare roots;
  for (std::vector<double>& values : result) {
    divide_by_roots(values, points, floor);
    roots.add(values);
  }
  const double size = roots.value() > 0.0 ? std::sqrt(roots.value()) : 1.0;
  for (std::vector<double>& values : result) {
    for (double& value : values) value /= size;
  }
  return result;
}

}  // namespace diffeo
