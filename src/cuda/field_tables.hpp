// The tables of several fields in the memory of a GPU (core/kernels/field_table.hpp says what is in them), with the
// coefficients of every piece beside them, ready for its points.
//
// A field takes about 300 bytes per cell in float, 430 in double.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/field_table.hpp"
#include "core/kernels/kernel_set.hpp"
#include "cuda/arena.hpp"
#include "cuda/one_point.hpp"

namespace diffeo::cuda {

template <class Real>
struct FieldTables {
  static constexpr std::size_t kDoubleRows = 14;
  static constexpr std::size_t kRealRows = 5;

  kernels::Grid grid;        // its vertices are those that stand here:
  double* vertices;          // of all fields
  Real* vertex;              // the same in the precision of the points
  Real* position;            // of all fields
  double* doubles;           // (fields, kDoubleRows, vertices)
  Real* reals;               // (fields, kRealRows, vertices)
  std::int32_t* cells;       // (fields, vertices)
  kernels::Piece* pieces;    // (fields, room)
  Real* coefficients;        // (fields, room, kBlockSlots)
  std::size_t* piece_count;  // (fields); 0: the field or its time is not finite

  FieldTables() = default;
  FieldTables(Arena& arena, std::size_t cell_count, std::size_t fields) {
    const std::size_t count = cell_count + 1;
    grid = {};
    grid.cells = cell_count;
    vertices = arena.take<double>(count);
    vertex = arena.take<Real>(count);
    position = arena.take<Real>(count);
    doubles = arena.take<double>(fields * kDoubleRows * count);
    reals = arena.take<Real>(fields * kRealRows * count);
    cells = arena.take<std::int32_t>(fields * count);
    pieces = arena.take<kernels::Piece>(fields * room());
    coefficients = arena.take<Real>(fields * room() * kernels::kBlockSlots);
    piece_count = arena.take<std::size_t>(fields);
  }

  DIFFEO_MEMBER std::size_t vertex_count() const { return grid.cells + 1; }
  /// For the pieces of a field, one past the end included.
  DIFFEO_MEMBER std::size_t room() const { return 2 * grid.cells + 4; }

  DIFFEO_MEMBER kernels::Piece* pieces_of(std::size_t field) const { return pieces + field * room(); }
  DIFFEO_MEMBER Real* coefficients_of(std::size_t field, std::size_t piece) const {
    return coefficients + (field * room() + piece) * kernels::kBlockSlots;
  }

  /// The table of a field at a time; how many pieces it has stands in `piece_count`.
  DIFFEO_MEMBER kernels::PointTable<Real> table(std::size_t field, double time) const {
    kernels::PointTable<Real> table = {};
    table.grid = grid;
    math::set_time(table, time);
    double* const first = doubles + field * kDoubleRows * vertex_count();
    table.velocity = first;
    table.slope = first + vertex_count();
    table.inverse_slope = first + 2 * vertex_count();
    table.crossing = first + 3 * vertex_count();
    table.growth = first + 4 * vertex_count();
    table.gain = first + 5 * vertex_count();
    table.care = first + 6 * vertex_count();
    table.moment = first + 7 * vertex_count();
    table.gain_slope = first + 8 * vertex_count();
    table.clock = first + 9 * vertex_count();
    table.clock_remainder = first + 10 * vertex_count();
    table.preimage = first + 11 * vertex_count();
    table.scratch = first + 12 * vertex_count();
    table.more_scratch = first + 13 * vertex_count();
    Real* const first_real = reals + field * kRealRows * vertex_count();
    table.speed = first_real;
    table.rate = first_real + vertex_count();
    table.inverse_rate = first_real + 2 * vertex_count();
    table.stay_gain = first_real + 3 * vertex_count();
    table.stay_growth = first_real + 4 * vertex_count();
    table.preimage_cell = cells + field * vertex_count();
    table.vertex = vertex;
    table.position = position;
    table.pieces = pieces_of(field);
    return table;
  }
};

}  // namespace diffeo::cuda
