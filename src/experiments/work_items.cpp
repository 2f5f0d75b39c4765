// What there is to do.
#include <algorithm>
#include <stdexcept>

#include "diffeo/error.hpp"
#include "diffeo/evaluation.hpp"
#include "experiments/work_cost.hpp"

namespace diffeo {
namespace {

using Options = std::map<std::string, std::string>;

Options options_of(const std::string& method, const EvaluationPlan& plan) {
  if (has_network(method)) return option_texts(method_options(plan, method));
  if (method == "euclidean") return {};
  if (method == "dba") return {{"distance", "dtw"}};
  return {{"distance", "dtw"}, {"gamma", "best of 1, 0.1, 0.01 on the training set"}};
}

void check(const Archive& archive, const EvaluationPlan& plan) {
  for (const std::string& name : plan.datasets) {
    require(archive.contains(name), "datasets: expected names of folders in the archive, got ", name);
  }
  for (const std::string& method : plan.methods) {
    require(std::ranges::find(evaluation_methods(), method) != evaluation_methods().end(),
            "methods: expected some of euclidean, dba, soft-dtw, dtan, resnet-tw and diffeo, got ", method);
  }
  require(plan.folds != 1, "folds: expected at least 2, or 0 for none, got 1");
}

}  // namespace

const std::vector<std::string>& evaluation_methods() {
  static const std::vector<std::string> names = {"euclidean", "dba", "soft-dtw", "dtan", "resnet-tw", "diffeo"};
  return names;
}

bool has_network(std::string_view method) { return method == "dtan" || method == "resnet-tw" || method == "diffeo"; }

TrainingOptions method_options(const EvaluationPlan& plan, std::string_view method) {
  TrainingOptions options = method == "diffeo" ? plan.options : preset(method);
  for (const auto& [name, text] : plan.given) set_hyperparameter(options, name, text);
  try {
    check_training_options(options);
  } catch (const std::invalid_argument& problem) {
    throw std::invalid_argument(message(problem.what(), " (with the method ", method, ")"));
  }
  return options;
}

std::map<std::string, std::string> option_texts(const TrainingOptions& options) {
  Options text;
  for (const Hyperparameter& each : hyperparameters()) text.emplace(each.name, hyperparameter_text(options, each));
  return text;
}

std::vector<WorkItem> work_items(const Archive& archive, const EvaluationPlan& plan) {
  check(archive, plan);
  std::vector<WorkItem> items;
  for (const std::string& dataset : plan.datasets.empty() ? archive.names() : plan.datasets) {
    for (const std::string& method : plan.methods) {
      const WorkItem item = {dataset, method, options_of(method, plan), std::nullopt, plan.folds};
      if (!has_network(method)) items.push_back(item);
      for (const std::uint64_t seed : has_network(method) ? plan.seeds : std::vector<std::uint64_t>()) {
        items.push_back(item);
        items.back().seed = seed;
      }
    }
  }
  return items;
}

TrainingOptions training_options(const WorkItem& item) {
  TrainingOptions options;
  for (const auto& [name, text] : item.options) set_hyperparameter(options, name, text);
  return options;
}

}  // namespace diffeo
