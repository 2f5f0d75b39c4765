// What there is to do, and how long it may take.
#include <algorithm>
#include <exception>

#include "diffeo/dba.hpp"
#include "diffeo/error.hpp"
#include "diffeo/evaluation.hpp"
#include "experiments/work_cost.hpp"

namespace diffeo {
namespace {

using Options = std::map<std::string, std::string>;

// Time of a value in one iteration of an average, against that of a value in one pass through a network.
constexpr double kDbaPass = 2e-4;
constexpr double kSoftDtwPass = 2e-3;

Options text_of(const TrainingOptions& options) {
  Options text;
  for (const Hyperparameter& each : hyperparameters()) {
    text.emplace(each.name, hyperparameter_text(options, each));
  }
  return text;
}

Options options_of(const std::string& method, const EvaluationPlan& plan) {
  if (has_network(method)) return text_of(method == "diffeo" ? plan.options : preset(method));
  return method == "euclidean" ? Options() : Options{{"distance", "dtw"}};
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
  check_training_options(plan.options);
}

double network_cost(const WorkItem& item, double cases, double length) {
  const TrainingOptions options = training_options(item);
  const double passes = static_cast<double>(options.epochs) * cases;
  const double least = static_cast<double>(options.least_steps * options.batch_size);
  return std::max(passes, least) * length * static_cast<double>(options.members * options.layers);
}

}  // namespace

const std::vector<std::string>& evaluation_methods() {
  static const std::vector<std::string> names = {"euclidean", "dba", "soft-dtw", "dtan", "resnet-tw", "diffeo"};
  return names;
}

bool has_network(std::string_view method) { return method == "dtan" || method == "resnet-tw" || method == "diffeo"; }

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

double work_cost(const WorkItem& item, std::size_t case_count, std::size_t longest) {
  const auto cases = static_cast<double>(case_count);
  const auto length = static_cast<double>(longest);
  const double fits = item.folds > 0 ? static_cast<double>(item.folds) : 1.0;
  if (has_network(item.method)) return fits * network_cost(item, cases, length);
  if (item.method == "euclidean") return fits * cases * length;
  const double pass = item.method == "dba" ? kDbaPass : kSoftDtwPass;
  return fits * cases * length * (1.0 + pass * length * static_cast<double>(DbaOptions().iterations));
}

}  // namespace diffeo
