// Numbers of any size: mantissa * 2^exponent, with the exponent in a lane of its own.
//
// exp(-cost / gamma), and sums of products of such numbers, leave the range of double long before anything is wrong
// with them. As pairs they are added by lining up the exponents and multiplied by adding them, without a logarithm, and
// with the relative accuracy of double. No fused operations: the same bits on every instruction set.
//
//   * the mantissa lies in [1, 2), or is 0 with the exponent kNothing
//   * exponents are whole numbers below 2^50 in magnitude, held as double
#pragma once

#include "core/kernels/elementary.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

struct ScaledLanes {
  DoubleLanes mantissa;
  DoubleLanes exponent;
};

/// The exponent of 0: less than any other.
inline constexpr double kNothing = -0x1p60;

/// 2^power for whole numbers power <= 0; below 2^-1022 it is 0.
DIFFEO_INLINE DoubleLanes power_of_two(DoubleLanes power) {
  const DoubleLanes bounded = greater(power, splat<DoubleLanes>(-1023.0));
  // Adding 1.5 * 2^52 + 1023 leaves the biased exponent in the low bits; shifted up, they are the number.
  const DoubleLanes shifted = bounded + splat<DoubleLanes>(Format<double>::kRounder + 1023.0);
  return bits_as<DoubleLanes>(bits_as<DoubleLaneBits>(shifted) << Format<double>::kMantissaBits);
}

/// value * 2^exponent with the mantissa in [1, 2); value > 0 and not subnormal.
DIFFEO_INLINE ScaledLanes normalized(DoubleLanes value, DoubleLanes exponent) {
  constexpr std::uint64_t kMantissaMask = (std::uint64_t{1} << 52) - 1;
  constexpr std::uint64_t kOne = std::uint64_t{1023} << 52;
  constexpr double kCounter = 0x1p52;
  const DoubleLaneBits bits = bits_as<DoubleLaneBits>(value);
  const DoubleLaneBits biased = (bits >> 52) | bits_as<std::uint64_t>(kCounter);
  return {bits_as<DoubleLanes>((bits & kMantissaMask) | kOne),
          exponent + (bits_as<DoubleLanes>(biased) - splat<DoubleLanes>(kCounter + 1023.0))};
}

/// c[kFirst] + c[kFirst + 1] x + ... (kCount terms), halved again and again, without fused operations.
template <std::size_t kFirst, std::size_t kCount, std::size_t kTerms>
DIFFEO_INLINE DoubleLanes unfused_polynomial(const double (&c)[kTerms], DoubleLanes x) {
  if constexpr (kCount == 1) {
    return splat<DoubleLanes>(c[kFirst]);
  } else {
    constexpr std::size_t kHalf = std::bit_floor(kCount - 1);
    return unfused_polynomial<kFirst + kHalf, kCount - kHalf>(c, x) * power<kHalf>(x) +
           unfused_polynomial<kFirst, kHalf>(c, x);
  }
}

/// exp(z) for -2^50 <= z <= 0, the mantissa in [0.70, 1.42]: count = z / log(2) rounded, exp(z) = exp(r) 2^count.
DIFFEO_INLINE ScaledLanes scaled_exp(DoubleLanes z) {
  using F = Format<double>;
  constexpr auto kInverseFactorials = [] {
    Series<double, F::kExpTerms + 2> c = {};
    double factorial = 1;
    for (int k = 0; k < F::kExpTerms + 2; ++k) {
      c.values[k] = 1 / factorial;
      factorial *= k + 1;
    }
    return c;
  }();
  const DoubleLanes rounder = splat<DoubleLanes>(F::kRounder);
  const DoubleLanes count = (z * splat<DoubleLanes>(F::kLog2e) + rounder) - rounder;
  const DoubleLanes r = (z - count * splat<DoubleLanes>(F::kLn2High)) - count * splat<DoubleLanes>(F::kLn2Low);
  return {unfused_polynomial<0, F::kExpTerms + 2>(kInverseFactorials.values, r), count};
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
