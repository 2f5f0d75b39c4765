// Jacobians of positions and log-slopes, from the vector kernels; their Jacobian-vector products, and the derivatives by
// point and time: point by point, from the same pieces.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/argument_checks.hpp"
#include "core/careful_point.hpp"
#include "core/field_workspace.hpp"
#include "core/flow_setup.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/log_slope.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {
namespace {

using kernels::FieldTable;
using kernels::Piece;

/// How much a point costs here next to a point of flow(), roughly.
constexpr double kPointwiseCost = 20.0;

/// The point relative to the origin, in its own precision: as pieces are cut.
template <class Real>
double relative_point(const FieldTable& table, Real point) noexcept {
  return static_cast<double>(point - static_cast<Real>(table.grid.origin));
}

const Piece& piece_at(const FieldTable& table, double relative) noexcept {
  const std::span<const Piece> pieces(table.pieces, table.piece_count);
  const auto after = std::upper_bound(pieces.begin(), pieces.end(), relative,
                                      [](double value, const Piece& piece) { return value < piece.from; });
  return *(after - 1);
}

/// factor * tangent, 0 where the tangent is 0 even if the factor is infinite.
double along(double factor, double tangent) noexcept { return tangent == 0 ? 0.0 : factor * tangent; }

/// Calls visit(row, workspace) for every row of the batch, with the row's table built.
template <class Real, class Visit>
void for_each_table(const FlowProblem<Real>& problem, const FlowSetup<Real>& setup, std::size_t threads,
                    const Visit& visit) {
  const std::size_t workers = useful_threads(threads, problem.batch(), kPointwiseCost * setup.nanoseconds());
  std::vector<FieldWorkspace<Real>> workspaces = setup.workspaces(workers);
  for_each_item(workers, problem.batch(), [&](std::size_t worker, std::size_t row) {
    workspaces[worker].build(problem.velocities.row(row), problem.time(row), true);
    visit(row, workspaces[worker]);
  });
}

/// Which whole cells lie between source and landing: [first, last).
struct WholeCells {
  std::size_t first;
  std::size_t last;
};
WholeCells whole_cells(const Piece& piece) noexcept {
  const auto [low, high] = std::minmax(piece.source, piece.landing);
  return {static_cast<std::size_t>(low) + 1, static_cast<std::size_t>(high)};
}

/// What a quantity is at a point.
using PointFunction = PointFlow (*)(const FieldTable& table, const Piece& piece, double point, double relative);

PointFlow position_at(const FieldTable& table, const Piece& piece, double point, double relative) noexcept {
  return flow_point(table, piece, point, relative);
}
PointFlow log_slope_at(const FieldTable& table, const Piece& piece, double, double relative) noexcept {
  return log_slope_point(table, piece, relative);
}

/// Of every cell that somebody crosses.
std::vector<CrossingSensitivity> crossing_sensitivities(const FieldTable& table) {
  std::vector<CrossingSensitivity> result(table.grid.cells);
  for (std::size_t c = 0; c < table.grid.cells; ++c) {
    if (table.crossing[c] <= table.duration) result[c] = crossing_sensitivity(table, c);
  }
  return result;
}

/// Per cell, how the time to cross it shrinks along the velocity tangents, summed up to the cell; 0 where nobody
/// crosses.
template <class Real>
void sum_crossing_tangents(const FieldTable& table, std::span<const Real> tangents, double* sums) noexcept {
  sums[0] = 0;
  for (std::size_t c = 0; c < table.grid.cells; ++c) {
    double tangent = 0;
    if (table.crossing[c] <= table.duration) {
      const CrossingSensitivity sensitivity = crossing_sensitivity(table, c);
      const double direction = table.velocity[c] > 0 ? table.sign : -table.sign;
      tangent = direction * (along(sensitivity.left, static_cast<double>(tangents[c])) +
                             along(sensitivity.right, static_cast<double>(tangents[c + 1])));
    }
    sums[c + 1] = sums[c] + tangent;
  }
}

template <class Real>
double velocity_tangent(const FieldTable& table, const Piece& piece, const PointFlow& point,
                        std::span<const Real> tangents, const double* crossing_sums) noexcept {
  const auto source = static_cast<std::size_t>(piece.source);
  const auto landing = static_cast<std::size_t>(piece.landing);
  double sum = along(point.source_left, static_cast<double>(tangents[source])) +
               along(point.source_right, static_cast<double>(tangents[source + 1]));
  if (source == landing) return table.sign * sum;
  sum += along(point.landing_left, static_cast<double>(tangents[landing])) +
         along(point.landing_right, static_cast<double>(tangents[landing + 1]));
  const auto [first, last] = whole_cells(piece);
  const double sooner = first < last ? crossing_sums[last] - crossing_sums[first] : 0.0;
  return table.sign * sum + along(point.by_duration, sooner);
}

template <class Real>
void require_tangents(const FlowProblem<Real>& problem, const FlowTangents<Real>& tangents) {
  if (!tangents.velocities.empty()) {
    require_row_per_item("velocity tangents", tangents.velocities, problem.batch());
    require_shape("velocity tangents", tangents.velocities, tangents.velocities.rows, problem.velocities.columns);
    require_finite("velocity tangents", tangents.velocities);
  }
  if (!tangents.points.empty()) {
    require_row_per_item("point tangents", tangents.points, problem.batch());
    require_shape("point tangents", tangents.points, tangents.points.rows, problem.points.columns);
    require_finite("point tangents", tangents.points);
  }
  const std::size_t times = tangents.times.size();
  require(times <= 1 || times == problem.batch(), "time tangents: expected 1 or ", problem.batch(), ", got ", times);
  for (const double time : tangents.times) require(std::isfinite(time), "time tangent: expected finite, got ", time);
}

template <class Real>
void directional(PointFunction function, const FlowProblem<Real>& problem, const FlowTangents<Real>& tangents,
                 Rows<Real> results, std::size_t threads) {
  const FlowSetup<Real> setup(problem);
  require_tangents(problem, tangents);
  const std::size_t points = problem.points.columns;
  const std::size_t times = tangents.times.size();
  const std::size_t vertices = problem.velocities.columns;
  std::vector<double> sums(problem.batch() * (vertices + 1));
  for_each_table(problem, setup, threads, [&](std::size_t row, const FieldWorkspace<Real>& workspace) {
    const FieldTable& table = workspace.table();
    double* crossing_sums = sums.data() + row * (vertices + 1);
    if (!tangents.velocities.empty()) sum_crossing_tangents(table, tangents.velocities.row(row), crossing_sums);
    const double time_tangent = times == 0 ? 0.0 : tangents.times[times == 1 ? 0 : row];
    for (std::size_t i = 0; i < points; ++i) {
      const Real x = problem.points.row(row)[i];
      const double relative = relative_point(table, x);
      const Piece& piece = piece_at(table, relative);
      const PointFlow point = function(table, piece, static_cast<double>(x), relative);
      double sum = along(table.sign * point.by_duration, time_tangent);
      if (!tangents.points.empty()) sum += along(point.by_point, static_cast<double>(tangents.points.row(row)[i]));
      if (!tangents.velocities.empty()) {
        sum += velocity_tangent(table, piece, point, tangents.velocities.row(row), crossing_sums);
      }
      results.row(row)[i] = static_cast<Real>(sum);
    }
  });
}

template <class Real>
void jacobian_of(Quantity quantity, const FlowProblem<Real>& problem, Rows<Real> jacobian, std::size_t threads) {
  const FlowSetup<Real> setup(problem);
  const std::size_t points = problem.points.columns;
  require_shape("jacobian", jacobian, problem.batch() * points, problem.velocities.columns);
  for_each_table(problem, setup, threads, [&](std::size_t row, FieldWorkspace<Real>& workspace) {
    workspace.jacobian(quantity, problem.points.row(row), setup.sorted(row), crossing_sensitivities(workspace.table()),
                       jacobian.data + row * points * jacobian.columns);
  });
}

}  // namespace

template <class Real>
void flow_jvp(const FlowProblem<Real>& problem, const FlowTangents<Real>& tangents, Rows<Real> position_tangents,
              std::size_t threads) {
  require_shape("position tangents", position_tangents, problem.batch(), problem.points.columns);
  directional(position_at, problem, tangents, position_tangents, threads);
}

template <class Real>
void flow_jacobian(const FlowProblem<Real>& problem, Rows<Real> jacobian, std::size_t threads) {
  jacobian_of(Quantity::kPosition, problem, jacobian, threads);
}

template <class Real>
void flow_log_slope_jvp(const FlowProblem<Real>& problem, const FlowTangents<Real>& tangents,
                        Rows<Real> log_slope_tangents, std::size_t threads) {
  require_shape("log-slope tangents", log_slope_tangents, problem.batch(), problem.points.columns);
  directional(log_slope_at, problem, tangents, log_slope_tangents, threads);
}

template <class Real>
void flow_log_slope_jacobian(const FlowProblem<Real>& problem, Rows<Real> jacobian, std::size_t threads) {
  jacobian_of(Quantity::kLogSlope, problem, jacobian, threads);
}

template <class Real>
void flow_derivatives(const FlowProblem<Real>& problem, FlowDerivatives<Real> derivatives, std::size_t threads) {
  const FlowSetup<Real> setup(problem);
  const std::size_t points = problem.points.columns;
  const auto check = [&](const char* name, Rows<Real> rows) {
    if (!rows.empty()) require_shape(name, rows, problem.batch(), points);
  };
  check("position", derivatives.position);
  check("by_point", derivatives.by_point);
  check("by_time", derivatives.by_time);
  check("log_slope", derivatives.log_slope);
  for_each_table(problem, setup, threads, [&](std::size_t row, const FieldWorkspace<Real>& workspace) {
    const FieldTable& table = workspace.table();
    for (std::size_t i = 0; i < points; ++i) {
      const Real x = problem.points.row(row)[i];
      const double relative = relative_point(table, x);
      const Piece& piece = piece_at(table, relative);
      const PointFlow point = flow_point(table, piece, static_cast<double>(x), relative);
      const auto put = [&](Rows<Real> rows, double value) {
        if (!rows.empty()) rows.data[row * points + i] = static_cast<Real>(value);
      };
      put(derivatives.position, point.value);
      put(derivatives.by_point, point.by_point);
      put(derivatives.by_time, table.sign * point.by_duration);
      if (!derivatives.log_slope.empty()) put(derivatives.log_slope, log_slope_point(table, piece, relative).value);
    }
  });
}

#define DIFFEO_INSTANTIATE(Real)                                                                              \
  template void flow_jvp<Real>(const FlowProblem<Real>&, const FlowTangents<Real>&, Rows<Real>, std::size_t); \
  template void flow_jacobian<Real>(const FlowProblem<Real>&, Rows<Real>, std::size_t);                       \
  template void flow_log_slope_jvp<Real>(const FlowProblem<Real>&, const FlowTangents<Real>&, Rows<Real>,     \
                                         std::size_t);                                                        \
  template void flow_log_slope_jacobian<Real>(const FlowProblem<Real>&, Rows<Real>, std::size_t);             \
  template void flow_derivatives<Real>(const FlowProblem<Real>&, FlowDerivatives<Real>, std::size_t);
DIFFEO_INSTANTIATE(float)
DIFFEO_INSTANTIATE(double)
#undef DIFFEO_INSTANTIATE

}  // namespace diffeo
