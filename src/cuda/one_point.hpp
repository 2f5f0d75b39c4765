// The core's kernels with one number in place of a vector: what a thread of a GPU computes with.
//
// The mathematics of cells, pieces and points is that of src/core/kernels, the same source, in the namespace
// kernels::device. All of it is + - * /, comparisons and fused multiply-adds, each rounded correctly on either machine
// (CUDA's compiler is told not to fuse by itself), so a GPU and what stands in for it on the processor agree to the
// last bit; only points that need care (core/careful_formulas.hpp) call the exponentials and logarithms of their
// machine.
#pragma once

#if defined(DIFFEO_TARGET)
#error "a source holds the kernels of one target: this header defines its own"
#endif
#define DIFFEO_TARGET device
#define DIFFEO_VECTOR_BYTES 0

#include "core/careful_formulas.hpp"
#include "core/kernels/build_table.hpp"
#include "core/kernels/find_piece.hpp"
#include "core/kernels/log_slopes.hpp"
#include "core/kernels/positions.hpp"
#include "core/log_slope_formulas.hpp"

namespace diffeo::cuda {

namespace math = kernels::device;

/// One point and the coefficients of its piece, as core/kernels/piece_flow.hpp wants them.
template <class Real>
struct PlacedPoint {
  using Numbers = Real;
  const Real* coefficients;
  Real point;
  Real cotangent;

  DIFFEO_MEMBER Real operator[](math::Slot name) const { return coefficients[name]; }
  DIFFEO_MEMBER Real points() const { return point; }
  DIFFEO_MEMBER Real cotangents() const { return cotangent; }
};

/// x - x is 0 for every finite x and NaN for the others.
template <class Real>
DIFFEO_INLINE bool is_finite(Real x) {
  return x - x == Real(0);
}

template <class Real>
DIFFEO_INLINE Real not_a_number() {
  return std::numeric_limits<Real>::quiet_NaN();
}

}  // namespace diffeo::cuda
