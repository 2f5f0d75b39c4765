// diffeo study: the paper's numerical studies, on this machine.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/choices.hpp"
#include "cli/config_file.hpp"
#include "cli/kept_files.hpp"
#include "cli/progress_line.hpp"
#include "cli/reporting.hpp"
#include "cli/seed.hpp"
#include "cli/series_arguments.hpp"
#include "cli/study_documents.hpp"
#include "cli/study_figures.hpp"
#include "cli/verb.hpp"
#include "data/output_file.hpp"

namespace diffeo::cli {
namespace {

const std::vector<std::string> kStudies = {"precision", "squaring", "timing"};
const std::vector<std::string> kMeasures = {"errors", "times", "both"};
const std::vector<std::string> kSources(kFieldSourceNames.begin(), kFieldSourceNames.end());
const std::vector<std::string> kBases = {"svd", "qr", "rref", "sparse"};
constexpr std::size_t kFieldsOfSquaring = 10;  // where they are drawn: gradients of grids take time

struct StudyOptions {
  std::string study;
  std::string measure = "both";
  std::string source;
  std::string basis = "svd";
  std::optional<std::size_t> fields;
  StudySetting setting;
  PrecisionOptions precision;
  SquaringOptions squaring;
  std::size_t repetitions = 10;
  std::size_t threads = 1;
  std::string output;
  std::string figures;
  Reporting reporting;
  ConfigOptions config;

  [[nodiscard]] bool wants_errors() const { return measure != "times"; }
  [[nodiscard]] bool wants_times() const { return measure != "errors"; }
};

/// With what the study itself decides where nothing was said.
StudySetting resolved_setting(const StudyOptions& options) {
  StudySetting setting = options.setting;
  const bool is_squaring = options.study == "squaring";
  setting.source = options.source.empty() ? (is_squaring ? FieldSource::ones : FieldSource::prior)
                                          : field_source_from_name(options.source);
  setting.basis = basis_from_name(options.basis);
  const std::size_t drawn = is_squaring ? kFieldsOfSquaring : setting.fields;
  setting.fields = options.fields.value_or(setting.source == FieldSource::ones ? 1 : drawn);
  return setting;
}

/// Shows how far a part of the study is, and how fast it goes.
StudyProgress progress_on(ProgressLine& line, const std::string& part) {
  using Clock = std::chrono::steady_clock;
  return [&line, part, start = Clock::now(), steps = std::size_t{0}](double done) mutable {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    line.show(part + ", " + std::to_string(static_cast<int>(100 * done)) + " %, " + pace_text(++steps, seconds, done),
              done);
  };
}

PrecisionFindings study_precision(const StudyOptions& options, ProgressLine& line) {
  PrecisionFindings findings{options.precision, {}, {}};
  findings.options.setting = resolved_setting(options);
  findings.options.threads = options.threads;
  if (options.wants_errors()) findings.errors = precision_errors(findings.options, progress_on(line, "errors"));
  if (options.wants_times()) {
    findings.times = precision_times(findings.options, options.repetitions, progress_on(line, "times"));
  }
  return findings;
}

SquaringFindings study_squaring(const StudyOptions& options, ProgressLine& line) {
  SquaringFindings findings{options.squaring, {}, {}};
  findings.options.setting = resolved_setting(options);
  findings.options.threads = options.threads;
  if (options.wants_errors()) findings.errors = squaring_errors(findings.options, progress_on(line, "errors"));
  if (options.wants_times()) {
    findings.times = squaring_times(findings.options, options.repetitions, progress_on(line, "times"));
  }
  return findings;
}

TimingFindings study_timing(const StudyOptions& options, ProgressLine& line) {
  return {timing_sweep(options.threads, options.repetitions, progress_on(line, "times")), options.threads};
}

void write_text(const std::string& path, const std::string& text) {
  if (is_stream(path)) {
    std::cout << text;
    return;
  }
  files::OutputFile file(path);
  file.write(text);
  file.commit();
}

void write_figures(const std::string& prefix, const std::vector<StudyFigure>& figures) {
  for (const StudyFigure& figure : figures) {
    const std::string path = prefix + "_" + figure.name + ".svg";
    require_own_kind("--figures", path, kind_that_begins("a picture", "<svg"));
    write_text(path, figure.svg);
  }
}

template <class Findings>
void tell(const StudyOptions& options, const Findings& findings) {
  const nlohmann::ordered_json document = document_of(findings);
  if (!options.output.empty()) write_text(options.output, study_file_text(document));
  if (!options.figures.empty()) write_figures(options.figures, figures_of(findings));
  if (is_stream(options.output)) return;
  std::cout << (options.reporting.json ? document.dump() + "\n" : table_of(findings));
}

void study(const StudyOptions& options) {
  require_own_kind("--output", options.output, kind_that_begins("a study", kStudyFileBeginning));
  for (const std::string& file : {options.output, options.figures}) require_place_for(file);
  const auto found = [&](const auto& study_of) {
    ProgressLine line(options.reporting.quiet);
    return study_of(options, line);
  };
  if (options.study == "precision") return tell(options, found(study_precision));
  if (options.study == "squaring") return tell(options, found(study_squaring));
  tell(options, found(study_timing));
}

CLI::Option* add_count(CLI::App& verb, const char* name, std::size_t& value, std::size_t least, std::size_t most,
                       const char* help) {
  return verb.add_option(name, value, help)
      ->check(CLI::Range(least, most).description(""))
      ->type_name("N")
      ->capture_default_str();
}

/// The studies an option belongs to.
using OptionStudies = std::map<const CLI::Option*, std::vector<std::string>>;

OptionStudies add_setting_options(CLI::App& verb, StudyOptions& options) {
  const std::vector<std::string> both = {"precision", "squaring"};
  const auto positive = CLI::Range(1e-300, 1e6).description("");
  OptionStudies belongs;
  belongs[take_one_of(verb.add_option("--measure", options.measure, "What to measure")->capture_default_str(),
                      kMeasures)] = both;
  belongs[take_one_of(verb.add_option("--source", options.source,
                                      "Where theta comes from; prior for precision, ones for squaring if not given"),
                      kSources)] = both;
  belongs[verb.add_option("--fields", options.fields, "How many; 100, for squaring 10, and 1 of ones if not given")
              ->check(CLI::Range(1, 1'000'000).description(""))
              ->type_name("N")] = both;
  belongs[add_count(verb, "--points", options.setting.points, 1, 1'000'000, "Points of every field")] = both;
  belongs[add_count(verb, "--cells", options.setting.cells, 2, 4096, "Cells of the fields")] = both;
  belongs[take_one_of(verb.add_option("--basis", options.basis, "What theta means")->capture_default_str(), kBases)] =
      both;
  belongs[verb.add_option("--length-scale", options.setting.length_scale, "Smoothness of fields from the prior")
              ->check(positive)
              ->type_name("X")
              ->capture_default_str()] = both;
  belongs[verb.add_option("--seed", options.setting.seed, "The same seed gives the same fields and points")
              ->check(whole_seed())
              ->type_name("S")
              ->capture_default_str()] = both;
  return belongs;
}

void add_study_options(CLI::App& verb, StudyOptions& options, OptionStudies& belongs) {
  const auto size = CLI::Range(0.0, 1e6).description("");
  const auto of = [&](CLI::Option* option, const char* name) {
    belongs[option->group(std::string("Options of ") + name)] = {name};
  };
  of(verb.add_option("--size", options.setting.size, "Standard deviation of theta")
         ->check(size)
         ->type_name("X")
         ->capture_default_str(),
     "precision");
  of(add_count(verb, "--steps", options.precision.most_steps, 1, 1000, "Most steps of the alternating solver"),
     "precision");
  of(add_count(verb, "--inner-steps", options.precision.most_inner_steps, 1, 1000, "Most inner steps of a step"),
     "precision");
  of(verb.add_option("--sizes", options.squaring.sizes, "Sizes of theta; 0,1,2,3,4 if not given")
         ->delimiter(',')
         ->check(size)
         ->type_name("X,X,..."),
     "squaring");
  of(add_count(verb, "--squarings", options.squaring.most_squarings, 0, kMaximumSquarings, "Most squarings"),
     "squaring");
}

/// Those that the study has no use for, and that nobody may give with it.
ResolvedOptions unused_options(const std::string& study, const OptionStudies& belongs) {
  ResolvedOptions unused;
  for (const auto& [option, studies] : belongs) {
    if (std::ranges::find(studies, study) != studies.end()) continue;
    unused[option->get_lnames().front()] = "";
    if (option->count() == 0) continue;
    throw CLI::ValidationError(option->get_name() + ": expected with " + listed(studies) + " only, got " + study);
  }
  return unused;
}

}  // namespace

void add_study(CLI::App& program, Action& action) {
  CLI::App* verb = program.add_subcommand("study", "Measure what other ways to flow lose and cost");
  verb->group("Verbs");
  const auto options = std::make_shared<StudyOptions>();
  take_one_of(verb->add_option("study", options->study,
                               "Numerical integration, scaling and squaring, or time over points, cells and warps")
                  ->required(),
              kStudies);
  OptionStudies belongs = add_setting_options(*verb, *options);
  add_count(*verb, "--repetitions", options->repetitions, 1, 1'000'000, "Of a timing; the fastest counts");
  add_count(*verb, "--threads", options->threads, 0, 1024, "Threads to use; 0 means all cores");
  verb->add_option("-o,--output", options->output, "A file of JSON, or -")->type_name("FILE");
  verb->add_option("--figures", options->figures, "Draw it: pictures PREFIX_value.svg and so on")->type_name("PREFIX");
  add_reporting(*verb, options->reporting, "Print JSON instead of a table");
  add_config_options(*verb, options->config);
  add_study_options(*verb, *options, belongs);
  verb->footer("Errors are the same on every machine with the same instruction set; times want an idle one.");
  verb->callback([options, belongs, verb, &action] {
    ResolvedOptions unused = unused_options(options->study, belongs);
    action = saving_config(*verb, options->config, std::move(unused), [options] { study(*options); });
  });
}

}  // namespace diffeo::cli
