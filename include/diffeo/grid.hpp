// Chooses hyperparameters for every data set of an archive, without using its test set.
//
//   GridPlan plan;                                                     // the paper's 96 settings
//   ResultStore store("results");
//   std::optional<GridOutcome> outcome = search_grid(plan, archive, store, control);
//
// Every setting (diffeo/settings_grid.hpp) is cross-validated inside the training set. The setting that predicts most
// cases correctly is trained on the whole training set, and only this one predicts the test set. Every fit is an
// ordinary work item in the store (diffeo/evaluation.hpp), so a search can be resumed.
//
// With several rungs (successive halving) all settings first get a fraction of the training, epochs and least steps.
// For each data set, the best third continues with three times as much, up to the full training. R rungs begin with
// 3^(1 - R) of it: with 96 settings and four rungs, 96 are trained for 1/27, 32 for 1/9, 11 for 1/3 and 4 in full. All
// rungs but the last, which decides, hold out only one fold. With three folds that is the full training of 24 networks
// per data set, the test included, instead of 289 for all settings.
//
// With `oracle`, every setting also predicts the test set, and the best is reported separately: the accuracy that
// choosing on test data would have claimed. With several rungs this covers only the settings of the last rung, because
// halving avoids training all of them in full. It is not a result of the method.
//
//   * among equally good settings, the first in the grid is chosen. Which of them reach the next rung is drawn by lot,
//     separately for every data set and seed: after brief training on few cases many are equal, and their order would
//     favor a corner of the grid
//   * classes of one or two cases: see diffeo/evaluation.hpp
//   * failed settings are not chosen. A data set on which all settings fail has an error, and the others continue
//   * std::invalid_argument for anything that settings_grid and work_items refuse, and for zero rungs
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diffeo/evaluation.hpp"
#include "diffeo/settings_grid.hpp"

namespace diffeo {

struct GridPlan {
  std::vector<std::string> datasets = {};  ///< empty: all of the archive
  TrainingOptions options = {};            ///< the options that the settings modify
  std::vector<Factor> factors = paper_grid();
  std::uint64_t seed = 0;
  std::size_t folds = 3;
  std::size_t rungs = 1;
  bool oracle = false;
};

struct OracleChoice {
  Setting setting;
  double test_accuracy = 0.0;
  std::size_t settings = 0;  ///< number of settings compared
};

struct GridChoice {
  std::string dataset;
  Setting setting = {};  ///< empty if all failed
  std::optional<double> cv_accuracy = std::nullopt;
  std::optional<double> train_accuracy = std::nullopt;
  std::optional<double> test_accuracy = std::nullopt;
  std::string error = {};
  std::optional<OracleChoice> oracle = std::nullopt;
};

struct GridOutcome {
  std::vector<GridChoice> choices;  ///< data set by data set
  std::size_t failures = 0;         ///< number of failed work items
};

/// Receives the next stage: "rung 2 of 4".
using GridStage = std::function<void(const std::string& stage)>;

/// Empty if it was stopped.
[[nodiscard]] std::optional<GridOutcome> search_grid(const GridPlan& plan, const Archive& archive, ResultStore& store,
                                                     const EvaluationControl& control, const GridStage& begins = {});

/// A part of a search and its cost: in seconds of one process if the given results include diffeo's, otherwise
/// relative to the other parts. Rungs after the first assume the grid's mean cost.
struct GridStageCost {
  std::string name;
  std::size_t items = 0;
  double seconds = 0.0;
};
[[nodiscard]] std::vector<GridStageCost> expected_stages(const GridPlan& plan, const Archive& archive,
                                                         const std::vector<EvaluationResult>& results);

/// The fraction of the training in every rung.
[[nodiscard]] std::vector<double> rung_shares(std::size_t rungs);

/// How often each value of a factor is in the chosen settings.
struct ValueWins {
  std::string value;
  std::size_t wins = 0;
};
[[nodiscard]] std::vector<ValueWins> winning_values(const Factor& factor, const std::vector<Setting>& chosen);

/// The outcome as one JSON document, the content of DIR/grid.json: {"factors", "folds", "seed", "rungs", "datasets":
/// [{"dataset", "setting", "cv_accuracy", "train_accuracy", "test_accuracy", "error", "oracle"}], "mean_test_accuracy",
/// "winning_frequency": [{"name", "values": [{"value", "wins", "share"}]}], "oracle": {...}}. The same outcome gives
/// the same bytes.
[[nodiscard]] std::string grid_json(const GridPlan& plan, const GridOutcome& outcome);

}  // namespace diffeo
