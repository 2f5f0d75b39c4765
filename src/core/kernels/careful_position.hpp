// Where one point goes, in double, for any input: positions that the vectors of piece_flow.hpp cannot hold.
//
// Growth beyond the number range is split into factors. Like the vectors, every step never decreases, and a point lands
// between what its neighbors reach, whichever of the two evaluates them (docs/math.md, 5.2).
#pragma once

#include "core/careful_formulas.hpp"
#include "core/kernels/coefficients.hpp"
#include "core/kernels/find_piece.hpp"
#include "core/kernels/piece_flow.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

inline constexpr double kCarefulExponent = 700.0;

/// factor * e^z for z >= kCarefulExponent, given factor * e^kCarefulExponent.
DIFFEO_INLINE double grown_further(double value, double z) {
  const double most = 2 * kCarefulExponent;  // beyond it every product overflows
  const double root = expm1_bounded<false>(0.5 * (lesser(z, most + kCarefulExponent) - kCarefulExponent)).exp;
  return value * root * root;
}

/// factor * t E(st) of a time up to `duration`.
DIFFEO_INLINE double moved_in(double factor, double slope, double time, double duration) {
  constexpr double kNoGrowth = 0x1p-60;
  if (factor == 0 || time == 0) return 0;
  if (magnitude(slope) * duration < kNoGrowth) return factor * time;
  const double z = slope * time;
  const double moved = factor / slope * expm1_bounded<false>(lesser(z, kCarefulExponent)).expm1;
  return z > kCarefulExponent ? grown_further(moved, z) : moved;
}

/// Points of a cell whose field expands, or beyond the domain; x is relative to the origin.
template <class Real>
DIFFEO_INLINE double careful_staying(const PointTable<Real>& table, std::size_t cell, Real point, double x) {
  const double left = table.grid.vertices[cell];
  const double right = table.grid.vertices[cell + 1];
  const double slope = table.slope[cell];
  const bool outside = x < left || x > right;
  const bool near_left = magnitude(x - left) <= magnitude(right - x);
  const double distance = near_left ? x - left : right - x;
  const double reached = outside ? distance : lesser(distance, PointFrame<double>(table.grid).reach);
  const double base = near_left ? table.velocity[cell] : table.velocity[cell + 1];
  const auto moved = [&](double factor) { return moved_in(factor, slope, table.duration, table.duration); };
  if (slope * table.duration >= 0) {
    return static_cast<double>(point) + moved(near_left ? base + slope * reached : base - slope * reached);
  }
  const double root = expm1_bounded<false>(0.5 * slope * table.duration).exp;
  const double from_vertex = reached * root * root;
  return table.grid.origin + (near_left ? left : right) + moved(base) + (near_left ? from_vertex : -from_vertex);
}

/// The ends of a cell for those who cross into it, whoever evaluates its own points.
template <class Real>
DIFFEO_INLINE StayingEnds<Real> any_staying_ends(const PointTable<Real>& table, std::size_t cell) {
  if ((static_cast<int>(table.care[cell]) & static_cast<int>(kCareStaying)) == 0) return staying_ends(table, cell);
  const double* vertices = table.grid.vertices;
  return {static_cast<Real>(careful_staying(table, cell, table.position[cell], vertices[cell])),
          static_cast<Real>(careful_staying(table, cell, table.position[cell + 1], vertices[cell + 1]))};
}

/// log1p(w) / rate of w = rate * distance / slow, where w may overflow.
DIFFEO_INLINE double careful_leaving_time(double rate, double distance, double slow) {
  constexpr double kScale = 0x1p-600;
  constexpr double kLogScale = 415.88830833596718565;
  constexpr double kLargest = Format<double>::kLargest;
  const double w = rate * distance / slow;
  const double bounded = lesser(w, kLargest);
  const double near = log1p_nonnegative<false>(bounded, bounded).log1p;
  if (w < kLargest) return near / rate;
  const double scaled = lesser(rate * (distance * kScale) / slow, kLargest);
  return greater(near, log1p_nonnegative<false>(scaled, scaled).log1p + kLogScale) / rate;
}

/// One point of a crossing piece as piece_flow.hpp wants it, in all lanes.
template <class Real>
struct LonePoint {
  using Numbers = Lanes<Real>;
  Real coefficients[kBlockSlots] = {};
  Real point = 0;

  DIFFEO_MEMBER Numbers operator[](Slot name) const { return splat<Numbers>(coefficients[name]); }
  DIFFEO_MEMBER Numbers points() const { return splat<Numbers>(point); }
};
template <class Real>
DIFFEO_INLINE Real first_lane(Lanes<Real> values) {
  Real lanes[kLaneCount<Real>];
  store(lanes, values);
  return lanes[0];
}

template <class Real>
DIFFEO_INLINE Real careful_crossing(const PointTable<Real>& table, const Piece& piece, Real point) {
  const PassedVertices vertices(piece);
  const auto landing = static_cast<std::size_t>(piece.landing);
  const double x = static_cast<double>(point - static_cast<Real>(table.grid.origin));
  const double direction = vertices.direction<double>();
  const double slope = table.slope[piece.source];
  const double to_border = direction * (table.grid.vertices[vertices.border] - x);
  const double from_far = direction * (x - table.grid.vertices[vertices.far]);
  const double border_speed = direction * table.velocity[vertices.border];
  const double reach = from_far < 0 ? kInfinity : PointFrame<double>(table.grid).reach;
  const double speed = to_border < from_far
                           ? border_speed - slope * lesser(to_border, reach)
                           : direction * table.velocity[vertices.far] + slope * lesser(from_far, reach);
  // Who crosses left in time: no slower than this, whatever rounding makes of the velocity beside a fixed point.
  const double least_factor = expm1_bounded<false>(-magnitude(slope) * table.duration).exp;
  const double slowest = greater(border_speed * least_factor, std::numeric_limits<double>::min());
  const double slow = lesser(greater(speed, slowest), border_speed);
  const double leaving = careful_leaving_time(magnitude(slope), to_border, slow);
  const double rest = greater(time_from_border(table, piece) - leaving, time_from_far_vertex(table, piece));

  const LandingRange<Real> range(table, piece, any_staying_ends(table, landing));
  Real position = 0;
  if (lands_with_care(table, landing)) {
    const double moved = moved_in(table.velocity[vertices.entry], table.slope[landing], rest, table.duration);
    position = static_cast<Real>(table.grid.origin + table.grid.vertices[vertices.entry] + moved);
  } else {
    LonePoint<Real> lone;
    set_crossing_coefficients<false>(table, piece, lone.coefficients);
    position = first_lane<Real>(entered_position(lone, splat<Lanes<Real>>(static_cast<Real>(rest))));
  }
  return lesser(greater(position, range.low), range.high);
}

template <class Real>
DIFFEO_INLINE Real careful_inner_position(const PointTable<Real>& table, const Piece& piece, Real point) {
  if (piece.source != piece.landing) return careful_crossing(table, piece, point);
  const auto cell = static_cast<std::size_t>(piece.source);
  const double x = static_cast<double>(point - static_cast<Real>(table.grid.origin));
  const Real position = static_cast<Real>(careful_staying(table, cell, point, x));
  return lesser(greater(position, left_end(table, cell)), right_end(table, cell));
}

/// Where an end of the domain goes.
template <class Real>
DIFFEO_INLINE Real position_of_end(const PointTable<Real>& table, std::size_t vertex) {
  const Piece& piece = table.pieces[piece_of_point(table, table.vertex[vertex])];
  if (piece.kind == PieceKind::kCareful) return careful_inner_position(table, piece, table.position[vertex]);
  LonePoint<Real> lone;
  set_coefficients<false>(table, piece, lone.coefficients);
  lone.point = table.position[vertex];
  return first_lane<Real>(flow_of(lone, PointFrame<Real>(table.grid)));
}

/// Where a point of a piece that needs care goes. Who starts beyond the domain does not overtake its ends.
template <class Real>
DIFFEO_INLINE Real careful_position(const PointTable<Real>& table, const Piece& piece, Real point) {
  const Real relative = point - static_cast<Real>(table.grid.origin);
  const Real position = careful_inner_position(table, piece, point);
  if (relative < table.vertex[0]) return lesser(position, position_of_end(table, 0));
  const std::size_t last = table.grid.cells;
  if (relative > table.vertex[last]) return greater(position, position_of_end(table, last));
  return position;
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
