// Dynamic time warping of several pairs at once, one per lane.
//
//     D(i, j) = (a_i - b_j)^2 + min(D(i-1, j-1), D(i-1, j), D(i, j-1))
//
// Four rows advance together, each a column behind in what it waits for, so that their chains of dependent operations
// overlap and one row of memory is read and written per four rows of cells. Only that row is kept: `row` holds the last
// row finished, with the column before the first at its start. The band's ragged ends are computed with a comparison
// per cell, the columns that lie inside for every row and lane without.
#pragma once

#include "baselines/kernels/kernel_set.hpp"
#include "baselines/kernels/squared_difference.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

inline constexpr std::size_t kRowsTogether = 4;

DIFFEO_INLINE DoubleLanes infinite() { return splat<DoubleLanes>(__builtin_inf()); }

/// The columns of a row that a lane's band allows: first <= j < end. Rows beyond a lane's series are filled up; what
/// they hand on lies from the last column on.
struct Columns {
  std::ptrdiff_t begin;
  std::ptrdiff_t end;
};

DIFFEO_INLINE Columns columns_of(const LanePairs& pairs, const LaneBand& band, std::size_t row, std::size_t lane) {
  const auto columns = static_cast<std::ptrdiff_t>(pairs.columns);
  const auto length = static_cast<std::ptrdiff_t>(pairs.first_length[lane]);
  const auto i = static_cast<std::ptrdiff_t>(row);
  Columns range = {i + band.lowest[lane], i + band.highest[lane] + 1};
  if (i >= length) range = {length + band.lowest[lane], columns};
  if (range.begin < 0) range.begin = 0;
  if (range.end > columns) range.end = columns;
  return range;
}

/// The band of a few consecutive rows: where any of their cells is allowed, where all are, and each lane's own limits.
template <std::size_t kRows>
struct RowBand {
  std::size_t begin, inner_begin, inner_end, end;
  DoubleLanes first[kRows];
  DoubleLanes last[kRows];

  DIFFEO_MEMBER RowBand(const LanePairs& pairs, const LaneBand& band, std::size_t row) {
    std::ptrdiff_t any_begin = static_cast<std::ptrdiff_t>(pairs.columns), any_end = 0;
    std::ptrdiff_t all_begin = 0, all_end = any_begin;
    for (std::size_t r = 0; r < kRows; ++r) {
      first[r] = last[r] = DoubleLanes{};
      for (std::size_t lane = 0; lane < kLaneCount<double>; ++lane) {
        const Columns range = columns_of(pairs, band, row + r, lane);
        first[r][lane] = static_cast<double>(range.begin);
        last[r][lane] = static_cast<double>(range.end - 1);
        if (range.begin < any_begin) any_begin = range.begin;
        if (range.begin > all_begin) all_begin = range.begin;
        if (range.end > any_end) any_end = range.end;
        if (range.end < all_end) all_end = range.end;
      }
    }
    if (all_begin > any_end) all_begin = any_end;
    if (all_end < all_begin) all_end = all_begin;
    begin = static_cast<std::size_t>(any_begin);
    inner_begin = static_cast<std::size_t>(all_begin);
    inner_end = static_cast<std::size_t>(all_end);
    end = static_cast<std::size_t>(any_end);
  }
};

/// What passes from one column of a few rows to the next.
template <std::size_t kRows>
struct Front {
  DoubleLanes left[kRows];  // D(i, j-1)
  DoubleLanes corner;       // D(i-1, j-1) of the first of the rows
};

DIFFEO_INLINE LaneSteps step_bits(DoubleLanes corner, DoubleLanes above, DoubleLanes left) {
  const auto from_corner = corner <= lesser(above, left);
  const auto from_above = above <= left;
  return static_cast<LaneSteps>(sign_bits(bits_as<DoubleLanes>(from_corner)) |
                                (sign_bits(bits_as<DoubleLanes>(from_above)) << 8));
}

template <bool kOneChannel, bool kSteps, bool kInside, std::size_t kRows>
DIFFEO_INLINE void advance(const LanePairs& pairs, const RowBand<kRows>& band, std::size_t i, std::size_t begin,
                           std::size_t end, Front<kRows>& carried, double* row, LaneSteps* steps) {
  constexpr std::size_t kLanes = kLaneCount<double>;
  const std::size_t stride = pairs.channels * kLanes;
  const double* const first = pairs.first + i * stride;
  DoubleLanes values[kRows];  // of the one channel: stores to `row` would have them read again and again
  for (std::size_t r = 0; r < kRows; ++r) values[r] = load<DoubleLanes>(first + r * stride);
  Front<kRows> front = carried;
  for (std::size_t j = begin; j < end; ++j) {
    const double* const second = pairs.second + j * stride;
    const DoubleLanes column = splat<DoubleLanes>(static_cast<double>(j));
    DoubleLanes corner = front.corner;
    DoubleLanes above = load<DoubleLanes>(row + (j + 1) * kLanes);
    front.corner = above;
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) {
      DoubleLanes cost = squared_difference<kOneChannel>(values[r], first + r * stride, second, pairs.channels);
      if constexpr (!kInside) {
        cost = column < band.first[r] ? infinite() : cost;
        cost = column > band.last[r] ? infinite() : cost;
      }
      const DoubleLanes left = front.left[r];
      if constexpr (kSteps) steps[(i + r) * pairs.columns + j] = step_bits(corner, above, left);
      const DoubleLanes here = cost + lesser(left, lesser(corner, above));
      front.left[r] = here;
      corner = left;
      above = here;
    }
    store(row + (j + 1) * kLanes, above);
  }
  carried = front;
}

template <bool kOneChannel, bool kSteps, std::size_t kRows>
DIFFEO_INLINE void advance_rows(const LanePairs& pairs, const LaneBand& lane_band, std::size_t i, double* row,
                                LaneSteps* steps) {
  const RowBand<kRows> band(pairs, lane_band, i);
  Front<kRows> front;
  for (std::size_t r = 0; r < kRows; ++r) front.left[r] = infinite();
  double* const before = row + band.begin * kLaneCount<double>;  // the column before the first
  front.corner = load<DoubleLanes>(before);
  advance<kOneChannel, kSteps, false>(pairs, band, i, band.begin, band.inner_begin, front, row, steps);
  advance<kOneChannel, kSteps, true>(pairs, band, i, band.inner_begin, band.inner_end, front, row, steps);
  advance<kOneChannel, kSteps, false>(pairs, band, i, band.inner_end, band.end, front, row, steps);
  store(before, infinite());  // nothing left of the band may be read by the rows to come
}

template <bool kOneChannel, bool kSteps>
static void dtw_rows(const LanePairs& pairs, const LaneBand& band, double* row, LaneSteps* steps) noexcept {
  std::size_t i = 0;
  for (; i + kRowsTogether <= pairs.rows; i += kRowsTogether) {
    advance_rows<kOneChannel, kSteps, kRowsTogether>(pairs, band, i, row, steps);
  }
  for (; i < pairs.rows; ++i) advance_rows<kOneChannel, kSteps, 1>(pairs, band, i, row, steps);
}

template <bool kSteps>
static void dtw_lanes(const LanePairs& pairs, const LaneBand& band, double* row, LaneSteps* steps,
                      double* squared) noexcept {
  store(row, DoubleLanes{});
  for (std::size_t j = 1; j <= pairs.columns; ++j) store(row + j * kLaneCount<double>, infinite());
  if (pairs.channels == 1) {
    dtw_rows<true, kSteps>(pairs, band, row, steps);
  } else {
    dtw_rows<false, kSteps>(pairs, band, row, steps);
  }
  store(squared, load<DoubleLanes>(row + pairs.columns * kLaneCount<double>));
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
