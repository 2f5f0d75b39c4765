// diffeo study: the paper's numerical studies, on this machine. Python does them (python/diffeo/experiments), and says
// which options there are.
#include "cli/experiments_command.hpp"
#include "cli/verb.hpp"

namespace diffeo::cli {

void add_study(CLI::App& program, Action& action) {
  CLI::App* verb = program.add_subcommand("study", "Measure what other ways to flow lose and cost");
  verb->group("Verbs");
  verb->set_help_flag();
  verb->prefix_command();
  verb->callback([verb, &action] {
    std::vector<std::string> arguments = verb->remaining();
    arguments.insert(arguments.begin(), "study");
    action = [arguments] { run_experiments(arguments); };
  });
}

}  // namespace diffeo::cli
