// One series aligned to another.
//
//   const PairAlignment pair = align_pair(source, target);
//   // source(pair.warp[j]) is what corresponds to target at j / (length - 1); pair.aligned holds these values
//
// What is minimised, and the options: diffeo/align_options.hpp. The gradient is exact, in closed form through the flow.
//
//   * source and target: channels x time, the same number of channels, any lengths; NaN means missing and is ignored
//   * the search starts from the globally best path on a grid, so displacement is no obstacle; `quality` says whether
//     the result can be trusted
//   * warps are strictly increasing where rounding allows it; the inverse is exact, not interpolated
//   * O(length * cells^2) a step, memory O(length * cells)
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
  std::vector<double> velocities;  ///< of the warp at its vertices: cells + 1
  std::vector<double> warp;        ///< phi(j / (length - 1)): positions in the source
  std::vector<double> inverse;     ///< of the warp, there: positions in the target
  std::vector<double> aligned;     ///< source o phi: channels x length
  double initial_cost = 0.0;       ///< of the warp that moves nothing
  double cost = 0.0;               ///< of this one: the sum of the next two
  double difference = 0.0;
  double penalty = 0.0;
  bool converged = false;  ///< false: iterations ran out, or progress asked to stop
  CaseQuality quality;     ///< how far to trust it: diffeo/case_quality.hpp
  std::vector<AlignStep> history;
};

[[nodiscard]] PairAlignment align_pair(SeriesView<const double> source, SeriesView<const double> target,
                                       const AlignOptions& options = {});

}  // namespace diffeo
