// Options of alignment from Python, and a solver that Ctrl-C and exceptions in callbacks can stop.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "diffeo/align_options.hpp"
#include "diffeo/error.hpp"

namespace diffeo::python {

using Progress = std::function<bool(std::size_t cells, double smoothing, double cost)>;

/// None means from the data.
[[nodiscard]] inline AlignOptions make_options(const std::string& criterion, std::size_t cells, bool zero_boundary,
                                               std::optional<double> prior_weight, std::optional<double> length_scale,
                                               std::optional<double> smoothing, double own_time, std::size_t length,
                                               std::size_t max_iterations, double tolerance, std::size_t threads,
                                               Progress progress) {
  require(!prior_weight || *prior_weight != 0.0, "prior_weight: expected a positive number, got 0");
  require(!length_scale || *length_scale != 0.0, "length_scale: expected a positive number, got 0");
  AlignOptions options{.criterion = align_criterion(criterion),
                       .cells = cells,
                       .zero_boundary = zero_boundary,
                       .prior_weight = prior_weight.value_or(0.0),
                       .length_scale = length_scale.value_or(0.0),
                       .smoothing = smoothing,
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
