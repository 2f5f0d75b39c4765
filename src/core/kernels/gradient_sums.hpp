// From what the points of a segment contribute to the sums that gradients are made of. (docs/math.md, 4.3)
#pragma once

#include <cmath>

#include "core/careful_point.hpp"
#include "core/kernels/field_table.hpp"
#include "core/kernels/kernel_set.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

/// Adds to a difference array without losing what rounding takes: what is added at one end and taken away at the other
/// cancels exactly (docs/math.md, 4.3).
DIFFEO_INLINE void add_exactly(GradientSums& sums, std::size_t cell, double value) {
  const double sum = sums.whole[cell] + value;
  const double added = sum - sums.whole[cell];
  sums.whole_remainder[cell] += (sums.whole[cell] - (sum - added)) + (value - added);
  sums.whole[cell] = sum;
}

/// The cells between source and landing, which the points of a piece cross from end to end: [low, high).
struct WholeCells {
  std::size_t low;
  std::size_t high;
  DIFFEO_MEMBER explicit WholeCells(const Piece& piece)
      : low(static_cast<std::size_t>(piece.source < piece.landing ? piece.source : piece.landing) + 1),
        high(static_cast<std::size_t>(piece.source < piece.landing ? piece.landing : piece.source)) {}
  [[nodiscard]] DIFFEO_MEMBER bool empty() const { return low >= high; }
};

/// Lets `arrival` = sum of g |v(phi)| of `crossers` points act on every whole cell between source and landing: what it is
/// worth to arrive sooner, forwards.
DIFFEO_INLINE void add_whole_cells(GradientSums& sums, const Piece& piece, double arrival, std::int64_t crossers) {
  const WholeCells cells(piece);
  if (cells.empty()) return;
  add_exactly(sums, cells.low, arrival);
  add_exactly(sums, cells.high, -arrival);
  sums.crossers[cells.low] += crossers;
  sums.crossers[cells.high] -= crossers;
}

DIFFEO_INLINE void add_staying_segment(const FieldTable& table, const Piece& piece, const double (&sum)[kBlockSums],
                                       GradientSums& sums) {
  const auto cell = static_cast<std::size_t>(piece.source);
  const double inverse_width = table.grid.inverse_width;
  const double speed = (table.velocity[cell] * sum[0] + table.velocity[cell + 1] * sum[1]) * inverse_width;
  sums.velocity[cell] += (table.gain[cell] * sum[0] - table.gain_slope[cell] * speed) * inverse_width;
  sums.velocity[cell + 1] += (table.gain[cell] * sum[1] + table.gain_slope[cell] * speed) * inverse_width;
  sums.time += table.growth[cell] * speed;
}

DIFFEO_INLINE void add_crossing_segment(const FieldTable& table, const Piece& piece, std::size_t count,
                                        const double (&sum)[kBlockSums], GradientSums& sums) {
  const auto source = static_cast<std::size_t>(piece.source);
  const auto landing = static_cast<std::size_t>(piece.landing);
  const std::size_t right = landing > source ? 1 : 0;  // as a number: nobody can predict a branch on it
  const std::size_t left = 1 - right;
  const double entry_speed = std::fabs(table.velocity[landing + left]);
  const double arrival = entry_speed * sum[0];
  const double by_far = entry_speed * sum[1] * table.grid.inverse_width;
  sums.velocity[source + left] += by_far;
  sums.velocity[source + right] += entry_speed * sum[2] - by_far;
  const double by_end = entry_speed * sum[4] * table.grid.inverse_width;
  sums.velocity[landing + right] += by_end;
  sums.velocity[landing + left] += sum[3] * table.inverse_slope[landing] - by_end;
  sums.time += (static_cast<double>(right) - static_cast<double>(left)) * arrival;
  add_whole_cells(sums, piece, arrival, static_cast<std::int64_t>(count));
}

/// What the careful points of one piece add up to: by the vertices of the source cell and of the landing cell, and by
/// time.
enum CarefulSum : std::size_t { kSourceLeft, kSourceRight, kLandingLeft, kLandingRight, kByTime };

DIFFEO_INLINE void set_careful_sums(const PointFlow& point, double cotangent, double (&sum)[kBlockSums]) {
  sum[kSourceLeft] = cotangent * point.source_left;
  sum[kSourceRight] = cotangent * point.source_right;
  sum[kLandingLeft] = cotangent * point.landing_left;
  sum[kLandingRight] = cotangent * point.landing_right;
  sum[kByTime] = cotangent * point.by_duration;
}

DIFFEO_INLINE void add_careful_segment(const Piece& piece, std::size_t count, const double (&sum)[kBlockSums],
                                       GradientSums& sums) {
  sums.velocity[piece.source] += sum[kSourceLeft];
  sums.velocity[piece.source + 1] += sum[kSourceRight];
  sums.time += sum[kByTime];
  if (piece.source == piece.landing) return;
  sums.velocity[piece.landing] += sum[kLandingLeft];
  sums.velocity[piece.landing + 1] += sum[kLandingRight];
  add_whole_cells(sums, piece, piece_direction(piece) * sum[kByTime], static_cast<std::int64_t>(count));
}

/// The sums of a segment of any kind.
template <class Quantity>
DIFFEO_INLINE void add_segment(const FieldTable& table, const Piece& piece, std::size_t count,
                               const double (&sum)[kBlockSums], GradientSums& sums) {
  switch (piece.kind) {
    case PieceKind::kStay:
      return Quantity::add_staying(table, piece, sum, sums);
    case PieceKind::kCross:
      return Quantity::add_crossing(table, piece, count, sum, sums);
    case PieceKind::kCareful:
      return add_careful_segment(piece, count, sum, sums);
  }
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
