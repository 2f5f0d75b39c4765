#include "diffeo/statistics/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "diffeo/statistics/ranks.hpp"
#include "statistics/distributions.hpp"
#include "statistics/value_checks.hpp"

namespace diffeo {
namespace {

bool is_constant(std::span<const double> values) {
  return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
}

/// Deviations from the mean, as a vector of length 1. Scaled by the largest first, so that no square overflows.
std::vector<double> unit_deviations(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  std::vector<double> deviations;
  double largest = 0.0;
  for (const double value : values) {
    deviations.push_back(value - mean);
    largest = std::max(largest, std::fabs(deviations.back()));
  }
  double squares = 0.0;
  for (double& deviation : deviations) {
    deviation /= largest;
    squares += deviation * deviation;
  }
  for (double& deviation : deviations) deviation /= std::sqrt(squares);
  return deviations;
}

double linear_coefficient(std::span<const double> first, std::span<const double> second) {
  if (first.size() < 2 || is_constant(first) || is_constant(second)) return 0.0;
  const std::vector<double> one = unit_deviations(first);
  const std::vector<double> other = unit_deviations(second);
  double product = 0.0;
  for (std::size_t i = 0; i < one.size(); ++i) product += one[i] * other[i];
  return std::clamp(product, -1.0, 1.0);
}

}  // namespace

Correlation pearson(std::span<const double> first, std::span<const double> second) {
  statistics::require_pairs(first, second);
  Correlation found;
  found.coefficient = linear_coefficient(first, second);
  if (first.size() <= 2) return found;
  found.p_value = statistics::correlation_two_sided_tail(found.coefficient, static_cast<double>(first.size()) - 2.0);
  return found;
}

Correlation spearman(std::span<const double> first, std::span<const double> second) {
  statistics::require_pairs(first, second);
  return pearson(fractional_ranks(first), fractional_ranks(second));
}

}  // namespace diffeo
