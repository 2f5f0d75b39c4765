#include "align/descent.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace diffeo {
namespace {

constexpr double kInitialDamping = 1e-3;
constexpr double kDampingIncrease = 8.0;
constexpr double kDampingDecrease = 1.0 / 3.0;
/// Beyond it steps are too short to change anything.
constexpr double kMaximumDamping = 1e4;

/// Decreases shrink about geometrically, so their logarithms tell how far it is to the one that ends a stage.
double part_behind(const Stage& stage, double first_decrease, double decrease) {
  const double whole = std::log(first_decrease / stage.tolerance);
  const double behind = whole > 0.0 ? std::log(first_decrease / decrease) / whole : 1.0;
  return stage.begin + stage.share * std::clamp(behind, 0.0, 1.0);
}

}  // namespace

Outcome descend(const Criterion& criterion, const Stage& stage, GroupState& state, const AlignOptions& options,
                std::vector<AlignStep>& history) {
  const double tolerance = stage.tolerance;
  double first_decrease = 0.0;  // relative to the cost
  double done = stage.begin;
  NormalEquations equations;
  GroupState trial;
  double damping = kInitialDamping;
  for (std::size_t iteration = 0; iteration < options.max_iterations; ++iteration) {
    criterion.linearize(state, equations);
    for (;;) {
      const GroupStep step = criterion.step(equations, damping);
      if (step.predicted_decrease <= 0.1 * tolerance * state.cost) return Outcome::converged;
      criterion.evaluate(moved(state.velocities, step), trial);
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
    history.push_back({criterion.cells(), criterion.smoothing(), state.cost, done});
    if (options.progress && !options.progress(history.back())) return Outcome::stopped;
    if (decrease <= tolerance * state.cost) return Outcome::converged;
  }
  return Outcome::exhausted;
}

}  // namespace diffeo
