// The range, largest minus smallest, of k independent standard normal numbers: the studentized range with infinitely
// many degrees of freedom, behind Nemenyi's test.
//
// With the largest at z the other k - 1 have to lie between z - q and z, so the range exceeds q with the probability
//     k Integral phi(z) (Phi(z)^(k-1) - (Phi(z) - Phi(z-q))^(k-1)) dz.
// The integrand is smooth and falls like a normal density, so the trapezoidal rule has all digits with a coarse step.
//
//   * k >= 2, q >= 0, 0 < level < 1; not checked
//   * relative error below 1e-10, small levels included
#pragma once

#include <cstddef>

namespace diffeo::statistics {

/// The probability that the range of `count` normal numbers exceeds q.
[[nodiscard]] double normal_range_upper_tail(double q, std::size_t count) noexcept;

/// The q that is exceeded with the probability `level`.
[[nodiscard]] double normal_range_quantile(double level, std::size_t count) noexcept;

}  // namespace diffeo::statistics
