#include "diffeo/sample.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/argument_checks.hpp"
#include "core/groups.hpp"
#include "core/interpolation.hpp"
#include "diffeo/error.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {
namespace {

using interpolation::locate;
using interpolation::Location;
using interpolation::pull_back;
using interpolation::segment;
using interpolation::value_at;

constexpr double kNanosecondsPerSample = 4;

template <class Real>
void require_grid(Rows<const Real> grid, const Series<const Real>& series) {
  require_row_per_item("grid", grid, series.cases);
  require(grid.columns == series.time, "grid: expected ", series.time, " nodes, as the series has time steps, got ",
          grid.columns);
  require_finite("grid", grid);
  for (std::size_t row = 0; row < grid.rows; ++row) {
    const std::span<const Real> nodes = grid.row(row);
    const auto fall = std::adjacent_find(nodes.begin(), nodes.end(), [](Real a, Real b) { return !(a < b); });
    const auto index = static_cast<std::size_t>(fall - nodes.begin());
    require(std::isfinite(nodes.back() - nodes.front()), "grid: expected a finite width, got ", nodes.front(), " to ",
            nodes.back(), " in row ", row);
    if (fall == nodes.end()) continue;
    require(false, "grid: expected strictly increasing nodes, got ", nodes[index], " then ", nodes[index + 1], " at ",
            index, " of row ", row);
  }
}

template <class Real>
void require_sample_problem(const SampleProblem<Real>& problem) {
  require(problem.series.time >= 1, "series: expected at least one time step, got 0");
  require_row_per_item("positions", problem.positions, problem.series.cases);
  require_finite("positions", problem.positions);
  if (!problem.grid.empty()) require_grid(problem.grid, problem.series);
}

template <class T>
void require_series_shape(const char* name, Series<T> given, std::size_t cases, std::size_t channels,
                          std::size_t time) {
  require(given.cases == cases && given.channels == channels && given.time == time, name, ": expected shape (", cases,
          ", ", channels, ", ", time, "), got (", given.cases, ", ", given.channels, ", ", given.time, ")");
}

template <class Real>
void require_gradient_shapes(const SampleProblem<Real>& problem, const SampleGradients<Real>& gradients) {
  const auto& [series, positions, grid] = problem;
  if (!gradients.series.empty()) {
    require_series_shape("gradient of series", gradients.series, series.cases, series.channels, series.time);
  }
  if (!gradients.positions.empty()) {
    require_shape("gradient of positions", gradients.positions, positions.rows, positions.columns);
  }
  if (!gradients.grid.empty()) {
    require(!grid.empty(), "gradient of grid: expected none, because no grid is given");
    require_shape("gradient of grid", gradients.grid, grid.rows, grid.columns);
  }
}

template <class Real>
void locate_case(const SampleProblem<Real>& problem, std::size_t item, Location<Real>* locations) noexcept {
  const std::span<const Real> positions = problem.positions.row(item);
  const std::size_t time = problem.series.time;
  if (problem.grid.empty()) {
    const Real scale = static_cast<Real>(time - 1);
    for (std::size_t j = 0; j < positions.size(); ++j) locations[j] = locate(positions[j] * scale, time);
  } else {
    std::size_t hint = 0;
    const std::span<const Real> grid = problem.grid.row(item);
    for (std::size_t j = 0; j < positions.size(); ++j) locations[j] = locate(positions[j], grid, hint);
  }
}

/// The locations of a case: found once for all the cases where they share positions and grid, else per case
/// in the worker's own space.
template <class Real>
class Locations {
 public:
  Locations(const SampleProblem<Real>& problem, std::size_t workers)
      : problem_(problem), common_(problem.positions.shared() && (problem.grid.empty() || problem.grid.shared())) {
    space_.assign(common_ ? 1 : workers, std::vector<Location<Real>>(problem.positions.columns));
    if (common_) locate_case(problem_, 0, space_[0].data());
  }

  const Location<Real>* of(std::size_t worker, std::size_t item) noexcept {
    if (common_) return space_[0].data();
    locate_case(problem_, item, space_[worker].data());
    return space_[worker].data();
  }

 private:
  const SampleProblem<Real>& problem_;
  bool common_;
  std::vector<std::vector<Location<Real>>> space_;
};

/// One worker's sums while it pulls back one case.
struct CaseSums {
  std::vector<double> by_value;
  std::vector<double> by_position;
  std::vector<double> by_node;
};

/// sums.by_position gets the derivatives by index coordinates.
template <class Real>
void pull_back_case(const SampleProblem<Real>& problem, std::size_t item, const Location<Real>* locations,
                    Series<const Real> cotangents, Series<Real> by_series, CaseSums& sums) noexcept {
  std::fill(sums.by_position.begin(), sums.by_position.end(), 0.0);
  for (std::size_t channel = 0; channel < problem.series.channels; ++channel) {
    const std::span<const Real> values = problem.series.values(item, channel);
    const std::span<const Real> weights = cotangents.values(item, channel);
    std::fill(sums.by_value.begin(), sums.by_value.end(), 0.0);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      sums.by_position[j] += pull_back(values.data(), values.size(), locations[j], weights[j], sums.by_value.data());
    }
    if (!by_series.empty()) narrow<Real>(sums.by_value, by_series.values(item, channel));
  }
}

/// From derivatives by index coordinates to derivatives by positions, d u / d x = 1 / width of the segment,
/// and by the nodes of the grid: moving a node by dx moves the positions near it by -dx times the node's
/// weight.
template <class Real>
void rescale_case(const SampleProblem<Real>& problem, std::size_t item, const Location<Real>* locations,
                  CaseSums& sums) noexcept {
  const std::size_t time = problem.series.time;
  std::fill(sums.by_node.begin(), sums.by_node.end(), 0.0);
  for (std::size_t j = 0; j < sums.by_position.size(); ++j) {
    double& slope = sums.by_position[j];
    if (slope == 0) continue;
    if (problem.grid.empty()) {
      slope *= static_cast<double>(time - 1);
      continue;
    }
    const std::span<const Real> grid = problem.grid.row(item);
    const std::size_t left = segment(locations[j], time);
    const double fraction = locations[j].node == left ? static_cast<double>(locations[j].fraction) : 1.0;
    slope /= static_cast<double>(grid[left + 1]) - static_cast<double>(grid[left]);
    sums.by_node[left] -= slope * (1 - fraction);
    sums.by_node[left + 1] -= slope * fraction;
  }
}

}  // namespace

template <class Real>
void sample(const SampleProblem<Real>& problem, Series<Real> samples, std::size_t threads) {
  require_sample_problem(problem);
  const Series<const Real>& series = problem.series;
  require_series_shape("samples", samples, series.cases, series.channels, problem.positions.columns);
  const double nanoseconds = kNanosecondsPerSample * static_cast<double>(samples.size());
  const std::size_t workers = useful_threads(threads, series.cases, nanoseconds);
  Locations<Real> locations(problem, workers);
  for_each_item(workers, series.cases, [&](std::size_t worker, std::size_t item) {
    const Location<Real>* const at = locations.of(worker, item);
    for (std::size_t channel = 0; channel < series.channels; ++channel) {
      const Real* const from = series.values(item, channel).data();
      const std::span<Real> to = samples.values(item, channel);
      for (std::size_t j = 0; j < to.size(); ++j) to[j] = value_at(from, at[j]);
    }
  });
}

template <class Real>
void sample_vjp(const SampleProblem<Real>& problem, Series<const Real> cotangents, SampleGradients<Real> gradients,
                std::size_t threads) {
  require_sample_problem(problem);
  const auto& [series, positions, grid] = problem;
  require_series_shape("cotangents", cotangents, series.cases, series.channels, positions.columns);
  require_gradient_shapes(problem, gradients);
  const bool summed =
      (!gradients.positions.empty() && positions.shared()) || (!gradients.grid.empty() && grid.shared());
  const Groups groups = Groups::of(series.cases, summed);
  RowGradient<Real> by_position(gradients.positions, positions.shared(), groups);
  RowGradient<Real> by_node(gradients.grid, grid.shared(), groups);
  const double nanoseconds = 2 * kNanosecondsPerSample * static_cast<double>(cotangents.size());
  const std::size_t workers = useful_threads(threads, groups.count, nanoseconds);
  Locations<Real> locations(problem, workers);
  std::vector<CaseSums> space(workers, {std::vector<double>(series.time), std::vector<double>(positions.columns),
                                        std::vector<double>(series.time)});
  for_each_item(workers, groups.count, [&](std::size_t worker, std::size_t group) {
    for (std::size_t item = groups.begin(group); item < groups.end(group); ++item) {
      const Location<Real>* const at = locations.of(worker, item);
      pull_back_case(problem, item, at, cotangents, gradients.series, space[worker]);
      rescale_case(problem, item, at, space[worker]);
      by_position.take(group, item, space[worker].by_position);
      by_node.take(group, item, space[worker].by_node);
    }
  });
  by_position.finish();
  by_node.finish();
}

template void sample(const SampleProblem<float>&, Series<float>, std::size_t);
template void sample(const SampleProblem<double>&, Series<double>, std::size_t);
template void sample_vjp(const SampleProblem<float>&, Series<const float>, SampleGradients<float>, std::size_t);
template void sample_vjp(const SampleProblem<double>&, Series<const double>, SampleGradients<double>, std::size_t);

}  // namespace diffeo
