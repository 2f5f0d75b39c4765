#include "cli/run.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <iostream>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "cli/config_file.hpp"
#include "cli/experiments_command.hpp"
#include "cli/suggestion.hpp"
#include "cli/torch_part.hpp"
#include "cli/typed_command.hpp"
#include "cli/verb.hpp"
#include "data/number_text.hpp"
#include "data/printable.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/torch/group.hpp"
#include "diffeo/version.hpp"
#include "experiments/commit.hpp"

namespace diffeo::cli {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

std::string version_text() {
  return message("diffeo ", version(), " (commit ", commit(), ", ", compiler(), ", ", instruction_set(), ", ",
                 torch_version(), ")");
}

/// One line: what libraries say after it, such as where they were, helps nobody here.
int complain(int exit_code, const std::string& problem) {
  std::cerr << "diffeo: " << files::printable(problem.substr(0, problem.find('\n')), files::kLongestError) << '\n';
  return exit_code;
}

/// The exit code of a run that has said all.
int flushed() {
  errno = 0;
  std::cout.flush();
  if (std::cout) return kDone;
  // Whoever reads our output has seen enough: nothing to complain about, but not all was done.
  return errno == EPIPE ? kFailed : complain(kFailed, "standard output: cannot be written");
}

void declare(CLI::App& program, Action& action, const std::string& command, const Launch& launch) {
  program.description("Exact, fast diffeomorphic time warps for aligning time series");
  program.set_version_flag("--version", version_text(),
                           "Print version, commit, compiler, instruction set in use and torch's version, and exit");
  program.set_help_flag("-h,--help", "Print this help and exit");
  program.require_subcommand(0, 1);
  program.get_formatter()->label("SUBCOMMAND", "VERB");
  add_ablation(program, action, command);
  add_align(program, action);
  add_average(program, action);
  add_benchmark(program, action);
  add_classify(program, action);
  add_completion(program, action);
  add_evaluate(program, action, command);
  add_fit(program, action, command, launch);
  add_generate(program, action);
  add_grid(program, action, command);
  add_info(program, action);
  add_report(program, action);
  add_study(program, action);
  add_transform(program, action);
  program.footer("diffeo VERB --help tells the options of a verb.");
}

std::vector<std::string> option_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The verb the arguments chose, or the program itself.
const CLI::App& chosen(const CLI::App& program) {
  const std::vector<CLI::App*> verbs = program.get_subcommands();
  return verbs.empty() ? program : *verbs.front();
}

/// What is wrong with an argument that nothing expects: a verb or an option that does not exist, or one too
/// many.
std::string unexpected(const CLI::App& program, const std::string& argument) {
  const CLI::App& where = chosen(program);
  const std::string prefix = &where == &program ? "" : where.get_name() + ": ";
  if (argument.starts_with("-")) {
    const std::string name = argument.substr(0, argument.find('='));
    return prefix + "unknown option " + name + suggestion(name, option_names(where));
  }
  if (&where != &program) return prefix + "unexpected argument " + argument;
  const std::string instead = suggestion(argument, verb_names(program));
  return "unknown verb " + argument + (instead.empty() ? "; diffeo --help lists those there are" : instead);
}

bool takes_whole_numbers(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type == "N" || type == "S" || type == "S,S,...";
}

/// Numbers as people write them; CLI11 reads them as C does, 010 as 8.
CLI::Validator decimal_digits() {
  const auto rewrite = [](std::string& text) {
    const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    if (text.empty() || !is_digit(text.front())) return std::string();  // its option says what is wrong with it
    if (!std::ranges::all_of(text, is_digit)) return "expected a whole number, got " + text;
    text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
    return std::string();
  };
  return CLI::Validator(rewrite, "");
}

void read_whole_numbers_as_decimal(CLI::App& program) {
  for (CLI::App* verb : program.get_subcommands([](CLI::App*) { return true; })) {
    for (CLI::Option* option : verb->get_options()) {
      if (takes_whole_numbers(*option)) option->transform(decimal_digits());
    }
  }
}

/// What an option of that type takes, for people.
std::string kind_of(const CLI::Option* option) {
  if (option != nullptr && takes_whole_numbers(*option)) return "a whole number";
  const std::string type = option == nullptr ? "" : option->get_type_name();
  if (type == "X") return "a number";
  return type == "true|false" ? "true or false" : "another value";
}

/// CLI11's sentence about a value, said as all errors are: "--cells: expected a whole number, got three".
std::string in_our_words(const CLI::App& verb, const std::string& text) {
  std::smatch found;
  if (std::regex_match(text, found, std::regex("Could not convert: (.+) = (.*)"))) {
    return found[1].str() + ": expected " + kind_of(verb.get_option_no_throw(found[1].str())) + ", got " +
           found[2].str();
  }
  if (std::regex_match(text, found, std::regex("(.+): Value (.*) not in range (.*)"))) {
    const bool is_number = files::number_in(found[2].str()).has_value();
    const std::string kind = is_number ? "" : kind_of(verb.get_option_no_throw(found[1].str())) + ", ";
    return found[1].str() + ": expected " + kind + found[3].str() + ", got " + found[2].str();
  }
  return text;
}

/// CLI11's own sentence for everything else, on one line.
std::string first_line(const CLI::App& program, std::string_view text) {
  const CLI::App& where = chosen(program);
  const std::string prefix = &where == &program ? "" : where.get_name() + ": ";
  return prefix + in_our_words(where, std::string(text.substr(0, text.find('\n'))));
}

int explain(const CLI::App& program, const CLI::ParseError& problem) {
  if (problem.get_exit_code() == 0) {  // --help and --version
    program.exit(problem);
    return flushed();
  }
  const std::vector<std::string> left = program.remaining(true);
  const bool is_unexpected = dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr && !left.empty();
  return complain(kWrongUsage, is_unexpected ? unexpected(program, left.front()) : first_line(program, problem.what()));
}

int perform(const Action& action) {
  if (!action) return complain(kWrongUsage, "which verb? diffeo --help lists them");
  action();
  return flushed();
}

/// The arguments in the order in which CLI11 takes them: from the end.
std::vector<std::string> reversed(std::vector<std::string> arguments) {
  std::ranges::reverse(arguments);
  return arguments;
}

}  // namespace

std::vector<std::string> verb_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

int run(int argc, char** argv, const Launch& launch) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow fails to be written, and says so
  try {
    CLI::App program;
    program.name("diffeo");
    Action action;
    declare(program, action, typed_command(argc, argv), launch);
    read_whole_numbers_as_decimal(program);
    try {
      std::vector<std::string> arguments =
          reversed(with_config(program, std::vector<std::string>(argv + std::min(argc, 1), argv + argc)));
      program.parse(arguments);
    } catch (const CLI::ParseError& problem) {
      return explain(program, problem);
    } catch (const FileError& problem) {  // of a configuration
      return complain(kWrongUsage, problem.what());
    }
    return perform(action);
  } catch (const FailedElsewhere&) {
    return kFailed;
  } catch (const EndedWith& problem) {
    return problem.exit_code;
  } catch (const FileAccessError& problem) {
    return problem.error_number() == EPIPE ? kFailed : complain(kFailed, problem.what());
  } catch (const std::exception& problem) {
    return complain(kFailed, files::problem_text(problem));
  }
}

}  // namespace diffeo::cli
