// One vector of points of a block: where it finds the coefficients of their pieces, and where its results go.
//
// A vector of points often spans several pieces. The coefficients of the pieces stand side by side in rows of a Block,
// one row per kind of coefficient ("slot"), and each lane picks its piece's entry: one load and one permutation per
// slot.
#pragma once

#include "core/kernels/kernel_set.hpp"
#include "core/kernels/piece_flow.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

/// One vector of points of a block, and the coefficients of their pieces.
template <class Real>
struct PointVector {
  using Numbers = Lanes<Real>;
  const Block<Real>& block;
  std::size_t at;
  std::size_t first_segment;
  Picker<Real> picker;

  DIFFEO_MEMBER PointVector(const Block<Real>& the_block, std::size_t index)
      : block(the_block),
        at(index),
        first_segment(the_block.segment_of[index]),
        picker(segments_of(the_block, index) - static_cast<Integer>(first_segment)) {}

  DIFFEO_MEMBER Lanes<Real> operator[](Slot name) const {
    return picker.from(block.coefficients[name] + first_segment);
  }
  DIFFEO_MEMBER Lanes<Real> points() const { return load<Lanes<Real>>(block.points + at); }
  DIFFEO_MEMBER Lanes<Real> cotangents() const { return load<Lanes<Real>>(block.cotangents + at); }

 private:
  using Integer = typename NumberTraits<Real>::Bits;
  using Integers = typename NumberTraits<Lanes<Real>>::Bits;
  static DIFFEO_MEMBER Integers segments_of(const Block<Real>& block, std::size_t at) {
    Integers segments;
    __builtin_memcpy(&segments, block.segment_of + at, sizeof(segments));
    return segments;
  }
};

template <class Quantity, class Real>
DIFFEO_INLINE void value_vector(Block<Real>& block, Real origin, std::size_t at) {
  store(block.results + at, Quantity::value(PointVector<Real>(block, at), origin));
}

template <class Quantity, bool kByPoint, class Real>
DIFFEO_INLINE void vjp_vector(Block<Real>& block, Real origin, std::size_t at) {
  const Contributions<Lanes<Real>> result =
      Quantity::template contributions<kByPoint>(PointVector<Real>(block, at), origin);
  if constexpr (kByPoint) store(block.results + at, result.by_point);
  for (std::size_t i = 0; i < Quantity::kCrossingSums; ++i) store(block.sums[i] + at, result.sums[i]);
}

/// Where the coefficients of one segment go: one entry of each row of the block.
template <class Real>
struct BlockCoefficients {
  Block<Real>& block;
  std::size_t segment;
  DIFFEO_MEMBER Real& operator[](Slot name) const { return block.coefficients[name][segment]; }
};

}  // namespace diffeo::kernels::DIFFEO_TARGET
