#include "cli/align_arguments.hpp"

#include <stdexcept>

namespace diffeo::cli {
namespace {

constexpr std::size_t kMostSteps = 1'000'000'000;
/// More than any series is long; far more would only exhaust memory.
constexpr std::size_t kMostCells = 65'536;

std::vector<std::string> names_of_criteria() {
  const std::vector<std::string_view>& names = align_criterion_names();
  return {names.begin(), names.end()};
}

}  // namespace

std::vector<CLI::Option*> add_align_options(CLI::App& verb, AlignOptions& options, const std::string& group) {
  const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
    return verb.add_option(name, value, help)->type_name(type)->capture_default_str()->group(group);
  };
  CLI::Option* criterion =
      verb.add_option_function<std::string>(
              "--criterion", [&options](const std::string& name) { options.criterion = align_criterion(name); },
              "What series are compared by")
          ->check(CLI::IsMember(names_of_criteria()).description(""))
          ->type_name("auto|values|slopes|mixed")
          ->default_str("auto")
          ->group(group);
  return {
      criterion,
      add("--cells", options.cells, "Cells of the velocity fields: how finely warps can bend", "N")
          ->check(CLI::Range(std::size_t{0}, kMostCells).description("")),
      add("--zero-boundary", options.zero_boundary, "Whether the ends of the series stay in place", "true|false")
          ->default_str(options.zero_boundary ? "true" : "false"),
      add("--prior-weight", options.prior_weight,
          "Strength of the smoothness prior: larger means gentler warps; 0 takes it from the data", "X"),
      add("--length-scale", options.length_scale,
          "Of the prior, as a fraction of the duration; 0 takes it from the data", "X"),
      verb.add_option("--smoothing", options.smoothing,
                      "Of slopes, as a fraction of the duration; by default as little as the noise allows")
          ->type_name("X")
          ->group(group),
      add("--own-time", options.own_time,
          "For criterion \"values\": share of the difference that is measured in the series' own time, 0 to 1; 0 is "
          "the "
          "plain variance",
          "X"),
      add("--max-iterations", options.max_iterations, "Steps of the solver, at each resolution", "N")
          ->check(CLI::Range(std::size_t{1}, kMostSteps).description("")),
      add("--tolerance", options.tolerance, "Done when a step lowers the cost by less than this fraction of it", "X"),
  };
}

CLI::Option* add_length_option(CLI::App& verb, std::size_t& length) {
  return verb.add_option("--length", length, "Time steps of the result; 0 means those of the longest series")
      ->check(CLI::Range(std::size_t{0}, kMostSteps).description(""))
      ->type_name("N")
      ->capture_default_str();
}

CLI::Option* add_threads_option(CLI::App& verb, std::size_t& threads) {
  return verb.add_option("--threads", threads, "Threads to use; 0 means all cores. Results do not depend on it")
      ->check(CLI::Range(0, 1024).description(""))
      ->type_name("N")
      ->capture_default_str();
}

void require_valid_options(const AlignOptions& options) {
  try {
    require_valid(options);
  } catch (const std::invalid_argument& problem) {
    throw CLI::ValidationError(problem.what());
  }
}

Dataset without_labels(const Dataset& set) {
  Dataset result(set.channels());
  for (std::size_t item = 0; item < set.cases(); ++item) result.add_case(set.series(item).values());
  return result;
}

}  // namespace diffeo::cli
