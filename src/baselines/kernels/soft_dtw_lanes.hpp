// Soft dynamic time warping of several pairs at once, one per lane, and its gradient.
//
// exp(-softDTW / gamma) is a sum over all paths of products of exp(-cost / gamma), so it obeys
//
//     Z(i, j) = exp(-(a_i - b_j)^2 / gamma) (Z(i-1, j-1) + Z(i-1, j) + Z(i, j-1))
//
// which needs one exponential per cell and no logarithm, on numbers with exponents of their own (scaled_number.hpp).
// The share of each of the three terms in their sum is the probability w that a path through the cell came that way, so
// the probability E that a path visits a cell, the gradient by the cell's cost, runs backwards as
//
//     E(i, j) = w_corner(i+1, j+1) E(i+1, j+1) + w_above(i+1, j) E(i+1, j) + w_left(i, j+1) E(i, j+1)
//
// without another exponential. The shares of all cells would fill the memory: the forward pass keeps a row now and
// then, and the backward pass computes the shares again, a segment of rows at a time, from the row kept before it.
#pragma once

#include "baselines/kernels/kernel_set.hpp"
#include "baselines/kernels/scaled_number.hpp"
#include "baselines/kernels/squared_difference.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

/// Entry j of `row` is Z(i, j - 1): the first is the column before the first.
DIFFEO_INLINE ScaledLanes scaled_at(const double* row, std::size_t entry) {
  const double* const at = row + entry * 2 * kLaneCount<double>;
  return {load<DoubleLanes>(at), load<DoubleLanes>(at + kLaneCount<double>)};
}
DIFFEO_INLINE void put_scaled(double* row, std::size_t entry, ScaledLanes value) {
  double* const at = row + entry * 2 * kLaneCount<double>;
  store(at, value.mantissa);
  store(at + kLaneCount<double>, value.exponent);
}
DIFFEO_INLINE ScaledLanes nothing() { return {DoubleLanes{}, splat<DoubleLanes>(kNothing)}; }

DIFFEO_INLINE void start_soft_row(const LanePairs& pairs, double* row) {
  put_scaled(row, 0, {splat<DoubleLanes>(1), DoubleLanes{}});
  for (std::size_t entry = 1; entry <= pairs.columns; ++entry) put_scaled(row, entry, nothing());
}

/// Replaces row i - 1 by row i; `weights`, where wanted, gets (columns, 3, lanes): above, left, corner.
template <bool kOneChannel, bool kWeights>
DIFFEO_INLINE void advance_soft_row(const LanePairs& pairs, DoubleLanes scale, std::size_t i, double* row,
                                    double* weights) {
  constexpr std::size_t kLanes = kLaneCount<double>;
  const std::size_t stride = pairs.channels * kLanes;
  const double* const first = pairs.first + i * stride;
  const DoubleLanes values = load<DoubleLanes>(first);
  ScaledLanes corner = scaled_at(row, 0);
  ScaledLanes left = nothing();
  put_scaled(row, 0, left);
  for (std::size_t j = 0; j < pairs.columns; ++j) {
    const DoubleLanes cost = squared_difference<kOneChannel>(values, first, pairs.second + j * stride, pairs.channels);
    const ScaledLanes factor = scaled_exp(cost * scale);
    const ScaledLanes above = scaled_at(row, j + 1);
    const DoubleLanes exponent = greater(left.exponent, greater(corner.exponent, above.exponent));
    const DoubleLanes from_corner = corner.mantissa * power_of_two(corner.exponent - exponent);
    const DoubleLanes from_above = above.mantissa * power_of_two(above.exponent - exponent);
    const DoubleLanes from_left = left.mantissa * power_of_two(left.exponent - exponent);
    const DoubleLanes sum = (from_corner + from_above) + from_left;
    if constexpr (kWeights) {
      const DoubleLanes share = splat<DoubleLanes>(1) / sum;
      double* const to = weights + j * 3 * kLanes;
      store(to, from_above * share);
      store(to + kLanes, from_left * share);
      store(to + 2 * kLanes, from_corner * share);
    }
    left = normalized(factor.mantissa * sum, exponent + factor.exponent);
    put_scaled(row, j + 1, left);
    corner = above;
  }
}

/// Takes the sums of the lanes whose first series ends with row i.
DIFFEO_INLINE void take_ends(const LanePairs& pairs, std::size_t i, const double* row, SoftSums& sums) {
  constexpr std::size_t kLanes = kLaneCount<double>;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (pairs.first_length[lane] != i + 1) continue;
    const double* const at = row + pairs.second_length[lane] * 2 * kLanes + lane;
    sums.mantissa[lane] = at[0];
    sums.exponent[lane] = at[kLanes];
  }
}

/// One row of E, from the right: what each cell passes to the left stays in a register, what it passes up lies in
/// `incoming` for the row above. The row's gradient is the sum of 2 E (a_i - b_j).
template <bool kOneChannel>
DIFFEO_INLINE void retreat_soft_row(const LanePairs& pairs, std::size_t i, const double* weights, double* incoming,
                                    double* gradient) {
  constexpr std::size_t kLanes = kLaneCount<double>;
  const std::size_t stride = pairs.channels * kLanes;
  const double* const first = pairs.first + i * stride;
  double* const to = gradient + i * stride;
  for (std::size_t c = 0; c < pairs.channels; ++c) store(to + c * kLanes, DoubleLanes{});
  const DoubleLanes values = load<DoubleLanes>(first);
  DoubleLanes to_left = {}, to_corner = {}, sum = {};
  for (std::size_t j = pairs.columns; j-- > 0;) {
    const double* const share = weights + j * 3 * kLanes;
    const double* const second = pairs.second + j * stride;
    const DoubleLanes visits = load<DoubleLanes>(incoming + j * kLanes) + to_left;
    store(incoming + j * kLanes, to_corner + visits * load<DoubleLanes>(share));
    to_left = visits * load<DoubleLanes>(share + kLanes);
    to_corner = visits * load<DoubleLanes>(share + 2 * kLanes);
    const DoubleLanes twice = visits + visits;
    if constexpr (kOneChannel) {
      sum += twice * (values - load<DoubleLanes>(second));
    } else {
      for (std::size_t c = 0; c < stride; c += kLanes) {
        const DoubleLanes difference = load<DoubleLanes>(first + c) - load<DoubleLanes>(second + c);
        store(to + c, load<DoubleLanes>(to + c) + twice * difference);
      }
    }
  }
  if constexpr (kOneChannel) store(to, sum);
}

/// Every path ends in the last cell: a probability of 1, put where the lanes whose first series ends with row i end.
DIFFEO_INLINE void put_ends(const LanePairs& pairs, std::size_t i, double* incoming) {
  constexpr std::size_t kLanes = kLaneCount<double>;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (pairs.first_length[lane] == i + 1) incoming[(pairs.second_length[lane] - 1) * kLanes + lane] += 1;
  }
}

template <bool kOneChannel>
static SoftSums soft_sums(const LanePairs& pairs, double inverse_gamma, const SoftSpace& space) noexcept {
  SoftSums sums = {};
  start_soft_row(pairs, space.row);
  for (std::size_t i = 0; i < pairs.rows; ++i) {
    advance_soft_row<kOneChannel, false>(pairs, splat<DoubleLanes>(-inverse_gamma), i, space.row, nullptr);
    take_ends(pairs, i, space.row, sums);
  }
  return sums;
}

/// Segments of rows: where each begins and ends, and the row kept before it.
struct Segments {
  const LanePairs& pairs;
  const SoftSpace& space;
  std::size_t row_values = (pairs.columns + 1) * 2 * kLaneCount<double>;
  std::size_t count = (pairs.rows + space.segment_rows - 1) / space.segment_rows;

  DIFFEO_MEMBER std::size_t begin(std::size_t segment) const { return segment * space.segment_rows; }
  DIFFEO_MEMBER std::size_t end(std::size_t segment) const {
    const std::size_t next = begin(segment + 1);
    return next < pairs.rows ? next : pairs.rows;
  }
  DIFFEO_MEMBER double* saved(std::size_t segment) const { return space.saved_rows + segment * row_values; }
};

template <bool kOneChannel>
static SoftSums soft_gradient(const LanePairs& pairs, double inverse_gamma, const SoftSpace& space,
                              double* gradient) noexcept {
  constexpr std::size_t kLanes = kLaneCount<double>;
  const DoubleLanes scale = splat<DoubleLanes>(-inverse_gamma);
  const Segments segments{pairs, space};
  const std::size_t weight_values = pairs.columns * 3 * kLanes;
  SoftSums sums = {};
  start_soft_row(pairs, space.row);
  for (std::size_t segment = 0; segment < segments.count; ++segment) {
    __builtin_memcpy(segments.saved(segment), space.row, segments.row_values * sizeof(double));
    if (segment + 1 == segments.count) break;  // the backward pass computes the last one anyway
    for (std::size_t i = segments.begin(segment); i < segments.end(segment); ++i) {
      advance_soft_row<kOneChannel, false>(pairs, scale, i, space.row, nullptr);
      take_ends(pairs, i, space.row, sums);
    }
  }
  for (std::size_t j = 0; j < pairs.columns; ++j) store(space.incoming + j * kLanes, DoubleLanes{});
  for (std::size_t segment = segments.count; segment-- > 0;) {
    const std::size_t begin = segments.begin(segment);
    const std::size_t end = segments.end(segment);
    double* const row = segments.saved(segment);
    for (std::size_t i = begin; i < end; ++i) {
      advance_soft_row<kOneChannel, true>(pairs, scale, i, row, space.weights + (i - begin) * weight_values);
      take_ends(pairs, i, row, sums);
    }
    for (std::size_t i = end; i-- > begin;) {
      put_ends(pairs, i, space.incoming);
      retreat_soft_row<kOneChannel>(pairs, i, space.weights + (i - begin) * weight_values, space.incoming, gradient);
    }
  }
  return sums;
}

static inline SoftSums soft_dtw_lanes(const LanePairs& pairs, double inverse_gamma, const SoftSpace& space) noexcept {
  if (pairs.channels == 1) return soft_sums<true>(pairs, inverse_gamma, space);
  return soft_sums<false>(pairs, inverse_gamma, space);
}

static inline SoftSums soft_dtw_gradient_lanes(const LanePairs& pairs, double inverse_gamma, const SoftSpace& space,
                                               double* gradient) noexcept {
  if (pairs.channels == 1) return soft_gradient<true>(pairs, inverse_gamma, space, gradient);
  return soft_gradient<false>(pairs, inverse_gamma, space, gradient);
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
