#include "statistics/distributions.hpp"

#include <cmath>
#include <numbers>

#include "statistics/special_functions.hpp"

namespace diffeo::statistics {

double normal_upper_tail(double x) noexcept { return 0.5 * std::erfc(x / std::numbers::sqrt2); }

double chi_squared_upper_tail(double x, double degrees) noexcept {
  return regularised_upper_gamma(0.5 * degrees, 0.5 * x);
}

double fisher_upper_tail(double x, double numerator_degrees, double denominator_degrees) noexcept {
  if (std::isinf(x)) return 0.0;
  const double within = denominator_degrees / (denominator_degrees + numerator_degrees * x);
  return regularised_beta(0.5 * denominator_degrees, 0.5 * numerator_degrees, within);
}

// Student's two-sided tail at t is I(degrees / 2, 1 / 2) at degrees / (degrees + t t), which for
// t = r sqrt(degrees / (1 - r r)) is 1 - r r.
double correlation_two_sided_tail(double coefficient, double degrees) noexcept {
  return regularised_beta(0.5 * degrees, 0.5, (1.0 - coefficient) * (1.0 + coefficient));
}

}  // namespace diffeo::statistics
