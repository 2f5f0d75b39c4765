// Levenberg-Marquardt over the warps of a group of series, at one resolution after the other.
//
// The series are compared with a fixed template, or with the mean of the group as it is warped at the moment. Given the
// template, the warps do not interact, so the Gauss-Newton matrix is one small block per series. With the mean for a
// template that block matrix is an upper bound of the true one (the mean only lowers the cost further), so steps stay
// safe; and because warping all series alike cannot be seen, steps are taken under the constraint that they sum to
// zero:
//   A_i step_i = -(g_i + multiplier),   sum_i step_i = 0.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "diffeo/align_options.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo {

struct GroupSolution {
  Matrix velocities;          // (cases, cells + 1)
  double initial_cost = 0.0;  // mean over the cases, at the finest resolution, of warps that move nothing
  double difference = 0.0;    // the same for the solution, without the penalty
  double penalty = 0.0;
  bool converged = false;
  std::vector<AlignStep> history;
};

/// Aligns the series, all with `channels` channels, to `target` (channels x anything), or to their mean where `target`
/// is null. `length` is the number of grid points at the finest resolution. Options have been checked.
[[nodiscard]] GroupSolution solve_group(std::span<const SeriesView<const double>> series,
                                        const SeriesView<const double>* target, std::size_t length,
                                        const AlignOptions& options);

}  // namespace diffeo
