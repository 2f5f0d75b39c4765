// Tails of the distributions that test statistics are compared with: the probability of a value at least as large.
//
//   * degrees of freedom above 0, not checked; an infinite statistic has the tail 0
#pragma once

namespace diffeo::statistics {

[[nodiscard]] double normal_upper_tail(double x) noexcept;
[[nodiscard]] double chi_squared_upper_tail(double x, double degrees) noexcept;
/// Fisher's F, the ratio of two mean squares.
[[nodiscard]] double fisher_upper_tail(double x, double numerator_degrees, double denominator_degrees) noexcept;
/// Of a correlation r of normal numbers that have none, with n - 2 degrees of freedom; two-sided.
[[nodiscard]] double correlation_two_sided_tail(double coefficient, double degrees) noexcept;

}  // namespace diffeo::statistics
