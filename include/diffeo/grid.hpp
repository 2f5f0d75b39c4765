// Hyper-parameters chosen for every data set of an archive, without looking at its test set.
//
//   GridPlan plan;                                                     // the paper's 96 settings
//   ResultStore store("results");
//   std::optional<GridOutcome> outcome = search_grid(plan, archive, store, control);
//
// Every setting (diffeo/settings_grid.hpp) is cross-validated inside the training set, the one that predicts most cases
// rightly is trained on the whole training set, and that alone predicts the test set. Every fit is an ordinary piece of
// work in the store (diffeo/evaluation.hpp): a search goes on where it was stopped, and several processes share it.
//
// With several rungs (successive halving) all settings first get a fraction of the training, epochs and least steps,
// and the best third of each data set's goes on with three times as much, until it is all of it. R rungs begin with
// 3^(1 - R) of it: with 96 settings and four rungs 96 are trained for 1/27, 32 for 1/9, 11 for 1/3 and 4 in full. All
// rungs but the last, which decides, hold out one fold only. With three folds that is the training of 24 networks in
// full for a data set, the test included, where all settings take 289.
//
// With `oracle`, every setting also predicts the test set, and the best of them is told beside: what choosing on test
// data would have claimed. With several rungs these are the settings that reached the last one: to train all of them in
// full is what halving is to avoid. It is no result of the method.
//
//   * of settings that are equally good, the first of the grid is chosen. Which of them go on to the next rung is drawn
//     by lot, another for every data set and seed: after brief training on few cases many are, and their order would
//     favour a corner of the grid
//   * classes of one or two cases: as diffeo/evaluation.hpp says
//   * settings that fail are not chosen; a data set on which all fail has an error, and the rest goes on
//   * std::invalid_argument for what settings_grid and work_items refuse; for no rungs
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
  std::vector<std::string> datasets = {};  ///< empty means all of the archive
  TrainingOptions options = {};            ///< what the settings change
  std::vector<Factor> factors = paper_grid();
  std::uint64_t seed = 0;
  std::size_t folds = 3;
  std::size_t rungs = 1;
  bool oracle = false;
};

struct OracleChoice {
  Setting setting;
  double test_accuracy = 0.0;
  std::size_t settings = 0;  ///< that it is the best of
};

struct GridChoice {
  std::string dataset;
  Setting setting = {};  ///< empty where all failed
  std::optional<double> cv_accuracy = std::nullopt;
  std::optional<double> train_accuracy = std::nullopt;
  std::optional<double> test_accuracy = std::nullopt;
  std::string error = {};
  std::optional<OracleChoice> oracle = std::nullopt;
};

struct GridOutcome {
  std::vector<GridChoice> choices;  ///< data set by data set
  std::size_t failures = 0;         ///< pieces of work
};

/// Told what comes next: "rung 2 of 4".
using GridStage = std::function<void(const std::string& stage)>;

/// Nothing where it was stopped.
[[nodiscard]] std::optional<GridOutcome> search_grid(const GridPlan& plan, const Archive& archive, ResultStore& store,
                                                     const EvaluationControl& control, const GridStage& begins = {});

/// A part of a search, and what it costs: in seconds of one process where results of diffeo are among those given, else
/// only relative to the others. Of rungs after the first, with settings of the grid's mean cost.
struct GridStageCost {
  std::string name;
  std::size_t items = 0;
  double seconds = 0.0;
};
[[nodiscard]] std::vector<GridStageCost> expected_stages(const GridPlan& plan, const Archive& archive,
                                                         const std::vector<EvaluationResult>& results);

/// How much of the training every rung gives.
[[nodiscard]] std::vector<double> rung_shares(std::size_t rungs);

/// How often each value of a factor is in the settings chosen.
struct ValueWins {
  std::string value;
  std::size_t wins = 0;
};
[[nodiscard]] std::vector<ValueWins> winning_values(const Factor& factor, const std::vector<Setting>& chosen);

/// The whole as one JSON document, as DIR/grid.json has it: {"factors", "folds", "seed", "rungs", "datasets":
/// [{"dataset", "setting", "cv_accuracy", "train_accuracy", "test_accuracy", "error", "oracle"}], "mean_test_accuracy",
/// "winning_frequency": [{"name", "values": [{"value", "wins", "share"}]}], "oracle": {...}}. The same outcome gives
/// the same bytes.
[[nodiscard]] std::string grid_json(const GridPlan& plan, const GridOutcome& outcome);

}  // namespace diffeo
