// Evaluates nearest-centroid classification of aligned series over an archive: every data set with every method
// and every seed.
//
//   EvaluationPlan plan;
//   plan.methods = {"euclidean", "diffeo"};
//   ResultStore store("results");
//   evaluate(work_items(archive, plan), archive, store, control);
//
// Methods:
//   euclidean          class means, compared sample by sample
//   dba, soft-dtw      barycenters, compared by DTW, as in docs/results/baselines.md; the smoothing of soft-DTW is the
//                      one of 1, 0.1 and 0.01 that predicts most training series correctly
//   dtan, resnet-tw    means after the warps of a network, with the presets of these names
//   diffeo             the same with the options of the plan
//
//   * items that the store already has are not run again, including failures; the longest work comes first
//   * with several jobs, each item runs in a process of its own, and the calling process adds its result to the store.
//     The store locks its folder: one evaluation at a time (several machines: diffeo.dask.evaluate)
//   * every item is fitted only to the training file. It then predicts the test file. With `folds` it instead
//     predicts each fold of the training set, fitted to the others, and no test file is read
//   * the folds are the same for all methods and seeds (diffeo/stratified.hpp, seed 0). A class of one case is always
//     trained on and never predicted, because without it the class would be unknown. In a class of two, each case is
//     predicted by the centroid of the other
//   * a failure is a result with an error, and the other items continue. An item whose process is killed, for example
//     out of memory, is tried again once, then it has failed. Exceptions from the store end everything
//   * the accuracies do not depend on the number of jobs if each has the same number of threads
//   * std::invalid_argument for unknown data sets or methods, a single fold, and options that
//     contradict the preset of a method
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diffeo/archive.hpp"
#include "diffeo/evaluation_result.hpp"
#include "diffeo/result_store.hpp"
#include "diffeo/training_options.hpp"
#include "diffeo/warping_aligner.hpp"

namespace diffeo {

[[nodiscard]] const std::vector<std::string>& evaluation_methods();
/// Whether a method trains a network, and so depends on options and a seed.
[[nodiscard]] bool has_network(std::string_view method);

struct EvaluationPlan {
  std::vector<std::string> datasets = {};  ///< empty: all of the archive
  std::vector<std::string> methods = evaluation_methods();
  std::vector<std::uint64_t> seeds = {0};         ///< for methods with a network; the others run once
  std::size_t folds = 0;                          ///< 0: predict the test set
  TrainingOptions options = {};                   ///< for the method diffeo; the others start from their presets
  std::map<std::string, std::string> given = {};  ///< hyperparameters for all methods with a network, as typed
};

/// The options of a method with a network: its preset and the given values. std::invalid_argument for values that
/// contradict each other.
[[nodiscard]] TrainingOptions method_options(const EvaluationPlan& plan, std::string_view method);

/// The options in a work item: every hyperparameter, as typed.
[[nodiscard]] std::map<std::string, std::string> option_texts(const TrainingOptions& options);

/// Data set by data set, in the archive's order.
[[nodiscard]] std::vector<WorkItem> work_items(const Archive& archive, const EvaluationPlan& plan);

/// A network to train. This layer does not depend on networks: its caller supplies them.
struct NetworkTask {
  TrainingOptions options;
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  std::function<bool()> stop = {};  ///< true makes fit throw
};
using NetworkMaker = std::function<std::shared_ptr<WarpingAligner>(const NetworkTask&)>;

/// Passed to the callback before the work begins, if there is any, and with every result.
struct EvaluationProgress {
  const EvaluationResult* result = nullptr;  ///< the latest; null before work begins
  std::size_t done = 0;                      ///< items with a result
  std::size_t total = 0;
  /// Estimated from results of the same methods; empty if there are none.
  std::optional<double> seconds_left = std::nullopt;
};

struct EvaluationControl {
  NetworkMaker make_network = {};  ///< called only for methods with a network
  /// Items at the same time. With 1, the calling process does the work. With more, children do, forked one per item,
  /// which requires a process without other threads that has not trained networks itself.
  std::size_t jobs = 1;
  std::size_t threads = 1;  ///< of each; 0: all cores the process may use
  /// Called before every work item, and by networks during training. True ends the evaluation early; an
  /// interrupted item leaves no result.
  std::function<bool()> stop = {};
  std::function<void(const EvaluationProgress&)> callback = {};  ///< in the calling process and thread
  /// Writes DIR/pictures/DATASET.json for the method diffeo with this seed: some test series and their
  /// positions in an embedding, before and after (docs/guide/command_line.md). Only for newly computed
  /// results.
  std::optional<std::uint64_t> pictures_of_seed = std::nullopt;
};

/// What an item is expected to cost.
struct ExpectedCost {
  double relative = 0.0;                         ///< against other items of the same call: begin with the largest
  std::optional<double> seconds = std::nullopt;  ///< if results, of any method, tell how long work takes here
};
[[nodiscard]] std::vector<ExpectedCost> expected_costs(const std::vector<WorkItem>& items, const Archive& archive,
                                                       const std::vector<EvaluationResult>& results);

/// Returns whether everything is done, rather than stopped.
bool evaluate(const std::vector<WorkItem>& items, const Archive& archive, ResultStore& store,
              const EvaluationControl& control);

}  // namespace diffeo
