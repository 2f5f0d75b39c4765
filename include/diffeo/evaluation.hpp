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
//   dba, soft-dtw      barycenters, compared by DTW, as in docs/results/baselines.md
//   dtan, resnet-tw    means after the warps of a network, with the presets of these names
//   diffeo             the same with the options of the plan
//
//   * what the store holds already is not done again, failures included; the longest work comes first
//   * every piece of work is fitted to the training file alone. It then predicts the test file; with `folds`, instead,
//     the folds of the training set in turn, each fitted to the others, and no test file is read
//   * the folds are the same for all methods and seeds (diffeo/stratified.hpp, seed 0)
//   * a failure is a result with an error, and the rest goes on; what the store throws ends everything
//   * the same accuracies for any number of jobs, where each has the same number of threads
//   * std::invalid_argument for names of data sets or methods that there are not; for a single fold
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "diffeo/aligner.hpp"
#include "diffeo/archive.hpp"
#include "diffeo/evaluation_result.hpp"
#include "diffeo/result_store.hpp"
#include "diffeo/training_options.hpp"

namespace diffeo {

[[nodiscard]] const std::vector<std::string>& evaluation_methods();
/// Whether a method trains a network, and so depends on options and a seed.
[[nodiscard]] bool has_network(std::string_view method);

struct EvaluationPlan {
  std::vector<std::string> datasets = {};  ///< empty means all of the archive
  std::vector<std::string> methods = evaluation_methods();
  std::vector<std::uint64_t> seeds = {0};  ///< of methods with a network; the others are done once
  std::size_t folds = 0;                   ///< 0 means the test set is predicted
  TrainingOptions options = {};            ///< of the method diffeo
};

/// Data set by data set, in the archive's order.
[[nodiscard]] std::vector<WorkItem> work_items(const Archive& archive, const EvaluationPlan& plan);

/// A network that is to be trained. This layer does not know networks: whoever uses it brings them.
struct NetworkTask {
  TrainingOptions options;
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  std::function<bool()> stop = {};  ///< true makes fit throw
};
using NetworkMaker = std::function<std::shared_ptr<Aligner>(const NetworkTask&)>;

struct EvaluationProgress {
  const EvaluationResult& result;  ///< the latest
  std::size_t done = 0;            ///< in the store before, or since
  std::size_t total = 0;
  double seconds_left = 0.0;  ///< at the rate so far
};

struct EvaluationControl {
  NetworkMaker make_network = {};  ///< asked for methods with a network only
  std::size_t jobs = 1;            ///< pieces of work at a time
  std::size_t threads = 1;         ///< of each; 0 means all the cores the process may use
  /// Asked before every piece of work, by networks also while they train. True ends the evaluation early: what is
  /// interrupted leaves no result.
  std::function<bool()> stop = {};
  std::function<void(const EvaluationProgress&)> callback = {};  ///< one call at a time, from any thread
};

/// Whether everything was done, as opposed to stopped.
bool evaluate(const std::vector<WorkItem>& items, const Archive& archive, ResultStore& store,
              const EvaluationControl& control);

}  // namespace diffeo
