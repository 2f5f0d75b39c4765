// diffeo evaluate: nearest-centroid classification over an archive of data sets, into a file of results.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/experiment_arguments.hpp"
#include "cli/verb.hpp"
#include "data/json_text.hpp"
#include "diffeo/error.hpp"
#include "diffeo/evaluation.hpp"

namespace diffeo::cli {
namespace {

struct EvaluateOptions {
  ExperimentArguments experiment;
  EvaluationPlan plan;
  bool pictures = false;
  bool lists = false;
};

/// A method over all data sets and seeds.
struct MethodSummary {
  std::size_t results = 0;
  std::size_t failures = 0;
  std::map<std::string, std::pair<double, std::size_t>> sums = {};  // accuracy and count, by data set

  void add(const EvaluationResult& result) {
    if (!result.error.empty()) {
      ++failures;
      return;
    }
    ++results;
    auto& [sum, count] = sums[result.item.dataset];
    sum += result.item.folds > 0 ? *result.cv_accuracy : *result.test_accuracy;
    ++count;
  }

  /// Over the data sets, of the mean over their seeds.
  [[nodiscard]] double mean() const {
    double total = 0.0;
    for (const auto& [dataset, sum] : sums) total += sum.first / static_cast<double>(sum.second);
    return total / static_cast<double>(sums.size());
  }
};

/// Results of the items asked for, by method.
std::map<std::string, MethodSummary> summaries(const std::vector<WorkItem>& items, const ResultStore& store) {
  const std::set<WorkItem> asked(items.begin(), items.end());
  std::map<std::string, MethodSummary> result;
  for (const EvaluationResult& each : store.results()) {
    if (asked.contains(each.item)) result[each.item.method].add(each);
  }
  return result;
}

void print_json(const EvaluateOptions& options, const std::map<std::string, MethodSummary>& by_method) {
  nlohmann::ordered_json document = {{"accuracy", options.plan.folds > 0 ? "cv" : "test"},
                                     {"methods", nlohmann::ordered_json::array()}};
  for (const std::string& method : options.plan.methods) {
    if (!by_method.contains(method)) continue;
    const MethodSummary& summary = by_method.at(method);
    nlohmann::ordered_json row = {{"method", method}, {"datasets", summary.sums.size()}, {"results", summary.results}};
    row["failures"] = summary.failures;
    row["mean_accuracy"] = summary.results > 0 ? nlohmann::ordered_json(summary.mean()) : nullptr;
    document["methods"].push_back(row);
  }
  std::cout << files::json_line(document) << '\n';
}

void print_table(const EvaluateOptions& options, const std::map<std::string, MethodSummary>& by_method) {
  std::ostringstream table;
  table << std::fixed << std::setprecision(4);
  table << "method      sets  results  failed  mean " << (options.plan.folds > 0 ? "cv" : "test") << " accuracy\n";
  for (const std::string& method : options.plan.methods) {
    if (!by_method.contains(method)) continue;
    const MethodSummary& summary = by_method.at(method);
    table << std::left << std::setw(10) << method << std::right << std::setw(6) << summary.sums.size() << std::setw(9)
          << summary.results << std::setw(8) << summary.failures << "  ";
    if (summary.results > 0) table << summary.mean();
    table << '\n';
  }
  std::cout << table.str();
}

/// Every piece of work as one line, for programs that distribute it. Nothing is done, and nothing changed.
void print_list(const std::vector<WorkItem>& items, const Archive& archive, const std::string& directory) {
  const std::vector<EvaluationResult> results = read_results(directory);
  std::map<WorkItem, const EvaluationResult*> done;
  for (const EvaluationResult& each : results) done.emplace(each.item, &each);
  const std::vector<ExpectedCost> costs = expected_costs(items, archive, results);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (const auto found = done.find(items[i]); found != done.end()) {
      std::cout << to_line(*found->second) << '\n';
      continue;
    }
    auto line = files::parsed_json(to_line(items[i]));
    line["relative_cost"] = costs[i].relative;
    if (costs[i].seconds) line["expected_seconds"] = *costs[i].seconds;
    std::cout << files::json_line(line) << '\n';
  }
}

/// Everything that is missing; an interruption is a failure that says how to go on.
void work_off(const std::vector<WorkItem>& items, const Archive& archive, ResultStore& store,
              const EvaluateOptions& options) {
  const bool needs_networks = std::ranges::any_of(items, [](const WorkItem& item) { return has_network(item.method); });
  ExperimentRun run("evaluate", options.experiment, store, needs_networks);
  if (options.pictures) run.control().pictures_of_seed = options.plan.seeds.front();
  if (evaluate(items, archive, store, run.control())) return;
  const auto done = std::ranges::count_if(items, [&](const WorkItem& item) { return store.contains(item); });
  throw std::runtime_error(
      message("interrupted with ", done, " of ", items.size(), " results; go on with: ", options.experiment.command));
}

void report_failed(const std::vector<WorkItem>& items, const ResultStore& store) {
  const std::set<WorkItem> asked(items.begin(), items.end());
  const auto failed = [&](const EvaluationResult& each) { return !each.error.empty() && asked.contains(each.item); };
  const auto first = std::ranges::find_if(store.results(), failed);
  if (first == store.results().end()) return;
  throw std::runtime_error(message("evaluate: ", std::ranges::count_if(store.results(), failed), " of ", items.size(),
                                   " failed, first ", first->item.dataset, " with ", first->item.method, ": ",
                                   first->error, " (without their lines in ", store.file().string(),
                                   ", they are tried again)"));
}

void evaluate_archive(const EvaluateOptions& options) {
  const Archive archive(options.experiment.archive);
  const std::vector<WorkItem> items = work_items(archive, options.plan);
  if (options.lists) return print_list(items, archive, options.experiment.results);
  ResultStore store(options.experiment.results);
  work_off(items, archive, store, options);
  const std::map<std::string, MethodSummary> by_method = summaries(items, store);
  options.experiment.json ? print_json(options, by_method) : print_table(options, by_method);
  report_failed(items, store);
}

void add_plan_options(CLI::App& verb, EvaluateOptions& options) {
  EvaluationPlan& plan = options.plan;
  verb.add_option("--methods", plan.methods,
                  "Methods: euclidean, dba, soft-dtw, dtan, resnet-tw, diffeo; all if not given")
      ->delimiter(',')
      ->check(CLI::IsMember(evaluation_methods()).description(""))
      ->type_name("A,B,...");
  add_seeds(verb, plan.seeds, "Seeds of methods with a network; 0 if not given");
  add_folds(verb, plan.folds, "Cross-validate with N folds inside the training sets; no test file is read");
  verb.add_flag("--pictures", options.pictures,
                "Keep DIR/pictures/DATASET.json for the page of results: test series before and after diffeo's warps, "
                "for the first seed. Only for newly computed results");
  verb.add_flag("--list", options.lists,
                "Only print every piece of work as a line of JSON: its result, or how long it may take");
}

/// What is typed is meant for every method that has it.
void resolve(EvaluateOptions& options) {
  TrainingArguments& training = options.experiment.training;
  training.resolve();
  options.plan.options = training.options;
  options.plan.given = training.given;
  options.plan.datasets = options.experiment.datasets;
  try {
    for (const std::string& method : options.plan.methods) {
      if (has_network(method)) (void)method_options(options.plan, method);
    }
  } catch (const std::invalid_argument& problem) {
    throw CLI::ValidationError(problem.what());
  }
}

}  // namespace

void add_evaluate(CLI::App& program, Action& action, const std::string& command) {
  CLI::App* verb = program.add_subcommand("evaluate", "Classify the data sets of an archive with several methods");
  verb->group("Verbs");
  const auto options = std::make_shared<EvaluateOptions>();
  options->experiment.command = command;
  add_experiment_options(*verb, options->experiment);
  add_plan_options(*verb, *options);
  add_experiment_training(*verb, options->experiment);
  verb->footer(
      "Started again, it does what has no result yet. The preset is what the method diffeo starts from; dtan and "
      "resnet-tw start from the presets of these names. Options that are given apply on top, to all three.");
  verb->callback([options, &action] {
    resolve(*options);
    action = [options] { evaluate_archive(*options); };
  });
}

}  // namespace diffeo::cli
