// From velocities to tables: one block per field.                                                    (docs/math.md, 3)
//
// What concerns one cell, one vertex or one piece is a thread's; the sweeps, in which each step needs the one before,
// are done by one thread, those to the right and to the left beside each other. A field that is not finite, or whose
// time is not, has no pieces: its results are NaN. (Refusing it would mean to wait for the GPU.)
#pragma once

#include <cstddef>

#include "core/sample_clock.hpp"
#include "core/vertex_grid.hpp"
#include "cuda/field_tables.hpp"
#include "cuda/host_executor.hpp"
#include "cuda/one_point.hpp"

namespace diffeo::cuda {

/// One row per field, or one for all.
template <class T>
struct FieldRows {
  const T* data = nullptr;
  std::size_t stride = 0;  // 0: one for all

  DIFFEO_MEMBER const T* row(std::size_t field) const { return data + field * stride; }
};

/// The vertices, once per call.
template <class Real>
struct LayOutGrid {
  static constexpr unsigned kThreads = 128;
  using Shared = Nothing;

  VertexRule<Real> rule;
  std::size_t vertices;
  double* exact;
  Real* vertex;
  Real* position;

  template <class Block>
  DIFFEO_HOST_DEVICE void operator()(const Block& block) const {
    block.each_thread([&](unsigned thread) {
      for (std::size_t j = block.index() * kThreads + thread; j < vertices; j += block.count() * kThreads) {
        exact[j] = rule.vertex(j);
        vertex[j] = static_cast<Real>(exact[j]);
        position[j] = static_cast<Real>(rule.origin() + exact[j]);
      }
    });
  }
};

/// With the coefficients of a quantity: math::Positions or math::LogSlopes.
template <class Real, bool kDerivatives, class Quantity = math::Positions>
struct BuildTables {
  static constexpr unsigned kThreads = 64;
  struct Shared {
    unsigned broken;  // whether a velocity is not finite
  };

  FieldTables<Real> tables;
  FieldRows<Real> velocities;
  FieldRows<double> times;
  double scale;  // of the velocities
  std::size_t first, fields;

  template <class Block>
  DIFFEO_HOST_DEVICE void operator()(const Block& block) const {
    for (std::size_t field = block.index(); field < fields; field += block.count()) build(block, field);
  }

 private:
  template <class Block>
  DIFFEO_MEMBER void build(const Block& block, std::size_t field) const {
    const double time = *times.row(first + field);
    const kernels::PointTable<Real> table = tables.table(field, time);
    read(block, table, velocities.row(first + field));
    if (block.shared().broken != 0 || !is_finite(time)) {
      block.each_thread([&](unsigned thread) {
        if (thread == 0) tables.piece_count[field] = 0;
      });
      return;
    }
    measure(block, table);
    sweep(block, table);
    block.each_thread([&](unsigned thread) {
      if (thread == 0) tables.piece_count[field] = math::find_pieces(table);
    });
    block.each_thread([&](unsigned thread) {
      for (std::size_t p = thread; p < tables.piece_count[field]; p += kThreads) {
        const kernels::Piece& piece = table.pieces[p];
        if (piece.kind == kernels::PieceKind::kCareful) continue;
        Quantity::template set_coefficients<kDerivatives>(table, piece, tables.coefficients_of(field, p));
      }
    });
  }

  template <class Block>
  DIFFEO_MEMBER void read(const Block& block, const kernels::PointTable<Real>& table, const Real* row) const {
    block.each_thread([&](unsigned thread) {
      if (thread == 0) block.shared().broken = 0;
    });
    block.each_thread([&](unsigned thread) {
      for (std::size_t j = thread; j < tables.vertex_count(); j += kThreads) {
        const Real velocity = in_samples(row[j], scale);
        if (!is_finite(velocity)) block.shared().broken = 1;
        math::read_velocity(table, j, velocity);
      }
    });
  }

  template <class Block>
  DIFFEO_MEMBER void measure(const Block& block, const kernels::PointTable<Real>& table) const {
    block.each_thread([&](unsigned thread) {
      for (std::size_t c = thread; c < table.grid.cells; c += kThreads) {
        math::measure_cells<Real, kDerivatives, double>(table, c);
      }
    });
    block.each_thread([&](unsigned thread) {
      if (thread == 0) math::open_outer_cells<Real>(table);
    });
  }

  template <class Block>
  DIFFEO_MEMBER void sweep(const Block& block, const kernels::PointTable<Real>& table) const {
    block.each_thread([&](unsigned thread) {
      if (thread == 0) math::trace_back_right_movers(table);
      if (thread == kThreads - 1) math::trace_back_left_movers(table);
    });
    block.each_thread([&](unsigned thread) {
      for (std::size_t j = thread; j < tables.vertex_count(); j += kThreads) {
        math::round_numbers(table, j);
        if (j == 0 || j == table.grid.cells) continue;
        math::set_preimage_exponent(table, j);
        math::raise_preimage_exponents<double>(table, j);
        math::set_preimage<Real>(table, j);
      }
    });
  }
};

}  // namespace diffeo::cuda
