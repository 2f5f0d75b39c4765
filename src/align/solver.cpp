#include "align/solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "align/criterion.hpp"
#include "align/descent.hpp"
#include "align/mixed_model.hpp"
#include "align/path_start.hpp"
#include "align/resolution.hpp"
#include "align/root_slopes.hpp"
#include "align/slopes_criterion.hpp"
#include "align/stuck.hpp"
#include "align/values_criterion.hpp"
#include "diffeo/case_quality.hpp"

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
constexpr double kLeastPolishNoise = 1e-6;
/// Part of the search that each start takes, and where starts, the fit of the best one and freeing end, for progress.
constexpr double kScreeningShare = 0.15;
constexpr double kScreeningEnd = 0.45;
constexpr double kFullEnd = 0.85;
constexpr double kFreeingEnd = 0.9;
/// Timing explains what the model takes for heights if warps by values leave less than these shares of the differences
/// that the model's warps leave, of values and of slopes.
constexpr double kCloserValues = 0.5;
constexpr double kCloserSlopes = 0.95;
/// ... and if at least this share of the series is reliable then (diffeo/case_quality.hpp): a few noisy series lie closer
/// together by chance.
constexpr double kReliableShare = 0.9;
/// Variance of heights, relative to that of the series over time.
constexpr double kHeightsThatVary = 0.01;
/// Of the median speed: further than most.
constexpr double kFar = 3.0;
/// Series that are stuck are freed that often, as long as the log-likelihood gains that much by it.
constexpr std::size_t kFreeingRounds = 2;
constexpr double kLeastFreeingGain = 30.0;

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
  parameters.gain_ratio = 0.0;
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

/// Whether some series moves much further than most: a wrong feature may have attracted it.
bool some_move_far(const Matrix& velocities) {
  std::vector<double> sizes;
  for (std::size_t item = 0; item < velocities.rows(); ++item) {
    const std::span<const double> row = velocities.row(item);
    sizes.push_back(std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0)));
  }
  std::ranges::sort(sizes);
  return sizes.back() > kFar * sizes[sizes.size() / 2];
}

bool stopped(const MixedFit& fit) { return fit.outcome == Outcome::stopped; }

/// Keeps the other fit if it is more likely, or if the caller wants to stop there; true if so.
bool keep_better(MixedFit other, MixedFit& found) {
  if (!stopped(other) && !(other.log_likelihood > found.log_likelihood)) return false;
  found = std::move(other);
  return true;
}

/// The model from two starts, best paths and rest; the likelihood chooses. Then series that are stuck are freed.
class MixedSearch {
 public:
  MixedSearch(const Problem& problem, const MixedSeries& series, std::vector<AlignStep>& history)
      : problem_(problem),
        series_(series),
        history_(history),
        smoothing_(finest_smoothing(problem)),
        initial_(
            initial_parameters(problem.noise, problem.scale, problem.options, series.channels() * series.points())) {}

  [[nodiscard]] MixedFit best() {
    MixedFit found = from_paths();
    if (!stopped(found) && some_move_far(found.state.velocities)) keep_better(from_rest(found), found);
    if (!stopped(found)) found = full(std::move(found), kScreeningEnd, kFullEnd);
    if (!stopped(found) && free_stuck(found) && !stopped(found)) found = full(std::move(found), kFullEnd, kFreeingEnd);
    return found;
  }

 private:
  /// As good as it takes to compare starts.
  [[nodiscard]] MixedFit screened(Matrix start, const MixedParameters& parameters, double begin,
                                  const MixedFit* rival = nullptr) {
    const double share = std::min(kScreeningShare, 1.0 - begin);
    const MixedEffort effort{.screening = true, .rival = rival, .stage = {problem_.options.tolerance, begin, share}};
    return fit_mixed(series_, std::move(start), parameters, problem_.scale, effort, problem_.options, history_);
  }

  [[nodiscard]] MixedFit full(MixedFit found, double begin, double end) {
    return fit_mixed(series_, std::move(found.state.velocities), found.parameters, problem_.scale,
                     {.stage = {problem_.options.tolerance, begin, end - begin}}, problem_.options, history_);
  }

  /// Beginning with variances as they usually are. If heights vary then, again with variances as the paths leave them:
  /// timing may explain what was taken for heights.
  [[nodiscard]] MixedFit from_paths() {
    const Matrix start = path_start(problem_.series, problem_.target, smoothing_, problem_.length, problem_.options);
    MixedFit found = screened(start, initial_, 0.0);
    if (stopped(found) || found.parameters.height_ratio * found.parameters.noise < kHeightsThatVary) return found;
    const MixedParameters estimated = estimated_parameters(series_, start, initial_, problem_.scale, problem_.options);
    keep_better(screened(start, estimated, kScreeningShare, &found), found);
    return found;
  }

  /// A wrong feature far away may have attracted some series; from rest they find the near ones.
  [[nodiscard]] MixedFit from_rest(const MixedFit& rival) {
    MixedFit found = screened(problem_.at_rest(), initial_, 2.0 * kScreeningShare, &rival);
    if (!found.is_pointless && !stopped(found)) free_stuck(found);
    return found;
  }

  /// True if that made it better. With a known template nothing is stuck: every series began with its own best path.
  bool free_stuck(MixedFit& found) {
    if (problem_.target != nullptr) return false;
    bool improved = false;
    for (std::size_t round = 0; round < kFreeingRounds; ++round) {
      MixedFit moved = found;
      if (free_stuck_series(problem_.series, problem_.length, smoothing_, problem_.scale, problem_.options, moved) ==
          0) {
        return improved;
      }
      const double before = found.log_likelihood;
      improved |= keep_better(screened(std::move(moved.state.velocities), moved.parameters, kFullEnd), found);
      if (stopped(found) || !(found.log_likelihood > before + kLeastFreeingGain)) return improved;
    }
    return improved;
  }

  const Problem& problem_;
  const MixedSeries& series_;
  std::vector<AlignStep>& history_;
  double smoothing_;
  MixedParameters initial_;
};

Outcome solve_mixed(const Problem& problem, GroupSolution& solution) {
  const MixedSeries series(problem.series, problem.target, problem.length);
  const MixedFit best = MixedSearch(problem, series, solution.history).best();
  const MixedCriterion criterion(series, best.parameters, problem.scale, problem.options.cells,
                                 problem.options.zero_boundary, problem.options.threads);
  finish(criterion, best.state, best.outcome, solution);
  solution.model = best.parameters;
  solution.log_likelihood = best.log_likelihood;
  return best.outcome;
}

/// How far series are apart under given warps.
struct Distance {
  double values;  // in the series' own time, as the inverse-consistent error
  double slopes;  // square-root slopes

  [[nodiscard]] bool is_closer_than(const Distance& other) const noexcept {
    return values < kCloserValues * other.values && slopes < kCloserSlopes * other.slopes;
  }
};

/// Compares the warps that two criteria find for a group, by what neither of them makes small alone.
class Rivals {
 public:
  /// `without_heights`: for what values are apart.
  Rivals(const Problem& problem, const MixedSeries& series, const MixedParameters& without_heights)
      : problem_(problem),
        series_(series),
        values_(series, without_heights, problem.scale, problem.options.cells, problem.options.zero_boundary,
                problem.options.threads),
        slopes_(slopes_at(problem, std::max(finest_smoothing(problem), kSlopeSmoothings.back()))) {}

  [[nodiscard]] Distance distance(const Matrix& velocities) const {
    GroupState of_values;
    values_.evaluate(velocities, of_values);
    GroupState of_slopes;
    slopes_.evaluate(velocities, of_slopes);
    return {of_values.difference, of_slopes.difference};
  }

  [[nodiscard]] bool most_are_reliable(const Matrix& velocities) const {
    GroupState state;
    values_.evaluate(velocities, state);
    const std::vector<CaseQuality> quality =
        case_quality(problem_.series, {velocities.values().data(), velocities.rows(), velocities.columns()},
                     {state.target.data(), series_.channels(), series_.points()},
                     1.0 / static_cast<double>(problem_.cases()), problem_.options.threads);
    const auto reliable = static_cast<double>(std::ranges::count_if(quality, &CaseQuality::reliable));
    return reliable >= kReliableShare * static_cast<double>(problem_.cases());
  }

 private:
  const Problem& problem_;
  const MixedSeries& series_;
  MixedCriterion values_;
  SlopesCriterion slopes_;
};

/// The model takes slow differences for heights, also where they are timing. Values alone take all differences for
/// timing, and squeeze what is not; slopes then disagree. So values are right if slopes agree better under their warps.
void prefer_values(const Problem& problem, GroupSolution& solution) {
  const MixedSeries series(problem.series, problem.target, problem.length);
  MixedParameters without_heights = solution.model;
  without_heights.height_ratio = 0.0;
  without_heights.gain_ratio = 0.0;
  const Rivals rivals(problem, series, without_heights);
  const Distance before = rivals.distance(solution.velocities);
  if (kCloserValues * before.values <= solution.model.noise) return;  // the rest is noise

  GroupSolution other;
  other.history = std::move(solution.history);
  const Outcome outcome = solve_values(problem, kFreeingEnd, 1.0 - kFreeingEnd, other);
  if (outcome == Outcome::stopped || !rivals.distance(other.velocities).is_closer_than(before) ||
      !rivals.most_are_reliable(other.velocities)) {
    solution.history = std::move(other.history);
    solution.converged = solution.converged && outcome != Outcome::stopped;
    return;
  }
  other.model = estimated_parameters(series, other.velocities, without_heights, problem.scale, problem.options);
  solution = std::move(other);
}

void solve_automatically(const Problem& problem, GroupSolution& solution) {
  if (problem.target == nullptr && problem.cases() >= kLeastForModel) {
    if (solve_mixed(problem, solution) != Outcome::stopped) prefer_values(problem, solution);
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
      (void)solve_mixed(problem, solution);
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
