// diffeo report: a page about what a model, or an alignment without one, makes of series. Python makes the page about
// results of experiments.
#include "diffeo/report.hpp"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/config_file.hpp"
#include "cli/experiments_command.hpp"
#include "cli/kept_files.hpp"
#include "cli/report_inputs.hpp"
#include "cli/reporting.hpp"
#include "cli/seed.hpp"
#include "cli/series_arguments.hpp"
#include "cli/verb.hpp"
#include "data/json_text.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/files.hpp"
#include "diffeo/tensor_file.hpp"
#include "diffeo/version.hpp"
#include "diffeo/warps_file.hpp"

namespace diffeo::cli {
namespace {

struct ReportOptions {
  std::string input;
  std::string data;
  std::string table;
  std::string output;
  std::string title;
  ReportDrawing drawing;
  StreamFormat format;
  Reporting reporting;
  ConfigOptions config;
};

enum class Kind { model, warps, series };

constexpr std::string_view name_of(Kind kind) {
  return kind == Kind::model ? "model" : kind == Kind::warps ? "warps" : "series";
}

/// Series by their extension; models and warps by what stands in them.
Kind kind_of(const std::string& input) {
  if (is_series_file(input)) return Kind::series;
  const TensorFile file = read_tensor_file(input);
  if (file.metadata.contains(kWarpsFileKey)) return Kind::warps;
  if (file.metadata.contains("format")) return Kind::model;
  throw FileError({input},
                  "expected a model of fit, warps of align, or series (.tsv, .csv, .ts, .arff, .npy, .npz), got "
                  "a tensor file of something else");
}

AlignmentReport report_of(Kind kind, const std::string& input, const NamedSeries& series) {
  try {
    if (kind == Kind::series) return report_of_series(input, series);
    return kind == Kind::warps ? report_of_warps(input, series) : report_of_model(input, series);
  } catch (const std::invalid_argument& problem) {
    throw FileError({series.file}, problem.what());
  }
}

std::string now_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc);
  return {text, size};
}

void print(const ReportOptions& options, Kind kind, const AlignmentReport& report, const ReportPage& page) {
  std::ostream& stream = is_stream(options.output) ? std::cerr : std::cout;
  if (options.reporting.json) {
    nlohmann::ordered_json document = {{"file", options.output},
                                       {"kind", name_of(kind)},
                                       {"bytes", page.html.size()},
                                       {"cases", report.series.cases()},
                                       {"classes", page.figures.groups.size()},
                                       {"cases_drawn", page.cases_drawn},
                                       {"points_drawn", page.points_drawn},
                                       {"variance_before", page.figures.variance_before},
                                       {"variance", nullptr},
                                       {"accuracy", nullptr}};
    if (page.figures.variance) document["variance"] = *page.figures.variance;
    if (page.figures.accuracy) document["accuracy"] = *page.figures.accuracy;
    stream << files::json_line(document) << '\n';
    return;
  }
  if (is_stream(options.output) && options.reporting.quiet) return;
  stream << shown_name(options.output) << ": " << report.series.cases() << " series, " << page.cases_drawn << " drawn, "
         << page.html.size() / 1000 << " kB\n";
}

void make_of_results(const ReportOptions& options) {
  std::vector<std::string> arguments = {"report", options.input, "--output", options.output};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {name, value});
  };
  add("--table", options.table);
  add("--title", options.title);
  if (options.reporting.json) arguments.emplace_back("--json");
  if (options.reporting.quiet) arguments.emplace_back("--quiet");
  run_experiments(arguments);
}

ReportPage written(const ReportOptions& options, const AlignmentReport& report) {
  if (!is_stream(options.output)) return write_report(options.output, report, options.drawing);
  ReportPage page = make_report(report, options.drawing);
  std::cout << page.html;
  return page;
}

void make(const ReportOptions& options) {
  require_other_file("--output", options.output, {options.input, options.data});
  require_own_kind("--output", options.output, kind_that_begins("a page", "<!DOCTYPE html>"));
  if (std::filesystem::is_directory(options.input)) return make_of_results(options);
  const Kind kind = kind_of(options.input);
  const NamedSeries series{shown_input_name(options.data), read_series(options.data, options.format)};
  options.reporting.detail("read " + size_text(outline_of(series.set)));
  AlignmentReport report = report_of(kind, options.input, series);
  const std::string name = std::filesystem::path(series.file).filename().string();
  report.title = options.title.empty() ? (report.aligned ? "Alignment of " : "Averages of ") + name : options.title;
  report.provenance.insert(report.provenance.begin(), {"series", series.file});
  report.provenance.push_back({"made by", "diffeo " + std::string(version())});
  report.provenance.push_back({"made on", now_text()});
  print(options, kind, report, written(options, report));
}

/// What draws or reads series has nothing to do where there are none.
void refuse_options_of_series(const CLI::App& verb) {
  for (const char* name :
       {"--data", "--cases", "--seed", "--format", "--max-size", "--label", "--no-label", "--delimiter", "--decimal",
        "--header", "--no-header", "--columns", "--id", "--time", "--value"}) {
    if (verb.get_option(name)->count() > 0) throw CLI::ExcludesError(name, "a folder of results");
  }
}

}  // namespace

void add_report(CLI::App& program, Action& action) {
  CLI::App* verb = program.add_subcommand("report", "Make a page about an alignment: one HTML file to look at");
  verb->group("Verbs");
  const auto options = std::make_shared<ReportOptions>();
  verb->add_option(
          "input", options->input,
          "What fit wrote, the warps that align kept, the series that align, transform or average wrote, or the "
          "folder of results of evaluate")
      ->required()
      ->type_name("MODEL|WARPS|FILE|DIR");
  verb->add_option(
          "--data", options->data,
          "The series as recorded, or -; labels, if any, make classes and are compared with; for all but results")
      ->type_name("FILE");
  verb->add_option("--table", options->table,
                   "For results: a .csv of data sets with the columns dataset, type, train, test, length, classes, "
                   "published accuracies, faults")
      ->check(CLI::ExistingFile.description(""))
      ->type_name("FILE");
  verb->add_option("-o,--output", options->output, "Where to, or -: a page that needs nothing else")
      ->required()
      ->type_name("FILE");
  verb->add_option("--title", options->title, "Of the page; made of the name of the data if not given")
      ->type_name("TEXT");
  verb->add_option("--cases", options->drawing.cases, "How many series to draw at most; figures count all of them")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--seed", options->drawing.seed, "Which series are drawn where there are more")
      ->check(whole_seed())
      ->type_name("S")
      ->capture_default_str();
  add_reading(*verb, options->format, options->reporting);
  add_table_options(*verb, options->format);
  add_reporting(*verb, options->reporting, "Say what was made as JSON; on stderr where the page goes to stdout");
  add_config_options(*verb, options->config);
  verb->footer(
      "The page opens from disk, loads nothing and stays under 5 MB: docs/guide/report.md. Python makes the page about "
      "results: pip install diffeo[experiments].");
  verb->callback([options, verb, &action] {
    const bool is_results = std::filesystem::is_directory(options->input);
    // Of what is not there, that is what has to be said.
    const bool is_there = std::filesystem::exists(options->input);
    if (!is_results && is_there && options->data.empty()) throw CLI::RequiredError("--data");
    if (is_results) refuse_options_of_series(*verb);
    if (!is_results && !options->table.empty()) throw CLI::ExcludesError("--table", "anything but a folder of results");
    action = saving_config(*verb, options->config, {}, [options] { make(*options); });
  });
}

}  // namespace diffeo::cli
