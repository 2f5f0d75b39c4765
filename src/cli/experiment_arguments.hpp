// What the verbs that run over an archive of data sets have in common: evaluate, grid and ablation.
//
//   ExperimentArguments arguments;
//   add_experiment_options(*verb, arguments);
//   ...
//   ResultStore store(arguments.results);
//   ExperimentRun run("grid", arguments, store, true);
//   const bool is_done = evaluate(items, archive, store, run.control());
//   if (!is_done) run.fail_as_interrupted();
//
//   * --jobs processes share the work; one process has all the threads of --threads, several have one each
//   * what opening the store cut off is reported on stderr
//   * progress on stderr, Ctrl-C ends after what is being written, and the last line says how to go on
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "cli/interruption.hpp"
#include "cli/progress_line.hpp"
#include "cli/training_arguments.hpp"
#include "diffeo/evaluation.hpp"

namespace diffeo::cli {

struct ExperimentArguments {
  std::string archive;
  std::string results;
  std::vector<std::string> datasets;
  std::size_t jobs = 1;
  bool quiet = false;
  bool json = false;
  TrainingArguments training;
  std::string command;  ///< as it was typed
};

/// The archive, --results, --datasets and --jobs. `arguments` must outlive the parsing.
void add_experiment_options(CLI::App& verb, ExperimentArguments& arguments);
/// --quiet, --json and the hyper-parameters.
void add_experiment_training(CLI::App& verb, ExperimentArguments& arguments);
/// --seeds
void add_seeds(CLI::App& verb, std::vector<std::uint64_t>& seeds, const std::string& help);
/// --cv
void add_folds(CLI::App& verb, std::size_t& folds, const std::string& help);

/// The work of a verb while it goes on: signals are noted, and the progress is shown.
class ExperimentRun {
 public:
  /// std::runtime_error where networks are needed and the program has none.
  ExperimentRun(const std::string& verb, const ExperimentArguments& arguments, const ResultStore& store,
                bool needs_networks);
  ExperimentRun(const ExperimentRun&) = delete;
  ExperimentRun& operator=(const ExperimentRun&) = delete;

  [[nodiscard]] const EvaluationControl& control() const noexcept { return control_; }
  [[nodiscard]] EvaluationControl& control() noexcept { return control_; }
  /// What comes before the numbers on the line.
  void begin_stage(const std::string& stage) { stage_ = stage + ": "; }
  /// std::runtime_error that says how to go on.
  [[noreturn]] void fail_as_interrupted() const;

 private:
  void show(const EvaluationProgress& progress);

  const ExperimentArguments& arguments_;
  const ResultStore& store_;
  Interruption interruption_;
  ProgressLine line_;
  std::string stage_;
  bool is_under_way_ = false;
  EvaluationControl control_;
};

/// DIR/NAME, in place of an earlier one.
void write_document(const ResultStore& store, const std::string& name, const std::string& document);

/// Throws where pieces of work failed: how many, of which verb, and how they are tried again.
void report_failures(const std::string& verb, std::size_t failures, const ResultStore& store);

}  // namespace diffeo::cli
