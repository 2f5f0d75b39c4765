#include "diffeo/align_options.hpp"

#include <cmath>

#include "diffeo/error.hpp"

namespace diffeo {

void require_valid(const AlignOptions& options) {
  const std::size_t fewest = options.zero_boundary ? 2 : 1;
  require(options.cells >= fewest, "cells: expected at least ", fewest, options.zero_boundary ? " with" : " without",
          " zero_boundary, got ", options.cells);
  require(std::isfinite(options.prior_weight) && options.prior_weight > 0.0,
          "prior_weight: expected a positive number, got ", options.prior_weight);
  require(std::isfinite(options.length_scale) && options.length_scale > 0.0,
          "length_scale: expected a positive number, got ", options.length_scale);
  require(options.own_time >= 0.0 && options.own_time <= 1.0, "own_time: expected 0 to 1, got ", options.own_time);
  require(options.max_iterations >= 1, "max_iterations: expected at least 1, got 0");
  require(std::isfinite(options.tolerance) && options.tolerance > 0.0, "tolerance: expected a positive number, got ",
          options.tolerance);
}

}  // namespace diffeo
