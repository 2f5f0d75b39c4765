// diffeo grid: hyper-parameters chosen inside the training sets of an archive.
#include "diffeo/grid.hpp"

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
#include "cli/seed.hpp"
#include "cli/verb.hpp"
#include "diffeo/error.hpp"

namespace diffeo::cli {
namespace {

constexpr std::size_t kUsualRungs = 4;

struct GridOptions {
  ExperimentArguments experiment;
  GridPlan plan;
  std::vector<std::string> vary;
  bool halving = false;
  std::optional<std::size_t> rungs;
  bool is_dry_run = false;
};

std::string setting_text(const Setting& setting, const std::vector<Factor>& factors) {
  std::string text;
  for (const Factor& factor : factors) {
    const auto found = setting.find(factor.name);
    if (found != setting.end()) text.append(text.empty() ? "" : ", ").append(factor.name + " " + found->second);
  }
  return text;
}

std::string accuracy_text(const std::optional<double>& accuracy) {
  if (!accuracy) return "-";
  std::ostringstream text;
  text << std::fixed << std::setprecision(4) << *accuracy;
  return text.str();
}

void print_choices(const GridPlan& plan, const GridOutcome& outcome) {
  std::size_t width = 8;
  for (const GridChoice& each : outcome.choices) width = std::max(width, each.dataset.size());
  std::cout << std::left << std::setw(static_cast<int>(width)) << "data set"
            << "  cv      test    " << (plan.oracle ? "chosen on test  " : "") << "setting\n";
  for (const GridChoice& each : outcome.choices) {
    std::cout << std::setw(static_cast<int>(width)) << each.dataset << "  " << std::setw(8)
              << accuracy_text(each.cv_accuracy) << std::setw(8) << accuracy_text(each.test_accuracy);
    if (plan.oracle) {
      std::cout << std::setw(16)
                << accuracy_text(each.oracle ? std::optional(each.oracle->test_accuracy) : std::nullopt);
    }
    std::cout << (each.error.empty() ? setting_text(each.setting, plan.factors) : "failed: " + each.error) << '\n';
  }
}

/// What there is to do, and how long it takes as far as results tell. Nothing is done, and nothing changed.
void print_stages(const GridOptions& options, const Archive& archive) {
  const std::vector<EvaluationResult> results = read_results(options.experiment.results);
  const bool is_measured = std::ranges::any_of(
      results, [](const EvaluationResult& each) { return each.item.method == "diffeo" && each.error.empty(); });
  const std::vector<GridStageCost> stages = expected_stages(options.plan, archive, results);
  double whole = 0.0;
  for (const GridStageCost& each : stages) whole += each.seconds;
  std::ostringstream table;
  table << std::fixed << std::setprecision(1) << "stage         pieces of work  share of time\n";
  for (const GridStageCost& each : stages) {
    table << std::left << std::setw(14) << each.name << std::right << std::setw(14) << each.items << std::setw(13)
          << 100.0 * each.seconds / whole << " %\n";
  }
  const std::size_t jobs = options.experiment.jobs;
  const std::string time = duration_text(whole / static_cast<double>(jobs));
  table << (is_measured ? message("about ", time, " with ", jobs, jobs == 1 ? " job" : " jobs", ", as results in ")
                        : "how long it takes is not known: there are no results of diffeo in ")
        << options.experiment.results << (is_measured ? " tell\n" : "\n");
  std::cout << table.str();
}

void search(const GridOptions& options) {
  const Archive archive(options.experiment.archive);
  if (options.is_dry_run) return print_stages(options, archive);
  ResultStore store(options.experiment.results);
  std::optional<GridOutcome> outcome;
  {
    ExperimentRun run("grid", options.experiment, store, true);
    outcome = search_grid(options.plan, archive, store, run.control(),
                          [&](const std::string& stage) { run.begin_stage(stage); });
    if (!outcome) run.fail_as_interrupted();
  }
  const std::string document = grid_json(options.plan, *outcome);
  write_document(store, "grid.json", document);
  options.experiment.json ? void(std::cout << document) : print_choices(options.plan, *outcome);
  report_failures("grid", outcome->failures, store);
}

void resolve(GridOptions& options) {
  options.experiment.training.resolve();
  GridPlan& plan = options.plan;
  plan.options = options.experiment.training.options;
  plan.datasets = options.experiment.datasets;
  plan.rungs = options.halving || options.rungs ? options.rungs.value_or(kUsualRungs) : 1;
  try {
    if (!options.vary.empty()) plan.factors.clear();
    for (const std::string& each : options.vary) plan.factors.push_back(factor_of(each));
    for (const Setting& setting : settings_grid(plan.factors)) (void)with_setting(plan.options, setting);
  } catch (const std::invalid_argument& problem) {
    throw CLI::ValidationError(message("--vary: ", problem.what()));
  }
}

void add_plan_options(CLI::App& verb, GridOptions& options) {
  verb.add_option(
          "--vary", options.vary,
          "A hyper-parameter and its values; several times for several. Lists are divided by semicolons. If not "
          "given: the paper's 96 settings")
      ->type_name("NAME=A,B,...")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb.add_option("--seed", options.plan.seed, "Of all networks")
      ->check(whole_seed())
      ->type_name("S")
      ->capture_default_str();
  verb.add_option("--cv", options.plan.folds, "Folds of the cross-validation inside the training sets")
      ->check(CLI::Range(2, 1'000'000).description(""))
      ->type_name("N")
      ->capture_default_str();
  verb.add_flag("--halving", options.halving,
                "Successive halving: all settings get a fraction of the training and one fold, the best third of them "
                "three times "
                "as much, and so on; the last few get all of it, and all folds");
  verb.add_option("--rungs", options.rungs,
                  message("Steps of the halving, which this asks for too; ", kUsualRungs, " if not given"))
      ->check(CLI::Range(1, 10).description(""))
      ->type_name("N");
  verb.add_flag(
      "--oracle", options.plan.oracle,
      "Also test every setting, with --halving those that reach the last rung, to show what choosing the best "
      "of them on test data would have claimed; expensive");
  verb.add_flag("--dry-run", options.is_dry_run, "Say what there is to do and how long it takes, and do nothing");
}

}  // namespace

void add_grid(CLI::App& program, Action& action, const std::string& command) {
  CLI::App* verb = program.add_subcommand("grid", "Choose hyper-parameters for the data sets of an archive");
  verb->group("Verbs");
  const auto options = std::make_shared<GridOptions>();
  options->experiment.command = command;
  add_experiment_options(*verb, options->experiment);
  add_plan_options(*verb, *options);
  add_experiment_training(*verb, options->experiment);
  verb->footer(
      "Settings are compared by cross-validation inside the training set; the one chosen is trained on all of it and "
      "predicts the test set. The choices are kept in DIR/grid.json. Started again, it does what has no result yet.");
  verb->callback([options, &action] {
    resolve(*options);
    action = [options] { search(*options); };
  });
}

}  // namespace diffeo::cli
