// One piece of work, done: a classifier fitted and asked.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "diffeo/alignment_measures.hpp"
#include "diffeo/evaluation.hpp"

namespace diffeo {

struct Measurements {
  std::optional<double> train_accuracy = std::nullopt;
  std::optional<double> cv_accuracy = std::nullopt;
  std::optional<double> test_accuracy = std::nullopt;
  std::optional<double> variance_before = std::nullopt;
  std::optional<double> variance_after = std::nullopt;
  std::optional<AlignmentMeasures> alignment = std::nullopt;
  double training_seconds = 0.0;  ///< processor time of fitting, of all folds
};

/// What is to be done with test series, as recorded and as warped, both equally long. Called where something warps.
using LookAtAligned = std::function<void(const Dataset& before, const Dataset& after)>;

[[nodiscard]] Measurements measurements(const WorkItem& item, const Archive& archive, const EvaluationControl& control,
                                        const LookAtAligned& look = {});

}  // namespace diffeo
