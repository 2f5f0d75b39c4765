// What a fit would take, found by beginning it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "diffeo/dataset.hpp"
#include "diffeo/torch/temporal_aligner.hpp"

namespace diffeo::cli {

struct Trial {
  std::size_t aligned_length = 0;
  std::int64_t members = 0;  ///< networks that would be trained, those that choose the shrinkage included
  std::int64_t epochs = 0;
  std::int64_t parameters = 0;     ///< of one network
  bool is_measured = false;        ///< false where not even one epoch was done in time; the times are then too short
  double seconds_per_epoch = 0.0;  ///< of one network, the fastest seen
  double seconds = 0.0;            ///< of all the training
  double memory_bytes = 0.0;       ///< the most that was resident
};

/// Trains until there is something to tell, a few seconds at most; neither the aligner nor any file changes.
/// Errors are those of fit.
[[nodiscard]] Trial trial_fit(const TemporalAligner& aligner, const Dataset& training, std::size_t threads);

}  // namespace diffeo::cli
