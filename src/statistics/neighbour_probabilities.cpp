#include "statistics/neighbour_probabilities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "diffeo/error.hpp"

namespace diffeo::statistics {
namespace {

constexpr int kMostHalvings = 100;
constexpr double kEntropyTolerance = 1e-10;

double squared_distance(std::span<const double> first, std::span<const double> second) noexcept {
  double sum = 0.0;
  for (std::size_t j = 0; j < first.size(); ++j) sum += (first[j] - second[j]) * (first[j] - second[j]);
  return sum;
}

/// Relative to the largest, so that the scale of the values does not matter.
std::vector<double> relative_squared_distances(std::span<const double> rows, std::size_t count) {
  const std::size_t dimension = rows.size() / count;
  std::vector<double> distances(count * count, 0.0);
  double largest = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double distance =
          squared_distance(rows.subspan(i * dimension, dimension), rows.subspan(j * dimension, dimension));
      distances[i * count + j] = distances[j * count + i] = distance;
      largest = std::max(largest, distance);
    }
  }
  require(std::isfinite(largest), "rows: expected points whose squared distances are finite, got ", largest);
  if (largest > 0.0) std::ranges::for_each(distances, [largest](double& distance) { distance /= largest; });
  return distances;
}

/// Fills in probabilities proportional to exp(-sharpness excess); their entropy.
double fill_probabilities(std::span<const double> excess, std::size_t own, double sharpness,
                          std::vector<double>& probabilities) noexcept {
  double sum = 0.0;
  double weighted_excess = 0.0;
  for (std::size_t j = 0; j < excess.size(); ++j) {
    probabilities[j] = j == own ? 0.0 : std::exp(-sharpness * excess[j]);
    sum += probabilities[j];
    weighted_excess += probabilities[j] * excess[j];
  }
  for (double& probability : probabilities) probability /= sum;
  return std::log(sum) + sharpness * weighted_excess / sum;
}

/// Squared distances beyond that of the nearest: its exponential is then 1, and the sum is never 0.
std::vector<double> beyond_nearest(std::span<const double> distances, std::size_t own) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < distances.size(); ++j) {
    if (j != own) nearest = std::min(nearest, distances[j]);
  }
  std::vector<double> excess(distances.begin(), distances.end());
  for (double& each : excess) each -= nearest;
  excess[own] = 0.0;
  return excess;
}

}  // namespace

std::vector<double> neighbours_of(std::span<const double> squared_distances, std::size_t own, double perplexity) {
  const std::vector<double> excess = beyond_nearest(squared_distances, own);
  const double wanted = std::log(perplexity);
  std::vector<double> probabilities(excess.size());
  double lower = 0.0;
  double upper = std::numeric_limits<double>::infinity();
  double sharpness = 1.0;
  for (int halving = 0; halving < kMostHalvings; ++halving) {
    const double too_much = fill_probabilities(excess, own, sharpness, probabilities) - wanted;
    if (std::fabs(too_much) <= kEntropyTolerance) break;
    (too_much > 0.0 ? lower : upper) = sharpness;
    sharpness = std::isinf(upper) ? 2.0 * sharpness : 0.5 * (lower + upper);
  }
  return probabilities;
}

std::vector<double> pair_probabilities(std::span<const double> rows, std::size_t count, double perplexity) {
  const std::vector<double> distances = relative_squared_distances(rows, count);
  std::vector<double> pairs(count * count, 0.0);
  const double share = 0.5 / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> row = neighbours_of(std::span(distances).subspan(i * count, count), i, perplexity);
    for (std::size_t j = 0; j < count; ++j) {
      pairs[i * count + j] += share * row[j];
      pairs[j * count + i] += share * row[j];
    }
  }
  return pairs;
}

}  // namespace diffeo::statistics
