#include "statistics/studentized_range.hpp"

#include <cmath>
#include <numbers>

#include "statistics/distributions.hpp"

namespace diffeo::statistics {
namespace {

constexpr double kIntegrationStep = 1.0 / 32.0;
constexpr double kIntegrationMargin = 10.0;  // exp(-10^2 / 2) is 2e-22 of what the integrand reaches

/// What the integral adds up where the largest number is z.
double range_integrand(double z, double q, double others) noexcept {
  const double below = normal_upper_tail(-z);
  const double too_far_below = normal_upper_tail(q - z);
  const double density = std::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  // a^m - (a - b)^m = -a^m expm1(m log(1 - b / a)): small tails keep their digits.
  return -density * std::pow(below, others) * std::expm1(others * std::log1p(-too_far_below / below));
}

}  // namespace

double normal_range_upper_tail(double q, std::size_t count) noexcept {
  const double largest = 0.5 * q + kIntegrationMargin;
  const auto steps = static_cast<std::size_t>((largest + kIntegrationMargin) / kIntegrationStep);
  double sum = 0.0;
  for (std::size_t step = 0; step <= steps; ++step) {
    const double z = kIntegrationStep * static_cast<double>(step) - kIntegrationMargin;
    sum += range_integrand(z, q, static_cast<double>(count) - 1.0);
  }
  return static_cast<double>(count) * kIntegrationStep * sum;
}

double normal_range_quantile(double level, std::size_t count) noexcept {
  double lower = 0.0;
  double upper = 4.0;
  while (normal_range_upper_tail(upper, count) > level) upper *= 2.0;
  for (;;) {
    const double middle = 0.5 * (lower + upper);
    if (middle <= lower || middle >= upper) return upper;  // neighbours: no number lies between
    (normal_range_upper_tail(middle, count) > level ? lower : upper) = middle;
  }
}

}  // namespace diffeo::statistics
