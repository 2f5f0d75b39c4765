// The globally best warp between two series on a grid, by dynamic programming.
//
// Minimizes  integral of |q(gamma) sqrt(gamma') - target|^2  over increasing, piecewise linear gamma whose pieces have
// slopes a / b with a and b up to six grid steps: coarse, jagged, but never lost in a local minimum. The exact refinement
// starts from there. A gap of the series counts as flat, so that nothing is gained by hiding features of the target in it;
// where the target is missing, nothing is compared.
//
//   * O(points^2) for a fixed set of slopes, memory O(points^2); costs are summed in float
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace diffeo {

struct BestPath {
  std::vector<double> positions;  // gamma at the grid points, 0 to 1
  double cost = 0.0;
};

/// `slopes` and `target` are square-root slopes, (channels, points) each.
[[nodiscard]] BestPath best_path(std::span<const double> slopes, std::span<const double> target, std::size_t channels);

}  // namespace diffeo
