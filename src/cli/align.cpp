// diffeo align: a set of series aligned to each other without a network.
#include "diffeo/align.hpp"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

#include "cli/align_arguments.hpp"
#include "cli/config_file.hpp"
#include "cli/interruption.hpp"
#include "cli/kept_files.hpp"
#include "cli/progress_line.hpp"
#include "cli/reporting.hpp"
#include "cli/series_arguments.hpp"
#include "cli/verb.hpp"
#include "data/json_text.hpp"
#include "data/printable.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/joint_aligner.hpp"
#include "diffeo/warps_file.hpp"

namespace diffeo::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct AlignVerbOptions {
  std::string series;
  std::string output;
  std::string warps;
  std::string model;
  bool ignores_labels = false;
  AlignOptions align;
  StreamFormat format;
  Reporting reporting;
  ConfigOptions config;
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string step_text(const AlignStep& step, std::size_t steps, double seconds) {
  std::ostringstream text;
  text << std::setprecision(4) << "step " << steps << ": " << counted(step.cells, "cell", "cells");
  if (step.smoothing > 0.0) text << ", smoothed by " << step.smoothing;
  text << ", cost " << step.cost << ", " << pace_text(steps, seconds, step.done);
  return text.str();
}

JointAligner fitted(const Dataset& series, const AlignVerbOptions& options) {
  const Interruption interruption;
  ProgressLine line(options.reporting.quiet);
  const Clock::time_point start = Clock::now();
  std::size_t steps = 0;
  AlignOptions with_progress = options.align;
  with_progress.progress = [&](const AlignStep& step) {
    line.show(step_text(step, ++steps, seconds_since(start)), step.done);
    return !interruption.requested();
  };
  JointAligner aligner(with_progress);
  aligner.fit(series);
  if (interruption.requested()) {
    throw std::runtime_error(message("align: interrupted in step ", steps, "; no file was changed"));
  }
  return aligner;
}

nlohmann::ordered_json class_json(const ClassAlignment& each) {
  nlohmann::ordered_json row = {{"class", each.name},           {"variance_before", each.variance_before},
                                {"variance", each.variance},    {"cost", each.cost},
                                {"steps", each.history.size()}, {"converged", each.converged}};
  if (each.name.empty()) row["class"] = nullptr;
  return row;
}

void print_json(const AlignVerbOptions& options, const Alignment& alignment, double seconds) {
  nlohmann::ordered_json document = {{"file", options.output},
                                     {"cases", alignment.aligned.cases()},
                                     {"channels", alignment.aligned.channels()},
                                     {"length", alignment.aligned.longest()},
                                     {"classes", nlohmann::ordered_json::array()},
                                     {"reliable", nlohmann::ordered_json::array()},
                                     {"seconds", seconds}};
  for (const ClassAlignment& each : alignment.classes) document["classes"].push_back(class_json(each));
  for (const CaseQuality& each : alignment.quality) document["reliable"].push_back(each.reliable);
  if (!options.warps.empty()) document["warps"] = options.warps;
  if (!options.model.empty()) document["model"] = options.model;
  (is_stream(options.output) ? std::cerr : std::cout) << files::json_line(document) << std::endl;
}

void print_lines(const AlignVerbOptions& options, const Alignment& alignment) {
  std::ostringstream lines;
  lines << std::setprecision(4) << shown_name(options.output) << ": " << size_text(outline_of(alignment.aligned))
        << ", aligned\n";
  for (const ClassAlignment& each : alignment.classes) {
    lines << "  " << (each.name.empty() ? "all series" : "class " + files::printable(each.name)) << ": variance "
          << each.variance_before << " before, " << each.variance << " after"
          << (each.converged ? "" : "; not converged") << '\n';
  }
  const auto doubtful =
      std::ranges::count_if(alignment.quality, [](const CaseQuality& each) { return !each.reliable; });
  if (doubtful > 0) lines << "  " << doubtful << " of " << alignment.quality.size() << " series not reliably aligned\n";
  (is_stream(options.output) ? std::cerr : std::cout) << lines.str();
}

/// Series take their name when warps and model have theirs: new series never lie there without them. Where that last
/// step fails, new warps and a new model lie beside what was there.
void write_results(const AlignVerbOptions& options, const JointAligner& aligner) {
  const Alignment& alignment = aligner.alignment();
  SeriesWriter writer(options.output, outline_of(alignment.aligned), options.format.writing(options.output));
  writer.write(alignment.aligned);
  if (!options.warps.empty()) {
    WarpsFile warps = warps_of(alignment, options.align);
    warps.source = options.series;
    write_warps_file(options.warps, warps);
  }
  if (!options.model.empty()) aligner.save(options.model);
  writer.finish();
}

void align_file(const AlignVerbOptions& options) {
  const Clock::time_point start = Clock::now();
  require_known_format(options.output);
  require_other_file("--output", options.output, {options.series});
  require_other_file("--warps", options.warps, {options.series, options.output});
  require_own_kind("--warps", options.warps, warps_kind());
  require_other_file("--model", options.model, {options.series, options.output, options.warps});
  require_own_kind("--model", options.model, joint_model_kind());
  for (const std::string& file : {options.output, options.warps, options.model}) require_place_for(file);
  Dataset series = read_series(options.series, options.format, options.reporting);
  if (options.ignores_labels) series = without_labels(series);
  options.reporting.detail("read " + size_text(outline_of(series)));
  try {
    const JointAligner aligner = fitted(series, options);
    const Alignment& alignment = aligner.alignment();
    write_results(options, aligner);
    if (options.reporting.json) {
      print_json(options, alignment, seconds_since(start));
    } else if (!is_stream(options.output) || !options.reporting.quiet) {
      print_lines(options, alignment);
    }
  } catch (const std::invalid_argument& problem) {
    throw FileError({shown_input_name(options.series)}, problem.what());
  }
}

}  // namespace

void add_align(CLI::App& program, Action& action) {
  CLI::App* verb = program.add_subcommand("align", "Align series to each other, without a network");
  verb->group("Verbs");
  const auto options = std::make_shared<AlignVerbOptions>();
  verb->add_option("series", options->series, "The series, or -; where they have labels, every class by itself")
      ->required()
      ->type_name("FILE");
  verb->add_option("-o,--output", options->output, "Where to: .tsv, .csv, .ts, .arff, .npy or .npz, or -")
      ->required()
      ->type_name("FILE");
  verb->add_option("--warps", options->warps, "Keep the warps too, with means, costs and options, for diffeo report")
      ->type_name("FILE");
  verb->add_option("--model", options->model, "Keep a model too, with which diffeo transform aligns new series")
      ->type_name("FILE");
  verb->add_flag("--ignore-labels", options->ignores_labels, "All series together; the result has no labels");
  add_length_option(*verb, options->align.length);
  add_threads_option(*verb, options->align.threads);
  add_reading(*verb, options->format, options->reporting);
  add_table_options(*verb, options->format);
  add_reporting(*verb, options->reporting, "Say what was found as JSON; on stderr where the series go to stdout");
  add_config_options(*verb, options->config);
  add_align_options(*verb, options->align, "Alignment");
  verb->callback([options, verb, &action] {
    require_valid_options(options->align);
    action = saving_config(*verb, options->config, {}, [options] { align_file(*options); });
  });
}

}  // namespace diffeo::cli
