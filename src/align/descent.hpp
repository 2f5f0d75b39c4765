// Levenberg-Marquardt over the warps of a group, for one criterion.
#pragma once

#include <vector>

#include "align/criterion.hpp"
#include "diffeo/align_options.hpp"

namespace diffeo {

enum class Outcome { converged, exhausted, stopped };

/// One descent: when it is done, and the part of the whole search that it takes.
struct Stage {
  double tolerance;  // done when a step lowers the cost by less than this fraction of it
  double begin;      // of 0 to 1
  double share;
};

/// From the state, which has been evaluated, to the nearest minimum. Steps are added to the history and told to
/// options.progress.
[[nodiscard]] Outcome descend(const Criterion& criterion, const Stage& stage, GroupState& state,
                              const AlignOptions& options, std::vector<AlignStep>& history);

}  // namespace diffeo
