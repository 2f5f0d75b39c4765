// Jacobians: what the vector-Jacobian product sums over the points of a piece, kept for every point.
//
// A point contributes to the vertices of its source and landing cells and to those of the cells between, and to no
// others: five numbers, which come from the vectors of point_kernels.hpp with a cotangent of 1, and a few vertices to
// add them to. (docs/math.md, 4)
#pragma once

#include "core/kernels/row_kernels.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

/// Lets the arrival of one point act on the whole cells of its piece, and takes it out of the sums.
DIFFEO_INLINE void spread_over_whole_cells(const Piece& piece, const CrossingSensitivity* crossings,
                                           GradientSums& sums) {
  const WholeCells cells(piece);
  if (cells.empty()) return;
  const double arrival = sums.whole[cells.low];
  for (std::size_t c = cells.low; c < cells.high; ++c) {
    sums.velocity[c] += arrival * crossings[c].left;
    sums.velocity[c + 1] += arrival * crossings[c].right;
  }
  const std::size_t ends[] = {cells.low, cells.high};
  for (const std::size_t end : ends) {
    sums.whole[end] = 0;
    sums.whole_remainder[end] = 0;
    sums.crossers[end] = 0;
  }
}

/// One point whose sums are `sum`: only the vertices from its source cell to its landing cell are touched.
template <class Quantity, class Real>
DIFFEO_INLINE void fill_jacobian_row(const FieldTable& table, const Piece& piece, const double (&sum)[kBlockSums],
                                     JacobianRows<Real>& jacobian, std::size_t point) {
  const bool right = piece.source < piece.landing;
  const auto first = static_cast<std::size_t>(right ? piece.source : piece.landing);
  const auto last = static_cast<std::size_t>(right ? piece.landing : piece.source) + 1;
  double* velocity = jacobian.sums.velocity;
  for (std::size_t j = first; j <= last; ++j) velocity[j] = 0;
  add_segment<Quantity>(table, piece, 1, sum, jacobian.sums);
  spread_over_whole_cells(piece, jacobian.crossings, jacobian.sums);
  Real* row = jacobian.rows + point * (table.grid.cells + 1);
  for (std::size_t j = first; j <= last; ++j) row[j] = static_cast<Real>(table.sign * velocity[j]);
}

template <class Quantity, class Real>
DIFFEO_INLINE void fill_jacobian(const PointTable<Real>& table, const OrderedPoints<Real>& ordered, Block<Real>& block,
                                 JacobianRows<Real>& jacobian) {
  const Real origin = static_cast<Real>(table.grid.origin);
  for (std::size_t i = 0; i < kBlockPoints + kPadding; ++i) block.cotangents[i] = 1;
  const auto on_block = [&](std::size_t first) __attribute__((always_inline)) {
    for (std::size_t at = 0; at < block.size; at += kLaneCount<Real>) vjp_vector<Quantity, false>(block, origin, at);
    for (std::size_t s = 0; s < block.segment_count; ++s) {
      const Segment& segment = block.segments[s];
      for (std::size_t i = segment.first; i < segment.first + segment.count; ++i) {
        double sum[kBlockSums];
        for (std::size_t k = 0; k < kBlockSums; ++k) sum[k] = static_cast<double>(block.sums[k][i]);
        fill_jacobian_row<Quantity>(table, table.pieces[segment.piece], sum, jacobian,
                                    original_index(ordered, first + i));
      }
    }
  };
  const auto on_point = [&](const Piece& piece, std::size_t i) {
    double sum[kBlockSums];
    set_careful_sums(careful_value(Quantity{}, table, piece, ordered.points[i]), 1.0, sum);
    fill_jacobian_row<Quantity>(table, piece, sum, jacobian, original_index(ordered, i));
  };
  for_each_block<Quantity, true>(table, ordered, block, on_block, on_point);
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
