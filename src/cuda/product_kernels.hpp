// Vector-Jacobian products: what the points of every piece contribute, and gradients from it.      (docs/math.md, 4.3)
//
// No sum is left to chance. The points of a field are cut into parts, a block takes a part in tiles of one point per
// thread, and
//   * brings a tile into the order of its pieces, where it does not come in it: a thread counts who comes before its
//     point;
//   * adds up every run of one piece, first by sixteens, then those: at most 32 additions one after the other;
//   * adds that to the sums of the part, in which every piece has an entry.
// A second kernel adds the parts in order, lets the sums of every piece act on the vertices as the processor does (one
// thread, from left to right), and writes the gradients.
//
// Cost per point beside the flow: 256 comparisons where a tile is out of order, 5 additions in double. Memory per part:
// 48 bytes per piece; parts are long enough that this is no more than a few bytes per point.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/velocity_gradient.hpp"
#include "cuda/flow_kernels.hpp"

namespace diffeo::cuda {

struct PieceSums {
  double sum[kernels::kBlockSums];
  std::int64_t count;  // of points
};

/// Where gradients by a row of numbers go: to rows of their own, or in double to be added up over the batch.
template <class Real>
struct RowResult {
  Real* own = nullptr;
  double* summed = nullptr;

  [[nodiscard]] DIFFEO_MEMBER bool wanted() const { return own != nullptr || summed != nullptr; }
  DIFFEO_MEMBER void put(std::size_t i, double value) const {
    if (own != nullptr) own[i] = static_cast<Real>(value);
    if (summed != nullptr) summed[i] = value;
  }
};

/// The parts that a field's points are cut into.
struct Parts {
  std::size_t points;  // of a part, but for the last
  std::size_t count;   // per field

  /// So long that the sums of a part, written and read, cost no more than the points themselves.
  static Parts of(std::size_t count, std::size_t cells) {
    const std::size_t least = 16 * kTilePoints, wanted = tiles_of(16 * cells, kTilePoints) * kTilePoints;
    const std::size_t points = wanted < least ? least : wanted;
    return {points, tiles_of(count, points)};
  }
};

template <class Real, class Quantity = math::Positions>
struct FlowProducts {
  static constexpr unsigned kThreads = kTilePoints;
  static constexpr unsigned kGroup = 16;                 // points whose contributions are added first
  static constexpr std::uint32_t kNobody = 0xffffffffu;  // in the place of a piece, behind the last point
  struct Shared {
    double sums[kernels::kBlockSums][kTilePoints];
    std::uint32_t found[kTilePoints];  // the piece of each thread's point
    std::uint32_t piece[kTilePoints];  // the same in order
    std::uint32_t counts[kTilePoints];
    unsigned descends;
  };

  FieldTables<Real> tables;
  FieldRows<double> times;
  PointSource<Real> points;
  const Real* cotangents;  // (fields, points), of this pass
  std::size_t first, fields;
  Parts parts;
  RowResult<Real> by_point;  // (fields, points), of this pass
  PieceSums* sums;           // (fields, parts, room)

  [[nodiscard]] std::size_t blocks() const { return fields * parts.count; }

  template <class Block>
  DIFFEO_HOST_DEVICE void operator()(const Block& block) const {
    for (std::size_t item = block.index(); item < fields * parts.count; item += block.count()) {
      const std::size_t field = item / parts.count;
      const std::size_t begin = item % parts.count * parts.points;
      const std::size_t end = points.count - begin < parts.points ? points.count : begin + parts.points;
      PieceSums* const of_part = sums + item * tables.room();
      block.each_thread([&](unsigned thread) {
        for (std::size_t p = thread; p < tables.piece_count[field]; p += kThreads) of_part[p] = {};
      });
      for (std::size_t tile = begin; tile < end; tile += kTilePoints) {
        find_pieces(block, field, tile, end);
        contribute(block, field, tile, end);
        add_up(block, of_part);
      }
    }
  }

 private:
  template <class Block>
  DIFFEO_MEMBER void find_pieces(const Block& block, std::size_t field, std::size_t tile, std::size_t end) const {
    Shared& shared = block.shared();
    block.each_thread([&](unsigned thread) {
      if (thread == 0) shared.descends = 0;
      const std::size_t i = tile + thread;
      const bool is_there = i < end && tables.piece_count[field] != 0;
      shared.found[thread] =
          is_there ? static_cast<std::uint32_t>(piece_of(tables, field, points.at(first + field, i))) : kNobody;
    });
    block.each_thread([&](unsigned thread) {
      if (thread > 0 && shared.found[thread] < shared.found[thread - 1]) shared.descends = 1;
    });
  }

  /// Where a thread's point comes in the order of the pieces.
  DIFFEO_MEMBER unsigned place_of(const Shared& shared, unsigned thread) const {
    if (shared.descends == 0) return thread;
    const std::uint32_t own = shared.found[thread];
    unsigned before = 0;
    for (unsigned other = 0; other < kTilePoints; ++other) {
      const std::uint32_t theirs = shared.found[other];
      before += theirs < own || (theirs == own && other < thread) ? 1 : 0;
    }
    return before;
  }

  template <class Block>
  DIFFEO_MEMBER void contribute(const Block& block, std::size_t field, std::size_t tile, std::size_t end) const {
    Shared& shared = block.shared();
    block.each_thread([&](unsigned thread) {
      const unsigned place = place_of(shared, thread);
      const std::uint32_t piece = shared.found[thread];
      const std::size_t i = tile + thread;
      shared.piece[place] = piece;
      if (i >= end) return;
      double sum[kernels::kBlockSums] = {};
      if (piece == kNobody) {
        by_point.put(field * points.count + i, not_a_number<double>());
        return;
      }
      shared.counts[place] = contribution(field, i, piece, sum);
      for (std::size_t k = 0; k < kernels::kBlockSums; ++k) shared.sums[k][place] = sum[k];
    });
  }

  /// Of one point; answers whether it counts.
  DIFFEO_MEMBER std::uint32_t contribution(std::size_t field, std::size_t i, std::size_t piece,
                                           double (&sum)[kernels::kBlockSums]) const {
    const std::size_t at = field * points.count + i;
    const Real point = points.at(first + field, i);
    const Real cotangent = cotangents[at] + (point - point);  // NaN where the point is not finite
    if (tables.pieces_of(field)[piece].kind == kernels::PieceKind::kCareful) {
      if (cotangent == 0) {  // 0 times an infinite derivative is 0
        by_point.put(at, 0);
        return 0;
      }
      const PointFlow flow = careful_value<Quantity>(tables, field, *times.row(first + field), piece, point);
      math::set_careful_sums(flow, static_cast<double>(cotangent), sum);
      by_point.put(at, static_cast<double>(static_cast<Real>(static_cast<double>(cotangent) * flow.by_point)));
      return 1;
    }
    const PlacedPoint<Real> placed{tables.coefficients_of(field, piece), point, cotangent};
    const auto result = Quantity::template contributions<true>(placed, static_cast<Real>(tables.grid.origin));
    by_point.put(at, static_cast<double>(result.by_point));
    for (std::size_t k = 0; k < kernels::kBlockSums; ++k) sum[k] = static_cast<double>(result.sums[k]);
    return 1;
  }

  DIFFEO_MEMBER static bool begins_run(const Shared& shared, unsigned at) {
    return at == 0 || shared.piece[at] != shared.piece[at - 1];
  }

  template <class Block>
  DIFFEO_MEMBER void add_up(const Block& block, PieceSums* of_part) const {
    Shared& shared = block.shared();
    block.each_thread([&](unsigned thread) {
      const std::uint32_t own = shared.piece[thread];
      if (own == kNobody || (thread % kGroup != 0 && !begins_run(shared, thread))) return;
      for (unsigned next = thread + 1; next % kGroup != 0 && shared.piece[next] == own; ++next) {
        for (std::size_t k = 0; k < kernels::kBlockSums; ++k) shared.sums[k][thread] += shared.sums[k][next];
        shared.counts[thread] += shared.counts[next];
      }
    });
    block.each_thread([&](unsigned thread) {
      const std::uint32_t own = shared.piece[thread];
      if (own == kNobody || !begins_run(shared, thread)) return;
      PieceSums total = of_part[own];
      for (unsigned head = thread; head < kTilePoints && shared.piece[head] == own; head += kGroup - head % kGroup) {
        for (std::size_t k = 0; k < kernels::kBlockSums; ++k) total.sum[k] += shared.sums[k][head];
        total.count += shared.counts[head];
      }
      of_part[own] = total;
    });
  }
};

/// The sums of the vertices and cells of several fields, as kernels::GradientSums has them.
struct VertexSums {
  static constexpr std::size_t kRows = 3;
  double* doubles;         // (fields, kRows, vertices)
  std::int64_t* crossers;  // (fields, vertices)

  VertexSums() = default;
  VertexSums(Arena& arena, std::size_t vertices, std::size_t fields)
      : doubles(arena.take<double>(fields * kRows * vertices)), crossers(arena.take<std::int64_t>(fields * vertices)) {}

  DIFFEO_MEMBER kernels::GradientSums of(std::size_t field, std::size_t vertices) const {
    double* const row = doubles + field * kRows * vertices;
    return {row, row + vertices, row + 2 * vertices, crossers + field * vertices, 0.0};
  }
};

template <class Real, class Quantity = math::Positions>
struct CollectGradients {
  static constexpr unsigned kThreads = 64;
  using Shared = Nothing;

  FieldTables<Real> tables;
  FieldRows<double> times;
  std::size_t first, fields;
  Parts parts;
  PieceSums* sums;  // (fields, parts, room)
  VertexSums vertex_sums;
  double scale;                 // of the velocities
  RowResult<Real> by_velocity;  // (fields, vertices), of this pass
  double* by_time;              // (batch), or null

  template <class Block>
  DIFFEO_HOST_DEVICE void operator()(const Block& block) const {
    for (std::size_t field = block.index(); field < fields; field += block.count()) {
      PieceSums* const of_field = sums + field * parts.count * tables.room();
      gather(block, field, of_field);
      act_on_vertices(block, field, of_field);
      write(block, field);
    }
  }

 private:
  template <class Block>
  DIFFEO_MEMBER void gather(const Block& block, std::size_t field, PieceSums* of_field) const {
    const kernels::GradientSums vertex = vertex_sums.of(field, tables.vertex_count());
    block.each_thread([&](unsigned thread) {
      for (std::size_t j = thread; j < tables.vertex_count(); j += kThreads) {
        vertex.velocity[j] = vertex.whole[j] = vertex.whole_remainder[j] = 0;
        vertex.crossers[j] = 0;
      }
      if (parts.count == 0) return;
      for (std::size_t p = thread; p < tables.piece_count[field]; p += kThreads) {
        for (std::size_t part = 1; part < parts.count; ++part) add(of_field[part * tables.room() + p], of_field[p]);
      }
    });
  }
  DIFFEO_MEMBER static void add(const PieceSums& from, PieceSums& to) {
    for (std::size_t k = 0; k < kernels::kBlockSums; ++k) to.sum[k] += from.sum[k];
    to.count += from.count;
  }

  template <class Block>
  DIFFEO_MEMBER void act_on_vertices(const Block& block, std::size_t field, const PieceSums* of_field) const {
    block.each_thread([&](unsigned thread) {
      if (thread != 0) return;
      const std::size_t pieces = tables.piece_count[field];
      const kernels::PointTable<Real> table = tables.table(field, *times.row(first + field));
      kernels::GradientSums vertex = vertex_sums.of(field, tables.vertex_count());
      for (std::size_t p = 0; parts.count > 0 && p < pieces; ++p) {
        if (of_field[p].count == 0) continue;
        math::add_segment<Quantity>(table, table.pieces[p], static_cast<std::size_t>(of_field[p].count),
                                    of_field[p].sum, vertex);
      }
      if (by_time != nullptr) by_time[first + field] = pieces == 0 ? not_a_number<double>() : table.sign * vertex.time;
      if (by_velocity.wanted()) {
        add_crossed_cells(table.grid.cells, vertex,
                          [&](std::size_t cell) { return careful::crossing_sensitivity(table, cell); });
      }
    });
  }

  template <class Block>
  DIFFEO_MEMBER void write(const Block& block, std::size_t field) const {
    block.each_thread([&](unsigned thread) {
      if (!by_velocity.wanted()) return;
      const bool is_broken = tables.piece_count[field] == 0;
      const double sign = *times.row(first + field) < 0 ? -1.0 : 1.0;
      const double* const velocity = vertex_sums.of(field, tables.vertex_count()).velocity;
      for (std::size_t j = thread; j < tables.vertex_count(); j += kThreads) {
        const Real gradient = is_broken ? not_a_number<Real>() : static_cast<Real>(sign * velocity[j]);
        by_velocity.put(field * tables.vertex_count() + j, scale * static_cast<double>(gradient));
      }
    });
  }
};

}  // namespace diffeo::cuda
