// The coefficients of a piece, in the order of the slots of point_kernels.hpp.                    (docs/math.md, 2 and 4)
#pragma once

#include "core/kernels/build_table.hpp"
#include "core/kernels/field_table.hpp"
#include "core/kernels/point_kernels.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

/// Where the coefficients of one segment go: one entry of each row of the block.
template <class Real>
struct Coefficients {
  Block<Real>& block;
  std::size_t segment;
  DIFFEO_MEMBER Real& operator[](Slot name) const { return block.coefficients[name][segment]; }
};

/// A vertex where points are; the outer cells reach to infinity.
template <class Real>
DIFFEO_INLINE Real position_of_vertex(const Grid& grid, std::size_t vertex) {
  return static_cast<Real>(grid.origin + grid.vertices[vertex]);
}
template <class Real>
DIFFEO_INLINE Real left_end(const Grid& grid, std::size_t cell) {
  return cell == 0 ? -static_cast<Real>(kInfinity) : position_of_vertex<Real>(grid, cell);
}
template <class Real>
DIFFEO_INLINE Real right_end(const Grid& grid, std::size_t cell) {
  return cell + 1 == grid.cells ? static_cast<Real>(kInfinity) : position_of_vertex<Real>(grid, cell + 1);
}

/// phi = x + v(x) t E(st) where the field contracts little or expands; where it contracts by more than e, measured from
/// the nearer vertex: phi = x_j + v_j t E(st) + (x - x_j) e^{st}, which keeps order to the last bit.
template <class Real>
DIFFEO_INLINE void set_staying_coefficients(const FieldTable& table, std::size_t cell, Coefficients<Real> out) {
  const Grid& grid = table.grid;
  const double left = table.velocity[cell];
  const double right = table.velocity[cell + 1];
  const double growth = table.growth[cell];
  const double gain = table.gain[cell];
  const bool contracts = table.slope[cell] * table.duration < -1.0;
  out[kBorder] = static_cast<Real>(grid.vertices[cell + 1]);
  out[kFar] = static_cast<Real>(grid.vertices[cell]);
  out[kFarValue] = static_cast<Real>(contracts ? grid.origin + grid.vertices[cell] + left * gain : left);
  out[kBorderValue] = static_cast<Real>(contracts ? grid.origin + grid.vertices[cell + 1] + right * gain : right);
  out[kSlope] = static_cast<Real>(contracts ? growth : table.slope[cell]);
  out[kKeep] = contracts ? Real(0) : Real(1);
  out[kEntry] = left_end<Real>(grid, cell);
  out[kEnd] = right_end<Real>(grid, cell);
  out[kGainOrTimeLeft] = contracts ? Real(1) : static_cast<Real>(gain);
  out[kGrowthOrInverseSlope] = static_cast<Real>(growth);
}

template <class Real, bool kDerivatives>
DIFFEO_INLINE void set_crossing_coefficients(const FieldTable& table, const Piece& piece, Coefficients<Real> out) {
  const Grid& grid = table.grid;
  const double direction = piece_direction(piece);
  const bool right = direction > 0;
  const auto source = static_cast<std::size_t>(piece.source);
  const auto landing = static_cast<std::size_t>(piece.landing);
  const std::size_t border = right ? source + 1 : source;
  const std::size_t far = right ? source : source + 1;
  const std::size_t entry = right ? landing : landing + 1;
  const double border_speed = direction * table.velocity[border];
  out[kBorder] = static_cast<Real>(grid.vertices[border]);
  out[kFar] = static_cast<Real>(grid.vertices[far]);
  out[kBorderValue] = static_cast<Real>(border_speed);
  out[kFarValue] = static_cast<Real>(direction * table.velocity[far]);
  out[kSlope] = static_cast<Real>(table.slope[source]);
  out[kKeep] = -1;
  out[kEntry] = position_of_vertex<Real>(grid, entry);
  out[kEnd] = right ? right_end<Real>(grid, landing) : left_end<Real>(grid, landing);
  out[kGainOrTimeLeft] = static_cast<Real>(time_from_border(table, piece));
  out[kGrowthOrInverseSlope] = static_cast<Real>(__builtin_fabs(table.inverse_slope[source]));
  out[kLandingSlope] = static_cast<Real>(table.slope[landing]);
  out[kLandingGain] = static_cast<Real>(table.velocity[entry] * table.inverse_slope[landing]);
  if constexpr (kDerivatives) {
    out[kEntrySpeed] = static_cast<Real>(direction * table.velocity[entry]);
    out[kInverseBorderSpeed] = static_cast<Real>(1.0 / border_speed);
  }
}

template <class Real, bool kDerivatives>
DIFFEO_INLINE void set_coefficients(const FieldTable& table, const Piece& piece, Coefficients<Real> out) {
  if (piece.kind == PieceKind::kStay) {
    set_staying_coefficients<Real>(table, static_cast<std::size_t>(piece.source), out);
  } else {
    set_crossing_coefficients<Real, kDerivatives>(table, piece, out);
  }
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
