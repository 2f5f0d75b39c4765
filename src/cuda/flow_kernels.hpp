// From points to positions or log-slopes: one thread per point.                               (docs/math.md, 3.3, 4.4)
//
// A thread finds the piece of its point by bisection and evaluates it with the piece's coefficients. Points may come in
// any order; neighbors in the same piece read the same coefficients, so ascending points are faster.
#pragma once

#include <cstddef>

#include "core/sample_clock.hpp"
#include "cuda/build_kernels.hpp"
#include "cuda/field_tables.hpp"
#include "cuda/host_executor.hpp"
#include "cuda/one_point.hpp"

namespace diffeo::cuda {

/// Points that a block takes at a time: one per thread.
inline constexpr unsigned kTilePoints = 256;

[[nodiscard]] constexpr std::size_t tiles_of(std::size_t count, std::size_t tile) { return (count + tile - 1) / tile; }

/// Calls work(item, i) for every i < count of every item: a block takes a tile of one item at a time, a thread one i.
template <unsigned kThreads, class Block, class Work>
DIFFEO_INLINE void each_in_tiles(const Block& block, std::size_t items, std::size_t count, const Work& work) {
  const std::size_t tiles = tiles_of(count, kThreads);
  for (std::size_t tile = block.index(); tile < items * tiles; tile += block.count()) {
    block.each_thread([&](unsigned thread) {
      const std::size_t i = tile % tiles * kThreads + thread;
      if (i < count) work(tile / tiles, i);
    });
  }
}

/// The points of every field: rows of memory, or the samples of an output (core/sample_clock.hpp), which stand nowhere.
template <class Real>
struct PointSource {
  FieldRows<Real> rows;
  SamplePoints<Real> samples;
  std::size_t count;

  PointSource(FieldRows<Real> given, std::size_t points) : rows(given), samples(1.0, points), count(points) {}
  PointSource(SamplePoints<Real> given, std::size_t points) : samples(given), count(points) {}

  DIFFEO_MEMBER Real at(std::size_t field, std::size_t i) const {
    return rows.data == nullptr ? samples[i] : rows.row(field)[i];
  }
};

/// In which piece of a field a point is.
template <class Real>
DIFFEO_INLINE std::size_t piece_of(const FieldTables<Real>& tables, std::size_t field, Real point) {
  kernels::FieldTable table = {};
  table.pieces = tables.pieces_of(field);
  table.piece_count = tables.piece_count[field];
  return math::piece_of_point(table, point - static_cast<Real>(tables.grid.origin));
}

/// What a point that needs care has.
DIFFEO_INLINE PointFlow careful_point(math::Positions, const kernels::FieldTable& table, const kernels::Piece& piece,
                                      double point, double relative) {
  return careful::flow_point(table, piece, point, relative);
}
DIFFEO_INLINE PointFlow careful_point(math::LogSlopes, const kernels::FieldTable& table, const kernels::Piece& piece,
                                      double, double relative) {
  return careful::log_slope_point(table, piece, relative);
}
template <class Quantity, class Real>
DIFFEO_INLINE PointFlow careful_value(const FieldTables<Real>& tables, std::size_t field, double time,
                                      std::size_t piece, Real point) {
  const kernels::PointTable<Real> table = tables.table(field, time);
  const Real relative = point - static_cast<Real>(table.grid.origin);
  return careful_point(Quantity{}, table, table.pieces[piece], static_cast<double>(point),
                       static_cast<double>(relative));
}

/// A quantity at a point of a field; of positions, where it goes.
template <class Quantity, class Real>
DIFFEO_INLINE Real value_at(const FieldTables<Real>& tables, std::size_t field, double time, Real point) {
  if (tables.piece_count[field] == 0 || !is_finite(point)) return not_a_number<Real>();
  const std::size_t piece = piece_of(tables, field, point);
  if (tables.pieces_of(field)[piece].kind == kernels::PieceKind::kCareful) {
    return static_cast<Real>(careful_value<Quantity>(tables, field, time, piece, point).value);
  }
  const PlacedPoint<Real> placed{tables.coefficients_of(field, piece), point, Real(0)};
  return Quantity::value(placed, static_cast<Real>(tables.grid.origin));
}

template <class Real, class Quantity = math::Positions>
struct FlowPoints {
  static constexpr unsigned kThreads = kTilePoints;
  using Shared = Nothing;

  FieldTables<Real> tables;
  FieldRows<double> times;
  PointSource<Real> points;
  std::size_t first, fields;
  Real* values;  // (fields, points), of this pass

  [[nodiscard]] std::size_t blocks() const { return fields * tiles_of(points.count, kThreads); }

  template <class Block>
  DIFFEO_HOST_DEVICE void operator()(const Block& block) const {
    each_in_tiles<kThreads>(block, fields, points.count, [&](std::size_t field, std::size_t i) {
      const Real point = points.at(first + field, i);
      values[field * points.count + i] = value_at<Quantity>(tables, field, *times.row(first + field), point);
    });
  }
};

}  // namespace diffeo::cuda
