// Equally spaced times from 0 to 1: where series are read and warps are compared.
#pragma once

#include <cstddef>
#include <vector>

namespace diffeo {

/// 0, 1 / (count - 1), ..., 1; a single time is 0.
[[nodiscard]] inline std::vector<double> equally_spaced(std::size_t count) {
  std::vector<double> times(count, 0.0);
  for (std::size_t i = 1; i < count; ++i) times[i] = static_cast<double>(i) / static_cast<double>(count - 1);
  return times;
}

}  // namespace diffeo
