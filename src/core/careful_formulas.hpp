// The formulas behind careful_point.hpp, which says what they compute: for the processor and for a GPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/careful_point.hpp"

namespace diffeo::careful {

using kernels::FieldTable;
using kernels::Piece;

inline constexpr double kExpLimit = 700.0;     // exp stays finite, with room for a factor
inline constexpr double kSquareLimit = 1e150;  // squares stay finite
inline constexpr double kSeriesLimit = 0.25;

/// E'(z) = sum (k + 1) z^k / (k + 2)! near 0, where the closed form cancels.
DIFFEO_HOST_DEVICE inline double exp_slope(double z) noexcept {
  if (std::fabs(z) > kSeriesLimit) return (z * std::exp(z) - std::expm1(z)) / (z * z);
  double sum = 0;
  double term = 0.5;  // z^k / (k + 2)!
  for (int k = 0; k < 14; ++k) {
    sum += (k + 1) * term;
    term *= z / (k + 3);
  }
  return sum;
}

/// M(w), w >= 0: (1-s)^2/2 (1/(1+s) + s Q(s^2)), s = w/(2+w), near 0 (docs/math.md, 1.3).
DIFFEO_HOST_DEVICE inline double log_moment(double w) noexcept {
  if (w > kSeriesLimit) return (std::log1p(w) - w / (1 + w)) / (w * w);
  const double s = w / (2 + w);
  double tail = 0;  // (atanh(s) - s) / s^3
  for (int k = 12; k >= 1; --k) tail = tail * s * s + 1.0 / (2 * k + 1);
  return 0.5 * (1 - s) * (1 - s) * (1 / (1 + s) + s * tail);
}

/// factor * e^z, infinite only where the product is.
DIFFEO_HOST_DEVICE inline double times_exp(double factor, double z) noexcept {
  if (factor == 0) return 0;
  if (std::fabs(z) <= kExpLimit) return factor * std::exp(z);
  const double half = std::exp(std::clamp(z, -1480.0, 1480.0) / 2);  // beyond that any product over- or underflows
  return factor * half * half;
}

/// How an affine field of this slope acts over a time. Where e^z leaves the number range, t/z is 1/slope.
struct Growth {
  double time;
  double slope;
  double z;
  DIFFEO_HOST_DEVICE Growth(double the_time, double the_slope) noexcept
      : time(the_time), slope(the_slope), z(the_slope * the_time) {}

  /// factor * e^z.
  [[nodiscard]] DIFFEO_HOST_DEVICE double grown(double factor) const noexcept { return times_exp(factor, z); }
  /// factor * t E(z).
  [[nodiscard]] DIFFEO_HOST_DEVICE double moved(double factor) const noexcept {
    if (factor == 0) return 0;
    if (z > kExpLimit) return times_exp(factor / slope, z);
    if (z < -kExpLimit) return -factor / slope;
    return factor * (time * (z == 0 ? 1.0 : std::expm1(z) / z));
  }
  /// factor * t^2 E'(z).
  [[nodiscard]] DIFFEO_HOST_DEVICE double bent(double factor) const noexcept {
    if (factor == 0) return 0;
    if (z > kExpLimit) return times_exp(factor * bend(), z);
    if (z < -kExpLimit) return factor / slope / slope;
    return factor * time * (time * exp_slope(z));
  }
  /// moved_factor * t E(z) + bent_factor * t^2 E'(z); the sum may be finite, or have a sign, where both terms overflow.
  [[nodiscard]] DIFFEO_HOST_DEVICE double moved_and_bent(double moved_factor, double bent_factor) const noexcept {
    if (z <= kExpLimit) return moved(moved_factor) + bent(bent_factor);
    return times_exp(moved_factor / slope + bent_factor * bend(), z);
  }

 private:
  /// t^2 E'(z) / e^z for large z.
  [[nodiscard]] DIFFEO_HOST_DEVICE double bend() const noexcept { return time / slope * (1 - 1 / z); }
};

struct Cell {
  double left_vertex, right_vertex;
  double left, right;  // velocities
  double width, slope;
};

DIFFEO_HOST_DEVICE inline Cell cell_of(const FieldTable& table, std::int32_t index) noexcept {
  const auto c = static_cast<std::size_t>(index);
  const double* vertices = table.grid.vertices;
  return {vertices[c], vertices[c + 1], table.velocity[c], table.velocity[c + 1], table.grid.width, table.slope[c]};
}

/// The velocity of the cell's affine field at x, inside or beyond the cell; exact at the vertices.
DIFFEO_HOST_DEVICE inline double velocity_at(const Cell& cell, double x) noexcept {
  const double from_left = x - cell.left_vertex;
  const double to_right = cell.right_vertex - x;
  return to_right < from_left ? cell.right - cell.slope * to_right : cell.left + cell.slope * from_left;
}

/// Inside the domain: hat functions as they are, so that derivatives that vanish are 0.
DIFFEO_HOST_DEVICE inline void set_inner_stay(const Cell& cell, double x, const Growth& growth,
                                              PointFlow& out) noexcept {
  const double right_share = (x - cell.left_vertex) / cell.width;
  const double left_share = (cell.right_vertex - x) / cell.width;
  const double by_slope = velocity_at(cell, x) / cell.width;
  out.source_left = growth.moved_and_bent(left_share, -by_slope);
  out.source_right = growth.moved_and_bent(right_share, by_slope);
}

/// Beyond the domain hat functions grow without bound and would cancel: measured from the end vertex instead,
/// phi = x_b + (x - x_b) e^z + v_b t E(z).
DIFFEO_HOST_DEVICE inline void set_outer_stay(const Cell& cell, double x, const Growth& growth,
                                              PointFlow& out) noexcept {
  const bool left_end = x < cell.left_vertex;
  const double distance = left_end ? x - cell.left_vertex : x - cell.right_vertex;
  const double end_velocity = left_end ? cell.left : cell.right;
  const double sign = left_end ? -1.0 : 1.0;
  double by_slope = 0;         // through the slope, over the width
  double by_end = 0;           // through the end vertex's own velocity as well
  if (growth.z > kExpLimit) {  // gather the factors of e^z before they overflow one by one
    const double factor = growth.time * (distance + end_velocity / growth.slope * (1 - 1 / growth.z)) / cell.width;
    by_slope = growth.grown(factor);
    by_end = growth.grown(1 / growth.slope + sign * factor);
  } else {
    by_slope = (growth.grown(distance * growth.time) + growth.bent(end_velocity)) / cell.width;
    by_end = growth.moved(1.0) + sign * by_slope;
  }
  out.source_left = left_end ? by_end : -by_slope;
  out.source_right = left_end ? by_slope : by_end;
}

DIFFEO_HOST_DEVICE inline PointFlow stay(const FieldTable& table, const Piece& piece, double point, double x) noexcept {
  const Cell cell = cell_of(table, piece.source);
  const Growth growth(table.duration, cell.slope);
  const double velocity = velocity_at(cell, x);
  const bool outside = x < cell.left_vertex || x > cell.right_vertex;
  PointFlow out = {};
  out.value = point + growth.moved(velocity);
  if (outside && growth.z < -1) {  // x and the displacement would cancel
    const bool left_end = x < cell.left_vertex;
    const double end = left_end ? cell.left_vertex : cell.right_vertex;
    const double end_velocity = left_end ? cell.left : cell.right;
    out.value = table.grid.origin + end + growth.moved(end_velocity) + growth.grown(x - end);
  }
  if (piece.source > 0) out.value = std::max(out.value, table.grid.origin + cell.left_vertex);
  if (static_cast<std::size_t>(piece.source) + 1 < table.grid.cells) {
    out.value = std::min(out.value, table.grid.origin + cell.right_vertex);
  }
  out.by_duration = growth.grown(velocity);
  out.by_point = growth.grown(1.0);
  if (outside) {
    set_outer_stay(cell, x, growth, out);
  } else {
    set_inner_stay(cell, x, growth, out);
  }
  return out;
}

/// How the time from x to the border answers to the speeds at its two ends; -dr/d(speed).
struct LeavingTime {
  double time;
  double by_point_speed;
  double by_border_speed;
};

DIFFEO_HOST_DEVICE inline LeavingTime leaving_time(double distance, double speed, double border_speed,
                                                   double slope) noexcept {
  const double slow = std::min(speed, border_speed);
  const double fast = std::max(speed, border_speed);
  const double rate = std::fabs(slope);
  const double w = rate * distance / slow;
  const double total = distance / slow / fast;
  LeavingTime out;
  double by_fast;
  if (w < kSquareLimit) {
    out.time = rate > 0 ? std::log1p(w) / rate : distance / slow;
    by_fast = distance / slow * (log_moment(w) / slow);
  } else {
    const double log = std::log(rate) + std::log(distance) - std::log(slow);
    out.time = log / rate;
    by_fast = (log - 1) / rate / (rate * distance);
  }
  const double by_slow = total > std::numeric_limits<double>::max() ? total : total - by_fast;
  out.by_point_speed = speed < border_speed ? by_slow : by_fast;
  out.by_border_speed = speed < border_speed ? by_fast : by_slow;
  return out;
}

/// factor * other, where an infinite factor does not make NaN of a zero.
DIFFEO_HOST_DEVICE inline double product(double factor, double other) noexcept {
  return factor == 0 || other == 0 ? 0.0 : factor * other;
}

/// larger + other, where both may be infinite and the first prevails.
DIFFEO_HOST_DEVICE inline double prevailing_sum(double larger, double other) noexcept {
  return std::fabs(larger) > std::numeric_limits<double>::max() ? larger : larger + other;
}

/// How the time to leave answers to the speed of the border vertex, through the speed at x as well. Far outside the
/// domain, where both may overflow, the latter is the larger.
DIFFEO_HOST_DEVICE inline double by_border_vertex(const LeavingTime& leaving, double far_share) noexcept {
  return prevailing_sum(product(leaving.by_point_speed, 1 - far_share), leaving.by_border_speed);
}

DIFFEO_HOST_DEVICE inline void set_landing(const Cell& cell, bool right, const Growth& growth,
                                           PointFlow& out) noexcept {
  const double entry_speed = std::fabs(right ? cell.left : cell.right);
  const double by_end = growth.bent(entry_speed / cell.width);
  const double by_entry = growth.moved_and_bent(1.0, -entry_speed / cell.width);
  out.landing_left = right ? by_entry : by_end;
  out.landing_right = right ? by_end : by_entry;
}

/// How a point of a crossing piece leaves its cell: which way, how far from the border, how fast here and there.
struct Departure {
  bool right;
  double direction;
  double distance;
  double border_speed;
  double speed;

  DIFFEO_HOST_DEVICE Departure(const FieldTable& table, const Piece& piece, const Cell& source, double x) noexcept
      : right(piece.landing > piece.source),
        direction(kernels::piece_direction(piece)),
        distance(direction * ((right ? source.right_vertex : source.left_vertex) - x)),
        border_speed(direction * (right ? source.right : source.left)),
        speed(direction * velocity_at(source, x)) {
    // Who crosses left in time: no slower than this, whatever rounding makes of the velocity beside a fixed point.
    const double slowest = times_exp(border_speed, -std::fabs(source.slope) * table.duration);
    speed = std::max(speed, std::max(slowest, std::numeric_limits<double>::min()));
  }
};

DIFFEO_HOST_DEVICE inline PointFlow cross(const FieldTable& table, const Piece& piece, double x) noexcept {
  const Cell source = cell_of(table, piece.source);
  const Cell landing = cell_of(table, piece.landing);
  const Departure departure(table, piece, source, x);
  const bool right = departure.right;
  const double direction = departure.direction;
  const double distance = departure.distance;
  const double speed = departure.speed;

  const LeavingTime leaving = leaving_time(distance, speed, departure.border_speed, source.slope);
  const double rest = std::max(kernels::time_from_border(table, piece) - leaving.time, 0.0);
  const double entry = right ? landing.left_vertex : landing.right_vertex;
  const double entry_velocity = right ? landing.left : landing.right;
  const Growth growth(rest, landing.slope);
  const bool unbounded = right ? static_cast<std::size_t>(piece.landing) + 1 == table.grid.cells : piece.landing == 0;

  PointFlow out = {};
  const double moved = growth.moved(entry_velocity);
  const double room = direction * landing.width;
  out.value = table.grid.origin + entry + (unbounded || std::fabs(moved) < landing.width ? moved : room);
  out.by_duration = growth.grown(entry_velocity);
  const double arrival = std::fabs(out.by_duration);
  out.by_point = growth.grown(std::fabs(entry_velocity) / speed);
  const double far_share = distance / source.width;
  const double by_far = product(arrival, product(leaving.by_point_speed, far_share));
  const double by_border = product(arrival, by_border_vertex(leaving, far_share));
  out.source_left = right ? by_far : by_border;
  out.source_right = right ? by_border : by_far;
  set_landing(landing, right, growth, out);
  return out;
}

DIFFEO_HOST_DEVICE inline PointFlow flow_point(const FieldTable& table, const Piece& piece, double point,
                                               double relative) noexcept {
  return piece.source == piece.landing ? stay(table, piece, point, relative) : cross(table, piece, relative);
}

DIFFEO_HOST_DEVICE inline CrossingSensitivity crossing_sensitivity(const FieldTable& table, std::size_t cell) noexcept {
  const double left = std::fabs(table.velocity[cell]);
  const double right = std::fabs(table.velocity[cell + 1]);
  const double width = table.grid.width;
  const double slow = std::min(left, right);
  const double by_fast = width / slow * (table.moment[cell] / slow);
  const double by_slow = width / slow / std::max(left, right) - by_fast;
  return left < right ? CrossingSensitivity{by_slow, by_fast} : CrossingSensitivity{by_fast, by_slow};
}

}  // namespace diffeo::careful
