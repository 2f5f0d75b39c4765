// What each part of a method is worth: one thing changed at a time around one setting.
//
//   AblationPlan plan;                                     // the usual changes around the default options
//   ResultStore store("results");
//   std::optional<AblationOutcome> outcome = study_ablation(plan, archive, store, control);
//
// A change has a value for people and the hyper-parameters that it sets: composing layers or resampling after each
// shows with several layers only, so both of these also set their number.
//
//   * accuracies are those of test sets, which describes and chooses nothing; with `folds`, those of cross-validations
//     inside the training sets, and no test file is read
//   * every fit is an ordinary piece of work in the store (diffeo/evaluation.hpp); the setting itself, which is a value
//     of most studies, is done once
//   * the means of a study's values are over the data sets on which none of its values failed, so that they compare
//     like with like; over the seeds first
//   * seconds are those of training, processor time of all threads; for results that do not have it, of training and
//     testing together
//   * std::invalid_argument for what settings_grid and work_items refuse
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diffeo/evaluation.hpp"
#include "diffeo/settings_grid.hpp"

namespace diffeo {

struct AblationChange {
  std::string value;
  Setting setting;
};

struct AblationStudy {
  std::string name;
  std::vector<AblationChange> changes;
};

/// Cells 4 to 256; the loss; layers; composed or resampled; exact, scaling and squaring, numeric; the prior on or off.
[[nodiscard]] std::vector<AblationStudy> usual_studies(const TrainingOptions& options);
/// A study of one hyper-parameter.
[[nodiscard]] AblationStudy study_of(const Factor& factor);

struct AblationPlan {
  std::vector<std::string> datasets = {};  ///< empty means all of the archive
  TrainingOptions options = {};            ///< what the changes are made to
  std::vector<AblationStudy> studies = usual_studies({});
  std::vector<std::uint64_t> seeds = {0};
  std::size_t folds = 0;
};

/// A data set's accuracy and seconds, means over the seeds.
struct AblationScore {
  std::string dataset;
  double accuracy = 0.0;
  double seconds = 0.0;
};

struct AblationValue {
  AblationChange change;
  std::vector<AblationScore> scores = {};  ///< of the data sets on which no value of the study failed
  std::size_t failures = 0;                ///< pieces of work
  std::optional<double> mean_accuracy = std::nullopt;
  std::optional<double> mean_seconds = std::nullopt;
};

struct AblationResult {
  std::string name;
  std::vector<AblationValue> values;
};

struct AblationOutcome {
  std::vector<AblationResult> studies;
  std::size_t failures = 0;  ///< pieces of work, each counted once
};

/// Nothing where it was stopped.
[[nodiscard]] std::optional<AblationOutcome> study_ablation(const AblationPlan& plan, const Archive& archive,
                                                            ResultStore& store, const EvaluationControl& control);

/// The whole as one JSON document, as DIR/ablation.json has it: {"accuracy": "test" or "cv", "options", "seeds",
/// "studies": [{"name", "values": [{"value", "setting", "mean_accuracy", "mean_seconds", "failures", "datasets":
/// [{"dataset", "accuracy", "seconds"}]}]}]}. The same outcome gives the same bytes.
[[nodiscard]] std::string ablation_json(const AblationPlan& plan, const AblationOutcome& outcome);

}  // namespace diffeo
