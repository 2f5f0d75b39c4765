#include "diffeo/scaling_squaring.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "core/argument_checks.hpp"
#include "core/groups.hpp"
#include "diffeo/error.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {
namespace {

constexpr double kNanosecondsPerComposition = 8;

/// The points of a row in increasing order, and the first and last segment of positive width.
struct Grid {
  const double* nodes;
  std::size_t count;
  std::size_t first;
  std::size_t last;
};

/// Two different nodes at least.
Grid grid_of(std::span<const double> nodes) noexcept {
  const auto after_first = std::upper_bound(nodes.begin(), nodes.end(), nodes.front());
  const auto from_last = std::lower_bound(nodes.begin(), nodes.end(), nodes.back());
  return {nodes.data(), nodes.size(), static_cast<std::size_t>(after_first - nodes.begin()) - 1,
          static_cast<std::size_t>(from_last - nodes.begin()) - 1};
}

/// The segment that decides at u, looked for from the one found last: positions in order cost O(1) each.
std::size_t segment_at(const Grid& grid, double u, std::size_t from) noexcept {
  while (from < grid.last && u >= grid.nodes[from + 1]) ++from;
  while (from > grid.first && u < grid.nodes[from]) --from;
  return from;
}

/// The line through two neighboring nodes' values, as it is at u.
struct Chord {
  std::size_t left;
  double fraction;  // of the way from the left node to the right one
  double slope;

  [[nodiscard]] std::size_t nearer() const noexcept { return fraction > 0.5 ? left + 1 : left; }
};

Chord chord_at(const Grid& grid, const double* values, double u, std::size_t from) noexcept {
  const std::size_t left = segment_at(grid, u, from);
  const double width = grid.nodes[left + 1] - grid.nodes[left];
  return {left, (u - grid.nodes[left]) / width, (values[left + 1] - values[left]) / width};
}

/// squared = values o values, based at the nearer node and so exact at both. What has overflowed stays
/// infinite: it neither moves on nor makes a slope.
void compose(const Grid& grid, const double* values, double* squared) noexcept {
  Chord chord{grid.first, 0, 0};
  for (std::size_t i = 0; i < grid.count; ++i) {
    const double u = values[i];
    chord = chord_at(grid, values, u, chord.left);
    const std::size_t nearer = chord.nearer();
    const bool moves = std::isfinite(u) && std::isfinite(chord.slope);
    squared[i] =
        moves ? values[nearer] + chord.slope * (u - grid.nodes[nearer]) : (std::isfinite(u) ? values[nearer] : u);
  }
}

/// The gradient of sum_i cotangents[i] * squared[i]: sets by_value, adds to by_node. A value has a part in
/// the result as a position and as one of two interpolated values; a node that moves by dx moves positions
/// relative to it by -dx.
void compose_vjp(const Grid& grid, const double* values, const double* cotangents, double* by_value,
                 double* by_node) noexcept {
  std::fill_n(by_value, grid.count, 0.0);
  Chord chord{grid.first, 0, 0};
  for (std::size_t i = 0; i < grid.count; ++i) {
    chord = chord_at(grid, values, values[i], chord.left);
    if (!std::isfinite(values[i]) || !std::isfinite(chord.slope)) continue;  // overflowed: nothing to pass on
    const double by_position = cotangents[i] * chord.slope;
    by_value[i] += by_position;
    by_value[chord.left] += cotangents[i] * (1 - chord.fraction);
    by_value[chord.left + 1] += cotangents[i] * chord.fraction;
    by_node[chord.left] -= by_position * (1 - chord.fraction);
    by_node[chord.left + 1] -= by_position * chord.fraction;
  }
}

/// Rows of doubles: a view of what was given where that is double already, a copy otherwise.
template <class Real>
class Widened {
 public:
  explicit Widened(Rows<const Real> given) : view_(nullptr, given.rows, given.columns) {
    if constexpr (std::is_same_v<Real, double>) {
      view_.data = given.data;
    } else {
      copy_.assign(given.data, given.data + given.size());
      view_.data = copy_.data();
    }
  }
  Widened(const Widened&) = delete;
  Widened& operator=(const Widened&) = delete;
  [[nodiscard]] Rows<const double> view() const noexcept { return view_; }

 private:
  std::vector<double> copy_;
  Rows<const double> view_;
};

/// Each row in increasing order, and order[i] = where the i-th value of the row stood.
struct Sorted {
  std::vector<double> values;
  std::vector<std::size_t> order;
  std::size_t rows;
  std::size_t columns;

  template <class Real>
  explicit Sorted(Rows<const Real> given)
      : values(given.size()), order(given.size()), rows(given.rows), columns(given.columns) {
    for (std::size_t row = 0; row < rows; ++row) sort_row(given.row(row), row * columns);
  }
  [[nodiscard]] Rows<const double> view() const noexcept { return {values.data(), rows, columns}; }
  [[nodiscard]] std::span<const double> row(std::size_t index) const noexcept { return view().row(index); }
  [[nodiscard]] std::span<const std::size_t> order_of(std::size_t index) const noexcept {
    return Rows<const std::size_t>(order.data(), rows, columns).row(index);
  }

 private:
  template <class Real>
  void sort_row(std::span<const Real> given, std::size_t begin) {
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = first + static_cast<std::ptrdiff_t>(columns);
    std::iota(first, last, std::size_t{0});
    if (!std::is_sorted(given.begin(), given.end())) {
      std::stable_sort(first, last, [&](std::size_t a, std::size_t b) { return given[a] < given[b]; });
    }
    std::transform(first, last, values.begin() + static_cast<std::ptrdiff_t>(begin),
                   [&](std::size_t from) { return static_cast<double>(given[from]); });
  }
};

/// The exact flow that is composed with itself: sorted points, and time / 2^N. Rows without two different
/// points keep their whole time and are not composed.
template <class Real>
class SmallStep {
 public:
  SmallStep(const FlowProblem<Real>& problem, std::size_t squarings)
      : velocities_(problem.velocities),
        points_(problem.points),
        domain_(problem.domain),
        scales_(problem.batch()),
        times_(problem.batch()) {
    for (std::size_t row = 0; row < times_.size(); ++row) {
      scales_[row] = can_compose(row) ? std::ldexp(1.0, -static_cast<int>(squarings)) : 1.0;
      times_[row] = problem.time(row) * scales_[row];
    }
  }

  [[nodiscard]] FlowProblem<double> problem() const noexcept {
    return {velocities_.view(), points_.view(), times_, domain_};
  }
  [[nodiscard]] bool can_compose(std::size_t row) const noexcept {
    const std::span<const double> nodes = points_.row(row);
    return !nodes.empty() && nodes.front() < nodes.back();
  }
  [[nodiscard]] const Sorted& points() const noexcept { return points_; }
  /// d time of the small step / d time.
  [[nodiscard]] double scale(std::size_t row) const noexcept { return scales_[row]; }

 private:
  Widened<Real> velocities_;
  Sorted points_;
  Domain domain_;
  std::vector<double> scales_;
  std::vector<double> times_;
};

template <class Real>
void require_arguments(const FlowProblem<Real>& problem, std::size_t squarings) {
  require(squarings <= kMaximumSquarings, "squarings: expected 0 to ", kMaximumSquarings, ", got ", squarings);
  require_flow_problem(problem);
}

/// Where the small step takes the sorted points.
template <class Real>
std::vector<double> small_positions(const SmallStep<Real>& step, std::size_t threads) {
  const FlowProblem<double> problem = step.problem();
  std::vector<double> positions(problem.batch() * problem.points.columns);
  flow(problem, Rows<double>(positions.data(), problem.batch(), problem.points.columns), threads);
  return positions;
}

/// Goes back through `squarings` compositions: `cotangents` of the last become those of the small step,
/// `by_node` gets the part of the nodes. `levels` has room for squarings + 1 rows and starts with the
/// positions of the small step.
void reverse_compositions(const Grid& grid, std::size_t squarings, double* levels, double* cotangents,
                          double* by_node) noexcept {
  const std::size_t n = grid.count;
  for (std::size_t k = 0; k + 1 < squarings; ++k) compose(grid, levels + k * n, levels + (k + 1) * n);
  double* const spare = levels + squarings * n;
  for (std::size_t k = squarings; k-- > 0;) {
    compose_vjp(grid, levels + k * n, cotangents, spare, by_node);
    std::copy_n(spare, n, cotangents);
  }
}

/// Brings every row of `positions`, in sorted order, from the small step's to the whole flow's, and puts it
/// where it belongs.
template <class Real>
void compose_rows(const SmallStep<Real>& step, std::size_t squarings, std::vector<double>& small, Rows<Real> positions,
                  std::size_t threads) {
  const std::size_t n = positions.columns;
  const double compositions = static_cast<double>(squarings * positions.size());
  const std::size_t workers = useful_threads(threads, positions.rows, kNanosecondsPerComposition * compositions);
  std::vector<std::vector<double>> space(workers, std::vector<double>(n));
  for_each_item(workers, positions.rows, [&](std::size_t worker, std::size_t row) {
    double* values = small.data() + row * n;
    double* squared = space[worker].data();
    if (step.can_compose(row)) {
      const Grid grid = grid_of(step.points().row(row));
      for (std::size_t k = 0; k < squarings; ++k, std::swap(values, squared)) compose(grid, values, squared);
    }
    const std::span<const std::size_t> order = step.points().order_of(row);
    for (std::size_t i = 0; i < n; ++i) positions.row(row)[order[i]] = static_cast<Real>(values[i]);
  });
}

/// What the compositions pass on to the small step and, directly, to the nodes; in sorted order.
struct Passed {
  std::vector<double> to_small_step;
  std::vector<double> to_nodes;  // shape of the points
};

template <class Real>
Passed reverse_rows(const SmallStep<Real>& step, std::size_t squarings, const std::vector<double>& small,
                    Rows<const Real> cotangents, std::size_t threads) {
  const std::size_t n = cotangents.columns;
  const bool shared = step.points().rows == 1;
  const Groups groups = Groups::of(cotangents.rows, shared);
  Passed passed{std::vector<double>(cotangents.size()), std::vector<double>(step.points().values.size())};
  RowGradient<double> to_nodes(Rows<double>(passed.to_nodes.data(), step.points().rows, n), shared, groups);
  const double compositions = static_cast<double>(squarings * cotangents.size());
  const std::size_t workers = useful_threads(threads, groups.count, 2 * kNanosecondsPerComposition * compositions);
  struct Space {
    std::vector<double> levels, by_node;
  };
  std::vector<Space> space(workers, {std::vector<double>((squarings + 1) * n), std::vector<double>(n)});
  for_each_item(workers, groups.count, [&](std::size_t worker, std::size_t group) {
    auto& [levels, by_node] = space[worker];
    for (std::size_t row = groups.begin(group); row < groups.end(group); ++row) {
      double* const weights = passed.to_small_step.data() + row * n;
      const std::span<const std::size_t> order = step.points().order_of(row);
      for (std::size_t i = 0; i < n; ++i) weights[i] = static_cast<double>(cotangents.row(row)[order[i]]);
      std::fill(by_node.begin(), by_node.end(), 0.0);
      if (step.can_compose(row)) {
        std::copy_n(small.data() + row * n, n, levels.data());
        reverse_compositions(grid_of(step.points().row(row)), squarings, levels.data(), weights, by_node.data());
      }
      to_nodes.take(group, row, by_node);
    }
  });
  to_nodes.finish();
  return passed;
}

/// The gradients of the small step, which the gradients asked for are then made of.
struct SmallGradients {
  std::vector<double> velocities;
  std::vector<double> points;
  std::vector<double> times;
};

template <class Real>
SmallGradients pull_back_small_step(const SmallStep<Real>& step, const Passed& passed,
                                    const FlowGradients<Real>& wanted, std::size_t threads) {
  const FlowProblem<double> problem = step.problem();
  SmallGradients by;
  FlowGradients<double> to;
  if (!wanted.velocities.empty()) {
    by.velocities.resize(problem.velocities.size());
    to.velocities = {by.velocities.data(), problem.velocities.rows, problem.velocities.columns};
  }
  if (!wanted.points.empty()) {
    by.points.resize(problem.points.size());
    to.points = {by.points.data(), problem.points.rows, problem.points.columns};
  }
  if (!wanted.times.empty()) {
    by.times.resize(problem.times.size());
    to.times = by.times;
  }
  const Rows<const double> cotangents(passed.to_small_step.data(), problem.batch(), problem.points.columns);
  flow_vjp(problem, cotangents, to, threads);
  return by;
}

template <class Real>
void write_gradients(const SmallStep<Real>& step, const Passed& passed, SmallGradients by, FlowGradients<Real> to) {
  if (!to.velocities.empty()) narrow<Real>(by.velocities, to.velocities.values());
  if (!to.points.empty()) {
    const std::size_t n = to.points.columns;
    for (std::size_t i = 0; i < to.points.size(); ++i) {
      const std::size_t row_begin = i / n * n;
      to.points.data[row_begin + step.points().order[i]] = static_cast<Real>(by.points[i] + passed.to_nodes[i]);
    }
  }
  for (std::size_t row = 0; row < by.times.size(); ++row) by.times[row] *= step.scale(row);
  sum_or_copy(by.times, to.times.size() == 1, to.times);
}

}  // namespace

template <class Real>
void flow_scaling_squaring(const FlowProblem<Real>& problem, std::size_t squarings, Rows<Real> positions,
                           std::size_t threads) {
  require_arguments(problem, squarings);
  require_shape("positions", positions, problem.batch(), problem.points.columns);
  if (squarings == 0) return flow(problem, positions, threads);
  const SmallStep<Real> step(problem, squarings);
  std::vector<double> small = small_positions(step, threads);
  compose_rows(step, squarings, small, positions, threads);
}

template <class Real>
void flow_scaling_squaring_vjp(const FlowProblem<Real>& problem, std::size_t squarings, Rows<const Real> cotangents,
                               FlowGradients<Real> gradients, std::size_t threads) {
  require_arguments(problem, squarings);
  require_shape("cotangents", cotangents, problem.batch(), problem.points.columns);
  require_finite("cotangents", cotangents);
  require_gradient_shapes(problem, gradients);
  if (squarings == 0) return flow_vjp(problem, cotangents, gradients, threads);
  const SmallStep<Real> step(problem, squarings);
  const std::vector<double> small = small_positions(step, threads);
  const Passed passed = reverse_rows(step, squarings, small, cotangents, threads);
  write_gradients(step, passed, pull_back_small_step(step, passed, gradients, threads), gradients);
}

template void flow_scaling_squaring(const FlowProblem<float>&, std::size_t, Rows<float>, std::size_t);
template void flow_scaling_squaring(const FlowProblem<double>&, std::size_t, Rows<double>, std::size_t);
template void flow_scaling_squaring_vjp(const FlowProblem<float>&, std::size_t, Rows<const float>, FlowGradients<float>,
                                        std::size_t);
template void flow_scaling_squaring_vjp(const FlowProblem<double>&, std::size_t, Rows<const double>,
                                        FlowGradients<double>, std::size_t);

}  // namespace diffeo
