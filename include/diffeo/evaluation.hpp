// How well nearest centroids of aligned series classify, over an archive of data sets: every data set with every method
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
//                      one of 1, 0.1 and 0.01 that predicts most training series
//   dtan, resnet-tw    means after the warps of a network, with the presets of these names
//   diffeo             the same with the options of the plan
//
//   * what the store holds already is not done again, failures included; the longest work comes first
//   * several processes, also on several machines, that are given the same folder share the work: each claims what it
//     does (diffeo/result_store.hpp), and all end when everything has a result
//   * every piece of work is fitted to the training file alone. It then predicts the test file; with `folds`, instead,
//     the folds of the training set in turn, each fitted to the others, and no test file is read
//   * the folds are the same for all methods and seeds (diffeo/stratified.hpp, seed 0). A class of one case is always
//     trained on and never predicted: without it nobody could know the class. Of a class of two, each is predicted by
//     the centroid that the other alone makes
//   * a failure is a result with an error, and the rest goes on; so is work that ended its process twice. What the
//     store throws ends everything
//   * the same accuracies for any number of jobs, where each has the same number of threads
//   * std::invalid_argument for names of data sets or methods that there are not; for a single fold; for options that
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
  std::vector<std::string> datasets = {};  ///< empty means all of the archive
  std::vector<std::string> methods = evaluation_methods();
  std::vector<std::uint64_t> seeds = {0};  ///< of methods with a network; the others are done once
  std::size_t folds = 0;                   ///< 0 means the test set is predicted
  TrainingOptions options = {};            ///< what the method diffeo starts from; the others start from their presets
  std::map<std::string, std::string> given = {};  ///< hyper-parameters of all methods with a network, as typed
};

/// Of a method with a network: what it starts from, and what is given on top. std::invalid_argument for values that
/// contradict each other.
[[nodiscard]] TrainingOptions method_options(const EvaluationPlan& plan, std::string_view method);

/// Options as a work item has them: every hyper-parameter, as typed.
[[nodiscard]] std::map<std::string, std::string> option_texts(const TrainingOptions& options);

/// Data set by data set, in the archive's order.
[[nodiscard]] std::vector<WorkItem> work_items(const Archive& archive, const EvaluationPlan& plan);

/// A network that is to be trained. This layer does not know networks: whoever uses it brings them.
struct NetworkTask {
  TrainingOptions options;
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  std::function<bool()> stop = {};  ///< true makes fit throw
};
using NetworkMaker = std::function<std::shared_ptr<WarpingAligner>(const NetworkTask&)>;

/// What a callback hears before work begins, where there is any, and with every result.
struct EvaluationProgress {
  const EvaluationResult* result = nullptr;  ///< the latest; null before work begins
  std::size_t done = 0;                      ///< in the store before, or since
  std::size_t total = 0;
  /// From the seconds that results of the same methods took; unknown where there are none of any.
  std::optional<double> seconds_left = std::nullopt;
};

struct EvaluationControl {
  NetworkMaker make_network = {};  ///< asked for methods with a network only
  /// Processes. One works in the process that calls; more are its children, made before anything else happens, which
  /// needs a process without other threads. Networks must not have been trained in it with several threads before.
  std::size_t jobs = 1;
  std::size_t threads = 1;  ///< of each; 0 means all the cores the process may use
  /// For what others are working on. False ends the evaluation where they hold all that is left.
  bool wait = true;
  /// Asked before every piece of work, by networks also while they train. True ends the evaluation early: what is
  /// interrupted leaves no result.
  std::function<bool()> stop = {};
  std::function<void(const EvaluationProgress&)> callback = {};  ///< in the process and thread that calls
  /// Keep DIR/pictures/DATASET.json of what the method diffeo does with this seed to test series: series and their
  /// places in a plane, before and after (docs/guide/command_line.md). Of work that is done, not of results that are
  /// there.
  std::optional<std::uint64_t> pictures_of_seed = std::nullopt;
};

/// How long each piece of work takes: in seconds that results of the same methods took, in no particular unit where
/// there are none. Enough to begin with the longest.
[[nodiscard]] std::vector<double> expected_seconds(const std::vector<WorkItem>& items, const Archive& archive,
                                                   const std::vector<EvaluationResult>& results);

/// Whether everything was done, as opposed to stopped or left to others.
bool evaluate(const std::vector<WorkItem>& items, const Archive& archive, ResultStore& store,
              const EvaluationControl& control);

}  // namespace diffeo
