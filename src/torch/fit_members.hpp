// The networks of a temporal aligner trained beside each other, with checkpoints.
//
// Every member is a piece of work of its own: it depends on the task and its number alone, runs on one worker, and has
// a checkpoint file of its own, CHECKPOINT/member-N.safetensors. The calling thread only watches: it hands on progress,
// asks whether to stop, and gathers what came out.
#pragma once

#include <memory>
#include <vector>

#include "diffeo/torch/temporal_aligner.hpp"
#include "member_training.hpp"

namespace diffeo {

struct TrainedMember {
  std::shared_ptr<TemporalTransformer> network;
  std::vector<EpochRecord> history;
};

/// items[m]: the cases that member m trains on. Throws as TemporalAligner::fit.
[[nodiscard]] std::vector<TrainedMember> fit_members(const TrainingTask& task,
                                                     const std::vector<std::vector<std::size_t>>& items,
                                                     const FitControl& control);

}  // namespace diffeo
