#include "align/solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "align/criterion.hpp"
#include "align/descent.hpp"
#include "align/mixed_model.hpp"
#include "align/path_start.hpp"
#include "align/resolution.hpp"
#include "align/root_slopes.hpp"
#include "align/slopes_criterion.hpp"
#include "align/values_criterion.hpp"

namespace diffeo {
namespace {

/// Coarse problems only have to lead into the right valley.
constexpr double kCoarseTolerance = 1e-3;
/// The prior where neither the options nor a likelihood say otherwise: docs/decisions.md.
constexpr double kDefaultPriorWeight = 1e-3;
constexpr double kSlopesPriorWeight = 1e-7;
constexpr double kValuesLengthScale = 0.1;
constexpr double kSlopesLengthScale = 0.1;
/// Coarser smoothings of slopes, before the finest.
constexpr std::array kSlopeSmoothings{0.03, 0.015};
constexpr std::size_t kMostSlopePoints = 1024;
/// Fewer series do not tell heights from timing.
constexpr std::size_t kLeastForModel = 4;
/// Heights agree if what is left is noise, or this small a share of the variance.
constexpr double kNoiseMultiple = 4.0;
constexpr double kAgreeingShare = 1e-3;
constexpr double kPolishWarp = 1.0;
/// Part of the search that each start takes, for progress.
constexpr double kScreeningShare = 0.1;
constexpr double kLeastPolishNoise = 1e-6;

double or_default(double option, double value) { return option > 0.0 ? option : value; }

/// What the solvers of all criteria need to know of a group.
struct Problem {
  std::span<const SeriesView<const double>> series;
  const SeriesView<const double>* target;
  std::size_t length;
  const AlignOptions& options;
  double scale;
  double noise;

  [[nodiscard]] std::size_t cases() const noexcept { return series.size(); }
  [[nodiscard]] std::vector<SeriesView<const double>> all() const {
    std::vector<SeriesView<const double>> result(series.begin(), series.end());
    if (target != nullptr) result.push_back(*target);
    return result;
  }
  [[nodiscard]] Matrix at_rest() const { return Matrix(cases(), options.cells + 1); }
};

Matrix on_cells(const Matrix& velocities, std::size_t cells) {
  Matrix result(velocities.rows(), cells + 1);
  for (std::size_t row = 0; row < velocities.rows(); ++row) {
    const std::vector<double> values = velocities_on(velocities.row(row), cells);
    std::copy(values.begin(), values.end(), result.values().begin() + static_cast<std::ptrdiff_t>(row * (cells + 1)));
  }
  return result;
}

void keep(const GroupState& state, Outcome outcome, GroupSolution& solution) {
  solution.velocities = state.velocities;
  solution.difference = state.difference;
  solution.penalty = state.penalty;
  solution.converged = outcome == Outcome::converged;
}

/// Keeps what was found, or the warps that move nothing if those cost no more.
void finish(const Criterion& criterion, const GroupState& found, Outcome outcome, GroupSolution& solution) {
  GroupState rest;
  criterion.evaluate(Matrix(criterion.cases(), criterion.cells() + 1), rest);
  keep(found.cost < rest.cost ? found : rest, outcome, solution);
  solution.initial_cost = rest.cost;
}

/// Values from coarse to fine. A step costs about samples times cells.
Outcome solve_values(const Problem& problem, double begin, double share, GroupSolution& solution) {
  const AlignOptions& options = problem.options;
  const std::vector<Resolution> levels = resolutions(options.cells);
  const auto work = [&](const Resolution& level) {
    return static_cast<double>(samples_at(problem.length, level.smoothing) * level.cells);
  };
  double total = 0.0;
  for (const Resolution& level : levels) total += work(level);
  solution.velocities = problem.at_rest();
  Outcome outcome = Outcome::converged;
  for (const Resolution& level : levels) {
    const bool is_finest = level.smoothing == 0.0;
    const Stage stage{is_finest ? options.tolerance : std::max(options.tolerance, kCoarseTolerance), begin,
                      share * work(level) / total};
    begin += stage.share;
    const ValuesCriterion criterion(problem.series, problem.target, problem.length, level,
                                    {.scale = problem.scale,
                                     .own_time = options.own_time,
                                     .zero_boundary = options.zero_boundary,
                                     .prior_weight = or_default(options.prior_weight, kDefaultPriorWeight),
                                     .length_scale = or_default(options.length_scale, kValuesLengthScale),
                                     .threads = options.threads});
    GroupState state;
    criterion.evaluate(on_cells(solution.velocities, level.cells), state);
    if (outcome != Outcome::stopped) outcome = descend(criterion, stage, state, options, solution.history);
    is_finest ? finish(criterion, state, outcome, solution) : keep(state, outcome, solution);
  }
  return outcome;
}

double finest_smoothing(const Problem& problem) {
  return problem.options.smoothing.value_or(smoothing_for_slopes(problem.all(), problem.noise));
}

SlopesCriterion slopes_at(const Problem& problem, double smoothing) {
  const AlignOptions& options = problem.options;
  const std::size_t points = std::clamp<std::size_t>(problem.length, 2, kMostSlopePoints);
  std::vector<std::vector<double>> slopes = root_slopes(problem.all(), smoothing, points);
  std::vector<double> target;
  if (problem.target != nullptr) {
    target = std::move(slopes.back());
    slopes.pop_back();
  }
  return {std::move(slopes),
          std::move(target),
          problem.series.front().channels,
          {options.cells, options.zero_boundary, or_default(options.prior_weight, kSlopesPriorWeight),
           or_default(options.length_scale, kSlopesLengthScale)},
          smoothing,
          options.threads};
}

/// Slopes from coarse to fine, from the warps given. With a known template the finest alone.
Outcome solve_slopes(const Problem& problem, Matrix start, double begin, double share, GroupSolution& solution) {
  const double finest = finest_smoothing(problem);
  std::vector<double> smoothings;
  for (const double smoothing : kSlopeSmoothings) {
    if (problem.target == nullptr && smoothing > finest) smoothings.push_back(smoothing);
  }
  smoothings.push_back(finest);
  const double part = share / static_cast<double>(smoothings.size());
  Outcome outcome = Outcome::converged;
  GroupState state;
  state.velocities = std::move(start);
  for (const double smoothing : smoothings) {
    const SlopesCriterion criterion = slopes_at(problem, smoothing);
    const double tolerance = smoothing == finest ? problem.options.tolerance : kCoarseTolerance;
    criterion.evaluate(Matrix(state.velocities), state);
    if (outcome != Outcome::stopped) {
      outcome = descend(criterion, {tolerance, begin, part}, state, problem.options, solution.history);
    }
    begin += part;
    if (smoothing == finest) finish(criterion, state, outcome, solution);
  }
  return outcome;
}

Outcome solve_slopes_from_paths(const Problem& problem, double begin, double share, GroupSolution& solution) {
  Matrix start = path_start(problem.series, problem.target, finest_smoothing(problem), problem.length, problem.options);
  return solve_slopes(problem, std::move(start), begin, share, solution);
}

/// If heights agree after slopes have been aligned, values know best: noise hurts them less.
void polish_by_values(const Problem& problem, double begin, double share, GroupSolution& solution) {
  const MixedSeries series(problem.series, problem.target, problem.length);
  const double noise =
      std::max((problem.target == nullptr ? 1.0 : 2.0) * problem.noise, kLeastPolishNoise * problem.scale);
  MixedParameters parameters =
      initial_parameters(noise, problem.scale, problem.options, series.channels() * series.points());
  parameters.height_ratio = 0.0;
  if (problem.options.prior_weight == 0.0) parameters.warp_ratio = kPolishWarp * kPolishWarp / noise;
  if (problem.options.length_scale == 0.0) parameters.warp_length_scale = kSlopesLengthScale;
  const MixedCriterion criterion(series, parameters, problem.scale, problem.options.cells,
                                 problem.options.zero_boundary, problem.options.threads);
  GroupState state;
  criterion.evaluate(solution.velocities, state);
  if (!(state.difference <= kNoiseMultiple * noise / problem.scale + kAgreeingShare)) return;
  const Outcome outcome =
      descend(criterion, {problem.options.tolerance, begin, share}, state, problem.options, solution.history);
  finish(criterion, state, outcome, solution);
}

/// The model from several starts; the most likely result is kept.
void solve_mixed(const Problem& problem, GroupSolution& solution) {
  const AlignOptions& options = problem.options;
  const MixedSeries series(problem.series, problem.target, problem.length);
  const MixedParameters initial =
      initial_parameters(problem.noise, problem.scale, options, series.channels() * series.points());
  AlignOptions loose = options;
  loose.tolerance = std::max(options.tolerance, kCoarseTolerance);
  const Problem start_problem{problem.series, problem.target, problem.length, loose, problem.scale, problem.noise};
  MixedFit best;
  bool is_first = true;
  const auto try_start = [&](Matrix start, double begin) {
    MixedFit fit = fit_mixed(series, std::move(start), initial, problem.scale, MixedEffort::screening,
                             {options.tolerance, begin, kScreeningShare}, options, solution.history);
    const bool stopped = fit.outcome == Outcome::stopped;
    if (is_first || fit.log_likelihood > best.log_likelihood) best = std::move(fit);
    is_first = false;
    return !stopped;
  };
  const auto screened = [&] {
    if (!try_start(problem.at_rest(), 0.0)) return false;
    GroupSolution other;
    other.history = std::move(solution.history);
    const bool by_values = solve_values(start_problem, 0.2, kScreeningShare, other) != Outcome::stopped;
    solution.history = std::move(other.history);
    if (!by_values || !try_start(std::move(other.velocities), 0.3)) return false;
    other.history = std::move(solution.history);
    const bool by_slopes = solve_slopes_from_paths(start_problem, 0.4, kScreeningShare, other) != Outcome::stopped;
    solution.history = std::move(other.history);
    return by_slopes && try_start(std::move(other.velocities), 0.5);
  };
  if (screened()) {
    best = fit_mixed(series, std::move(best.state.velocities), best.parameters, problem.scale, MixedEffort::full,
                     {options.tolerance, 0.6, 0.4}, options, solution.history);
  } else {
    best.outcome = Outcome::stopped;
  }
  const MixedCriterion criterion(series, best.parameters, problem.scale, options.cells, options.zero_boundary,
                                 options.threads);
  finish(criterion, best.state, best.outcome, solution);
  solution.model = best.parameters;
  solution.log_likelihood = best.log_likelihood;
}

void solve_automatically(const Problem& problem, GroupSolution& solution) {
  if (problem.target == nullptr && problem.cases() >= kLeastForModel) {
    solve_mixed(problem, solution);
    return;
  }
  if (solve_slopes_from_paths(problem, 0.0, 0.8, solution) == Outcome::stopped) return;
  polish_by_values(problem, 0.8, 0.2, solution);
}

}  // namespace

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

GroupSolution solve_group(std::span<const SeriesView<const double>> series, const SeriesView<const double>* target,
                          std::size_t length, const AlignOptions& options) {
  Problem problem{series, target, length, options, 0.0, 0.0};
  problem.scale = variance_over_time(problem.all());
  problem.noise = noise_variance(problem.all());
  GroupSolution solution;
  if (target == nullptr && series.size() == 1) {
    solution.velocities = problem.at_rest();
    solution.converged = true;
    return solution;
  }
  switch (options.criterion) {
    case AlignCriterion::automatic:
      solve_automatically(problem, solution);
      break;
    case AlignCriterion::values:
      (void)solve_values(problem, 0.0, 1.0, solution);
      break;
    case AlignCriterion::slopes:
      (void)solve_slopes_from_paths(problem, 0.0, 1.0, solution);
      break;
    case AlignCriterion::mixed:
      solve_mixed(problem, solution);
      break;
  }
  return solution;
}

GroupSolution solve_by_model(SeriesView<const double> series, SeriesView<const double> target, std::size_t length,
                             const MixedParameters& model, const AlignOptions& options) {
  const Problem problem{{&series, 1}, &target, length, options, model.scale, model.noise * model.scale};
  const MixedSeries own({&series, 1}, &target, length);
  GroupSolution solution;
  const std::array starts{problem.at_rest(),
                          path_start(problem.series, &target, finest_smoothing(problem), length, options)};
  MixedFit best;
  for (std::size_t number = 0; number < starts.size(); ++number) {
    MixedFit fit =
        warp_mixed(own, starts[number], model, model.scale, {options.tolerance, 0.0, 0.0}, options, solution.history);
    if (number == 0 || fit.log_likelihood > best.log_likelihood) best = std::move(fit);
  }
  keep(best.state, best.outcome, solution);
  solution.model = model;
  solution.log_likelihood = best.log_likelihood;
  return solution;
}

}  // namespace diffeo
