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

#include "cli/interruption.hpp"
#include "cli/network_maker.hpp"
#include "cli/progress_line.hpp"
#include "cli/training_arguments.hpp"
#include "cli/typed_command.hpp"
#include "cli/verb.hpp"
#include "diffeo/error.hpp"
#include "diffeo/evaluation.hpp"

namespace diffeo::cli {
namespace {

struct EvaluateOptions {
  std::string archive;
  std::string results;
  EvaluationPlan plan;
  TrainingArguments arguments;
  std::size_t jobs = 1;
  bool quiet = false;
  bool json = false;
  std::string command;  // as it was typed
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
  std::cout << document.dump() << '\n';
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

std::string progress_text(const EvaluationProgress& progress) {
  return message(progress.done, "/", progress.total, " done, ", duration_text(progress.seconds_left),
                 " left; last: ", progress.result.item.dataset, ", ", progress.result.item.method,
                 progress.result.error.empty() ? "" : ", failed: " + progress.result.error);
}

/// Everything that is missing; an interruption is a failure that says how to go on.
void work_off(const std::vector<WorkItem>& items, const Archive& archive, ResultStore& store,
              const EvaluateOptions& options) {
  const Interruption interruption;
  EvaluationControl control;
  const bool needs_network = std::ranges::any_of(items, [](const WorkItem& item) { return has_network(item.method); });
  if (needs_network) control.make_network = network_maker();
  control.jobs = options.jobs;
  control.threads = options.jobs > 1 ? 1 : options.arguments.threads;
  control.stop = [&] { return interruption.requested(); };
  bool is_done = false;
  {
    ProgressLine line(options.quiet);
    control.callback = [&](const EvaluationProgress& progress) { line.show(progress_text(progress)); };
    is_done = evaluate(items, archive, store, control);
  }
  if (!is_done) {
    const auto done = std::ranges::count_if(items, [&](const WorkItem& item) { return store.contains(item); });
    throw std::runtime_error(
        message("interrupted with ", done, " of ", items.size(), " results; go on with: ", options.command));
  }
}

void report_failures(const std::vector<WorkItem>& items, const ResultStore& store) {
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
  const Archive archive(options.archive);
  const std::vector<WorkItem> items = work_items(archive, options.plan);
  ResultStore store(options.results);
  work_off(items, archive, store, options);
  const std::map<std::string, MethodSummary> by_method = summaries(items, store);
  options.json ? print_json(options, by_method) : print_table(options, by_method);
  report_failures(items, store);
}

void add_plan_options(CLI::App& verb, EvaluateOptions& options) {
  EvaluationPlan& plan = options.plan;
  verb.add_option("--datasets", plan.datasets, "Data sets by name; all if not given")
      ->delimiter(',')
      ->type_name("A,B,...");
  verb.add_option("--methods", plan.methods,
                  "Methods: euclidean, dba, soft-dtw, dtan, resnet-tw, diffeo; all if not given")
      ->delimiter(',')
      ->check(CLI::IsMember(evaluation_methods()).description(""))
      ->type_name("A,B,...");
  verb.add_option("--seeds", plan.seeds, "Seeds of methods with a network; 0 if not given")
      ->delimiter(',')
      ->type_name("S,S,...");
  verb.add_option("--cv", plan.folds, "Cross-validate with N folds inside the training sets; no test file is read")
      ->check(CLI::Range(2, 1'000'000).description(""))
      ->type_name("N");
  verb.add_option("--jobs", options.jobs, "Pieces of work at a time, each on one thread where there are several")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace

void add_evaluate(CLI::App& program, Action& action, const std::string& command) {
  CLI::App* verb = program.add_subcommand("evaluate", "Classify the data sets of an archive with several methods");
  verb->group("Verbs");
  const auto options = std::make_shared<EvaluateOptions>();
  options->command = command;
  verb->add_option("archive", options->archive, "A folder of NAME/NAME_TRAIN and NAME/NAME_TEST, .tsv, .ts or .arff")
      ->required()
      ->type_name("ARCHIVE");
  verb->add_option("--results", options->results, "A folder: every result is a line of its results.jsonl")
      ->required()
      ->type_name("DIR");
  add_plan_options(*verb, *options);
  verb->add_flag("--quiet", options->quiet, "No progress on stderr");
  verb->add_flag("--json", options->json, "Print the summary as JSON");
  add_training_options(*verb, options->arguments);
  verb->footer(
      "Started again, it does what has no result yet. The preset and the options after it are those of the method "
      "diffeo.");
  verb->callback([options, &action] {
    options->arguments.resolve();
    options->plan.options = options->arguments.options;
    action = [options] { evaluate_archive(*options); };
  });
}

}  // namespace diffeo::cli
