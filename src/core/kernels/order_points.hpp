// Brings points into the order of their pieces.
//
// Ascending points are only cut: the first point of each piece is found from a linear guess and a gallop, O(1) on a
// regular grid. Others are looked up one by one, cell first, and counted into place.
#pragma once

#include "core/kernels/field_table.hpp"
#include "core/kernels/find_piece.hpp"
#include "core/kernels/kernel_set.hpp"
#include "core/kernels/lanes.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

/// x - x is 0 for every finite x and NaN for the others.
template <class Real>
DIFFEO_INLINE PointCheck check_points(const Real* points, std::size_t count) {
  using T = Lanes<Real>;
  constexpr std::size_t kLanes = kLaneCount<Real>;
  T not_finite = {};  // becomes NaN
  auto descends = T{} < T{};
  std::size_t i = 0;
  for (; i + kLanes < count; i += kLanes) {
    const T here = load<T>(points + i);
    not_finite += here - here;
    descends |= load<T>(points + i + 1) < here;
  }
  Real rest = sum_of_lanes(not_finite);
  int falls = sum_of_lanes(descends) != 0;
  for (; i < count; ++i) {
    rest += points[i] - points[i];
    falls |= i + 1 < count && points[i + 1] < points[i];
  }
  return {rest == 0, falls == 0};
}

/// The first index in [low, count) whose point is not left of `border`; `guess` is where to begin.
template <class Real>
DIFFEO_INLINE std::size_t first_not_left(const Real* points, std::size_t low, std::size_t count, Real origin,
                                         Real border, std::size_t guess) {
  std::size_t high = count;
  std::size_t at = guess < low ? low : guess;
  std::size_t step = 1;
  if (at < high && points[at] - origin < border) {
    while (at < high && points[at] - origin < border) {
      low = at + 1;
      at += step;
      step *= 2;
    }
    high = at < high ? at : high;
  } else {
    high = at < high ? at : high;
    while (at > low) {
      const std::size_t down = at - low < step ? low : at - step;
      if (points[down] - origin < border) {
        low = down + 1;
        break;
      }
      high = at = down;
      step *= 2;
    }
  }
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (points[middle] - origin < border) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

template <class Real>
DIFFEO_INLINE void cut_sorted_points(const FieldTable& table, const Real* points, std::size_t count,
                                     std::uint32_t* begin) {
  const Real origin = static_cast<Real>(table.grid.origin);
  const double first = static_cast<double>(points[0]) - table.grid.origin;
  const double extent = static_cast<double>(points[count - 1]) - table.grid.origin - first;
  const double density = extent > 0 ? static_cast<double>(count - 1) / extent : 0.0;
  const double last = static_cast<double>(count - 1);
  std::size_t at = 0;
  begin[0] = 0;
  for (std::size_t p = 1; p < table.piece_count; ++p) {
    const double from = table.pieces[p].from;
    const double guess = __builtin_ceil((from - first) * density);
    const double bounded = guess > 0 ? (guess < last ? guess : last) : 0.0;
    at = first_not_left(points, at, count, origin, static_cast<Real>(from), static_cast<std::size_t>(bounded));
    begin[p] = static_cast<std::uint32_t>(at);
  }
  begin[table.piece_count] = static_cast<std::uint32_t>(count);
}

template <class Real>
DIFFEO_INLINE void count_into_pieces(const FieldTable& table, const Workspace<Real>& workspace, const Real* points,
                                     std::size_t count) {
  const Real origin = static_cast<Real>(table.grid.origin);
  std::uint32_t* begin = workspace.begin;
  for (std::size_t p = 0; p <= table.piece_count + 1; ++p) begin[p] = 0;
  for (std::size_t i = 0; i < count; ++i) {
    workspace.piece_of[i] = piece_of_point(table, points[i] - origin);
    ++begin[workspace.piece_of[i] + 2];
  }
  for (std::size_t p = 2; p <= table.piece_count + 1; ++p) begin[p] += begin[p - 1];
  for (std::size_t i = 0; i < count; ++i) {  // begin[p + 1] runs from the start of piece p to its end
    const std::uint32_t place = begin[workspace.piece_of[i] + 1]++;
    workspace.original[place] = static_cast<std::uint32_t>(i);
    workspace.reordered[place] = points[i];
  }
}

template <class Real>
DIFFEO_INLINE OrderedPoints<Real> order_points(const FieldTable& table, const Workspace<Real>& workspace,
                                               const Real* points, std::size_t count, bool sorted) {
  if (sorted) {
    cut_sorted_points(table, points, count, workspace.begin);
    return {points, nullptr, workspace.begin};
  }
  count_into_pieces(table, workspace, points, count);
  return {workspace.reordered, workspace.original, workspace.begin};
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
