// Runs a scheme that moves one point at a time over a batch: what the numerical flows have in common.
//
// A Scheme is a value with
//     double flow(const AffineField<Real>& field, double point, double time) const noexcept
//     PointGradient reverse(const AffineField<Real>& field, double point, double time, double cotangent,
//                           double* tape, double* by_velocity) const noexcept
//     std::size_t tape_size() const noexcept        doubles that reverse may use as it likes
//     double nanoseconds() const noexcept           rough cost of one point
// reverse adds to by_velocity and returns the rest of the gradient of cotangent * flow(field, point, time).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/affine_field.hpp"
#include "core/argument_checks.hpp"
#include "core/groups.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/tessellation.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {

struct PointGradient {
  double by_point;
  double by_time;
};

/// Adds the gradient of weight * v(x) by the two vertex velocities on which it depends. A factor of zero
/// passes zero on, also where the other factor has overflowed.
inline void add_vertex_gradient(const FieldValue& at, double weight, double* by_velocity) noexcept {
  if (weight == 0) return;
  if (at.fraction != 1) by_velocity[at.cell] += weight * (1 - at.fraction);
  if (at.fraction != 0) by_velocity[at.cell + 1] += weight * at.fraction;
}

/// Goes `steps` steps forward from x, noting on the tape where each starts, then back through them: step(x)
/// moves a point, reverse(x, cotangent) gives the gradient of cotangent * step(x) by x and by the length of
/// the step.
template <class Step, class Reverse>
PointGradient reverse_through(std::size_t steps, double x, double cotangent, double* tape, const Step& step,
                              const Reverse& reverse) noexcept {
  for (std::size_t i = 0; i < steps; ++i) {
    tape[i] = x;
    x = step(x);
  }
  PointGradient sum{cotangent, 0};
  for (std::size_t i = steps; i-- > 0;) {
    const PointGradient gradient = reverse(tape[i], sum.by_point);
    sum = {gradient.by_point, sum.by_time + gradient.by_time};
  }
  return {sum.by_point, sum.by_time / static_cast<double>(steps)};  // each is 1/steps of the time
}

template <class Real>
CellTable cell_table(const FlowProblem<Real>& problem) {
  return CellTable(Tessellation(problem.velocities.columns - 1, problem.domain.lower, problem.domain.upper));
}

template <class Real>
AffineField<Real> field_of_row(const FlowProblem<Real>& problem, const CellTable& table, std::size_t row) noexcept {
  return {table, problem.velocities.data + row * problem.velocities.columns};
}

template <class Real, class Scheme>
void run_scheme(const FlowProblem<Real>& problem, const Scheme& scheme, Rows<Real> positions, std::size_t threads) {
  require_flow_problem(problem);
  require_shape("positions", positions, problem.batch(), problem.points.columns);
  const CellTable table = cell_table(problem);
  const double nanoseconds = scheme.nanoseconds() * static_cast<double>(positions.size());
  const std::size_t workers = useful_threads(threads, problem.batch(), nanoseconds);
  for_each_item(workers, problem.batch(), [&](std::size_t, std::size_t row) {
    const AffineField<Real> field = field_of_row(problem, table, row);
    const std::span<const Real> from = problem.points.row(row);
    const std::span<Real> to = positions.row(row);
    for (std::size_t j = 0; j < from.size(); ++j) {
      to[j] = static_cast<Real>(scheme.flow(field, static_cast<double>(from[j]), problem.time(row)));
    }
  });
}

/// One worker's space while it pulls back one row.
struct RowSums {
  std::vector<double> tape;
  std::vector<double> by_velocity;
  std::vector<double> by_point;
};

/// Fills the sums for one row and returns its derivative by time.
template <class Real, class Scheme>
double reverse_row(const FlowProblem<Real>& problem, const Scheme& scheme, const AffineField<Real>& field,
                   std::size_t row, std::span<const Real> cotangents, RowSums& sums) noexcept {
  std::fill(sums.by_velocity.begin(), sums.by_velocity.end(), 0.0);
  const std::span<const Real> points = problem.points.row(row);
  double by_time = 0;
  for (std::size_t j = 0; j < points.size(); ++j) {
    const PointGradient gradient =
        scheme.reverse(field, static_cast<double>(points[j]), problem.time(row), static_cast<double>(cotangents[j]),
                       sums.tape.data(), sums.by_velocity.data());
    sums.by_point[j] = gradient.by_point;
    by_time += gradient.by_time;
  }
  return by_time;
}

template <class Real, class Scheme>
void run_scheme_vjp(const FlowProblem<Real>& problem, const Scheme& scheme, Rows<const Real> cotangents,
                    FlowGradients<Real> gradients, std::size_t threads) {
  require_flow_problem(problem);
  const std::size_t batch = problem.batch();
  const std::size_t columns = problem.points.columns;
  require_shape("cotangents", cotangents, batch, columns);
  require_finite("cotangents", cotangents);
  require_gradient_shapes(problem, gradients);
  const CellTable table = cell_table(problem);
  const bool shared_points = problem.points.shared();
  const Groups groups = Groups::of(batch, shared_points && !gradients.points.empty());
  RowGradient<Real> by_point(gradients.points, shared_points, groups);
  std::vector<double> by_time(batch);
  const double nanoseconds = 3 * scheme.nanoseconds() * static_cast<double>(cotangents.size());
  const std::size_t workers = useful_threads(threads, groups.count, nanoseconds);
  std::vector<RowSums> space(workers, {std::vector<double>(scheme.tape_size()), std::vector<double>(table.vertices()),
                                       std::vector<double>(columns)});
  for_each_item(workers, groups.count, [&](std::size_t worker, std::size_t group) {
    RowSums& sums = space[worker];
    for (std::size_t row = groups.begin(group); row < groups.end(group); ++row) {
      const AffineField<Real> field = field_of_row(problem, table, row);
      by_time[row] = reverse_row(problem, scheme, field, row, cotangents.row(row), sums);
      by_point.take(group, row, sums.by_point);
      if (!gradients.velocities.empty()) narrow<Real>(sums.by_velocity, gradients.velocities.row(row));
    }
  });
  by_point.finish();
  sum_or_copy(by_time, problem.times.size() == 1, gradients.times);
}

}  // namespace diffeo
