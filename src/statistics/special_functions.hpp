// The two functions that p-values are made of.
//
// Q(a, x), the upper part of the gamma distribution with shape a, by a power series below its bulk and by a continued
// fraction above it; I_x(a, b), the lower part of the beta distribution, by a continued fraction on the side where it
// converges quickly.
//
//   * a, b > 0, x >= 0, and x <= 1 for the beta function; not checked
//   * relative error about 1e-13 for parameters up to some hundreds, small results included; more terms are needed as
//     the square root of the parameters
#pragma once

namespace diffeo::statistics {

/// Integral from x to infinity of t^(a-1) exp(-t) dt / Gamma(a).
[[nodiscard]] double regularised_upper_gamma(double a, double x) noexcept;

/// Integral from 0 to x of t^(a-1) (1-t)^(b-1) dt / B(a, b).
[[nodiscard]] double regularised_beta(double a, double b, double x) noexcept;

}  // namespace diffeo::statistics
