// What a series must be to be aligned. Each throws std::invalid_argument with the name given to the series.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "diffeo/dataset.hpp"
#include "diffeo/error.hpp"

namespace diffeo {

inline void require_alignable(const std::string& name, SeriesView<const double> series) {
  const std::span<const double> values = series.values();
  require(std::none_of(values.begin(), values.end(), [](double value) { return std::isinf(value); }), name,
          ": expected finite or missing values, got an infinite one");
  require(std::any_of(values.begin(), values.end(), [](double value) { return !std::isnan(value); }), name,
          ": expected at least one value, got ", values.size(), " missing ones");
}

}  // namespace diffeo
