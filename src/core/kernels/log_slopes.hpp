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

/// The sums of the points of one piece:  0: g,  1: g D_x Delta,  2: g (D_x + D_b),  3: g r,  4: g / v(x). Those who stay
/// have the first alone.
enum LogSlopeSum : std::size_t { kWeight, kFarSum, kBothSum, kTimeSum, kInverseSum };

struct LogSlopes {
  static constexpr std::size_t kStayingSums = 1;
  static constexpr std::size_t kCrossingSums = 5;

  template <bool kDerivatives, class Real, class Entries>
  static DIFFEO_MEMBER void set_coefficients(const PointTable<Real>& table, const Piece& piece, Entries out) {
    const SlopeChange slopes(table, piece);
    if (piece.kind == PieceKind::kStay) {
      out[kKeep] = Real(1);
      out[kLogSlopeBase] = static_cast<Real>(table.duration > 0 ? slopes.source * table.duration : 0.0);
      return;
    }
    const PassedVertices vertices(piece);
    set_leaving_coefficients<kDerivatives>(table, piece, vertices, out);
    const double entry_speed = magnitude(table.velocity[vertices.entry]);
    const double border_speed = magnitude(table.velocity[vertices.border]);
    const double between = lands_next_door(piece) ? 0.0 : log_ratio(entry_speed, border_speed);
    out[kLogSlopeBase] = static_cast<Real>(between + slopes.landing * time_from_border(table, piece));
    out[kSlopeDrop] = static_cast<Real>(-slopes.gain());
    if constexpr (kDerivatives) out[kPointWeight] = static_cast<Real>(piece_direction(piece) * slopes.gain());
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
      result.sums[kInverseSum] = put_leaving_sums(leaving, g, result);
      result.sums[kTimeSum] = g * leaving.time;
      if constexpr (kByPoint) result.by_point = keep < T{} ? result.sums[kInverseSum] * points[kPointWeight] : T{};
    }
    result.sums[kWeight] = g;
    return result;
  }

  static DIFFEO_MEMBER void add_staying(const FieldTable& table, const Piece& piece, const double (&sum)[kBlockSums],
                                        GradientSums& sums) {
    const double by_slope = sum[kWeight] * table.duration * table.grid.inverse_width;
    sums.velocity[piece.source] -= by_slope;
    sums.velocity[piece.source + 1] += by_slope;
    sums.time += sum[kWeight] * plain_slope(table, static_cast<std::size_t>(piece.source));
  }

  /// As careful::cross_log_slope has it for one point.
  static DIFFEO_MEMBER void add_crossing(const FieldTable& table, const Piece& piece, std::size_t count,
                                         const double (&sum)[kBlockSums], GradientSums& sums) {
    const PassedVertices vertices(piece);
    const SlopeChange slopes(table, piece);
    const double direction = piece_direction(piece);
    const double inverse_width = table.grid.inverse_width;

    const double by_far = slopes.gain() * (sum[kFarSum] * inverse_width);
    const double stretched = sum[kTimeSum] * inverse_width;
    sums.velocity[vertices.far] += direction * (by_far - stretched);
    sums.velocity[vertices.border] += direction * (by_border_speed(table, piece, sum) - by_far + stretched);

    const double by_end = direction * (time_from_border(table, piece) * sum[kWeight] - sum[kTimeSum]) * inverse_width;
    sums.velocity[vertices.end] += by_end;
    sums.velocity[vertices.entry] -= by_end;
    if (!lands_next_door(piece)) sums.velocity[vertices.entry] += sum[kWeight] / table.velocity[vertices.entry];

    const double by_time = slopes.landing * sum[kWeight];
    sums.time += by_time;
    add_whole_cells(sums, piece, direction * by_time, static_cast<std::int64_t>(count));
  }

 private:
  /// As careful::by_border_speed has it, but for what comes through the far vertex.
  static DIFFEO_MEMBER double by_border_speed(const FieldTable& table, const Piece& piece,
                                              const double (&sum)[kBlockSums]) {
    const SlopeChange slopes(table, piece);
    const double sooner = slopes.gain() * sum[kBothSum];
    if (lands_next_door(piece)) return sooner;
    if (slopes.source <= 0) return slopes.landing * sum[kBothSum] - sum[kInverseSum];
    return sooner - sum[kWeight] / magnitude(table.velocity[PassedVertices(piece).border]);
  }
};

}  // namespace diffeo::kernels::DIFFEO_TARGET
