// An ablation study: changes one option at a time around one setting.
//
//   AblationPlan plan;                                     // the usual changes around the default options
//   ResultStore store("results");
//   std::optional<AblationOutcome> outcome = study_ablation(plan, archive, store, control);
//
// A change has a displayed value and the hyperparameters that it sets. Composing and resampling differ only with
// several layers, so both of these also set the number of layers.
//
//   * accuracies are those of test sets; they are descriptive and select nothing. With `folds`, they are those of
//     cross-validations inside the training sets, and no test file is read
//   * every fit is an ordinary work item in the store (diffeo/evaluation.hpp). The setting itself, which is a value
//     of most studies, is run once
//   * means are taken first over the seeds, then over the data sets on which no value of the study failed, so that all
//     values are compared on the same data sets
//   * seconds are processor time of all threads in training; for results without it, in training and testing together
//   * std::invalid_argument for anything that settings_grid and work_items refuse
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
/// A study of one hyperparameter.
[[nodiscard]] AblationStudy study_of(const Factor& factor);

struct AblationPlan {
  std::vector<std::string> datasets = {};  ///< empty: all of the archive
  TrainingOptions options = {};            ///< the setting that is changed
  std::vector<AblationStudy> studies = usual_studies({});
  std::vector<std::uint64_t> seeds = {0};
  std::size_t folds = 0;
};

/// Accuracy and seconds of a data set, means over the seeds.
struct AblationScore {
  std::string dataset;
  double accuracy = 0.0;
  double seconds = 0.0;
};

struct AblationValue {
  AblationChange change;
  std::vector<AblationScore> scores = {};  ///< on the data sets where no value of the study failed
  std::size_t failures = 0;                ///< number of failed work items
  std::optional<double> mean_accuracy = std::nullopt;
  std::optional<double> mean_seconds = std::nullopt;
};

struct AblationResult {
  std::string name;
  std::vector<AblationValue> values;
};

struct AblationOutcome {
  std::vector<AblationResult> studies;
  std::size_t failures = 0;  ///< number of failed work items, each counted once
};

/// Empty if it was stopped.
[[nodiscard]] std::optional<AblationOutcome> study_ablation(const AblationPlan& plan, const Archive& archive,
                                                            ResultStore& store, const EvaluationControl& control);

/// The outcome as one JSON document, as in DIR/ablation.json: {"accuracy": "test" or "cv", "options", "seeds",
/// "studies": [{"name", "values": [{"value", "setting", "mean_accuracy", "mean_seconds", "failures", "datasets":
/// [{"dataset", "accuracy", "seconds"}]}]}]}. The same outcome gives the same bytes.
[[nodiscard]] std::string ablation_json(const AblationPlan& plan, const AblationOutcome& outcome);

}  // namespace diffeo
