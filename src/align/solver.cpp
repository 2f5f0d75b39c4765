#include "align/solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "align/criterion.hpp"
#include "align/resolution.hpp"
#include "align/values_criterion.hpp"

namespace diffeo {
namespace {

/// Coarse problems only have to lead into the right valley.
constexpr double kCoarseTolerance = 1e-3;
constexpr double kInitialDamping = 1e-3;
constexpr double kDampingIncrease = 4.0;
constexpr double kDampingDecrease = 1.0 / 3.0;
/// Beyond it steps are too short to change anything.
constexpr double kMaximumDamping = 1e8;

/// Variance of the series about their own means over time, summed over the channels; 1 where all are constant.
double variance_over_time(std::span<const SeriesView<const double>> series) {
  double total = 0.0;
  for (const SeriesView<const double>& item : series) {
    for (std::size_t channel = 0; channel < item.channels; ++channel) {
      double count = 0.0;
      double mean = 0.0;
      double squares = 0.0;
      for (const double value : item.channel(channel)) {
        if (std::isnan(value)) continue;
        count += 1.0;
        const double deviation = value - mean;
        mean += deviation / count;
        squares += deviation * (value - mean);
      }
      if (count > 0.0) total += squares / count;
    }
  }
  return total > 0.0 ? total / static_cast<double>(series.size()) : 1.0;
}

enum class Outcome { converged, exhausted, stopped };

/// One resolution, and the part of the whole search that it takes.
struct Stage {
  Resolution resolution;
  double tolerance;
  double begin;  // of 0 to 1
  double share;
};

/// A step costs about samples times cells.
std::vector<Stage> stages(std::size_t length, const AlignOptions& options) {
  std::vector<Stage> result;
  double total = 0.0;
  for (const Resolution& resolution : resolutions(options.cells)) {
    const double tolerance =
        resolution.smoothing == 0.0 ? options.tolerance : std::max(options.tolerance, kCoarseTolerance);
    const double work = static_cast<double>(samples_at(length, resolution.smoothing) * resolution.cells);
    result.push_back({resolution, tolerance, total, work});
    total += work;
  }
  for (Stage& stage : result) {
    stage.begin /= total;
    stage.share /= total;
  }
  return result;
}

/// Decreases shrink about geometrically, so their logarithms tell how far it is to the one that ends a stage.
double part_behind(const Stage& stage, double first_decrease, double decrease) {
  const double whole = std::log(first_decrease / stage.tolerance);
  const double behind = whole > 0.0 ? std::log(first_decrease / decrease) / whole : 1.0;
  return stage.begin + stage.share * std::clamp(behind, 0.0, 1.0);
}

/// Levenberg-Marquardt at one resolution.
Outcome descend(const Criterion& group, const Stage& stage, GroupState& state, const AlignOptions& options,
                std::vector<AlignStep>& history) {
  const double tolerance = stage.tolerance;
  double first_decrease = 0.0;  // relative to the cost
  double done = stage.begin;
  NormalEquations equations;
  GroupState trial;
  double damping = kInitialDamping;
  for (std::size_t iteration = 0; iteration < options.max_iterations; ++iteration) {
    group.linearise(state, equations);
    for (;;) {
      const GroupStep step = group.step(equations, damping);
      if (step.predicted_decrease <= 0.1 * tolerance * state.cost) return Outcome::converged;
      group.evaluate(moved(state.velocities, step), trial);
      if (trial.cost < state.cost) break;
      damping *= kDampingIncrease;
      if (damping > kMaximumDamping) return Outcome::converged;  // no step leads down
    }
    damping *= kDampingDecrease;
    const double decrease = state.cost - trial.cost;
    const double relative_decrease = decrease / state.cost;
    if (iteration == 0) first_decrease = relative_decrease;
    std::swap(state, trial);
    done = std::max(done, part_behind(stage, first_decrease, relative_decrease));
    history.push_back({group.cells(), group.smoothing(), state.cost, done});
    if (options.progress && !options.progress(history.back())) return Outcome::stopped;
    if (decrease <= tolerance * state.cost) return Outcome::converged;
  }
  return Outcome::exhausted;
}

Matrix on_cells(const Matrix& velocities, std::size_t cells) {
  Matrix result(velocities.rows(), cells + 1);
  for (std::size_t row = 0; row < velocities.rows(); ++row) {
    const std::vector<double> values = velocities_on(velocities.row(row), cells);
    std::copy(values.begin(), values.end(), result.values().begin() + static_cast<std::ptrdiff_t>(row * (cells + 1)));
  }
  return result;
}

}  // namespace

GroupSolution solve_group(std::span<const SeriesView<const double>> series, const SeriesView<const double>* target,
                          std::size_t length, const AlignOptions& options) {
  std::vector<SeriesView<const double>> all(series.begin(), series.end());
  if (target != nullptr) all.push_back(*target);
  const double scale = variance_over_time(all);

  GroupSolution solution;
  solution.velocities = Matrix(series.size(), options.cells + 1);
  Outcome outcome = Outcome::converged;
  for (const Stage& stage : stages(length, options)) {
    const Resolution& resolution = stage.resolution;
    const bool is_finest = resolution.smoothing == 0.0;
    const ValuesCriterion group(series, target, length, resolution,
                                {.scale = scale,
                                 .own_time = options.own_time,
                                 .zero_boundary = options.zero_boundary,
                                 .prior_weight = options.prior_weight,
                                 .length_scale = options.length_scale,
                                 .threads = options.threads});
    GroupState state;
    if (is_finest) {
      group.evaluate(Matrix(series.size(), resolution.cells + 1), state);
      solution.initial_cost = state.cost;
    }
    group.evaluate(on_cells(solution.velocities, resolution.cells), state);
    if (outcome != Outcome::stopped) outcome = descend(group, stage, state, options, solution.history);
    solution.velocities = std::move(state.velocities);
    solution.difference = state.difference;
    solution.penalty = state.penalty;
  }
  solution.converged = outcome == Outcome::converged;
  return solution;
}

}  // namespace diffeo
