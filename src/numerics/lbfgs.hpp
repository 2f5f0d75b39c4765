// L-BFGS: minimizes a smooth function of many variables from its values and gradients.
//
// The direction is the gradient times an approximate inverse Hessian that is never formed: the last `memory` pairs of
// steps and changes of the gradient are replayed (Nocedal, 1980). Steps satisfy the strong Wolfe conditions
// (line_search.hpp), so every pair has positive curvature and directions descend.
//
//   * stops when an iteration lowers the value by no more than relative_decrease * max(|before|, |after|, 1), or when
//     no entry of the gradient exceeds gradient_limit in magnitude: converged
//   * stops unconverged after `max_iterations`, or when even the steepest descent finds no lower value
//   * constants as in L-BFGS-B (memory 10, first step of length 1), so that both walk the same way
//   * O(memory n) per iteration beside the function
//   * deterministic: sums run in order
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "numerics/line_search.hpp"

namespace diffeo::numerics {

struct LbfgsOptions {
  std::size_t max_iterations = 100;
  std::size_t memory = 10;
  double relative_decrease = 1e-9;
  double gradient_limit = 1e-9;
  std::size_t line_evaluations = 20;  // per iteration, before its line is given up
  std::function<void(std::size_t iterations, double value)> progress = {};  // called after every iteration
};

struct LbfgsResult {
  std::vector<double> history;  // the value at the start, then after every iteration
  std::size_t iterations = 0;
  std::size_t evaluations = 0;
  bool converged = false;
};

namespace lbfgs_detail {

inline double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline double largest_magnitude(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::fabs(value));
  return largest;
}

/// What is known of the curvature.
class Curvature {
 public:
  explicit Curvature(std::size_t memory) : memory_(memory) {}

  [[nodiscard]] bool empty() const noexcept { return pairs_.empty(); }
  void forget() { pairs_.clear(); }

  void remember(std::vector<double> step, std::vector<double> change) {
    const double curvature = dot(step, change);
    const double length = dot(change, change);
    if (!(curvature > std::numeric_limits<double>::epsilon() * length)) return;
    pairs_.push_back({std::move(step), std::move(change), 1 / curvature});
    if (pairs_.size() > memory_) pairs_.pop_front();
    scale_ = curvature / length;
  }

  /// -H gradient.
  [[nodiscard]] std::vector<double> direction(std::span<const double> gradient) const {
    std::vector<double> result(gradient.begin(), gradient.end());
    std::vector<double> weights(pairs_.size());
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      weights[k] = pairs_[k].inverse * dot(pairs_[k].step, result);
      for (std::size_t i = 0; i < result.size(); ++i) result[i] -= weights[k] * pairs_[k].change[i];
    }
    const double scale = pairs_.empty() ? 1 : scale_;
    for (double& value : result) value *= scale;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const double correction = weights[k] - pairs_[k].inverse * dot(pairs_[k].change, result);
      for (std::size_t i = 0; i < result.size(); ++i) result[i] += correction * pairs_[k].step[i];
    }
    for (double& value : result) value = -value;
    return result;
  }

 private:
  struct Pair {
    std::vector<double> step;
    std::vector<double> change;  // of the gradient
    double inverse;              // 1 / (step . change)
  };
  std::size_t memory_;
  std::deque<Pair> pairs_;
  double scale_ = 1;
};

}  // namespace lbfgs_detail

/// `evaluate(point, gradient)` returns the value at `point` and fills `gradient`; both are spans of n values. `x` holds
/// the start and, afterwards, the best point found.
template <class Function>
[[nodiscard]] LbfgsResult minimize(Function&& evaluate, std::vector<double>& x, const LbfgsOptions& options) {
  using namespace lbfgs_detail;
  LbfgsResult result;
  Curvature curvature(options.memory);
  std::vector<double> gradient(x.size()), trial(x.size()), trial_gradient(x.size());
  double value = evaluate(std::span<const double>(x), std::span<double>(gradient));
  result.evaluations = 1;
  result.history.push_back(value);
  if (largest_magnitude(gradient) <= options.gradient_limit) result.converged = true;
  while (!result.converged && result.iterations < options.max_iterations) {
    std::vector<double> direction = curvature.direction(gradient);
    const double slope = dot(direction, gradient);
    double trial_value = std::numeric_limits<double>::infinity();
    if (slope < 0) {
      const double first_step = curvature.empty() ? std::min(1.0, 1 / std::sqrt(dot(direction, direction))) : 1.0;
      LineSearch line(value, slope, first_step);
      for (std::size_t count = 0; count < options.line_evaluations && !line.finished(); ++count) {
        for (std::size_t i = 0; i < x.size(); ++i) trial[i] = x[i] + line.step() * direction[i];
        trial_value = evaluate(std::span<const double>(trial), std::span<double>(trial_gradient));
        ++result.evaluations;
        line.tell(trial_value, dot(trial_gradient, direction));
      }
    }
    if (!(trial_value < value)) {
      if (curvature.empty()) break;  // not even downhill: as low as rounding allows
      curvature.forget();
      continue;
    }
    ++result.iterations;
    result.history.push_back(trial_value);
    if (options.progress) options.progress(result.iterations, trial_value);
    const double decrease = value - trial_value;
    result.converged =
        decrease <= options.relative_decrease * std::max({std::fabs(value), std::fabs(trial_value), 1.0}) ||
        largest_magnitude(trial_gradient) <= options.gradient_limit;
    std::vector<double> step(x.size()), change(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      step[i] = trial[i] - x[i];
      change[i] = trial_gradient[i] - gradient[i];
    }
    curvature.remember(std::move(step), std::move(change));
    x.swap(trial);
    gradient.swap(trial_gradient);
    value = trial_value;
  }
  return result;
}

}  // namespace diffeo::numerics
