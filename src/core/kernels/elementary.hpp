// log1p and expm1 with the moments that derivatives need, on scalars and vectors alike, without branches.
//
// All the numerics of the flow go through four functions (docs/math.md, 1.2):
//     E(z) = expm1(z)/z,  E'(z),  L(w) = log1p(w)/w,  M(w) = (log1p(w) - w/(1+w))/w^2
// Because log1p and expm1 below keep full relative accuracy at tiny arguments, E and L need no series; E' and M come
// for nothing from the polynomials that log1p and expm1 evaluate anyway (docs/math.md, 1.3).
//
//   log1p_nonnegative   0 <= w <= Format::kLargest                relative error < 4 ulp
//   moment M            within 12 ulp
//   log_ratio           normal a, b > 0                           relative error < 4 ulp
//   expm1_bounded       z <= Format::kExponentLimit               relative error < 2 ulp
//   slope E'            within 16 ulp
#pragma once

#include <bit>

#include "core/kernels/lanes.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

template <class Real>
struct Format;
template <>
struct Format<float> {
  static constexpr int kMantissaBits = 23;
  static constexpr std::uint32_t kBias = 127;
  static constexpr std::uint32_t kRootHalf = 0x3f3504f3u;  // bits of sqrt(1/2)
  static constexpr float kRounder = 12582912.0f;           // 1.5 * 2^23: adding it rounds to an integer
  static constexpr float kLog2e = 1.44269504f;
  static constexpr float kLn2 = 0.693147181f;
  static constexpr float kLn2High = 0.693359375f;  // few bits: exact times any exponent
  static constexpr float kLn2Low = -2.12194440e-4f;
  static constexpr float kExponentLimit = 87.0f;
  static constexpr float kLargest = 1e37f;
  static constexpr int kLogTerms = 5;  // s^2 <= 0.0295: the first term left out is below 2^-29
  static constexpr int kExpTerms = 6;  // |r| <= 0.347: below 2^-28 of expm1(r)
};
template <>
struct Format<double> {
  static constexpr int kMantissaBits = 52;
  static constexpr std::uint64_t kBias = 1023;
  static constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcdull;
  static constexpr double kRounder = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double kLog2e = 1.4426950408889634074;
  static constexpr double kLn2 = 0.693147180559945309417;
  static constexpr double kLn2High = 6.93147180369123816490e-01;
  static constexpr double kLn2Low = 1.90821492927058770002e-10;
  static constexpr double kExponentLimit = 708.0;
  static constexpr double kLargest = 1e307;
  static constexpr int kLogTerms = 11;
  static constexpr int kExpTerms = 12;
};

template <class Real, int kTerms>
struct Series {
  Real values[kTerms];
};

/// x^kExponent, a power of two.
template <std::size_t kExponent, class T>
DIFFEO_INLINE T power(T x) {
  if constexpr (kExponent == 1) {
    return x;
  } else {
    const T root = power<kExponent / 2>(x);
    return root * root;
  }
}

/// c[kFirst] + c[kFirst + 1] x + ... (kCount terms), halved again and again: a short chain of dependent operations.
template <std::size_t kFirst, std::size_t kCount, std::size_t kTerms, class T>
DIFFEO_INLINE T polynomial_part(const typename NumberTraits<T>::Real (&c)[kTerms], T x) {
  if constexpr (kCount == 1) {
    return splat<T>(c[kFirst]);
  } else {
    constexpr std::size_t kHalf = std::bit_floor(kCount - 1);
    const T high = polynomial_part<kFirst + kHalf, kCount - kHalf>(c, x);
    return mul_add(high, power<kHalf>(x), polynomial_part<kFirst, kHalf>(c, x));
  }
}

template <std::size_t kTerms, class T>
DIFFEO_INLINE T polynomial(const typename NumberTraits<T>::Real (&c)[kTerms], T x) {
  return polynomial_part<0, kTerms>(c, x);
}

/// (atanh(s) - s) / s^3 = 1/3 + s^2/5 + s^4/7 + ..., for s^2 <= 0.0295.
template <class T>
DIFFEO_INLINE T atanh_tail(T square) {
  using Real = typename NumberTraits<T>::Real;
  constexpr auto kCoefficients = [] {
    Series<Real, Format<Real>::kLogTerms> c = {};
    for (int k = 0; k < Format<Real>::kLogTerms; ++k) c.values[k] = Real(1) / Real(2 * k + 3);
    return c;
  }();
  return polynomial(kCoefficients.values, square);
}

/// (expm1(r) - r) / r^2 = 1/2! + r/3! + r^2/4! + ..., for |r| <= log(2)/2.
template <class T>
DIFFEO_INLINE T expm1_tail(T r) {
  using Real = typename NumberTraits<T>::Real;
  constexpr auto kCoefficients = [] {
    Series<Real, Format<Real>::kExpTerms> c = {};
    double factorial = 2;
    for (int k = 0; k < Format<Real>::kExpTerms; ++k) {
      c.values[k] = static_cast<Real>(1 / factorial);
      factorial *= k + 3;
    }
    return c;
  }();
  return polynomial(kCoefficients.values, r);
}

/// The small integer held in `bits`, as a number.
template <class T>
DIFFEO_INLINE T number_of(typename NumberTraits<T>::Bits bits) {
  using Real = typename NumberTraits<T>::Real;
  using Bits = typename NumberTraits<T>::Bits;
  const T rounder = splat<T>(Format<Real>::kRounder);
  return bits_as<T>(bits_as<Bits>(rounder) + bits) - rounder;
}

template <class T>
struct LogParts {
  T log1p;
  T moment;  // M(w); only with log1p_nonnegative<true>
};

/// log1p(w) for w >= 0, and M(w) on request. `reciprocal` = 1/(1+w), known to callers more exactly than from w; it is
/// read only for the moment.
template <bool kWithMoment, class T>
DIFFEO_INLINE LogParts<T> log1p_nonnegative(T w, T reciprocal) {
  using Real = typename NumberTraits<T>::Real;
  using Bits = typename NumberTraits<T>::Bits;
  using F = Format<Real>;
  const T one = splat<T>(1);
  const T u = one + w;
  const Bits exponent = (bits_as<Bits>(u) - F::kRootHalf) >> F::kMantissaBits;
  const T mantissa = bits_as<T>(bits_as<Bits>(u) - (exponent << F::kMantissaBits));
  // 1 + w = 2^exponent (1 + f). With exponent 0, f is w itself; with others, what rounding took from 1 + w is less than
  // a unit in the last place of the logarithm.
  const auto small = exponent == Bits{};
  const T f = small ? w : mantissa - one;
  const T s = f / (f + splat<T>(2));
  const T square = s * s;
  const T tail = atanh_tail(square);
  const T twice = s + s;
  const T log_f = mul_add(twice * square, tail, twice);
  const T count = number_of<T>(exponent);
  LogParts<T> parts;
  parts.log1p = mul_add(count, splat<T>(F::kLn2), log_f);
  if constexpr (kWithMoment) {
    const T near = splat<T>(Real(0.5)) * (one - s) * (one - s) * mul_add(s * tail, one + s, one);
    const T far = mul_add(-w, reciprocal, parts.log1p);
    parts.moment = (small ? near : far) / (small ? one + s : w * w);
  }
  return parts;
}

/// log(a / b), as exact near a = b as far from it; a / b itself may lie beyond the number range.
template <class T>
DIFFEO_INLINE T log_ratio(T a, T b) {
  using Bits = typename NumberTraits<T>::Bits;
  using F = Format<typename NumberTraits<T>::Real>;
  const T one = splat<T>(1);
  const typename NumberTraits<typename NumberTraits<T>::Real>::Bits offset =
      (F::kBias << F::kMantissaBits) - F::kRootHalf;  // keeps exponents below 0 from wrapping around
  const Bits power_of_a = (bits_as<Bits>(a) + offset) >> F::kMantissaBits;
  const Bits power_of_b = (bits_as<Bits>(b) + offset) >> F::kMantissaBits;
  const T mantissa_of_a = bits_as<T>(bits_as<Bits>(a) - ((power_of_a - F::kBias) << F::kMantissaBits));
  const T mantissa_of_b = bits_as<T>(bits_as<Bits>(b) - ((power_of_b - F::kBias) << F::kMantissaBits));
  // Both mantissas lie in [sqrt(1/2), sqrt(2)): one more factor of 2 brings their ratio there as well.
  const T root = splat<T>(typename NumberTraits<T>::Real(1.4142135623730951));
  const auto above = mantissa_of_a > root * mantissa_of_b;
  const auto below = root * mantissa_of_a < mantissa_of_b;
  const T half = splat<T>(typename NumberTraits<T>::Real(0.5));
  const T scaled = mantissa_of_a * (above ? half : (below ? one + one : one));
  const T shift = above ? one : (below ? -one : T{});
  const T s = (scaled - mantissa_of_b) / (scaled + mantissa_of_b);
  const T twice = s + s;
  const T log_f = mul_add(twice * (s * s), atanh_tail(s * s), twice);
  const T count = number_of<T>(power_of_a - power_of_b) + shift;
  return mul_add(count, splat<T>(F::kLn2), log_f);
}

template <class T>
struct ExpParts {
  T expm1;
  T exp;
  T slope;  // E'(z); only with expm1_bounded<true>
};

/// expm1(z), exp(z), and E'(z) on request.
template <bool kWithSlope, class T>
DIFFEO_INLINE ExpParts<T> expm1_bounded(T z) {
  using Real = typename NumberTraits<T>::Real;
  using Bits = typename NumberTraits<T>::Bits;
  using F = Format<Real>;
  const T one = splat<T>(1);
  const T rounder = splat<T>(F::kRounder);
  const T lowest = splat<T>(-F::kExponentLimit);
  const T bounded = greater(z, lowest);
  const T shifted = mul_add(bounded, splat<T>(F::kLog2e), rounder);
  const T count = shifted - rounder;
  const Bits power = bits_as<Bits>(shifted) - bits_as<Bits>(rounder);
  const T scale = bits_as<T>((power + F::kBias) << F::kMantissaBits);
  const T r = mul_add(count, splat<T>(-F::kLn2Low), mul_add(count, splat<T>(-F::kLn2High), bounded));
  const T tail = expm1_tail(r);
  const T expm1_r = mul_add(r * r, tail, r);
  ExpParts<T> parts;
  parts.expm1 = mul_add(scale, expm1_r, scale - one);
  parts.exp = z < lowest ? T{} : mul_add(scale, expm1_r, scale);
  if constexpr (kWithSlope) {
    const auto small = (count < splat<T>(Real(0.5))) & (count > splat<T>(Real(-0.5)));
    const T near = mul_add(z - one, tail, one);
    const T far = mul_add(bounded, parts.exp, -parts.expm1);
    parts.slope = (small ? near : far) / (small ? one : z * z);
  }
  return parts;
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
