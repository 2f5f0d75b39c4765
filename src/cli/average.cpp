// diffeo average: one series for many, or one for each class.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/align_arguments.hpp"
#include "cli/choices.hpp"
#include "cli/config_file.hpp"
#include "cli/interruption.hpp"
#include "cli/kept_files.hpp"
#include "cli/progress_line.hpp"
#include "cli/reporting.hpp"
#include "cli/series_arguments.hpp"
#include "cli/verb.hpp"
#include "data/json_text.hpp"
#include "diffeo/align.hpp"
#include "diffeo/dba.hpp"
#include "diffeo/error.hpp"
#include "diffeo/euclidean_mean.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/soft_dtw_barycenter.hpp"

namespace diffeo::cli {
namespace {

const std::string kMaxIterations = "--max-iterations";
const std::vector<std::string> kMethods = {"warp", "euclidean", "dba", "soft-dtw"};

struct AverageOptions {
  std::string series;
  std::string output;
  std::string method = "warp";
  bool ignores_labels = false;
  std::size_t length = 0;
  std::size_t threads = 0;
  AlignOptions align;
  DbaOptions dba;
  SoftDtwBarycenterOptions soft;
  StreamFormat format;
  Reporting reporting;
  ConfigOptions config;
};

/// The average of one class, and how it was found.
struct Average {
  std::string name;  // empty without labels
  std::size_t cases = 0;
  std::vector<double> values;
  std::optional<double> cost;
  bool converged = true;
};

/// Says how far the averages are, and ends the work where somebody asked to stop.
class AverageWatch {
 public:
  AverageWatch(std::size_t classes, std::size_t cases, bool is_quiet)
      : classes_(classes), cases_(cases), line_(is_quiet) {}

  void begin_class(std::size_t cases) {
    before_ += std::exchange(in_class_, cases);
    ++number_;
    step_ = 0;
    done_ = 0.0;
    look();
  }

  /// The search has come to that cost; `done` is the part of it that lies behind, in this class.
  void step(double cost, double done) {
    ++steps_;
    ++step_;
    cost_ = cost;
    done_ = done;
    look();
  }

  /// std::runtime_error where somebody asked to stop.
  void look() {
    if (interruption_.requested()) {
      throw std::runtime_error(message("average: interrupted in ", place(), "; no file was changed"));
    }
    const double done =
        (static_cast<double>(before_) + done_ * static_cast<double>(in_class_)) / static_cast<double>(cases_);
    line_.show(place() + (step_ > 0 ? step_text(done) : ""), done);
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::string place() const {
    const std::string step = step_ > 0 ? message("step ", step_) : "the first step";
    return classes_ > 1 ? message("class ", number_, " of ", classes_, ", ", step) : step;
  }

  [[nodiscard]] std::string step_text(double done) const {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    std::ostringstream text;
    text << std::setprecision(4) << ": cost " << cost_ << ", " << pace_text(steps_, seconds, done);
    return text.str();
  }

  std::size_t classes_;
  std::size_t cases_;
  Interruption interruption_;
  ProgressLine line_;
  Clock::time_point start_ = Clock::now();
  std::size_t number_ = 0;    // of the class at work, from 1
  std::size_t before_ = 0;    // cases of the classes before it
  std::size_t in_class_ = 0;  // and its own
  std::size_t step_ = 0;
  std::size_t steps_ = 0;  // of all classes
  double cost_ = 0.0;
  double done_ = 0.0;
};

/// The options of a barycenter, with ears for the watch.
template <class Options>
Options watched(Options options, AverageWatch& watch) {
  options.between = [&watch] { watch.look(); };
  options.progress = [&watch, most = static_cast<double>(options.max_iterations)](const BarycenterStep& step) {
    watch.step(step.cost, static_cast<double>(step.iterations) / most);
  };
  return options;
}

AlignOptions watched(AlignOptions options, AverageWatch& watch) {
  options.progress = [&watch](const AlignStep& step) {
    watch.step(step.cost, step.done);
    return true;
  };
  return options;
}

Average average_of(const Dataset& cases, const AverageOptions& options, AverageWatch& watch) {
  Average result;
  result.cases = cases.cases();
  const auto take = [&](const Barycenter& found) {
    result.values = found.values;
    result.cost = found.cost();
    result.converged = found.converged;
  };
  if (options.method == "warp") {
    const Alignment alignment = align(cases, watched(options.align, watch));
    const auto mean = alignment.mean.series(0).values();
    result.values.assign(mean.begin(), mean.end());
    result.cost = alignment.classes.front().cost;
    result.converged = alignment.classes.front().converged;
  } else if (options.method == "dba") {
    take(dba(cases, watched(options.dba, watch), options.threads));
  } else if (options.method == "soft-dtw") {
    take(soft_dtw_barycenter(cases, watched(options.soft, watch), options.threads));
  } else {
    take(euclidean_mean(cases, options.length));
    result.converged = true;
  }
  return result;
}

/// Cases are counted inside the class, and so are those that errors name.
Average average_of_group(const Dataset& cases, const std::string& name, const AverageOptions& options,
                         AverageWatch& watch) {
  try {
    Average result = average_of(cases, options, watch);
    result.name = name;
    return result;
  } catch (const std::invalid_argument& problem) {
    throw std::invalid_argument(name.empty() ? problem.what() : message("class ", name, ", ", problem.what()));
  }
}

std::vector<Average> averages_of(const Dataset& set, const AverageOptions& options) {
  const std::vector<std::vector<std::size_t>> groups = set.groups();
  AverageWatch watch(groups.size(), set.cases(), options.reporting.quiet);
  const Dataset unlabeled = without_labels(set);
  std::vector<Average> averages;
  for (const std::vector<std::size_t>& group : groups) {
    watch.begin_class(group.size());
    averages.push_back(
        average_of_group(unlabeled.subset(group), set.labeled() ? set.label(group.front()) : "", options, watch));
  }
  watch.look();  // a mean sample by sample has no steps at which to look up
  return averages;
}

void print_json(const AverageOptions& options, const std::vector<Average>& averages, const Dataset& means) {
  nlohmann::ordered_json document = {{"file", options.output},
                                     {"method", options.method},
                                     {"channels", means.channels()},
                                     {"length", means.longest()},
                                     {"averages", nlohmann::ordered_json::array()}};
  for (const Average& each : averages) {
    nlohmann::ordered_json row = {
        {"class", each.name}, {"cases", each.cases}, {"cost", *each.cost}, {"converged", each.converged}};
    if (each.name.empty()) row["class"] = nullptr;
    document["averages"].push_back(row);
  }
  (is_stream(options.output) ? std::cerr : std::cout) << files::json_line(document) << std::endl;
}

void print_lines(const AverageOptions& options, const std::vector<Average>& averages, const Dataset& means) {
  std::ostringstream lines;
  lines << shown_name(options.output) << ": " << size_text(outline_of(means)) << ", averages (" << options.method
        << ")\n";
  for (const Average& each : averages) {
    lines << "  " << (each.name.empty() ? "all series" : "class " + each.name) << ": "
          << counted(each.cases, "case", "cases") << ", cost " << std::setprecision(4) << *each.cost
          << (each.converged ? "" : "; not converged") << '\n';
  }
  (is_stream(options.output) ? std::cerr : std::cout) << lines.str();
}

void average(const AverageOptions& options) {
  require_known_format(options.output);
  require_other_file("--output", options.output, {options.series});
  require_place_for(options.output);
  Dataset series = read_series(options.series, options.format);
  if (options.ignores_labels) series = without_labels(series);
  options.reporting.detail("read " + size_text(outline_of(series)));
  try {
    const std::vector<Average> averages = averages_of(series, options);
    Dataset means(series.channels());
    for (const Average& each : averages) {
      series.labeled() ? means.add_case(each.values, each.name) : means.add_case(each.values);
    }
    write_series(options.output, means, options.format);
    if (options.reporting.json) {
      print_json(options, averages, means);
    } else if (!is_stream(options.output) || !options.reporting.quiet) {
      print_lines(options, averages, means);
    }
  } catch (const std::invalid_argument& problem) {
    throw FileError({shown_input_name(options.series)}, problem.what());
  }
}

/// Options that only some methods have.
struct MethodOption {
  CLI::Option* option;
  std::vector<std::string> methods;

  [[nodiscard]] bool has(const std::string& method) const {
    return std::ranges::find(methods, method) != methods.end();
  }
};

/// "a, b or c".
std::string alternatives(const std::vector<std::string>& names) {
  std::string text = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) text += (i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

/// "expected WHAT, got TEXT" where a number is not as it should be; what is no number CLI11 refuses itself.
CLI::Validator number_where(const std::function<bool(double)>& is_right, const std::string& what) {
  const auto problem = [is_right, what](const std::string& text) {
    double value = 0.0;
    const bool is_wrong = CLI::detail::lexical_cast(text, value) && !is_right(value);
    return is_wrong ? message("expected ", what, ", got ", text) : std::string();
  };
  return CLI::Validator(problem, "");
}

/// One name for the steps of all solvers: given to warp as an option of alignment, to the others by resolve().
void share_max_iterations(CLI::Option& option) {
  option.description(message("Steps of the solver: of warp at each resolution; of dba ", DbaOptions().max_iterations,
                             " and of soft-dtw ", SoftDtwBarycenterOptions().max_iterations, " if not given"));
  option.group("Options");
}

std::vector<MethodOption> add_method_options(CLI::App& verb, AverageOptions& options) {
  std::vector<MethodOption> all;
  for (CLI::Option* option : add_align_options(verb, options.align, "Method warp")) {
    const bool is_shared = option->get_name() == kMaxIterations;
    if (is_shared) share_max_iterations(*option);
    all.push_back(
        {option, is_shared ? std::vector<std::string>{"warp", "dba", "soft-dtw"} : std::vector<std::string>{"warp"}});
  }
  all.push_back(
      {verb.add_option("--window", options.dba.window.fraction,
                       "How far paths may stray from the diagonal, as a part of the length, 0 to 1; no limit if "
                       "not given")
           ->check(number_where([](double value) { return value >= 0.0 && value <= 1.0; }, "a number from 0 to 1"))
           ->type_name("X")
           ->group("Methods dba and soft-dtw"),
       {"dba"}});
  all.push_back(
      {verb.add_option("--gamma", options.soft.gamma, "Smoothness of the soft minimum, in squared units of the values")
           ->check(number_where([](double value) { return std::isfinite(value) && value > 0.0; }, "a positive number"))
           ->type_name("X")
           ->capture_default_str()
           ->group("Methods dba and soft-dtw"),
       {"soft-dtw"}});
  return all;
}

void resolve(const CLI::App& verb, AverageOptions& options) {
  options.align.length = options.dba.length = options.soft.length = options.length;
  options.align.threads = options.threads;
  if (verb.get_option(kMaxIterations)->count() > 0) {
    options.dba.max_iterations = options.soft.max_iterations = options.align.max_iterations;
  }
  require_valid_options(options.align);
}

/// What a saved configuration says that is not what the options hold: nothing of other methods, and the iterations of
/// this one.
ResolvedOptions told_otherwise(const std::vector<MethodOption>& of_methods, const AverageOptions& options) {
  ResolvedOptions result;
  for (const MethodOption& each : of_methods) {
    if (!each.has(options.method)) result[each.option->get_lnames().front()] = "";
  }
  const std::string name = kMaxIterations.substr(2);
  if (options.method == "dba") result[name] = message(options.dba.max_iterations);
  if (options.method == "soft-dtw") result[name] = message(options.soft.max_iterations);
  return result;
}

void refuse_options_of_other_methods(const std::vector<MethodOption>& of_methods, const std::string& method) {
  for (const MethodOption& each : of_methods) {
    if (each.option->count() == 0 || each.has(method)) continue;
    throw CLI::ValidationError(
        message(each.option->get_name(), ": expected with --method ", alternatives(each.methods), ", got ", method));
  }
}

}  // namespace

void add_average(CLI::App& program, Action& action) {
  CLI::App* verb = program.add_subcommand("average", "Average series: one for all, or one for each class");
  verb->group("Verbs");
  const auto options = std::make_shared<AverageOptions>();
  verb->add_option("series", options->series, "The series, or -; where they have labels, every class by itself")
      ->required()
      ->type_name("FILE");
  verb->add_option("-o,--output", options->output, "Where to: .tsv, .csv, .ts, .arff, .npy or .npz, or -")
      ->required()
      ->type_name("FILE");
  take_one_of(verb->add_option("--method", options->method,
                               "The mean after alignment, the mean sample by sample, DTW barycenter averaging, or the "
                               "soft-DTW barycenter"),
              kMethods)
      ->capture_default_str();
  verb->add_flag("--ignore-labels", options->ignores_labels, "All series together; the result has no label");
  add_length_option(*verb, options->length);
  add_threads_option(*verb, options->threads);
  add_reading(*verb, options->format, options->reporting);
  add_table_options(*verb, options->format);
  add_reporting(*verb, options->reporting, "Say what was found as JSON; on stderr where the series go to stdout");
  add_config_options(*verb, options->config);
  const std::vector<MethodOption> of_methods = add_method_options(*verb, *options);
  verb->callback([options, of_methods, verb, &action] {
    refuse_options_of_other_methods(of_methods, options->method);
    resolve(*verb, *options);
    action =
        saving_config(*verb, options->config, told_otherwise(of_methods, *options), [options] { average(*options); });
  });
}

}  // namespace diffeo::cli
