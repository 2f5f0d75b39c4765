#include "diffeo/align_options.hpp"

#include <algorithm>
#include <cmath>

#include "diffeo/error.hpp"

namespace diffeo {

const std::vector<std::string_view>& align_criterion_names() {
  static const std::vector<std::string_view> names{"auto", "values", "slopes", "mixed"};
  return names;
}

AlignCriterion align_criterion(std::string_view name) {
  const std::vector<std::string_view>& names = align_criterion_names();
  const auto found = std::ranges::find(names, name);
  require(found != names.end(), "criterion: expected auto, values, slopes or mixed, got ", name);
  return static_cast<AlignCriterion>(found - names.begin());
}

void require_valid(const AlignOptions& options) {
  const std::size_t fewest = options.zero_boundary ? 2 : 1;
  require(options.cells >= fewest, "cells: expected at least ", fewest, options.zero_boundary ? " with" : " without",
          " zero_boundary, got ", options.cells);
  require(std::isfinite(options.prior_weight) && options.prior_weight >= 0.0,
          "prior_weight: expected a positive number, or 0 for one from the data, got ", options.prior_weight);
  require(std::isfinite(options.length_scale) && options.length_scale >= 0.0,
          "length_scale: expected a positive number, or 0 for one from the data, got ", options.length_scale);
  require(!options.smoothing || (*options.smoothing >= 0.0 && *options.smoothing <= 0.5),
          "smoothing: expected 0 to 0.5, got ", options.smoothing.value_or(0.0));
  require(options.own_time >= 0.0 && options.own_time <= 1.0, "own_time: expected 0 to 1, got ", options.own_time);
  require(options.max_iterations >= 1, "max_iterations: expected at least 1, got 0");
  require(std::isfinite(options.tolerance) && options.tolerance > 0.0, "tolerance: expected a positive number, got ",
          options.tolerance);
}

}  // namespace diffeo
