#include "align/root_slopes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "align/difference.hpp"
#include "align/resolution.hpp"
#include "core/equally_spaced.hpp"

namespace diffeo {
namespace {

constexpr std::array kSlopeNoiseSmoothings{0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08};
/// Share of the variance of slopes that noise may have.
constexpr double kNoiseShare = 0.05;
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
      const double steps = static_cast<double>(std::max<std::size_t>(item.length, 2) - 1);
      const double smoothed_noise =
          noise / steps / (4.0 * std::sqrt(std::numbers::pi) * smoothing * smoothing * smoothing);
      noise_of_slopes += std::min(smoothed_noise, 0.5 * noise * steps * steps) / static_cast<double>(series.size());
    }
    if (noise_of_slopes < kNoiseShare * slopes.value()) return smoothing;
  }
  return kSlopeNoiseSmoothings.back();
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
    for (std::size_t point = 0; point < points; ++point) {
      double square = floor;
      for (std::size_t index = point; index < values.size(); index += points) {
        if (!std::isnan(values[index])) square += values[index] * values[index];
      }
      const double divisor = std::max(std::sqrt(std::sqrt(square)), std::numeric_limits<double>::min());
      for (std::size_t index = point; index < values.size(); index += points) values[index] /= divisor;
    }
    roots.add(values);
  }
  const double size = roots.value() > 0.0 ? std::sqrt(roots.value()) : 1.0;
  for (std::vector<double>& values : result) {
    for (double& value : values) value /= size;
  }
  return result;
}

}  // namespace diffeo
