// Positions as a quantity of the flow: what row_kernels.hpp, and src/cuda, evaluate and differentiate.
//
// A quantity names the formulas of its coefficients, of its values, of what points contribute to gradients, and of what
// the sums over the points of a piece do to vertices. log_slopes.hpp has the other one.
#pragma once

#include "core/kernels/coefficients.hpp"
#include "core/kernels/gradient_sums.hpp"
#include "core/kernels/piece_flow.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

struct Positions {
  /// How many of a block's sums the points of a piece have.
  static constexpr std::size_t kStayingSums = 2;
  static constexpr std::size_t kCrossingSums = 5;

  template <bool kDerivatives, class Real, class Entries>
  static DIFFEO_MEMBER void set_coefficients(const PointTable<Real>& table, const Piece& piece, Entries out) {
    kernels::DIFFEO_TARGET::set_coefficients<kDerivatives>(table, piece, out);
  }
  template <class Points, class Real>
  static DIFFEO_MEMBER auto value(const Points& points, Real origin) {
    return flow_of(points, origin);
  }
  template <bool kByPoint, class Points, class Real>
  static DIFFEO_MEMBER auto contributions(const Points& points, Real origin) {
    return contributions_of<kByPoint>(points, origin);
  }
  static DIFFEO_MEMBER void add_staying(const FieldTable& table, const Piece& piece, const double (&sum)[kBlockSums],
                                        GradientSums& sums) {
    add_staying_segment(table, piece, sum, sums);
  }
  static DIFFEO_MEMBER void add_crossing(const FieldTable& table, const Piece& piece, std::size_t count,
                                         const double (&sum)[kBlockSums], GradientSums& sums) {
    add_crossing_segment(table, piece, count, sum, sums);
  }
};

}  // namespace diffeo::kernels::DIFFEO_TARGET
