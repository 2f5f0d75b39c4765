// One point at a time, in double, for any input: the flow, its log-slope and all their derivatives at a point of a given
// piece.
//
// The vector kernels call this for the points they cannot hold (far outside the domain, growth beyond the number
// range); Jacobian-vector products use it for every point. Values that overflow in truth become infinite;
// nothing becomes NaN. (docs/math.md, 2, 4)
#pragma once

#include "core/kernels/field_table.hpp"

namespace diffeo {

/// The position or the log-slope of a point. Derivatives are with respect to the velocities of the table, that is sign(t)
/// times the field's own.
struct PointFlow {
  double value;
  double by_duration;   // the velocity, or the slope of the field, at the position
  double by_point;      // d value / d x
  double source_left;   // d value / d velocity of the source cell's left vertex, through the source cell; ...
  double source_right;  // ... its right vertex
  double landing_left;  // the same through the landing cell; 0 for those who stay
  double landing_right;
};

/// `relative` is the point minus the grid's origin, rounded to the precision of the points; `piece` must contain it.
[[nodiscard]] PointFlow flow_point(const kernels::FieldTable& table, const kernels::Piece& piece, double point,
                                   double relative) noexcept;
/// The same for log d phi / d x.
[[nodiscard]] PointFlow log_slope_point(const kernels::FieldTable& table, const kernels::Piece& piece,
                                        double relative) noexcept;

/// How the time to cross one whole cell answers to the speeds at its ends: -dT/d|v|, both positive.
struct CrossingSensitivity {
  double left;
  double right;
};
[[nodiscard]] CrossingSensitivity crossing_sensitivity(const kernels::FieldTable& table, std::size_t cell) noexcept;

}  // namespace diffeo
