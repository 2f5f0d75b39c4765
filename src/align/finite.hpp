// Whether numbers are numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace diffeo {

[[nodiscard]] inline bool all_finite(std::span<const double> values) noexcept {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

}  // namespace diffeo
