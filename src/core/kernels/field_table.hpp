// Everything about one velocity field at one time that does not depend on the points: plain data, shared by all
// kernels.
//
// The flow for time t of a field v is the flow for time |t| of sign(t) v; below, "velocity" means that of the latter,
// and its points move for `duration` = |t| >= 0 (docs/math.md, 3). Tables are kept in double whatever the points are.
//
// A *piece* is an interval of starting points on which the source cell and the landing cell are constant. Pieces are
// listed from left to right and cover the whole line; piece i reaches from pieces[i].from to pieces[i + 1].from.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/inline.hpp"

namespace diffeo::kernels {

enum class PieceKind : std::int32_t {
  kStay,     // source and landing cell are the same: the flow is affine in x
  kCross,    // leaves the source cell, crosses whole cells, ends inside the landing cell
  kCareful,  // beyond the domain, or growing by more than the kernels' number range: evaluated point by point
};

struct Piece {
  double from;  // exactly representable in the precision of the points
  std::int32_t source;
  std::int32_t landing;
  PieceKind kind;
};

/// The part that all fields of a call share.
struct Grid {
  std::size_t cells;
  double origin;           // subtracted from points and vertices, so that narrow cells far from 0 stay apart
  const double* vertices;  // cells + 1, relative to `origin`, rounded to the precision of the points
  double width;            // of a cell: exact, where differences of rounded vertices are not
  double inverse_width;
  double beyond;  // the first number right of the last vertex, in that precision
};

struct FieldTable {
  Grid grid;
  double duration;
  double sign;  // of time; velocities below are multiplied by it

  double* velocity;  // per vertex
  double* slope;     // per cell, kept away from 0 by a negligible amount (see build_table)
  double* inverse_slope;
  double* crossing;  // per cell: time to cross it, infinite where nobody does
  double* growth;    // per cell: exp(slope * duration)
  double* gain;      // per cell: duration * E(slope * duration)
  double* care;      // per cell: flags of needs_care, as numbers
  // only for derivatives:
  double* moment;      // per cell: M(w) of the whole cell, from its slower end
  double* gain_slope;  // per cell: duration^2 * E'(slope * duration)

  double* clock;            // per vertex: crossing times summed along the run of moving cells the vertex is in ...
  double* clock_remainder;  // ... and what rounding took from that sum
  double* preimage;         // per inner vertex: where the points that end at it start
  double* scratch;          // per vertex, two rows for intermediate results
  double* more_scratch;
  std::int32_t* preimage_cell;

  Piece* pieces;  // room for 2 * cells + 4, one past the end included
  std::size_t piece_count;
};

/// What the points meet, rounded to their precision once per field instead of once per piece.
template <class Real>
struct PointTable : FieldTable {
  Real* vertex;    // relative to the origin
  Real* position;  // of the vertex, where points are
  Real* speed;     // velocity of the vertex
  Real* rate;      // slope of the cell
  Real* inverse_rate;
  Real* stay_gain;
  Real* stay_growth;
};

/// Time that passes between two vertices of one run.
DIFFEO_INLINE double clock_difference(const FieldTable& table, std::size_t later, std::size_t earlier) noexcept {
  return (table.clock[later] - table.clock[earlier]) + (table.clock_remainder[later] - table.clock_remainder[earlier]);
}

/// The slope of a cell as it is: exactly 0 where the velocities are equal.
DIFFEO_INLINE double plain_slope(const FieldTable& table, std::size_t cell) noexcept {
  return table.velocity[cell] == table.velocity[cell + 1] ? 0.0 : table.slope[cell];
}

/// +1 for a piece that moves right, -1 for one that moves left.
DIFFEO_INLINE double piece_direction(const Piece& piece) noexcept { return piece.landing > piece.source ? 1.0 : -1.0; }

/// Whether the points of a crossing piece cross no whole cell.
DIFFEO_INLINE bool lands_next_door(const Piece& piece) noexcept {
  const std::int32_t cells = piece.landing - piece.source;
  return cells == 1 || cells == -1;
}

/// The slopes of the cells that the points of a piece start and end in.
struct SlopeChange {
  double source;
  double landing;
  DIFFEO_MEMBER SlopeChange(const FieldTable& table, const Piece& piece) noexcept
      : source(plain_slope(table, static_cast<std::size_t>(piece.source))),
        landing(plain_slope(table, static_cast<std::size_t>(piece.landing))) {}
  [[nodiscard]] DIFFEO_MEMBER double gain() const noexcept { return landing - source; }
};

/// Time left when the points of a crossing piece, having left their cell at once, enter the landing cell.
DIFFEO_INLINE double time_from_border(const FieldTable& table, const Piece& piece) noexcept {
  const auto source = static_cast<std::size_t>(piece.source);
  const auto landing = static_cast<std::size_t>(piece.landing);
  const double passed =
      landing > source ? clock_difference(table, landing, source + 1) : clock_difference(table, landing + 1, source);
  return table.duration - passed;
}

}  // namespace diffeo::kernels
