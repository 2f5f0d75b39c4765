// Rounding a double to the precision of the points, and nothing less.
//
// GCC 12 folds a pair of conversions double -> float -> double, once vectorized, into nothing at all: the value keeps
// all its digits (tests/core/rounding_test.cpp). The empty statement below makes the float a fact; a GPU's compiler
// needs none.
#pragma once

#include "core/kernels/inline.hpp"

namespace diffeo {

template <class Real>
DIFFEO_INLINE double rounded_to(double value) noexcept {
  Real rounded = static_cast<Real>(value);
#if !defined(__CUDA_ARCH__)
  __asm__("" : "+m"(rounded));
#endif
  return static_cast<double>(rounded);
}

}  // namespace diffeo
