// The formulas behind log_slope_point of careful_point.hpp: for the processor and for a GPU.      (docs/math.md, 4.4)
//
// The log-slope is the sum, over the cells a point visits, of slope times time spent. Its derivatives have no velocity
// in a denominator that could vanish on its own: only differences of slopes meet the sensitivities of crossing times.
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

/// The source cell: the time spent there times d slope, and the difference of slopes times the time gained.
DIFFEO_HOST_DEVICE inline void set_log_slope_source(const Cell& source, const Departure& departure,
                                                    const LeavingTime& leaving, double bend, PointFlow& out) noexcept {
  const double far_share = departure.distance / source.width;
  const double factor = departure.direction * bend;
  const double by_slope = leaving.time / source.width;
  const double by_far = product(factor, leaving.by_point_speed * far_share);
  const double by_border = product(factor, leaving.by_border_speed + leaving.by_point_speed * (1 - far_share));
  out.source_left = (departure.right ? by_far : by_border) - by_slope;
  out.source_right = (departure.right ? by_border : by_far) + by_slope;
}

DIFFEO_HOST_DEVICE inline PointFlow cross_log_slope(const FieldTable& table, const Piece& piece, double x) noexcept {
  const Cell source = cell_of(table, piece.source);
  const Cell landing = cell_of(table, piece.landing);
  const Departure departure(table, piece, source, x);
  const double source_slope = kernels::plain_slope(table, static_cast<std::size_t>(piece.source));
  const double landing_slope = kernels::plain_slope(table, static_cast<std::size_t>(piece.landing));
  const double bend = landing_slope - source_slope;
  const LeavingTime leaving = leaving_time(departure.distance, departure.speed, departure.border_speed, source.slope);
  const double rest = std::max(kernels::time_from_border(table, piece) - leaving.time, 0.0);
  const double entry_speed = departure.direction * (departure.right ? landing.left : landing.right);

  PointFlow out = {};
  out.value = product(source_slope, leaving.time) + log_ratio(entry_speed, departure.border_speed) +
              product(landing_slope, rest);
  out.by_duration = landing_slope;
  out.by_point = product(departure.direction * bend, 1 / departure.speed);
  set_log_slope_source(source, departure, leaving, bend, out);
  out.landing_left = -rest / landing.width;
  out.landing_right = rest / landing.width;
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

DIFFEO_HOST_DEVICE inline CrossingSensitivity crossed_log_slope(const FieldTable& table, std::size_t cell,
                                                                double landing_slope,
                                                                const CrossingSensitivity& sensitivity) noexcept {
  const double direction = table.velocity[cell] > 0 ? 1.0 : -1.0;
  const double factor = direction * (landing_slope - kernels::plain_slope(table, cell));
  const double by_slope = table.crossing[cell] / table.grid.width;
  return {product(factor, sensitivity.left) - by_slope, product(factor, sensitivity.right) + by_slope};
}

}  // namespace diffeo::careful
