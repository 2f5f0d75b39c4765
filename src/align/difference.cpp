#include "align/difference.hpp"

#include <algorithm>
#include <cmath>

#include "align/criterion.hpp"

namespace diffeo {
namespace {

/// Where in a series of `length` samples a position lies.
struct Place {
  std::size_t left;
  double fraction;
  bool inside;
};

Place place_of(double position, std::size_t length) noexcept {
  const double scaled = position * static_cast<double>(length - 1);
  if (!(scaled > 0.0)) return {0, 0.0, scaled == 0.0};
  if (scaled >= static_cast<double>(length - 1)) return {length - 2, 1.0, scaled == static_cast<double>(length - 1)};
  const std::size_t left = static_cast<std::size_t>(scaled);
  return {left, scaled - static_cast<double>(left), true};
}

double between(double left, double right, double fraction) noexcept {
  if (fraction == 0.0) return left;
  if (fraction == 1.0) return right;
  return left + (right - left) * fraction;
}

/// The sums over the channels that one time step contributes.
struct TimeStep {
  double squares = 0.0;         // of r
  double slope_residual = 0.0;  // of slope * r
  double slope_squares = 0.0;
  double present = 0.0;  // share of the channels
};

TimeStep step_sums(const Comparison& comparison, std::span<const double> slopes, std::size_t point) noexcept {
  TimeStep sums;
  for (std::size_t channel = 0; channel < comparison.channels; ++channel) {
    const std::size_t index = channel * comparison.points() + point;
    const double residual = comparison.values[index] - comparison.target[index];
    if (std::isnan(residual)) continue;
    sums.present += 1.0;
    sums.squares += residual * residual;
    if (slopes.empty()) continue;
    sums.slope_residual += slopes[index] * residual;
    sums.slope_squares += slopes[index] * slopes[index];
  }
  sums.present /= static_cast<double>(comparison.channels);
  return sums;
}

/// The neighbors between which sample j's own time is measured: half the way to each.
std::size_t before(std::size_t point) noexcept { return point == 0 ? 0 : point - 1; }
std::size_t after(std::size_t point, std::size_t points) noexcept { return std::min(point + 1, points - 1); }

}  // namespace

void read_values(SeriesView<const double> series, std::span<const double> positions,
                 std::span<double> values) noexcept {
  const std::size_t points = positions.size();
  for (std::size_t point = 0; point < points; ++point) {
    if (series.length == 1) {
      for (std::size_t channel = 0; channel < series.channels; ++channel) {
        values[channel * points + point] = series.data[channel];
      }
      continue;
    }
    const Place place = place_of(positions[point], series.length);
    for (std::size_t channel = 0; channel < series.channels; ++channel) {
      const double* left = series.data + channel * series.length + place.left;
      values[channel * points + point] = between(left[0], left[1], place.fraction);
    }
  }
}

void read_slopes(SeriesView<const double> series, std::span<const double> positions,
                 std::span<double> slopes) noexcept {
  const std::size_t points = positions.size();
  std::fill(slopes.begin(), slopes.end(), 0.0);
  if (series.length == 1) return;
  const double steps = static_cast<double>(series.length - 1);
  for (std::size_t point = 0; point < points; ++point) {
    const Place place = place_of(positions[point], series.length);
    if (!place.inside) continue;
    for (std::size_t channel = 0; channel < series.channels; ++channel) {
      const double* left = series.data + channel * series.length + place.left;
      const double slope = (left[1] - left[0]) * steps;
      if (!std::isnan(slope)) slopes[channel * points + point] = slope;
    }
  }
}

void fill_time_weights(std::span<const double> positions, double own_time, std::span<double> weights) noexcept {
  const std::size_t points = positions.size();
  if (points == 1) {
    weights[0] = 1.0;
    return;
  }
  const double spacing = 1.0 / static_cast<double>(points - 1);
  for (std::size_t point = 0; point < points; ++point) {
    const std::size_t left = before(point);
    const std::size_t right = after(point, points);
    const double common = 0.5 * spacing * static_cast<double>(right - left);
    const double own = 0.5 * (positions[right] - positions[left]);
    weights[point] = (1.0 - own_time) * common + own_time * own;
  }
}

Difference difference(const Comparison& comparison) noexcept {
  Difference result;
  for (std::size_t point = 0; point < comparison.points(); ++point) {
    const TimeStep sums = step_sums(comparison, {}, point);
    result.sum += comparison.weights[point] * sums.squares;
    result.present += comparison.weights[point] * sums.present;
  }
  return result;
}

void add_normal_equations(const Comparison& comparison, std::span<const double> slopes, Rows<const double> jacobian,
                          double factor, std::span<double> gradient, std::span<double> hessian, std::span<double> row,
                          std::span<double> other_row) noexcept {
  const Difference whole = difference(comparison);
  if (!(whole.present > 0.0)) return;
  const double mean = whole.mean();
  const double share = factor / whole.present;
  const std::size_t points = comparison.points();
  const std::size_t columns = jacobian.columns;
  const double own_time = points == 1 ? 0.0 : comparison.own_time;
  for (std::size_t point = 0; point < points; ++point) {
    const TimeStep sums = step_sums(comparison, slopes, point);
    if (sums.present == 0.0) continue;
    const double weight = comparison.weights[point];
    const double* by_position = jacobian.data + point * columns;
    const double* left = jacobian.data + before(point) * columns;
    const double* right = jacobian.data + after(point, points) * columns;

    const double position_gradient = weight * sums.slope_residual;
    const double weight_gradient = 0.5 * own_time * (sums.squares - mean * sums.present);
    // The two derivatives of sqrt(weight) r, by position and by weight, form a 2 x 2 matrix of products over the
    // channels; its Cholesky factor makes two rows of it, however many channels there are.
    const double position_square = weight * sums.slope_squares;
    const double mixed = 0.5 * own_time * sums.slope_residual;
    const double weight_square = weight > 0.0 ? 0.25 * own_time * own_time * sums.squares / weight : 0.0;
    const double by_position_1 = std::sqrt(std::max(position_square, 0.0));
    const double by_weight_1 = by_position_1 > 0.0 ? mixed / by_position_1 : 0.0;
    const double by_weight_2 = std::sqrt(std::max(weight_square - by_weight_1 * by_weight_1, 0.0));
    for (std::size_t k = 0; k < columns; ++k) {
      const double by_weight = 0.5 * (right[k] - left[k]);
      gradient[k] += share * (position_gradient * by_position[k] + weight_gradient * by_weight);
      row[k] = by_position_1 * by_position[k] + by_weight_1 * by_weight;
      other_row[k] = by_weight_2 * by_weight;
    }
    add_outer_product(row, share, hessian);
    if (by_weight_2 > 0.0) add_outer_product(other_row, share, hessian);
  }
}

}  // namespace diffeo
