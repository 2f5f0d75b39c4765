// What tests of alignment criteria ask of them: costs, normal equations, and central differences to compare gradients with.
#pragma once

#include <cstddef>
#include <utility>

#include "align/criterion.hpp"

namespace diffeo::testing {

inline double cost_of(const Criterion& criterion, Matrix velocities) {
  GroupState state;
  criterion.evaluate(std::move(velocities), state);
  return state.cost;
}

inline NormalEquations equations_of(const Criterion& criterion, const Matrix& velocities) {
  GroupState state;
  criterion.evaluate(velocities, state);
  NormalEquations equations;
  criterion.linearize(state, equations);
  return equations;
}

/// The derivative of every case's cost, that is of the mean times the number of cases.
inline double central_difference(const Criterion& criterion, const Matrix& velocities, std::size_t row,
                                 std::size_t vertex, double step) {
  Matrix up = velocities;
  Matrix down = velocities;
  up(row, vertex) += step;
  down(row, vertex) -= step;
  return static_cast<double>(criterion.cases()) * (cost_of(criterion, up) - cost_of(criterion, down)) / (2.0 * step);
}

}  // namespace diffeo::testing
