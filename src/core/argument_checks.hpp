// The checks that the public functions on fields and rows have in common. Each throws std::invalid_argument
// with the argument's name, what was expected and what came.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "diffeo/error.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/rows.hpp"

namespace diffeo {

/// x - x is 0 for every finite x and NaN for the others; without branches, so that it costs little beside the work.
template <class T>
[[nodiscard]] bool all_finite(Rows<const T> values) noexcept {
  bool finite = true;
  for (std::size_t i = 0; i < values.size(); ++i) finite &= values.data[i] - values.data[i] == 0;
  return finite;
}

template <class T>
void require_finite(const char* name, Rows<const T> values) {
  if (all_finite(values)) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(std::isfinite(values.data[i]), name, ": expected finite values, got ", values.data[i], " in row ",
            i / values.columns, ", column ", i % values.columns);
  }
}

template <class T>
void require_shape(const char* name, Rows<T> values, std::size_t rows, std::size_t columns) {
  require(values.rows == rows && values.columns == columns, name, ": expected shape (", rows, ", ", columns, "), got (",
          values.rows, ", ", values.columns, ")");
}

template <class T>
void require_row_per_item(const char* name, Rows<T> values, std::size_t items) {
  require(values.rows == 1 || values.rows == items, name, ": expected 1 row or ", items, ", got ", values.rows);
}

/// Velocities and points as velocity() and every kind of flow take them, but for the values of the points. The domain
/// and the number of cells are checked by Tessellation.
template <class Real>
void require_fields(Rows<const Real> velocities, Rows<const Real> points) {
  require(velocities.columns >= 2, "velocities: expected at least 2 columns, one per vertex, got ", velocities.columns);
  require_row_per_item("points", points, velocities.rows);
  require_finite("velocities", velocities);
}

template <class Real>
void require_field_and_points(Rows<const Real> velocities, Rows<const Real> points) {
  require_fields(velocities, points);
  require_finite("points", points);
}

inline void require_times(std::span<const double> times, std::size_t items) {
  require(times.size() == 1 || times.size() == items, "times: expected 1 or ", items, ", got ", times.size());
  for (const double time : times) require(std::isfinite(time), "time: expected a finite value, got ", time);
}

template <class Real>
void require_flow_problem(const FlowProblem<Real>& problem) {
  require_field_and_points(problem.velocities, problem.points);
  require_times(problem.times, problem.batch());
}

/// Gradients are given the shape of their argument, or left out.
template <class Real>
void require_gradient_shapes(const FlowProblem<Real>& problem, const FlowGradients<Real>& gradients) {
  const auto& [velocities, points, times] = gradients;
  if (!velocities.empty()) {
    require_shape("gradient of velocities", velocities, problem.velocities.rows, problem.velocities.columns);
  }
  if (!points.empty()) {
    require_shape("gradient of points", points, problem.points.rows, problem.points.columns);
  }
  require(times.empty() || times.size() == problem.times.size(), "gradient of times: expected ", problem.times.size(),
          " values, got ", times.size());
}

}  // namespace diffeo
