// The formulas behind log_slope_point of careful_point.hpp: for the processor and for a GPU.      (docs/math.md, 4.4)
//
// The log-slope is the sum, over the cells a point visits, of slope times time spent; over whole cells it is the
// logarithm of a ratio of two vertex velocities.
#pragma once

#include <cmath>
#include <limits>

#include "core/careful_formulas.hpp"

namespace diffeo::careful {

/// log(a / b) of positive numbers, as exact near a = b as far from it.
DIFFEO_HOST_DEVICE inline double log_ratio(double a, double b) noexcept {
  const double excess = (a - b) / b;
  if (std::fabs(excess) < 0.5) return std::log1p(excess);
  const double ratio = a / b;
  const bool fits = ratio > std::numeric_limits<double>::min() && ratio < std::numeric_limits<double>::max();
  return fits ? std::log(ratio) : std::log(a) - std::log(b);
}

/// d log-slope / d speed at the border through the source cell, but for the time spent there. With whole cells behind
/// the border, log(v_b / v(x)) gives way to -log v(x): based at the slower end, so that nothing large cancels.
DIFFEO_HOST_DEVICE inline double by_border_speed(const Departure& departure, const LeavingTime& leaving,
                                                 double far_share, const kernels::SlopeChange& slopes,
                                                 bool adjacent) noexcept {
  if (!adjacent && slopes.source <= 0) {
    const double through_point = slopes.landing * (1 - far_share) + slopes.source * far_share;
    const double sooner = prevailing_sum(product(through_point, leaving.by_point_speed),
                                         product(slopes.landing, leaving.by_border_speed));
    return prevailing_sum(sooner, -1 / departure.speed);
  }
  const double sooner = product(slopes.gain(), by_border_vertex(leaving, far_share));
  return adjacent ? sooner : prevailing_sum(sooner, -1 / departure.border_speed);
}

DIFFEO_HOST_DEVICE inline PointFlow cross_log_slope(const FieldTable& table, const Piece& piece, double x) noexcept {
  const Cell source = cell_of(table, piece.source);
  const Cell landing = cell_of(table, piece.landing);
  const Departure departure(table, piece, source, x);
  const bool right = departure.right;
  const double direction = departure.direction;
  const kernels::SlopeChange slopes(table, piece);
  const LeavingTime leaving = leaving_time(departure.distance, departure.speed, departure.border_speed, source.slope);
  const double rest = std::max(kernels::time_from_border(table, piece) - leaving.time, 0.0);
  const double entry_speed = direction * (right ? landing.left : landing.right);
  const bool adjacent = kernels::lands_next_door(piece);

  PointFlow out = {};
  out.value = product(slopes.source, leaving.time) + product(slopes.landing, rest) +
              (adjacent ? 0.0 : log_ratio(entry_speed, departure.border_speed));
  out.by_duration = slopes.landing;
  out.by_point = product(direction * slopes.gain(), 1 / departure.speed);
  const double far_share = departure.distance / source.width;
  const double stretched = leaving.time / source.width;
  const double by_far = product(slopes.gain(), product(leaving.by_point_speed, far_share)) - stretched;
  const double by_border = by_border_speed(departure, leaving, far_share, slopes, adjacent) + stretched;
  out.source_left = direction * (right ? by_far : by_border);
  out.source_right = direction * (right ? by_border : by_far);
  const double by_end = rest / landing.width;
  const double by_entry = (adjacent ? 0.0 : 1 / entry_speed) - by_end;
  out.landing_left = direction * (right ? by_entry : by_end);
  out.landing_right = direction * (right ? by_end : by_entry);
  return out;
}

DIFFEO_HOST_DEVICE inline PointFlow stay_log_slope(const FieldTable& table, const Piece& piece) noexcept {
  PointFlow out = {};
  out.by_duration = kernels::plain_slope(table, static_cast<std::size_t>(piece.source));
  out.value = product(out.by_duration, table.duration);
  out.source_left = -table.duration / table.grid.width;
  out.source_right = table.duration / table.grid.width;
  return out;
}

DIFFEO_HOST_DEVICE inline PointFlow log_slope_point(const FieldTable& table, const Piece& piece,
                                                    double relative) noexcept {
  return piece.source == piece.landing ? stay_log_slope(table, piece) : cross_log_slope(table, piece, relative);
}

}  // namespace diffeo::careful
