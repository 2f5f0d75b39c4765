#include "diffeo/warping_window.hpp"

#include <algorithm>
#include <cmath>

#include "diffeo/error.hpp"

namespace diffeo {

std::size_t radius_of(const WarpingWindow& window, std::size_t first_length, std::size_t second_length) {
  require(!window.radius || !window.fraction, "window: expected a radius or a fraction, got both, radius ",
          window.radius.value_or(0), " and fraction ", window.fraction.value_or(0));
  if (window.radius) return *window.radius;
  if (!window.fraction) return std::max(first_length, second_length);
  require(*window.fraction >= 0 && *window.fraction <= 1, "window: expected a fraction in [0, 1], got ",
          *window.fraction);
  return static_cast<std::size_t>(
      std::floor(*window.fraction * static_cast<double>(std::min(first_length, second_length))));
}

}  // namespace diffeo
