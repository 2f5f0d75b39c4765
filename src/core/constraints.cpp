#include "diffeo/constraints.hpp"

#include "core/dense_limit.hpp"

namespace diffeo {
namespace {

/// Adds sign * (a_cell x + b_cell) to a row of L.
void add_velocity(Matrix& constraints, std::size_t row, std::size_t cell, double position, double sign) {
  constraints(row, 2 * cell) = sign * position;
  constraints(row, 2 * cell + 1) = sign;
}

}  // namespace

Matrix constraint_matrix(const Tessellation& tessellation, bool zero_boundary) {
  const std::size_t cells = tessellation.cells();
  const std::size_t rows = zero_boundary ? cells + 1 : cells - 1;
  require_dense_cells(cells, "the dense constraint matrix",
                      static_cast<double>(rows) * 2.0 * static_cast<double>(cells));
  Matrix constraints(rows, 2 * cells);
  for (std::size_t vertex = 1; vertex < cells; ++vertex) {
    add_velocity(constraints, vertex - 1, vertex - 1, tessellation.vertex(vertex), 1.0);
    add_velocity(constraints, vertex - 1, vertex, tessellation.vertex(vertex), -1.0);
  }
  if (zero_boundary) {
    add_velocity(constraints, cells - 1, 0, tessellation.lower(), 1.0);
    add_velocity(constraints, cells, cells - 1, tessellation.upper(), 1.0);
  }
  return constraints;
}

}  // namespace diffeo
