// What the verbs of the command line have in common.
//
// A verb is declared by a function that adds its subcommand, with options, to the program. Parsing only
// stores what was asked for in `Action`; the work starts afterwards, so that mistakes in the arguments (exit
// code 2) and failures of the work (exit code 1) stay apart.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/run.hpp"

namespace diffeo::cli {

using Action = std::function<void()>;

/// One per verb, defined in the file of that name.
void add_align(CLI::App& program, Action& action);
void add_average(CLI::App& program, Action& action);
void add_benchmark(CLI::App& program, Action& action);
void add_classify(CLI::App& program, Action& action);
void add_completion(CLI::App& program, Action& action);
void add_generate(CLI::App& program, Action& action);
void add_info(CLI::App& program, Action& action);
void add_report(CLI::App& program, Action& action);
void add_study(CLI::App& program, Action& action);
void add_transform(CLI::App& program, Action& action);
/// Verbs that can be interrupted also know the command as it was typed, to say how to go on.
void add_ablation(CLI::App& program, Action& action, const std::string& command);
void add_evaluate(CLI::App& program, Action& action, const std::string& command);
void add_fit(CLI::App& program, Action& action, const std::string& command, const Launch& launch);
void add_grid(CLI::App& program, Action& action, const std::string& command);

/// Of all that are declared.
[[nodiscard]] std::vector<std::string> verb_names(const CLI::App& program);

}  // namespace diffeo::cli
