// Vectors of numbers, and the few operations on them that the language does not give.
//
// Numerical code below is written once, as templates on T, where T is a float, a double or a vector of either (the
// compiler's own vector types: element-wise + - * /, comparisons that give masks, mask ? a : b). The same source is
// compiled once per instruction set (CMakeLists.txt beside this file), each time into a namespace of its own, so that
// no inline function compiled for one instruction set can be linked into code for another.
//
// With DIFFEO_VECTOR_BYTES 0 a vector is one number, and nothing of the compiler's vector types is left: that is what a
// thread of a GPU computes with (src/cuda).
//
// Multiply-adds are fused only where mul_add says so: every code path gives the same bits for the same point.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "core/kernels/inline.hpp"

#if !defined(DIFFEO_TARGET) || !defined(DIFFEO_VECTOR_BYTES)
#error "compile this file through src/core/kernels/CMakeLists.txt, which names the target"
#endif

namespace diffeo::kernels::DIFFEO_TARGET {

#if DIFFEO_VECTOR_BYTES > 0
typedef float FloatLanes __attribute__((vector_size(DIFFEO_VECTOR_BYTES)));
typedef double DoubleLanes __attribute__((vector_size(DIFFEO_VECTOR_BYTES)));
typedef std::uint32_t FloatLaneBits __attribute__((vector_size(DIFFEO_VECTOR_BYTES)));
typedef std::uint64_t DoubleLaneBits __attribute__((vector_size(DIFFEO_VECTOR_BYTES)));
#else
using FloatLanes = float;
using DoubleLanes = double;
#endif

/// What a type T of numbers is made of: its scalar, the unsigned integers of the same size, its number of lanes.
template <class T>
struct NumberTraits;
template <>
struct NumberTraits<float> {
  using Real = float;
  using Bits = std::uint32_t;
};
template <>
struct NumberTraits<double> {
  using Real = double;
  using Bits = std::uint64_t;
};
#if DIFFEO_VECTOR_BYTES > 0
template <>
struct NumberTraits<FloatLanes> {
  using Real = float;
  using Bits = FloatLaneBits;
};
template <>
struct NumberTraits<DoubleLanes> {
  using Real = double;
  using Bits = DoubleLaneBits;
};
#endif

/// The vector type of a scalar.
template <class Real>
struct LanesOf;
template <>
struct LanesOf<float> {
  using Type = FloatLanes;
};
template <>
struct LanesOf<double> {
  using Type = DoubleLanes;
};
template <class Real>
using Lanes = typename LanesOf<Real>::Type;
template <class Real>
inline constexpr std::size_t kLaneCount = sizeof(Lanes<Real>) / sizeof(Real);

template <class T>
DIFFEO_INLINE T splat(typename NumberTraits<T>::Real value) {
  return T{} + value;
}

template <class To, class From>
DIFFEO_INLINE To bits_as(From value) {
  return __builtin_bit_cast(To, value);
}

template <class T>
DIFFEO_INLINE T load(const typename NumberTraits<T>::Real* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
DIFFEO_INLINE void store(typename NumberTraits<T>::Real* to, T value) {
  __builtin_memcpy(to, &value, sizeof(T));
}

template <class T>
DIFFEO_INLINE T lesser(T a, T b) {
  return a < b ? a : b;
}
template <class T>
DIFFEO_INLINE T greater(T a, T b) {
  return a > b ? a : b;
}
template <class T>
DIFFEO_INLINE T magnitude(T a) {
  return a < T{} ? -a : a;
}

/// a * b + c, rounded once where the instruction set can (all of AVX2, AVX-512 and NEON), twice otherwise. A GPU always
/// can, and what stands in for it must compute what it does.
DIFFEO_INLINE float mul_add(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__) || DIFFEO_VECTOR_BYTES == 0
  return ::fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
DIFFEO_INLINE double mul_add(double a, double b, double c) {
#if defined(__FMA__) || defined(__aarch64__) || DIFFEO_VECTOR_BYTES == 0
  return ::fma(a, b, c);
#else
  return a * b + c;
#endif
}
#if DIFFEO_VECTOR_BYTES > 0
DIFFEO_INLINE FloatLanes mul_add(FloatLanes a, FloatLanes b, FloatLanes c) {
#if DIFFEO_VECTOR_BYTES == 64 && defined(__AVX512F__)
  return (FloatLanes)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif DIFFEO_VECTOR_BYTES == 32 && defined(__FMA__)
  return (FloatLanes)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
  FloatLanes result = {};
  for (std::size_t i = 0; i < kLaneCount<float>; ++i) result[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return result;
#else
  return a * b + c;
#endif
}
DIFFEO_INLINE DoubleLanes mul_add(DoubleLanes a, DoubleLanes b, DoubleLanes c) {
#if DIFFEO_VECTOR_BYTES == 64 && defined(__AVX512F__)
  return (DoubleLanes)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif DIFFEO_VECTOR_BYTES == 32 && defined(__FMA__)
  return (DoubleLanes)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(__aarch64__)
  DoubleLanes result = {};
  for (std::size_t i = 0; i < kLaneCount<double>; ++i) result[i] = __builtin_fma(a[i], b[i], c[i]);
  return result;
#else
  return a * b + c;
#endif
}

/// One bit per lane: its sign.
DIFFEO_INLINE std::uint32_t sign_bits(FloatLanes values) {
#if DIFFEO_VECTOR_BYTES == 64 && defined(__AVX512DQ__)
  return _mm512_movepi32_mask((__m512i)values);
#elif DIFFEO_VECTOR_BYTES == 32 && defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_ps((__m256)values));
#else
  std::uint32_t signs = 0;
  for (std::size_t i = 0; i < kLaneCount<float>; ++i) signs |= (bits_as<std::uint32_t>(values[i]) >> 31) << i;
  return signs;
#endif
}
DIFFEO_INLINE std::uint32_t sign_bits(DoubleLanes values) {
#if DIFFEO_VECTOR_BYTES == 64 && defined(__AVX512DQ__)
  return _mm512_movepi64_mask((__m512i)values);
#elif DIFFEO_VECTOR_BYTES == 32 && defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_pd((__m256d)values));
#else
  std::uint32_t signs = 0;
  for (std::size_t i = 0; i < kLaneCount<double>; ++i) {
    signs |= static_cast<std::uint32_t>(bits_as<std::uint64_t>(values[i]) >> 63) << i;
  }
  return signs;
#endif
}

template <class T>
DIFFEO_INLINE bool any_negative(T values) {
  return sign_bits(values) != 0;
}
template <class T>
DIFFEO_INLINE bool all_negative(T values) {
  return sign_bits(values) == (1u << kLaneCount<typename NumberTraits<T>::Real>)-1;
}

/// 0, 1, 2, ...
template <class T>
DIFFEO_INLINE typename NumberTraits<T>::Bits lane_numbers() {
  using Bits = typename NumberTraits<T>::Bits;
  using Integer = typename NumberTraits<typename NumberTraits<T>::Real>::Bits;
  Bits lanes = {};
  for (std::size_t i = 0; i < sizeof(T) / sizeof(Integer); ++i) lanes[i] = static_cast<Integer>(i);
  return lanes;
}

/// Sum of all lanes, halves first: log2(lanes) additions.
template <class Vector>
DIFFEO_INLINE auto sum_of_lanes(Vector values) {
  using Real = std::remove_cvref_t<decltype(values[0])>;
  if constexpr (sizeof(Vector) == 2 * sizeof(Real)) {
    return values[0] + values[1];
  } else {
    typedef Real Half __attribute__((vector_size(sizeof(Vector) / 2)));
    struct Halves {
      Half low, high;
    };
    const Halves halves = __builtin_bit_cast(Halves, values);
    return sum_of_lanes(halves.low + halves.high);
  }
}

/// Which entries of a row a vector of points takes: prepared once, used for many rows.
template <class Real>
struct Picker;

template <>
struct Picker<float> {
  FloatLaneBits index;
  explicit Picker(FloatLaneBits entries) : index(entries) {}
  DIFFEO_MEMBER FloatLanes from(const float* row) const {
#if DIFFEO_VECTOR_BYTES == 64 && defined(__AVX512F__)
    return (FloatLanes)_mm512_maskz_permutexvar_ps((__mmask16)-1, (__m512i)index, _mm512_loadu_ps(row));
#elif DIFFEO_VECTOR_BYTES == 32 && defined(__AVX2__)
    return (FloatLanes)_mm256_permutevar8x32_ps(_mm256_loadu_ps(row), (__m256i)index);
#else
    FloatLanes result = {};
    for (std::size_t i = 0; i < kLaneCount<float>; ++i) result[i] = row[index[i]];
    return result;
#endif
  }
};

template <>
struct Picker<double> {
  DoubleLaneBits index;
#if DIFFEO_VECTOR_BYTES == 32 && defined(__AVX2__)
  // Pairs of 32-bit entries: AVX2 has no such instruction for 64 bits.
  explicit Picker(DoubleLaneBits entries) : index((entries << 1) + (((entries << 1) + 1) << 32)) {}
#else
  explicit Picker(DoubleLaneBits entries) : index(entries) {}
#endif
  DIFFEO_MEMBER DoubleLanes from(const double* row) const {
#if DIFFEO_VECTOR_BYTES == 64 && defined(__AVX512F__)
    return (DoubleLanes)_mm512_maskz_permutexvar_pd((__mmask8)-1, (__m512i)index, _mm512_loadu_pd(row));
#elif DIFFEO_VECTOR_BYTES == 32 && defined(__AVX2__)
    const __m256 pairs = _mm256_castpd_ps(_mm256_loadu_pd(row));
    return (DoubleLanes)_mm256_castps_pd(_mm256_permutevar8x32_ps(pairs, (__m256i)index));
#else
    DoubleLanes result = {};
    for (std::size_t i = 0; i < kLaneCount<double>; ++i) result[i] = row[index[i]];
    return result;
#endif
  }
};
#else
template <class T>
DIFFEO_INLINE bool any_negative(T value) {
  return value < 0;
}
template <class T>
DIFFEO_INLINE bool all_negative(T value) {
  return value < 0;
}
#endif

}  // namespace diffeo::kernels::DIFFEO_TARGET
