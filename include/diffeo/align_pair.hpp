// Aligns one series to another.
//
//   const PairAlignment pair = align_pair(source, target);
//   // source(pair.warp[j]) corresponds to target at j / (length - 1); pair.aligned holds these values
//
// Criterion and options: diffeo/align_options.hpp. The gradient through the flow is exact, in closed form.
//
//   * source and target: channels x time, the same number of channels, any lengths; NaN means missing and is ignored
//   * the search starts from the globally best path on a grid, so it finds large displacements; `quality` tells whether
//     the result is reliable
//   * warps are strictly increasing, up to rounding; the inverse is exact, not interpolated
//   * O(length * cells^2) per step, memory O(length * cells)
//   * std::invalid_argument for different numbers of channels, infinite values, and series without any value
#pragma once

#include <cstddef>
#include <vector>

#include "diffeo/align_options.hpp"
#include "diffeo/case_quality.hpp"
#include "diffeo/dataset.hpp"

namespace diffeo {

struct PairAlignment {
  std::size_t channels = 0;
  std::size_t length = 0;
  std::vector<double> velocities;  ///< vertex velocities of the warp: cells + 1
  std::vector<double> warp;        ///< phi(j / (length - 1)): positions in the source
  std::vector<double> inverse;     ///< phi^{-1} at the same points: positions in the target
  std::vector<double> aligned;     ///< source o phi: channels x length
  double initial_cost = 0.0;       ///< of the identity
  double cost = 0.0;               ///< of the warp: the sum of the next two
  double difference = 0.0;
  double penalty = 0.0;
  bool converged = false;  ///< false: iterations ran out, or progress returned false
  CaseQuality quality;     ///< its reliability: diffeo/case_quality.hpp
  std::vector<AlignStep> history;
};

[[nodiscard]] PairAlignment align_pair(SeriesView<const double> source, SeriesView<const double> target,
                                       const AlignOptions& options = {});

}  // namespace diffeo
