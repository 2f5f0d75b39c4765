// The flow and its reverse derivative for one vector of points, given the coefficients of their pieces.
//
// A vector of points often spans several pieces. The coefficients of the pieces stand side by side in rows of a Block, one
// row per kind of coefficient ("slot"), and each lane picks its piece's entry: one load and one permutation per slot. The
// letters in the comments are those of docs/math.md, 2 and 4.
#pragma once

#include "core/kernels/elementary.hpp"
#include "core/kernels/kernel_set.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

enum Slot : std::size_t {
  // for all points: where they are in their source cell, and the affine function there, measured from the nearer vertex
  kDirection,    // +1 moving right or staying, -1 moving left
  kBorder,       // direction * b, the border they leave through (right vertex for those who stay)
  kFar,          // direction * the other vertex of the source cell
  kBorderValue,  // at the border
  kFarValue,     // at the far vertex
  kSlope,        // per distance in the direction of motion
  kLow,          // the landing cell, for clamping
  kHigh,
  kKeep,  // stay: factor of x, 1 or 0; negative for those who cross
  // those who stay
  kGain,    // times the affine function
  kGrowth,  // d phi / d x
  // those who cross
  kInverseSlope,        // 1 / |s|
  kSlowest,             // no point of the piece is slower
  kTimeLeft,            // t - (P_m - P_b)
  kEntry,               // y, the vertex where they enter the landing cell
  kLandingSlope,        // s_m
  kLandingGain,         // v_y / s_m
  kEntrySpeed,          // |v_y|; this and the next only for derivatives
  kInverseBorderSpeed,  // 1 / |v_b|
};
static_assert(kInverseBorderSpeed + 1 == kBlockSlots);

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
  const Lanes<Real> moved = vector[kDirection] * (vector.points() - origin);
  SourceTerms<Real> source;
  source.to_border = vector[kBorder] - moved;
  source.from_far = moved - vector[kFar];
  const auto near_border = source.to_border < source.from_far;
  const Lanes<Real> slope = vector[kSlope];
  source.value = mul_add(near_border ? -slope : slope, near_border ? source.to_border : source.from_far,
                         near_border ? vector[kBorderValue] : vector[kFarValue]);
  return source;
}

template <class Real>
DIFFEO_INLINE Lanes<Real> clamp_to_landing(const PointVector<Real>& vector, Lanes<Real> position) {
  return lesser(greater(position, vector[kLow]), vector[kHigh]);
}

/// phi = keep * x + gain * value.
template <class Real>
DIFFEO_INLINE Lanes<Real> staying_position(const PointVector<Real>& vector, const SourceTerms<Real>& source) {
  return mul_add(vector[kGain], source.value, vector[kKeep] * vector.points());
}

/// r = log1p(|s| Delta / v_slow) / |s|,  rho = time left - r,  phi = y + v_y/s_m expm1(s_m rho).
template <class Real>
DIFFEO_INLINE Lanes<Real> crossing_position(const PointVector<Real>& vector, const SourceTerms<Real>& source) {
  using T = Lanes<Real>;
  const T speed = greater(source.value, vector[kSlowest]);
  const T slow = lesser(speed, vector[kBorderValue]);
  const T w = magnitude(vector[kSlope]) * source.to_border / slow;
  const T leaving = log1p_nonnegative<false>(w, w).log1p * vector[kInverseSlope];
  const T rest = greater(vector[kTimeLeft] - leaving, T{});
  const T z = vector[kLandingSlope] * rest;
  return mul_add(vector[kLandingGain], expm1_bounded<false>(z).expm1, vector[kEntry]);
}

template <class Real>
DIFFEO_INLINE void flow_vector(Block<Real>& block, Real origin, std::size_t at, bool crosses) {
  using T = Lanes<Real>;
  const PointVector<Real> vector(block, at);
  const SourceTerms<Real> source = source_terms(vector, origin);
  T position = staying_position(vector, source);
  if (crosses) {
    const auto stays = vector[kKeep] >= T{};
    position = stays ? position : crossing_position(vector, source);
  }
  store(block.results + at, clamp_to_landing(vector, position));
}

/// Per point, the five sums of docs/math.md, 4.3, and the gradient by the point.
template <class Real>
struct Contributions {
  Lanes<Real> by_point;
  Lanes<Real> sums[kBlockSums];
};

/// 0: g e,  1: g d  (distances to the right and left vertex).
template <class Real>
DIFFEO_INLINE Contributions<Real> staying_contributions(const PointVector<Real>& vector, const SourceTerms<Real>& source) {
  const Lanes<Real> g = vector.cotangents();
  Contributions<Real> result = {};
  result.by_point = g * vector[kGrowth];
  result.sums[0] = g * source.to_border;
  result.sums[1] = g * source.from_far;
  return result;
}

/// With G = g |v(phi)|:  0: G,  1: G D_x Delta,  2: G (D_x + D_b),  3: g expm1(z),  4: g |v_y| rho^2 E'(z).
template <class Real>
DIFFEO_INLINE Contributions<Real> crossing_contributions(const PointVector<Real>& vector, const SourceTerms<Real>& source) {
  using T = Lanes<Real>;
  const T g = vector.cotangents();
  const T border_speed = vector[kBorderValue];
  const T inverse_border = vector[kInverseBorderSpeed];
  const T entry_speed = vector[kEntrySpeed];
  const T speed = greater(source.value, vector[kSlowest]);
  const T inverse = splat<T>(1) / speed;
  const auto accelerates = speed < border_speed;
  const T slow = accelerates ? speed : border_speed;
  const T inverse_slow = accelerates ? inverse : inverse_border;
  const T inverse_fast = accelerates ? inverse_border : inverse;

  const T w = magnitude(vector[kSlope]) * source.to_border * inverse_slow;
  const LogParts<T> log = log1p_nonnegative<true>(w, slow * inverse_fast);
  const T rest = greater(vector[kTimeLeft] - log.log1p * vector[kInverseSlope], T{});
  const T z = vector[kLandingSlope] * rest;
  const ExpParts<T> exp = expm1_bounded<true>(z);

  const T arrival = g * entry_speed * exp.exp;
  Contributions<Real> result;
  result.by_point = arrival * inverse;
  const T total = result.by_point * (source.to_border * inverse_border);
  const T by_fast = arrival * inverse_slow * (source.to_border * inverse_slow * log.moment);
  const T by_point_speed = accelerates ? total - by_fast : by_fast;
  result.sums[0] = arrival;
  result.sums[1] = by_point_speed * source.to_border;
  result.sums[2] = total;
  result.sums[3] = g * exp.expm1;
  result.sums[4] = g * rest * (entry_speed * rest * exp.slope);
  return result;
}

template <class Real>
DIFFEO_INLINE void vjp_vector(Block<Real>& block, Real origin, std::size_t at, bool crosses) {
  using T = Lanes<Real>;
  const PointVector<Real> vector(block, at);
  const SourceTerms<Real> source = source_terms(vector, origin);
  Contributions<Real> result = staying_contributions(vector, source);
  if (crosses) {
    const auto stays = vector[kKeep] >= T{};
    const Contributions<Real> crossing = crossing_contributions(vector, source);
    result.by_point = stays ? result.by_point : crossing.by_point;
    for (std::size_t i = 0; i < kBlockSums; ++i) result.sums[i] = stays ? result.sums[i] : crossing.sums[i];
  }
  store(block.results + at, result.by_point);
  for (std::size_t i = 0; i < kBlockSums; ++i) store(block.sums[i] + at, result.sums[i]);
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
