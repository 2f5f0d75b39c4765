// The velocity field whose flow comes closest to given positions: a path found on a grid becomes a smooth warp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "align/criterion.hpp"
#include "diffeo/align_options.hpp"

namespace diffeo {

/// Minimizes sum_j weight_j (phi(x_j) - position_j)^2 / sum_j weight_j plus a little of the prior; `paths` are
/// (cases, points), x_j equally spaced. Returns (cases, cells + 1) velocities.
[[nodiscard]] Matrix velocities_of_paths(const Matrix& paths, std::span<const double> weights,
                                         const AlignOptions& options);

}  // namespace diffeo
