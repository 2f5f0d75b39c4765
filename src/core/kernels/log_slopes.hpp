// Log-slopes as a quantity of the flow, beside positions.hpp.                                      (docs/math.md, 4.4)
//
//   stay      slope * t
//   cross     log(v_y / v_b) + s_m (time left at the border) + (s_c - s_m) r
//
// One logarithm per crossing point and no exponential; gradients need no more than the logarithm's moment.
#pragma once

#include "core/kernels/coefficients.hpp"
#include "core/kernels/gradient_sums.hpp"
#include "core/kernels/piece_flow.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

// Slots that positions use otherwise.
inline constexpr Slot kLogSlopeBase = kGainOrTimeLeft;  // stay: all of it; cross: all but (s_c - s_m) r
inline constexpr Slot kSlopeDrop = kLandingSlope;       // s_c - s_m
inline constexpr Slot kPointWeight = kEntrySpeed;       // (s_m - s_c), negative for those who move left

/// By how much the slope of the landing cell exceeds that of the source cell.
DIFFEO_INLINE double slope_gain(const FieldTable& table, const Piece& piece) {
  return plain_slope(table, static_cast<std::size_t>(piece.landing)) -
         plain_slope(table, static_cast<std::size_t>(piece.source));
}

/// The sums of the points of one piece:  0: g,  1: g D_x Delta,  2: g (D_x + D_b),  3: g r. Those who stay have the
/// first alone.
enum LogSlopeSum : std::size_t { kWeight, kFarSum, kBothSum, kTimeSum };

/// Those of careful points: as positions have them, but for one. Points through the landing cell act on its vertices
/// with opposite signs, so one entry is free for the weight.
inline constexpr std::size_t kCarefulWeight = kLandingLeft;

struct LogSlopes {
  static constexpr std::size_t kStayingSums = 1;
  static constexpr std::size_t kCrossingSums = 4;
  static constexpr bool kWeighted = true;

  template <bool kDerivatives, class Real, class Entries>
  static DIFFEO_MEMBER void set_coefficients(const PointTable<Real>& table, const Piece& piece, Entries out) {
    if (piece.kind == PieceKind::kStay) {
      const double slope = plain_slope(table, static_cast<std::size_t>(piece.source));
      out[kKeep] = Real(1);
      out[kLogSlopeBase] = static_cast<Real>(table.duration > 0 ? slope * table.duration : 0.0);
      return;
    }
    const PassedVertices vertices(piece);
    set_leaving_coefficients<kDerivatives>(table, piece, vertices, out);
    const double entry_speed = magnitude(table.velocity[vertices.entry]);
    const double border_speed = magnitude(table.velocity[vertices.border]);
    const double between = vertices.entry == vertices.border ? 0.0 : log_ratio(entry_speed, border_speed);
    const double landing_slope = plain_slope(table, static_cast<std::size_t>(piece.landing));
    out[kLogSlopeBase] = static_cast<Real>(between + landing_slope * time_from_border(table, piece));
    out[kSlopeDrop] = static_cast<Real>(-slope_gain(table, piece));
    if constexpr (kDerivatives)
      out[kPointWeight] = static_cast<Real>(piece_direction(piece) * slope_gain(table, piece));
  }

  template <class Points, class Real>
  static DIFFEO_MEMBER auto value(const Points& points, Real origin) {
    using T = typename Points::Numbers;
    const T keep = points[kKeep];
    const T base = points[kLogSlopeBase];
    if (!any_negative(keep)) return base;
    const T time = leaving_time(points, source_terms(points, origin));
    const T crossing = mul_add(points[kSlopeDrop], time, base);
    return keep < T{} ? crossing : base;
  }

  template <bool kByPoint, class Points, class Real>
  static DIFFEO_MEMBER auto contributions(const Points& points, Real origin) {
    using T = typename Points::Numbers;
    const T g = points.cotangents();
    const T keep = points[kKeep];
    Contributions<T> result = {};
    if (any_negative(keep)) {
      const LeavingTerms<T> leaving = leaving_terms(points, source_terms(points, origin));
      const T by_speed = put_leaving_sums(leaving, g, result);
      result.sums[kTimeSum] = g * leaving.time;
      if constexpr (kByPoint) result.by_point = keep < T{} ? by_speed * points[kPointWeight] : T{};
    }
    result.sums[kWeight] = g;
    return result;
  }

  static DIFFEO_MEMBER void set_careful_sums(const PointFlow& point, double cotangent, double (&sum)[kBlockSums]) {
    kernels::DIFFEO_TARGET::set_careful_sums(point, cotangent, sum);
    sum[kCarefulWeight] = cotangent;
  }

  static DIFFEO_MEMBER void add_staying(const FieldTable& table, const Piece& piece, const double (&sum)[kBlockSums],
                                        GradientSums& sums) {
    add_time_in_cell(table, piece.source, sum[kWeight] * table.duration, sums);
    sums.time += sum[kWeight] * plain_slope(table, static_cast<std::size_t>(piece.source));
  }

  static DIFFEO_MEMBER void add_crossing(const FieldTable& table, const Piece& piece, std::size_t count,
                                         const double (&sum)[kBlockSums], GradientSums& sums) {
    const PassedVertices vertices(piece);
    const double gain = piece_direction(piece) * slope_gain(table, piece);
    const double by_far = sum[kFarSum] * table.grid.inverse_width;
    sums.velocity[vertices.far] += gain * by_far;
    sums.velocity[vertices.border] += gain * (sum[kBothSum] - by_far);
    add_time_in_cell(table, piece.source, sum[kTimeSum], sums);
    const double left = time_from_border(table, piece);
    add_time_in_cell(table, piece.landing, left * sum[kWeight] - sum[kTimeSum], sums);
    add_landing(table, piece, count, sum[kWeight], sums);
  }

  static DIFFEO_MEMBER void add_careful(const FieldTable& table, const Piece& piece, std::size_t count,
                                        const double (&sum)[kBlockSums], GradientSums& sums) {
    sums.velocity[piece.source] += sum[kSourceLeft];
    sums.velocity[piece.source + 1] += sum[kSourceRight];
    sums.velocity[piece.landing] -= sum[kLandingRight];  // 0 for those who stay
    sums.velocity[piece.landing + 1] += sum[kLandingRight];
    add_landing(table, piece, count, sum[kCarefulWeight], sums);
  }

 private:
  /// What `seconds` (time spent in a cell, times cotangents) are worth to the slope of the cell.
  static DIFFEO_MEMBER void add_time_in_cell(const FieldTable& table, std::int32_t cell, double seconds,
                                             GradientSums& sums) {
    sums.velocity[cell] -= seconds * table.grid.inverse_width;
    sums.velocity[cell + 1] += seconds * table.grid.inverse_width;
  }

  /// By time, and what the slope where they land makes of the whole cells that points of this weight have crossed.
  static DIFFEO_MEMBER void add_landing(const FieldTable& table, const Piece& piece, std::size_t count, double weight,
                                        GradientSums& sums) {
    const double slope = plain_slope(table, static_cast<std::size_t>(piece.landing));
    const double arrival = weight * slope;
    sums.time += arrival;
    const CrossedCells cells(piece);
    if (cells.none()) return;
    cells.add(sums.arrival, arrival);
    cells.add(sums.arrival, ::fma(weight, slope, -arrival));  // what rounding took from the product
    cells.add(sums.weight, weight);
    cells.count(sums.crossers, static_cast<std::int64_t>(count));
  }
};

}  // namespace diffeo::kernels::DIFFEO_TARGET
