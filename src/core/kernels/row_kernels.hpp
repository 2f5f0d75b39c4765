// The flow of the points of one field, and its vector-Jacobian product.
//
// Points come in the order of their pieces. Those of consecutive pieces are gathered into a block, with the
// coefficients of their pieces beside them, and evaluated a vector at a time across piece borders; pieces that need
// care go point by point. The product then sums what the points of each piece contribute, once per piece.
// (docs/math.md, 3.3, 4.3)
#pragma once

#include "core/careful_point.hpp"
#include "core/kernels/build_table.hpp"
#include "core/kernels/coefficients.hpp"
#include "core/kernels/order_points.hpp"
#include "core/kernels/point_kernels.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

/// Appends `count` points of a piece; there must be room.
template <bool kDerivatives, class Real>
DIFFEO_INLINE void append_to_block(Block<Real>& block, const PointTable<Real>& table, std::size_t piece,
                                   std::size_t count) {
  constexpr std::size_t kLanes = kLaneCount<Real>;
  using Integers = typename NumberTraits<Lanes<Real>>::Bits;
  using Integer = typename NumberTraits<Real>::Bits;
  const std::size_t first = block.size;
  const std::size_t segment = block.segment_count++;
  set_coefficients<Real, kDerivatives>(table, table.pieces[piece], {block, segment});
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
template <bool kDerivatives, class Real, class OnBlock, class OnPoint>
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
      append_to_block<kDerivatives>(block, table, p, count);
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

/// The flow of one point that needs care.
template <class Real>
DIFFEO_INLINE PointFlow careful_flow(const FieldTable& table, const Piece& piece, Real point) {
  const Real relative = point - static_cast<Real>(table.grid.origin);
  return flow_point(table, piece, static_cast<double>(point), static_cast<double>(relative));
}

template <class Real>
DIFFEO_INLINE void flow_row(const PointTable<Real>& table, const OrderedPoints<Real>& ordered, Block<Real>& block,
                            Real* positions) {
  const Real origin = static_cast<Real>(table.grid.origin);
  const auto on_block = [&](std::size_t first) __attribute__((always_inline)) {
    for (std::size_t at = 0; at < block.size; at += kLaneCount<Real>) {
      flow_vector(block, origin, at);
    }
    write_results(block, ordered, first, positions);
  };
  const auto on_point = [&](const Piece& piece, std::size_t i) {
    positions[original_index(ordered, i)] = static_cast<Real>(careful_flow(table, piece, ordered.points[i]).position);
  };
  for_each_block<false>(table, ordered, block, on_block, on_point);
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

/// Adds to a difference array without losing what rounding takes: what is added at one end and taken away at the other
/// cancels exactly (docs/math.md, 4.3).
DIFFEO_INLINE void add_exactly(GradientSums& sums, std::size_t cell, double value) {
  const double sum = sums.whole[cell] + value;
  const double added = sum - sums.whole[cell];
  sums.whole_remainder[cell] += (sums.whole[cell] - (sum - added)) + (value - added);
  sums.whole[cell] = sum;
}

/// Lets `arrival` = sum of g |v(phi)| of `crossers` points act on every whole cell between source and landing.
DIFFEO_INLINE void add_whole_cells(GradientSums& sums, const Piece& piece, double arrival, std::int64_t crossers) {
  const auto low = static_cast<std::size_t>(piece.source < piece.landing ? piece.source : piece.landing) + 1;
  const auto high = static_cast<std::size_t>(piece.source < piece.landing ? piece.landing : piece.source);
  if (low >= high) return;
  add_exactly(sums, low, arrival);
  add_exactly(sums, high, -arrival);
  sums.crossers[low] += crossers;
  sums.crossers[high] -= crossers;
}

DIFFEO_INLINE void add_staying_segment(const FieldTable& table, const Piece& piece, const double (&sum)[kBlockSums],
                                       GradientSums& sums) {
  const auto cell = static_cast<std::size_t>(piece.source);
  const double inverse_width = table.grid.inverse_width;
  const double speed = (table.velocity[cell] * sum[0] + table.velocity[cell + 1] * sum[1]) * inverse_width;
  sums.velocity[cell] += (table.gain[cell] * sum[0] - table.gain_slope[cell] * speed) * inverse_width;
  sums.velocity[cell + 1] += (table.gain[cell] * sum[1] + table.gain_slope[cell] * speed) * inverse_width;
  sums.time += table.growth[cell] * speed;
}

DIFFEO_INLINE void add_crossing_segment(const FieldTable& table, const Piece& piece, std::size_t count,
                                        const double (&sum)[kBlockSums], GradientSums& sums) {
  const auto source = static_cast<std::size_t>(piece.source);
  const auto landing = static_cast<std::size_t>(piece.landing);
  const std::size_t right = landing > source ? 1 : 0;  // as a number: nobody can predict a branch on it
  const std::size_t left = 1 - right;
  const double entry_speed = __builtin_fabs(table.velocity[landing + left]);
  const double arrival = entry_speed * sum[0];
  const double by_far = entry_speed * sum[1] * table.grid.inverse_width;
  sums.velocity[source + left] += by_far;
  sums.velocity[source + right] += entry_speed * sum[2] - by_far;
  const double by_end = entry_speed * sum[4] * table.grid.inverse_width;
  sums.velocity[landing + right] += by_end;
  sums.velocity[landing + left] += sum[3] * table.inverse_slope[landing] - by_end;
  sums.time += (static_cast<double>(right) - static_cast<double>(left)) * arrival;
  add_whole_cells(sums, piece, arrival, static_cast<std::int64_t>(count));
}

template <std::size_t kSums, class Real>
DIFFEO_INLINE void sum_segment(const Block<Real>& block, const Segment& segment, double (&sum)[kBlockSums]) {
  const SegmentMask<Real> mask(segment.count);
#pragma GCC unroll 8
  for (std::size_t k = 0; k < kSums; ++k) sum[k] = mask.sum(block.sums[k] + segment.first);
}

template <class Real>
DIFFEO_INLINE void add_segments(const FieldTable& table, const Block<Real>& block, GradientSums& sums) {
  for (std::size_t s = 0; s < block.segment_count; ++s) {
    const Segment& segment = block.segments[s];
    const Piece& piece = table.pieces[segment.piece];
    double sum[kBlockSums];
    if (piece.kind == PieceKind::kCross) {
      sum_segment<kBlockSums>(block, segment, sum);
      add_crossing_segment(table, piece, segment.count, sum, sums);
    } else {
      sum_segment<2>(block, segment, sum);
      add_staying_segment(table, piece, sum, sums);
    }
  }
}

DIFFEO_INLINE void add_careful_point(const Piece& piece, const PointFlow& point, double cotangent, GradientSums& sums) {
  sums.velocity[piece.source] += cotangent * point.source_left;
  sums.velocity[piece.source + 1] += cotangent * point.source_right;
  sums.time += cotangent * point.velocity;
  if (piece.source == piece.landing) return;
  sums.velocity[piece.landing] += cotangent * point.landing_left;
  sums.velocity[piece.landing + 1] += cotangent * point.landing_right;
  add_whole_cells(sums, piece, cotangent * __builtin_fabs(point.velocity), 1);
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

template <bool kByPoint, class Real>
DIFFEO_INLINE void differentiate_block(const PointTable<Real>& table, Block<Real>& block, GradientSums& sums) {
  const Real origin = static_cast<Real>(table.grid.origin);
  for (std::size_t at = 0; at < block.size; at += kLaneCount<Real>) {
    vjp_vector<kByPoint>(block, origin, at);
  }
  add_segments(table, block, sums);
}

template <bool kByPoint, class Real>
DIFFEO_INLINE void flow_vjp_row(const PointTable<Real>& table, const OrderedPoints<Real>& ordered, Block<Real>& block,
                                const Real* cotangents, Real* point_gradient, GradientSums& sums) {
  const auto on_block = [&](std::size_t first) __attribute__((always_inline)) {
    read_cotangents(block, ordered, first, cotangents);
    differentiate_block<kByPoint>(table, block, sums);
    if constexpr (kByPoint) write_results(block, ordered, first, point_gradient);
  };
  const auto on_point = [&](const Piece& piece, std::size_t i) {
    const std::size_t at = original_index(ordered, i);
    const double cotangent = static_cast<double>(cotangents[at]);
    if constexpr (kByPoint) point_gradient[at] = 0;
    if (cotangent == 0) return;  // 0 times an infinite derivative is 0
    const PointFlow point = careful_flow(table, piece, ordered.points[i]);
    if constexpr (kByPoint) point_gradient[at] = static_cast<Real>(cotangent * point.by_point);
    add_careful_point(piece, point, cotangent, sums);
  };
  for_each_block<true>(table, ordered, block, on_block, on_point);
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
