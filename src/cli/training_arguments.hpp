// The options of a temporal aligner on the command line, made from the table of hyper-parameters
// (diffeo/training_options.hpp): --learning-rate for learning_rate, and so on.
//
//   TrainingArguments training;
//   add_training_options(*verb, training);
//   verb->callback([&] { training.resolve(); ... });
//
//   * --preset chooses what the other options start from; those given override it, wherever they stand
//   * values are read by set_hyperparameter, and its sentences are the verb's
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <map>
#include <string>

#include "diffeo/training_options.hpp"

namespace diffeo::cli {

struct TrainingArguments {
  std::string preset = "default";
  std::map<std::string, std::string> given = {};  ///< by the names of the table, as typed
  std::size_t threads = 0;                        ///< 0 means all cores
  TrainingOptions options = {};                   ///< after resolve

  /// CLI::ValidationError for a preset or a value that the library refuses, and for values that contradict each other.
  void resolve();
};

/// `arguments` must outlive the parsing.
void add_training_options(CLI::App& verb, TrainingArguments& arguments);

}  // namespace diffeo::cli
