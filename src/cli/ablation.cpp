// diffeo ablation: what each part of the method is worth, over an archive of data sets.
#include "diffeo/ablation.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/experiment_arguments.hpp"
#include "cli/verb.hpp"
#include "diffeo/error.hpp"

namespace diffeo::cli {
namespace {

constexpr std::size_t kShortestNames = 12;  // of the usual studies

struct AblationOptions {
  ExperimentArguments experiment;
  AblationPlan plan;
  std::vector<std::string> vary;
};

void print_studies(const AblationPlan& plan, const AblationOutcome& outcome) {
  std::ostringstream table;
  std::size_t longest = 0;
  for (const AblationResult& study : outcome.studies) longest = std::max(longest, study.name.size());
  const int names = static_cast<int>(std::max<std::size_t>(longest, kShortestNames)) + 1;
  table << std::left << std::setw(names) << "study" << std::setw(31) << "value"
        << "sets  mean " << (plan.folds > 0 ? "cv" : "test") << " accuracy  mean seconds of training\n";
  for (const AblationResult& study : outcome.studies) {
    for (const AblationValue& each : study.values) {
      table << std::left << std::setw(names) << study.name << std::setw(31) << each.change.value << std::right
            << std::setw(4) << each.scores.size() << std::fixed;
      if (each.mean_accuracy) {
        table << std::setprecision(4) << std::setw(plan.folds > 0 ? 18 : 20) << *each.mean_accuracy
              << std::setprecision(1) << std::setw(26) << *each.mean_seconds;
      }
      table << '\n';
    }
  }
  std::cout << table.str();
}

void study(const AblationOptions& options) {
  const Archive archive(options.experiment.archive);
  ResultStore store(options.experiment.results);
  std::optional<AblationOutcome> outcome;
  {
    ExperimentRun run("ablation", options.experiment, store, true);
    outcome = study_ablation(options.plan, archive, store, run.control());
    if (!outcome) run.fail_as_interrupted();
  }
  const std::string document = ablation_json(options.plan, *outcome);
  write_document(store, "ablation.json", document);
  options.experiment.json ? void(std::cout << document) : print_studies(options.plan, *outcome);
  report_failures("ablation", outcome->failures, store);
}

void resolve(AblationOptions& options) {
  options.experiment.training.resolve();
  AblationPlan& plan = options.plan;
  plan.options = options.experiment.training.options;
  plan.datasets = options.experiment.datasets;
  plan.studies = usual_studies(plan.options);
  try {
    if (!options.vary.empty()) plan.studies.clear();
    for (const std::string& each : options.vary) plan.studies.push_back(study_of(factor_of(each)));
    for (const AblationStudy& each : plan.studies) {
      for (const AblationChange& change : each.changes) (void)with_setting(plan.options, change.setting);
    }
  } catch (const std::invalid_argument& problem) {
    throw CLI::ValidationError(message("--vary: ", problem.what()));
  }
}

}  // namespace

void add_ablation(CLI::App& program, Action& action, const std::string& command) {
  CLI::App* verb = program.add_subcommand("ablation", "Change one thing at a time: accuracy and time over an archive");
  verb->group("Verbs");
  const auto options = std::make_shared<AblationOptions>();
  options->experiment.command = command;
  add_experiment_options(*verb, options->experiment);
  verb->add_option("--vary", options->vary,
                   "A hyper-parameter and its values; several times for several. Lists are divided by semicolons. If "
                   "not given: cells, loss, layers, method, composition and prior")
      ->type_name("NAME=A,B,...")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_seeds(*verb, options->plan.seeds, "Seeds, whose results are averaged; 0 if not given");
  add_folds(*verb, options->plan.folds, "Cross-validate with N folds inside the training sets; no test file is read");
  add_experiment_training(*verb, options->experiment);
  verb->footer(
      "The options below are the setting around which one thing at a time is changed. The figures are kept in "
      "DIR/ablation.json. Started again, it does what has no result yet.");
  verb->callback([options, &action] {
    resolve(*options);
    action = [options] { study(*options); };
  });
}

}  // namespace diffeo::cli
