// The coefficients of a piece, in the order of the slots of point_kernels.hpp.                    (docs/math.md, 2 and 4)
#pragma once

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

template <class Real>
DIFFEO_INLINE void set_landing_bounds(const FieldTable& table, std::size_t cell, Coefficients<Real> out) {
  const Grid& grid = table.grid;
  const bool first = cell == 0;
  const bool last = cell + 1 == grid.cells;
  out[kLow] = first ? -static_cast<Real>(__builtin_inf()) : static_cast<Real>(grid.origin + grid.vertices[cell]);
  out[kHigh] = last ? static_cast<Real>(__builtin_inf()) : static_cast<Real>(grid.origin + grid.vertices[cell + 1]);
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
  set_landing_bounds<Real>(table, cell, out);
  out[kDirection] = 1;
  out[kBorder] = static_cast<Real>(grid.vertices[cell + 1]);
  out[kFar] = static_cast<Real>(grid.vertices[cell]);
  out[kGrowth] = static_cast<Real>(growth);
  out[kKeep] = contracts ? Real(0) : Real(1);
  out[kGain] = contracts ? Real(1) : static_cast<Real>(gain);
  out[kSlope] = static_cast<Real>(contracts ? growth : table.slope[cell]);
  out[kFarValue] = static_cast<Real>(contracts ? grid.origin + grid.vertices[cell] + left * gain : left);
  out[kBorderValue] = static_cast<Real>(contracts ? grid.origin + grid.vertices[cell + 1] + right * gain : right);
}

template <class Real>
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
  const double far_speed = direction * table.velocity[far];
  set_landing_bounds<Real>(table, landing, out);
  out[kDirection] = static_cast<Real>(direction);
  out[kBorder] = static_cast<Real>(direction * grid.vertices[border]);
  out[kFar] = static_cast<Real>(direction * grid.vertices[far]);
  out[kBorderValue] = static_cast<Real>(border_speed);
  out[kFarValue] = static_cast<Real>(far_speed);
  out[kSlope] = static_cast<Real>(table.slope[source]);
  out[kKeep] = -1;
  out[kInverseSlope] = static_cast<Real>(__builtin_fabs(table.inverse_slope[source]));
  // Where the cell holds a fixed point, who leaves in time is at least this fast; elsewhere the slower vertex decides.
  out[kSlowest] = static_cast<Real>(far_speed > 0 ? lesser(far_speed, border_speed) : border_speed / table.growth[source]);
  out[kTimeLeft] = static_cast<Real>(time_from_border(table, piece));
  out[kEntry] = static_cast<Real>(grid.origin + grid.vertices[entry]);
  out[kLandingSlope] = static_cast<Real>(table.slope[landing]);
  out[kLandingGain] = static_cast<Real>(table.velocity[entry] * table.inverse_slope[landing]);
  out[kEntrySpeed] = static_cast<Real>(direction * table.velocity[entry]);
  out[kInverseBorderSpeed] = static_cast<Real>(1.0 / border_speed);
}

template <class Real>
DIFFEO_INLINE void set_coefficients(const FieldTable& table, const Piece& piece, Coefficients<Real> out) {
  if (piece.kind == PieceKind::kStay) {
    set_staying_coefficients<Real>(table, static_cast<std::size_t>(piece.source), out);
  } else {
    set_crossing_coefficients<Real>(table, piece, out);
  }
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
