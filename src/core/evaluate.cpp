#include "core/evaluate.hpp"

#include <algorithm>
#include <vector>

#include "core/argument_checks.hpp"
#include "core/field_workspace.hpp"
#include "core/flow_setup.hpp"
#include "core/groups.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {
namespace {

/// Points of one field that one work item takes; a fixed number, so that results do not depend on the threads.
constexpr std::size_t kItemPoints = 4 * kChunkPoints;

/// How much the gradient costs next to the flow itself, roughly.
constexpr double kGradientCost = 2.0;

}  // namespace

template <class Real>
void evaluate(Quantity quantity, const FlowProblem<Real>& problem, Rows<Real> values, std::size_t threads) {
  const FlowSetup<Real> setup(problem);
  const std::size_t points = problem.points.columns;
  if (points == 0) return;
  const std::size_t item_points = std::max(kItemPoints, 16 * setup.grid().cells);
  const std::size_t parts = (points + item_points - 1) / item_points;

  const std::size_t items = problem.batch() * parts;
  const std::size_t workers = useful_threads(threads, items, setup.nanoseconds());
  std::vector<FieldWorkspace<Real>> workspaces = setup.workspaces(workers);
  for_each_item(workers, items, [&](std::size_t worker, std::size_t item) {
    const std::size_t row = item / parts;
    const std::size_t first = item % parts * item_points;
    const std::size_t count = std::min(item_points, points - first);
    workspaces[worker].build(problem.velocities.row(row), problem.time(row), false);
    workspaces[worker].values(quantity, problem.points.row(row).subspan(first, count), setup.sorted(row),
                              values.row(row).data() + first);
  });
}

template <class Real>
void evaluate_vjp(Quantity quantity, const FlowProblem<Real>& problem, Rows<const Real> cotangents,
                  FlowGradients<Real> gradients, std::size_t threads) {
  const FlowSetup<Real> setup(problem);
  const std::size_t points = problem.points.columns;
  require_shape("cotangents", cotangents, problem.batch(), points);
  const kernels::PointCheck check = kernels::best_kernels<Real>().check_points(cotangents.data, cotangents.size());
  if (!check.finite) require_finite("cotangents", cotangents);
  require_gradient_shapes(problem, gradients);

  const bool sum_points = !gradients.points.empty() && problem.points.rows != problem.batch();
  const Groups groups = Groups::of(problem.batch(), sum_points);
  const std::size_t workers = useful_threads(threads, groups.count, kGradientCost * setup.nanoseconds());
  std::vector<FieldWorkspace<Real>> workspaces = setup.workspaces(workers);
  GroupSums point_sums(sum_points, groups, points);
  std::vector<Real> point_rows(sum_points ? workers * points : 0);
  std::vector<double> time_gradients(problem.batch());

  const auto do_row = [&](std::size_t worker, std::size_t group, std::size_t row) {
    FieldWorkspace<Real>& workspace = workspaces[worker];
    Real* point_gradient = nullptr;
    if (sum_points) point_gradient = point_rows.data() + worker * points;
    if (!sum_points && !gradients.points.empty()) point_gradient = gradients.points.row(row).data();
    workspace.build(problem.velocities.row(row), problem.time(row), true);
    workspace.clear_sums();
    workspace.add_vjp(quantity, problem.points.row(row), setup.sorted(row), cotangents.row(row).data(), point_gradient);
    time_gradients[row] = workspace.time_gradient();
    if (!gradients.velocities.empty()) workspace.velocity_gradient(gradients.velocities.row(row).data());
    if (!sum_points) return;
    double* sum = point_sums.group(group);
    for (std::size_t i = 0; i < points; ++i) sum[i] += static_cast<double>(point_gradient[i]);
  };
  for_each_item(workers, groups.count, [&](std::size_t worker, std::size_t group) {
    for (std::size_t row = groups.begin(group); row < groups.end(group); ++row) do_row(worker, group, row);
  });

  if (sum_points) narrow<Real>(point_sums.total(), gradients.points.row(0));
  sum_or_copy(time_gradients, problem.times.size() == 1, gradients.times);
}

#define DIFFEO_INSTANTIATE(Real)                                                                              \
  template void evaluate<Real>(Quantity, const FlowProblem<Real>&, Rows<Real>, std::size_t);                  \
  template void evaluate_vjp<Real>(Quantity, const FlowProblem<Real>&, Rows<const Real>, FlowGradients<Real>, \
                                   std::size_t);
DIFFEO_INSTANTIATE(float)
DIFFEO_INSTANTIATE(double)
#undef DIFFEO_INSTANTIATE

}  // namespace diffeo
