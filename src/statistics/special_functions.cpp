#include "statistics/special_functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace diffeo::statistics {
namespace {

constexpr double kSeriesPrecision = std::numeric_limits<double>::epsilon();
constexpr double kFractionPrecision = 4.0 * kSeriesPrecision;  // the roundings of one factor
constexpr int kMostTerms = 10'000;                             // enough for parameters up to some ten millions

/// A continued fraction from its front, by the modified method of Lentz: value = b + a1 / (b1 + a2 / (b2 + ...)).
class ContinuedFraction {
 public:
  explicit ContinuedFraction(double first) noexcept : value_(away_from_zero(first)), numerator_(value_) {}

  void append(double a, double b) noexcept {
    denominator_ = 1.0 / away_from_zero(b + a * denominator_);
    numerator_ = away_from_zero(b + a / numerator_);
    last_factor_ = numerator_ * denominator_;
    value_ *= last_factor_;
  }

  [[nodiscard]] double value() const noexcept { return value_; }
  [[nodiscard]] bool settled() const noexcept { return std::fabs(last_factor_ - 1.0) <= kFractionPrecision; }

 private:
  static double away_from_zero(double x) noexcept { return x == 0.0 ? std::numeric_limits<double>::min() : x; }

  double value_;
  double numerator_;
  double denominator_ = 0.0;
  double last_factor_ = 0.0;
};

/// P(a, x) = x^a exp(-x) / Gamma(a + 1) (1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ...), for x below a + 1.
double lower_gamma_by_series(double a, double x) noexcept {
  double term = 1.0;
  double sum = 1.0;
  for (int count = 1; count < kMostTerms && term > kSeriesPrecision * sum; ++count) {
    term *= x / (a + count);
    sum += term;
  }
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a + 1.0));
}

/// Q(a, x) = x^a exp(-x) / Gamma(a) / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / (x + 5 - a - ...))).
double upper_gamma_by_fraction(double a, double x) noexcept {
  ContinuedFraction fraction(x + 1.0 - a);
  for (int count = 1; count < kMostTerms && !fraction.settled(); ++count) {
    fraction.append(-count * (count - a), x + 2.0 * count + 1.0 - a);
  }
  return std::exp(a * std::log(x) - x - std::lgamma(a)) / fraction.value();
}

/// I_x(a, b), for x below about the mean a / (a + b).
double beta_by_fraction(double a, double b, double x, double one_minus_x) noexcept {
  ContinuedFraction fraction(1.0);
  for (int count = 0; count < kMostTerms && !fraction.settled(); ++count) {
    const double m = count;
    if (count > 0) fraction.append(m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)), 1.0);
    fraction.append(-(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)), 1.0);
  }
  const double logarithm =
      a * std::log(x) + b * std::log(one_minus_x) + std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b);
  return std::exp(logarithm) / (a * fraction.value());
}

}  // namespace

double regularised_upper_gamma(double a, double x) noexcept {
  if (x <= 0.0) return 1.0;
  if (std::isinf(x)) return 0.0;
  return x < a + 1.0 ? 1.0 - lower_gamma_by_series(a, x) : upper_gamma_by_fraction(a, x);
}

double regularised_beta(double a, double b, double x) noexcept {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const bool is_lower_part = x < (a + 1.0) / (a + b + 2.0);
  const double part = is_lower_part ? beta_by_fraction(a, b, x, 1.0 - x) : 1.0 - beta_by_fraction(b, a, 1.0 - x, x);
  return std::clamp(part, 0.0, 1.0);
}

}  // namespace diffeo::statistics
