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

template <class Real>
DIFFEO_INLINE Real end_of_landing(const PointTable<Real>& table, std::size_t vertex, Real direction) {
  const bool outer = vertex == 0 || vertex == table.grid.cells;
  return outer ? direction * static_cast<Real>(kInfinity) : table.position[vertex];
}

/// phi = x + v(x) t E(st) where the field contracts little or expands; where it contracts by more than e, measured from
/// the nearer vertex: phi = x_j + v_j t E(st) + (x - x_j) e^{st}, which keeps order to the last bit.
template <class Real, class Entries>
DIFFEO_INLINE void set_staying_coefficients(const PointTable<Real>& table, std::size_t cell, Entries out) {
  const auto landing_of = [&](std::size_t vertex) {
    return static_cast<Real>(table.grid.origin + table.grid.vertices[vertex] +
                             table.velocity[vertex] * table.gain[cell]);
  };
  const bool contracts = table.slope[cell] * table.duration < -1.0;
  out[kBorder] = table.vertex[cell + 1];
  out[kFar] = table.vertex[cell];
  out[kBorderValue] = contracts ? landing_of(cell + 1) : table.speed[cell + 1];
  out[kFarValue] = contracts ? landing_of(cell) : table.speed[cell];
  out[kSlope] = contracts ? table.stay_growth[cell] : table.rate[cell];
  out[kKeep] = contracts ? Real(0) : Real(1);
  out[kEntry] = left_end(table, cell);
  out[kEnd] = right_end(table, cell);
  out[kGainOrTimeLeft] = contracts ? Real(1) : table.stay_gain[cell];
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

template <bool kDerivatives, class Real, class Entries>
DIFFEO_INLINE void set_crossing_coefficients(const PointTable<Real>& table, const Piece& piece, Entries out) {
  const PassedVertices vertices(piece);
  const Real direction = vertices.direction<Real>();
  set_leaving_coefficients<kDerivatives>(table, piece, vertices, out);
  out[kEntry] = table.position[vertices.entry];
  out[kEnd] = end_of_landing(table, vertices.end, direction);
  out[kGainOrTimeLeft] = static_cast<Real>(time_from_border(table, piece));
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
