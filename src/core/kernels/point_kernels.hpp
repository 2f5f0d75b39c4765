// The flow and its reverse derivative for one vector of points, given the coefficients of their pieces.
//
// A vector of points often spans several pieces. The coefficients of the pieces stand side by side in rows of a Block,
// one row per kind of coefficient ("slot"), and each lane picks its piece's entry: one load and one permutation per
// slot. The letters in the comments are those of docs/math.md, 2 and 4.
#pragma once

#include "core/kernels/elementary.hpp"
#include "core/kernels/kernel_set.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

enum Slot : std::size_t {
  // Where points are in their source cell, and the affine function there, measured from the nearer vertex.
  kBorder,       // the vertex they leave through (the right one for those who stay)
  kFar,          // the other one
  kBorderValue,  // the function at the border: the speed |v_b| for those who cross
  kFarValue,     // at the far vertex
  kSlope,        // per distance in the direction of motion
  kKeep,         // stay: factor of x, 1 or 0; negative marks those who cross
  // Where they land: the two vertices, in the order they pass them.
  kEntry,
  kEnd,
  // Stay: times the affine function; cross: t - (P_m - P_b).
  kGainOrTimeLeft,
  // Stay: d phi / d x; cross: 1 / |s|.
  kGrowthOrInverseSlope,
  // Only those who cross.
  kLandingSlope,  // s_m
  kLandingGain,   // v_y / s_m
  // Only for derivatives.
  kInverseBorderSpeed,  // 1 / |v_b|
  kEntrySpeed,          // |v_y|; only for those by points
};
static_assert(kEntrySpeed + 1 == kBlockSlots);

/// One vector of points of a block, and the coefficients of their pieces.
template <class Real>
struct PointVector {
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

template <class Real>
struct SourceTerms {
  Lanes<Real> to_border;
  Lanes<Real> from_far;
  Lanes<Real> value;
};

template <class Real>
DIFFEO_INLINE SourceTerms<Real> source_terms(const PointVector<Real>& vector, Real origin) {
  const Lanes<Real> x = vector.points() - origin;
  SourceTerms<Real> source;
  source.to_border = magnitude(vector[kBorder] - x);
  source.from_far = magnitude(x - vector[kFar]);
  const auto near_border = source.to_border < source.from_far;
  const Lanes<Real> slope = vector[kSlope];
  source.value = mul_add(near_border ? -slope : slope, near_border ? source.to_border : source.from_far,
                         near_border ? vector[kBorderValue] : vector[kFarValue]);
  return source;
}

/// Rounding must not carry a point out of the cell it lands in: neighbouring pieces stay in order.
template <class Real>
DIFFEO_INLINE Lanes<Real> clamp_to_landing(const PointVector<Real>& vector, Lanes<Real> position) {
  const Lanes<Real> entry = vector[kEntry];
  const Lanes<Real> end = vector[kEnd];
  return lesser(greater(position, lesser(entry, end)), greater(entry, end));
}

/// phi = keep * x + gain * value.
template <class Real>
DIFFEO_INLINE Lanes<Real> staying_position(const PointVector<Real>& vector, const SourceTerms<Real>& source,
                                           Lanes<Real> keep) {
  return mul_add(vector[kGainOrTimeLeft], source.value, keep * vector.points());
}

/// Who crosses leaves its cell in time, so it is not slower than this part of the speed at the border, whatever
/// rounding makes of the velocity beside a fixed point: exp(-kGrowthLimit), see build_table.hpp.
template <class Real>
inline constexpr Real kSlowestPart = sizeof(Real) == 4 ? Real(4e-18) : Real(5e-131);

template <class Real>
DIFFEO_INLINE Lanes<Real> leaving_speed(const SourceTerms<Real>& source, Lanes<Real> border_speed) {
  return greater(source.value, border_speed * kSlowestPart<Real>);
}

/// r = log1p(|s| Delta / v_slow) / |s|,  rho = time left - r,  phi = y + v_y/s_m expm1(s_m rho).
template <class Real>
DIFFEO_INLINE Lanes<Real> crossing_position(const PointVector<Real>& vector, const SourceTerms<Real>& source) {
  using T = Lanes<Real>;
  const T border_speed = vector[kBorderValue];
  const T slow = lesser(leaving_speed(source, border_speed), border_speed);
  const T w = magnitude(vector[kSlope]) * source.to_border / slow;
  const T leaving = log1p_nonnegative<false>(w, w).log1p * vector[kGrowthOrInverseSlope];
  const T rest = greater(vector[kGainOrTimeLeft] - leaving, T{});
  const T z = vector[kLandingSlope] * rest;
  return mul_add(vector[kLandingGain], expm1_bounded<false>(z).expm1, vector[kEntry]);
}

template <class Real>
DIFFEO_INLINE void flow_vector(Block<Real>& block, Real origin, std::size_t at) {
  using T = Lanes<Real>;
  const PointVector<Real> vector(block, at);
  const SourceTerms<Real> source = source_terms(vector, origin);
  const T keep = vector[kKeep];
  T position = {};
  if (any_negative(keep)) position = crossing_position(vector, source);
  if (!all_negative(keep)) position = keep >= T{} ? staying_position(vector, source, keep) : position;
  store(block.results + at, clamp_to_landing(vector, position));
}

/// Per point, the five sums of docs/math.md, 4.3, and the gradient by the point.
template <class Real>
struct Contributions {
  Lanes<Real> by_point;
  Lanes<Real> sums[kBlockSums];
};

/// With G = g |v(phi)|:  0: G,  1: G D_x Delta,  2: G (D_x + D_b),  3: g expm1(z),  4: g |v_y| rho^2 E'(z), all but 3
/// over |v_y|, which is the same for the whole piece.
template <bool kByPoint, class Real>
DIFFEO_INLINE Contributions<Real> crossing_contributions(const PointVector<Real>& vector,
                                                         const SourceTerms<Real>& source) {
  using T = Lanes<Real>;
  const T g = vector.cotangents();
  const T border_speed = vector[kBorderValue];
  const T inverse_border = vector[kInverseBorderSpeed];
  const T speed = leaving_speed(source, border_speed);
  const T inverse = splat<T>(1) / speed;
  const auto accelerates = speed < border_speed;
  const T slow = accelerates ? speed : border_speed;
  const T inverse_slow = accelerates ? inverse : inverse_border;
  const T inverse_fast = accelerates ? inverse_border : inverse;

  const T w = magnitude(vector[kSlope]) * source.to_border * inverse_slow;
  const LogParts<T> log = log1p_nonnegative<true>(w, slow * inverse_fast);
  const T rest = greater(vector[kGainOrTimeLeft] - log.log1p * vector[kGrowthOrInverseSlope], T{});
  const T z = vector[kLandingSlope] * rest;
  const ExpParts<T> exp = expm1_bounded<true>(z);

  const T arrival = g * exp.exp;
  const T by_point = arrival * inverse;
  const T total = by_point * (source.to_border * inverse_border);
  const T by_fast = arrival * inverse_slow * (source.to_border * inverse_slow * log.moment);
  const T by_point_speed = accelerates ? total - by_fast : by_fast;
  Contributions<Real> result;
  result.by_point = kByPoint ? by_point * vector[kEntrySpeed] : by_point;
  result.sums[0] = arrival;
  result.sums[1] = by_point_speed * source.to_border;
  result.sums[2] = total;
  result.sums[3] = g * exp.expm1;
  result.sums[4] = g * rest * (rest * exp.slope);
  return result;
}

/// Those who stay have two sums: g times the distances to the right and to the left vertex. The rest of `result` is not
/// read for them.
template <bool kByPoint, class Real, class Mask>
DIFFEO_INLINE void put_staying_contributions(const PointVector<Real>& vector, const SourceTerms<Real>& source,
                                             Mask stays, Contributions<Real>& result) {
  const Lanes<Real> g = vector.cotangents();
  result.sums[0] = stays ? g * source.to_border : result.sums[0];
  result.sums[1] = stays ? g * source.from_far : result.sums[1];
  if constexpr (kByPoint) result.by_point = stays ? g * vector[kGrowthOrInverseSlope] : result.by_point;
}

template <bool kByPoint, class Real>
DIFFEO_INLINE void vjp_vector(Block<Real>& block, Real origin, std::size_t at) {
  const PointVector<Real> vector(block, at);
  const SourceTerms<Real> source = source_terms(vector, origin);
  const Lanes<Real> keep = vector[kKeep];
  Contributions<Real> result = {};
  if (any_negative(keep)) result = crossing_contributions<kByPoint>(vector, source);
  if (!all_negative(keep)) put_staying_contributions<kByPoint>(vector, source, keep >= Lanes<Real>{}, result);
  if constexpr (kByPoint) store(block.results + at, result.by_point);
  for (std::size_t i = 0; i < kBlockSums; ++i) store(block.sums[i] + at, result.sums[i]);
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
