// Common time as the mean of the series' own times.
//
// Warping all series alike changes nothing that a loss can see, so a trained network may put common time anywhere: a
// centroid then shows features at times that no recording has them. Velocities c are taken off those of every series,
// layer by layer, such that the mean of the warps over the training set is the identity at every vertex:
//
//   mean_i phi_i(x_k) = x_k,   phi_i the warp of v_i - c;    c <- c + mean_i phi_i(x_k) - x_k, from c = 0
//
//   * what is left is below kCenteredWithin, or the least that was reached: warps that squeeze most of a series into no
//     time have no such c
//   * in a group the mean is over the series of all processes
#pragma once

#include <vector>

#include "diffeo/matrix.hpp"
#include "diffeo/torch/group.hpp"
#include "diffeo/training_options.hpp"

namespace diffeo {

/// As a fraction of the duration.
inline constexpr double kCenteredWithin = 1e-6;

/// velocities: one per layer, (cases, cells + 1), of the series of this process, horizon included. Gives one (cells + 1)
/// per layer.
[[nodiscard]] std::vector<std::vector<double>> centering_offsets(const std::vector<Matrix>& velocities,
                                                                 const TrainingOptions& options, const Group& group,
                                                                 std::size_t threads);

/// Takes them off every row.
void subtract_offsets(const std::vector<std::vector<double>>& offsets, std::vector<Matrix>& velocities);

}  // namespace diffeo
