#include "cli/training_arguments.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string_view>

#include "cli/choices.hpp"
#include "diffeo/error.hpp"

namespace diffeo::cli {
namespace {

constexpr double kAsGoodAsUnlimited = 1e9;

std::string dashed(std::string_view name) {
  std::string option = message("--", name);
  std::ranges::replace(option, '_', '-');
  return option;
}

std::string capitalized(std::string_view name) {
  std::string text(name);
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

bool is_number(const Hyperparameter& parameter) {
  const std::string_view type = type_name(parameter);
  return type == "integer" || type == "number" || type == "integers";
}

/// What values may be, as the end of a sentence.
std::string allowed(const Hyperparameter& parameter) {
  if (!is_number(parameter)) return "";
  if (parameter.highest >= kAsGoodAsUnlimited) return message("; at least ", parameter.lowest);
  return message("; ", parameter.lowest, " to ", parameter.highest);
}

std::string placeholder(const Hyperparameter& parameter) {
  if (!parameter.choices.empty()) return alternatives(parameter.choices);
  const std::string_view type = type_name(parameter);
  if (type == "integer") return "N";
  if (type == "number") return "X";
  if (type == "integers") return "N,N,...";
  return type == "truth" ? "true|false" : "TEXT";
}

void add(CLI::App& verb, const Hyperparameter& parameter, TrainingArguments& arguments) {
  const std::string name(parameter.name);
  verb.add_option_function<std::string>(
          dashed(name), [&arguments, name](const std::string& text) { arguments.given[name] = text; },
          message(parameter.help, allowed(parameter)))
      ->type_name(placeholder(parameter))
      ->default_str(hyperparameter_text(TrainingOptions(), parameter))
      ->group(capitalized(parameter.group));
}

}  // namespace

void TrainingArguments::resolve() {
  try {
    options = diffeo::preset(preset);
    for (const auto& [name, text] : given) set_hyperparameter(options, name, text);
    check_training_options(options);
  } catch (const std::invalid_argument& problem) {
    throw CLI::ValidationError(problem.what());
  }
}

void add_training_options(CLI::App& verb, TrainingArguments& arguments) {
  verb.add_option("--preset", arguments.preset, "What the options below start from; their help tells the default's")
      ->type_name(alternatives(preset_names()))
      ->capture_default_str();
  verb.add_option("--threads", arguments.threads, "Threads to use; 0 means all cores")
      ->check(CLI::Range(0, 1024).description(""))
      ->type_name("N")
      ->capture_default_str();
  for (const Hyperparameter& each : hyperparameters()) add(verb, each, arguments);
}

}  // namespace diffeo::cli
