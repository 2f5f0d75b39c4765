// The coefficients of a piece, in the order of the slots of piece_flow.hpp, written to whatever has an entry per slot.
// (docs/math.md, 2 and 4)
#pragma once

#include "core/kernels/build_table.hpp"
#include "core/kernels/field_table.hpp"
#include "core/kernels/piece_flow.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

/// The ends of a landing cell, where points are; the outer cells reach to infinity.
template <class Real>
DIFFEO_INLINE Real left_end(const PointTable<Real>& table, std::size_t cell) {
  return cell == 0 ? -static_cast<Real>(kInfinity) : table.position[cell];
}
template <class Real>
DIFFEO_INLINE Real right_end(const PointTable<Real>& table, std::size_t cell) {
  return cell + 1 == table.grid.cells ? static_cast<Real>(kInfinity) : table.position[cell + 1];
}

/// Where the vertices of a cell go if they stay in it, as its points have it.
template <class Real>
struct StayingEnds {
  Real left;
  Real right;
};

template <class Real>
DIFFEO_INLINE bool contracts(const PointTable<Real>& table, std::size_t cell) {
  return table.slope[cell] * table.duration < 0;
}

/// The slower vertex as exactly as it can be: one at rest stays. The other follows from it, rounded away from it, so that
/// the images of the cell's points, measured from the nearer vertex, keep their order (docs/math.md, 5.2).
template <class Real>
DIFFEO_INLINE StayingEnds<Real> contracted_ends(const PointTable<Real>& table, std::size_t cell) {
  const auto image = [&](std::size_t vertex) {
    return rounded_to<Real>(table.grid.origin + table.grid.vertices[vertex] +
                            table.velocity[vertex] * table.gain[cell]);
  };
  const double growth = rounded_to<Real>(table.growth[cell]);
  const double apart = growth * table.grid.width;  // more than twice growth * reach
  if (magnitude(table.velocity[cell]) <= magnitude(table.velocity[cell + 1])) {
    const double left = image(cell);
    return {static_cast<Real>(left), static_cast<Real>(at_least<Real>(left, apart))};
  }
  const double right = image(cell + 1);
  return {static_cast<Real>(-at_least<Real>(-right, apart)), static_cast<Real>(right)};
}

template <class Real>
DIFFEO_INLINE StayingEnds<Real> staying_ends(const PointTable<Real>& table, std::size_t cell) {
  if (contracts(table, cell)) return contracted_ends(table, cell);
  const Real gain = table.stay_gain[cell];
  return {mul_add(gain, table.speed[cell], table.position[cell]),
          mul_add(gain, table.speed[cell + 1], table.position[cell + 1])};
}

/// phi = x + v(x) t E(st) where the field expands; where it contracts, measured from the nearer vertex:
/// phi = phi(x_j) + (x - x_j) e^{st}. Either way phi is a chain of functions that never decrease.
template <class Real, class Entries>
DIFFEO_INLINE void set_staying_coefficients(const PointTable<Real>& table, std::size_t cell, Entries out) {
  const bool inwards = contracts(table, cell);
  const StayingEnds<Real> ends =
      inwards ? contracted_ends(table, cell) : StayingEnds<Real>{table.speed[cell], table.speed[cell + 1]};
  out[kBorder] = table.vertex[cell + 1];
  out[kFar] = table.vertex[cell];
  out[kBorderValue] = ends.right;
  out[kFarValue] = ends.left;
  out[kSlope] = inwards ? table.stay_growth[cell] : table.rate[cell];
  out[kKeep] = inwards ? Real(0) : Real(1);
  out[kLow] = left_end(table, cell);
  out[kHigh] = right_end(table, cell);
  out[kGainOrTimeLeft] = inwards ? Real(1) : table.stay_gain[cell];
  out[kGrowthOrInverseSlope] = table.stay_growth[cell];
}

/// The vertices that the points of a crossing piece pass.
struct PassedVertices {
  std::size_t right;  // whether they move right, as a number: nobody can predict a branch on it
  std::size_t far, border;
  std::size_t entry, end;

  DIFFEO_MEMBER explicit PassedVertices(const Piece& piece)
      : right(piece.landing > piece.source ? 1 : 0),
        far(static_cast<std::size_t>(piece.source) + 1 - right),
        border(static_cast<std::size_t>(piece.source) + right),
        entry(static_cast<std::size_t>(piece.landing) + 1 - right),
        end(static_cast<std::size_t>(piece.landing) + right) {}
  /// +1 or -1.
  template <class Real>
  [[nodiscard]] DIFFEO_MEMBER Real direction() const {
    return static_cast<Real>(right) - static_cast<Real>(1 - right);
  }
};

/// How points of a crossing piece leave their cell.
template <bool kDerivatives, class Real, class Entries>
DIFFEO_INLINE void set_leaving_coefficients(const PointTable<Real>& table, const Piece& piece,
                                            const PassedVertices& vertices, Entries out) {
  const Real direction = vertices.direction<Real>();
  out[kBorder] = table.vertex[vertices.border];
  out[kFar] = table.vertex[vertices.far];
  out[kBorderValue] = direction * table.speed[vertices.border];
  out[kFarValue] = direction * table.speed[vertices.far];
  out[kSlope] = table.rate[piece.source];
  out[kKeep] = -1;
  out[kGrowthOrInverseSlope] = magnitude(table.inverse_rate[piece.source]);
  if constexpr (kDerivatives) out[kInverseBorderSpeed] = Real(1) / (direction * table.speed[vertices.border]);
}

/// Between what positions points enter and stay in their landing cell: those who started in it stay ahead of them.
template <class Real>
struct LandingRange {
  Real low;
  Real high;

  /// `staying`: the ends of the landing cell.
  DIFFEO_MEMBER LandingRange(const PointTable<Real>& table, const Piece& piece, const StayingEnds<Real>& staying) {
    const auto cell = static_cast<std::size_t>(piece.landing);
    const bool right = piece.landing > piece.source;
    const Real left = table.position[cell];
    const Real end = table.position[cell + 1];
    low = right ? left : greater(left_end(table, cell), lesser(staying.right, end));
    high = right ? lesser(right_end(table, cell), greater(staying.left, left)) : end;
  }
};

template <bool kDerivatives, class Real, class Entries>
DIFFEO_INLINE void set_crossing_coefficients(const PointTable<Real>& table, const Piece& piece, Entries out) {
  const PassedVertices vertices(piece);
  const Real direction = vertices.direction<Real>();
  set_leaving_coefficients<kDerivatives>(table, piece, vertices, out);
  const LandingRange<Real> range(table, piece, staying_ends(table, static_cast<std::size_t>(piece.landing)));
  out[kLow] = range.low;
  out[kHigh] = range.high;
  out[kGainOrTimeLeft] = static_cast<Real>(time_from_border(table, piece));
  out[kLeastTime] = static_cast<Real>(time_from_far_vertex(table, piece));
  out[kEntry] = table.position[vertices.entry];
  out[kLandingSlope] = table.rate[piece.landing];
  out[kLandingGain] = table.speed[vertices.entry] * table.inverse_rate[piece.landing];
  if constexpr (kDerivatives) out[kEntrySpeed] = direction * table.speed[vertices.entry];
}

template <bool kDerivatives, class Real, class Entries>
DIFFEO_INLINE void set_coefficients(const PointTable<Real>& table, const Piece& piece, Entries out) {
  if (piece.kind == PieceKind::kStay) {
    set_staying_coefficients(table, static_cast<std::size_t>(piece.source), out);
  } else {
    set_crossing_coefficients<kDerivatives>(table, piece, out);
  }
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
