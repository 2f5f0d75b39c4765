// A quantity of the flow of the points of one field (positions.hpp, log_slopes.hpp), and its vector-Jacobian product.
//
// Points come in the order of their pieces. Those of consecutive pieces are gathered into a block, with the
// coefficients of their pieces beside them, and evaluated a vector at a time across piece borders; pieces that need
// care go point by point. The product then sums what the points of each piece contribute, once per piece.
// (docs/math.md, 3.3, 4.3)
#pragma once

#include "core/careful_point.hpp"
#include "core/kernels/build_table.hpp"
#include "core/kernels/log_slopes.hpp"
#include "core/kernels/order_points.hpp"
#include "core/kernels/point_kernels.hpp"
#include "core/kernels/positions.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

/// Appends `count` points of a piece; there must be room.
template <class Quantity, bool kDerivatives, class Real>
DIFFEO_INLINE void append_to_block(Block<Real>& block, const PointTable<Real>& table, std::size_t piece,
                                   std::size_t count) {
  constexpr std::size_t kLanes = kLaneCount<Real>;
  using Integers = typename NumberTraits<Lanes<Real>>::Bits;
  using Integer = typename NumberTraits<Real>::Bits;
  const std::size_t first = block.size;
  const std::size_t segment = block.segment_count++;
  Quantity::template set_coefficients<kDerivatives>(table, table.pieces[piece],
                                                    BlockCoefficients<Real>{block, segment});
  block.segments[segment] = {static_cast<std::uint32_t>(piece), static_cast<std::uint32_t>(first),
                             static_cast<std::uint32_t>(count)};
  // Whole vectors, and one more for the last vector of the block: what runs over is written again by the next piece, or
  // lies in the padding. Three vectors are enough for most pieces, and a loop of one length is predicted.
  const Integers number = Integers{} + static_cast<Integer>(segment);
  const std::size_t filled = count <= 2 * kLanes ? 3 * kLanes : count + kLanes;
  for (std::size_t i = first; i < first + filled; i += kLanes) {
    __builtin_memcpy(block.segment_of + i, &number, sizeof(number));
  }
  block.size += count;
}

template <class Real>
DIFFEO_INLINE void clear_block(Block<Real>& block) {
  block.size = 0;
  block.segment_count = 0;
}

/// Walks all pieces that hold points: `on_block(first)` gets full blocks (first: index of the block's first point),
/// `on_careful_point(piece, i)` the points that need care.
template <class Quantity, bool kDerivatives, class Real, class OnBlock, class OnPoint>
DIFFEO_INLINE void for_each_block(const PointTable<Real>& table, const OrderedPoints<Real>& ordered, Block<Real>& block,
                                  OnBlock on_block, OnPoint on_careful_point) {
  clear_block(block);
  std::size_t block_start = 0;
  const auto flush = [&](std::size_t next) {
    if (block.size > 0) {
      __builtin_memcpy(block.points, ordered.points + block_start, block.size * sizeof(Real));
      on_block(block_start);
      clear_block(block);
    }
    block_start = next;
  };
  for (std::size_t p = 0; p < table.piece_count; ++p) {
    std::size_t i = ordered.begin[p];
    const std::size_t end = ordered.begin[p + 1];
    if (i == end) continue;
    const Piece& piece = table.pieces[p];
    if (piece.kind == PieceKind::kCareful) {
      flush(end);
      for (; i < end; ++i) on_careful_point(piece, i);
      continue;
    }
    while (i < end) {
      const std::size_t room = kBlockPoints - block.size;
      const std::size_t count = end - i < room ? end - i : room;
      append_to_block<Quantity, kDerivatives>(block, table, p, count);
      i += count;
      if (block.size == kBlockPoints) flush(i);
    }
  }
  flush(0);
}

/// Writes block results back to where the points came from.
template <class Real>
DIFFEO_INLINE void write_results(const Block<Real>& block, const OrderedPoints<Real>& ordered, std::size_t first,
                                 Real* out) {
  if (ordered.original == nullptr) {
    __builtin_memcpy(out + first, block.results, block.size * sizeof(Real));
  } else {
    for (std::size_t i = 0; i < block.size; ++i) out[ordered.original[first + i]] = block.results[i];
  }
}

template <class Real>
DIFFEO_INLINE std::size_t original_index(const OrderedPoints<Real>& ordered, std::size_t i) {
  return ordered.original == nullptr ? i : ordered.original[i];
}

/// What a point that needs care has.
template <class Real>
DIFFEO_INLINE PointFlow careful_value(Positions, const FieldTable& table, const Piece& piece, Real point) {
  const Real relative = point - static_cast<Real>(table.grid.origin);
  return flow_point(table, piece, static_cast<double>(point), static_cast<double>(relative));
}
template <class Real>
DIFFEO_INLINE PointFlow careful_value(LogSlopes, const FieldTable& table, const Piece& piece, Real point) {
  const Real relative = point - static_cast<Real>(table.grid.origin);
  return log_slope_point(table, piece, static_cast<double>(relative));
}

template <class Quantity, class Real>
DIFFEO_INLINE void value_row(const PointTable<Real>& table, const OrderedPoints<Real>& ordered, Block<Real>& block,
                             Real* values) {
  const Real origin = static_cast<Real>(table.grid.origin);
  const auto on_block = [&](std::size_t first) __attribute__((always_inline)) {
    for (std::size_t at = 0; at < block.size; at += kLaneCount<Real>) {
      value_vector<Quantity>(block, origin, at);
    }
    write_results(block, ordered, first, values);
  };
  const auto on_point = [&](const Piece& piece, std::size_t i) {
    const PointFlow point = careful_value(Quantity{}, table, piece, ordered.points[i]);
    values[original_index(ordered, i)] = static_cast<Real>(point.value);
  };
  for_each_block<Quantity, false>(table, ordered, block, on_block, on_point);
}

/// Which lanes of the first two vectors of a segment belong to it. Most segments end there: no loop, and no branch
/// whose outcome nobody could predict.
template <class Real>
struct SegmentMask {
  using Bits = typename NumberTraits<Lanes<Real>>::Bits;
  using Integer = typename NumberTraits<Real>::Bits;
  std::size_t count;
  decltype(Bits{} < Bits{}) first;
  decltype(Bits{} < Bits{}) second;

  DIFFEO_MEMBER explicit SegmentMask(std::size_t points) : count(points) {
    const Bits end = Bits{} + static_cast<Integer>(points);
    first = lane_numbers<Lanes<Real>>() < end;
    second = lane_numbers<Lanes<Real>>() + static_cast<Integer>(kLaneCount<Real>) < end;
  }

  /// Sum of values[0 .. count), in double; values are padded by two vectors.
  DIFFEO_MEMBER double sum(const Real* values) const {
    constexpr std::size_t kLanes = kLaneCount<Real>;
    Lanes<Real> partial = first ? load<Lanes<Real>>(values) : Lanes<Real>{};
    partial += second ? load<Lanes<Real>>(values + kLanes) : Lanes<Real>{};
    if (count <= 2 * kLanes) return static_cast<double>(sum_of_lanes(partial));
    std::size_t i = 2 * kLanes;
    for (; i + kLanes <= count; i += kLanes) partial += load<Lanes<Real>>(values + i);
    Real rest = sum_of_lanes(partial);
    for (; i < count; ++i) rest += values[i];
    return static_cast<double>(rest);
  }
};

template <std::size_t kSums, class Real>
DIFFEO_INLINE void sum_segment(const Block<Real>& block, const Segment& segment, double (&sum)[kBlockSums]) {
  const SegmentMask<Real> mask(segment.count);
#pragma GCC unroll 8
  for (std::size_t k = 0; k < kSums; ++k) sum[k] = mask.sum(block.sums[k] + segment.first);
}

template <class Quantity, class Real>
DIFFEO_INLINE void add_segments(const FieldTable& table, const Block<Real>& block, GradientSums& sums) {
  for (std::size_t s = 0; s < block.segment_count; ++s) {
    const Segment& segment = block.segments[s];
    const Piece& piece = table.pieces[segment.piece];
    double sum[kBlockSums];
    if (piece.kind == PieceKind::kCross) {
      sum_segment<Quantity::kCrossingSums>(block, segment, sum);
      Quantity::add_crossing(table, piece, segment.count, sum, sums);
    } else {
      sum_segment<Quantity::kStayingSums>(block, segment, sum);
      Quantity::add_staying(table, piece, sum, sums);
    }
  }
}

template <class Real>
DIFFEO_INLINE void read_cotangents(Block<Real>& block, const OrderedPoints<Real>& ordered, std::size_t first,
                                   const Real* cotangents) {
  if (ordered.original == nullptr) {
    __builtin_memcpy(block.cotangents, cotangents + first, block.size * sizeof(Real));
  } else {
    for (std::size_t i = 0; i < block.size; ++i) block.cotangents[i] = cotangents[ordered.original[first + i]];
  }
}

template <class Quantity, bool kByPoint, class Real>
DIFFEO_INLINE void differentiate_block(const PointTable<Real>& table, Block<Real>& block, GradientSums& sums) {
  const Real origin = static_cast<Real>(table.grid.origin);
  for (std::size_t at = 0; at < block.size; at += kLaneCount<Real>) {
    vjp_vector<Quantity, kByPoint>(block, origin, at);
  }
  add_segments<Quantity>(table, block, sums);
}

template <class Quantity, bool kByPoint, class Real>
DIFFEO_INLINE void vjp_row(const PointTable<Real>& table, const OrderedPoints<Real>& ordered, Block<Real>& block,
                           const Real* cotangents, Real* point_gradient, GradientSums& sums) {
  const auto on_block = [&](std::size_t first) __attribute__((always_inline)) {
    read_cotangents(block, ordered, first, cotangents);
    differentiate_block<Quantity, kByPoint>(table, block, sums);
    if constexpr (kByPoint) write_results(block, ordered, first, point_gradient);
  };
  const auto on_point = [&](const Piece& piece, std::size_t i) {
    const std::size_t at = original_index(ordered, i);
    const double cotangent = static_cast<double>(cotangents[at]);
    if constexpr (kByPoint) point_gradient[at] = 0;
    if (cotangent == 0) return;  // 0 times an infinite derivative is 0
    const PointFlow point = careful_value(Quantity{}, table, piece, ordered.points[i]);
    if constexpr (kByPoint) point_gradient[at] = static_cast<Real>(cotangent * point.by_point);
    double sum[kBlockSums];
    set_careful_sums(point, cotangent, sum);
    add_careful_segment(piece, 1, sum, sums);
  };
  for_each_block<Quantity, true>(table, ordered, block, on_block, on_point);
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
