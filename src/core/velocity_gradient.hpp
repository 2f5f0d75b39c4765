// From the sums over the points of a field to the gradient by its velocities. (docs/math.md, 4.3)
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/careful_point.hpp"
#include "core/kernels/kernel_set.hpp"

namespace diffeo {

/// Lets what crosses whole cells act on their vertices: sums up the difference arrays, from left to right.
/// `sensitivity(cell)` is crossing_sensitivity, asked for only where somebody crosses.
template <class Sensitivity>
DIFFEO_HOST_DEVICE inline void add_crossed_cells(std::size_t cells, kernels::GradientSums& sums,
                                                 const Sensitivity& sensitivity) noexcept {
  double arrival = 0;
  double remainder = 0;
  std::int64_t crossers = 0;
  for (std::size_t c = 0; c < cells; ++c) {
    const double sum = arrival + sums.whole[c];
    const double added = sum - arrival;
    remainder += (arrival - (sum - added)) + (sums.whole[c] - added) + sums.whole_remainder[c];
    arrival = sum;
    crossers += sums.crossers[c];
    if (crossers == 0) {  // nobody crosses: nothing but rounding is left, and the sensitivity may be infinite
      arrival = remainder = 0;
      continue;
    }
    const CrossingSensitivity of_cell = sensitivity(c);
    sums.velocity[c] += (arrival + remainder) * of_cell.left;
    sums.velocity[c + 1] += (arrival + remainder) * of_cell.right;
  }
}

}  // namespace diffeo
