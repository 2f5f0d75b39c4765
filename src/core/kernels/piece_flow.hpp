// The flow of points and its reverse derivative, given the coefficients of their pieces.
//
// `Points` is one point or a vector of them (point_kernels.hpp; src/cuda has threads with a point each):
//     Points::Numbers       the type of one number per point
//     points[slot]          a coefficient of their pieces, one per point
//     points.points(), points.cotangents()
// The letters in the comments are those of docs/math.md, 2 and 4.
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

template <class T>
struct SourceTerms {
  T to_border;
  T from_far;
  T value;
};

template <class Points, class Real>
DIFFEO_INLINE auto source_terms(const Points& points, Real origin) {
  using T = typename Points::Numbers;
  const T x = points.points() - origin;
  SourceTerms<T> source;
  source.to_border = magnitude(points[kBorder] - x);
  source.from_far = magnitude(x - points[kFar]);
  const auto near_border = source.to_border < source.from_far;
  const T slope = points[kSlope];
  source.value = mul_add(near_border ? -slope : slope, near_border ? source.to_border : source.from_far,
                         near_border ? points[kBorderValue] : points[kFarValue]);
  return source;
}

/// Rounding must not carry a point out of the cell it lands in: neighboring pieces stay in order.
template <class Points, class T>
DIFFEO_INLINE T clamp_to_landing(const Points& points, T position) {
  const T entry = points[kEntry];
  const T end = points[kEnd];
  return lesser(greater(position, lesser(entry, end)), greater(entry, end));
}

/// phi = keep * x + gain * value.
template <class Points, class T>
DIFFEO_INLINE T staying_position(const Points& points, const SourceTerms<T>& source, T keep) {
  return mul_add(points[kGainOrTimeLeft], source.value, keep * points.points());
}

/// Who crosses leaves its cell in time, so it is not slower than this part of the speed at the border, whatever
/// rounding makes of the velocity beside a fixed point: exp(-kGrowthLimit), see build_table.hpp.
template <class Real>
inline constexpr Real kSlowestPart = sizeof(Real) == 4 ? Real(4e-18) : Real(5e-131);

template <class T>
DIFFEO_INLINE T leaving_speed(const SourceTerms<T>& source, T border_speed) {
  return greater(source.value, border_speed * kSlowestPart<typename NumberTraits<T>::Real>);
}

/// r = log1p(|s| Delta / v_slow) / |s|.
template <class Points, class T>
DIFFEO_INLINE T leaving_time(const Points& points, const SourceTerms<T>& source) {
  const T border_speed = points[kBorderValue];
  const T slow = lesser(leaving_speed(source, border_speed), border_speed);
  const T w = magnitude(points[kSlope]) * source.to_border / slow;
  return log1p_nonnegative<false>(w, w).log1p * points[kGrowthOrInverseSlope];
}

/// rho = time left - r,  phi = y + v_y/s_m expm1(s_m rho).
template <class Points, class T>
DIFFEO_INLINE T crossing_position(const Points& points, const SourceTerms<T>& source) {
  const T rest = greater(points[kGainOrTimeLeft] - leaving_time(points, source), T{});
  const T z = points[kLandingSlope] * rest;
  return mul_add(points[kLandingGain], expm1_bounded<false>(z).expm1, points[kEntry]);
}

/// phi of points of any pieces that need no care.
template <class Points, class Real>
DIFFEO_INLINE auto flow_of(const Points& points, Real origin) {
  using T = typename Points::Numbers;
  const SourceTerms<T> source = source_terms(points, origin);
  const T keep = points[kKeep];
  T position = {};
  if (any_negative(keep)) position = crossing_position(points, source);
  if (!all_negative(keep)) position = keep >= T{} ? staying_position(points, source, keep) : position;
  return clamp_to_landing(points, position);
}

/// How points of crossing pieces leave their cell, and how the time it takes answers to speeds.
template <class T>
struct LeavingTerms {
  T time;           // r
  T inverse_speed;  // 1 / v(x)
  T inverse_slow;
  T moment;  // M(w)
  T to_border;
  T inverse_border;
  decltype(T{} < T{}) accelerates;
};

template <class Points, class T>
DIFFEO_INLINE LeavingTerms<T> leaving_terms(const Points& points, const SourceTerms<T>& source) {
  const T border_speed = points[kBorderValue];
  const T inverse_border = points[kInverseBorderSpeed];
  const T speed = leaving_speed(source, border_speed);
  const T inverse = splat<T>(1) / speed;
  const auto accelerates = speed < border_speed;
  const T slow = accelerates ? speed : border_speed;
  const T inverse_slow = accelerates ? inverse : inverse_border;
  const T inverse_fast = accelerates ? inverse_border : inverse;

  const T w = magnitude(points[kSlope]) * source.to_border * inverse_slow;
  const LogParts<T> log = log1p_nonnegative<true>(w, slow * inverse_fast);
  const T time = log.log1p * points[kGrowthOrInverseSlope];
  return {time, inverse, inverse_slow, log.moment, source.to_border, inverse_border, accelerates};
}

/// Per point, the five sums of docs/math.md, 4.3, and the gradient by the point.
template <class T>
struct Contributions {
  T by_point;
  T sums[kBlockSums];
};

/// The two sums that tell what the time gained in the source cell is worth, for G = `arrival`:
/// 1: G D_x Delta,  2: G (D_x + D_b). Answers G / v(x).
template <class T>
DIFFEO_INLINE T put_leaving_sums(const LeavingTerms<T>& leaving, T arrival, Contributions<T>& result) {
  const T by_point = arrival * leaving.inverse_speed;
  const T total = by_point * (leaving.to_border * leaving.inverse_border);
  const T by_fast = arrival * leaving.inverse_slow * (leaving.to_border * leaving.inverse_slow * leaving.moment);
  const T by_point_speed = leaving.accelerates ? total - by_fast : by_fast;
  result.sums[1] = by_point_speed * leaving.to_border;
  result.sums[2] = total;
  return by_point;
}

/// With G = g |v(phi)|:  0: G,  1: G D_x Delta,  2: G (D_x + D_b),  3: g expm1(z),  4: g |v_y| rho^2 E'(z), all but 3
/// over |v_y|, which is the same for the whole piece.
template <bool kByPoint, class Points, class T>
DIFFEO_INLINE Contributions<T> crossing_contributions(const Points& points, const SourceTerms<T>& source) {
  const T g = points.cotangents();
  const LeavingTerms<T> leaving = leaving_terms(points, source);
  const T rest = greater(points[kGainOrTimeLeft] - leaving.time, T{});
  const T z = points[kLandingSlope] * rest;
  const ExpParts<T> exp = expm1_bounded<true>(z);

  const T arrival = g * exp.exp;
  Contributions<T> result;
  const T by_point = put_leaving_sums(leaving, arrival, result);
  result.by_point = kByPoint ? by_point * points[kEntrySpeed] : by_point;
  result.sums[0] = arrival;
  result.sums[3] = g * exp.expm1;
  result.sums[4] = g * rest * (rest * exp.slope);
  return result;
}

/// Those who stay have two sums: g times the distances to the right and to the left vertex. The rest of `result` is not
/// read for them.
template <bool kByPoint, class Points, class T, class Mask>
DIFFEO_INLINE void put_staying_contributions(const Points& points, const SourceTerms<T>& source, Mask stays,
                                             Contributions<T>& result) {
  const T g = points.cotangents();
  result.sums[0] = stays ? g * source.to_border : result.sums[0];
  result.sums[1] = stays ? g * source.from_far : result.sums[1];
  if constexpr (kByPoint) result.by_point = stays ? g * points[kGrowthOrInverseSlope] : result.by_point;
}

/// What points of any pieces that need no care contribute.
template <bool kByPoint, class Points, class Real>
DIFFEO_INLINE auto contributions_of(const Points& points, Real origin) {
  using T = typename Points::Numbers;
  const SourceTerms<T> source = source_terms(points, origin);
  const T keep = points[kKeep];
  Contributions<T> result = {};
  if (any_negative(keep)) result = crossing_contributions<kByPoint>(points, source);
  if (!all_negative(keep)) put_staying_contributions<kByPoint>(points, source, keep >= T{}, result);
  return result;
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
