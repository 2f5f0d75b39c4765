// Options of alignment from Python, and a solver that Ctrl-C and exceptions in callbacks can stop.
#pragma once

#include <cstddef>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "diffeo/align_options.hpp"

namespace diffeo::python {

using Progress = std::function<bool(std::size_t cells, double smoothing, double cost)>;

[[nodiscard]] inline AlignOptions make_options(std::size_t cells, bool zero_boundary, double prior_weight,
                                               double length_scale, double own_time, std::size_t length,
                                               std::size_t max_iterations, double tolerance, std::size_t threads,
                                               Progress progress) {
  AlignOptions options{.cells = cells,
                       .zero_boundary = zero_boundary,
                       .prior_weight = prior_weight,
                       .length_scale = length_scale,
                       .own_time = own_time,
                       .length = length,
                       .max_iterations = max_iterations,
                       .tolerance = tolerance,
                       .threads = threads};
  if (progress) {
    options.progress = [progress = std::move(progress)](const AlignStep& step) {
      return progress(step.cells, step.smoothing, step.cost);
    };
  }
  require_valid(options);
  return options;
}

[[nodiscard]] inline AlignOptions with_interrupts(const AlignOptions& options) {
  AlignOptions result = options;
  result.progress = [inner = options.progress](const AlignStep& step) {
    raise_pending_interrupt();
    return !inner || inner(step);
  };
  return result;
}

/// (cells, smoothing, cost) of every step.
[[nodiscard]] inline std::vector<std::tuple<std::size_t, double, double>> history_of(
    const std::vector<AlignStep>& history) {
  std::vector<std::tuple<std::size_t, double, double>> result;
  result.reserve(history.size());
  for (const AlignStep& step : history) result.emplace_back(step.cells, step.smoothing, step.cost);
  return result;
}

}  // namespace diffeo::python
