// The networks of a temporal aligner trained beside each other, with checkpoints.
//
// Every member is a piece of work of its own: it depends on the task and its number alone, runs on one worker, and has
// a checkpoint file of its own, CHECKPOINT/member-N.safetensors. What a fit before has left there is removed before any
// of them trains, unless it is to go on. The calling thread only watches: it hands on progress, asks whether to stop,
// and gathers what came out.
//
// In a group all processes train one member after the other, together. The first process alone keeps checkpoints, and
// tells the others what one holds; where it cannot write one, all end. Whoever is asked to stop, all stop after the
// same step.
#pragma once

#include <memory>
#include <vector>

#include "diffeo/torch/temporal_aligner.hpp"
#include "member_training.hpp"

namespace diffeo {

/// What a member is to learn from, and how long.
struct MemberPlan {
  const TrainingTask* task = nullptr;  ///< outlives the fit
  std::int64_t number = 0;             ///< of the member, which decides its loss and its random numbers
  std::vector<std::size_t> items;      ///< cases of the training set
  double effort = 1.0;                 ///< part of the epochs and steps
};

struct TrainedMember {
  std::shared_ptr<TemporalTransformer> network;
  std::vector<EpochRecord> history;
};

/// Throws as TemporalAligner::fit.
[[nodiscard]] std::vector<TrainedMember> fit_members(const std::vector<MemberPlan>& plans, const FitControl& control);

}  // namespace diffeo
