// diffeo classify: every series gets the class whose centroid, in a model's common time, is nearest.
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/bulk_work.hpp"
#include "cli/config_file.hpp"
#include "cli/kept_files.hpp"
#include "cli/ordered_work.hpp"
#include "cli/reporting.hpp"
#include "cli/series_arguments.hpp"
#include "cli/torch_part.hpp"
#include "cli/verb.hpp"
#include "data/json_text.hpp"
#include "data/output_file.hpp"
#include "data/spreadsheet.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/nearest_centroid.hpp"
#include "diffeo/series_stream.hpp"
#include "diffeo/torch/temporal_aligner.hpp"

namespace diffeo::cli {
namespace {

struct ClassifyOptions {
  std::string model;
  std::string series;
  std::string output;
  StreamFormat format;
  BulkOptions bulk;
  Reporting reporting;
  ConfigOptions config;

  [[nodiscard]] bool to_stdout() const { return output.empty() || is_stream(output); }
};

/// The classes of a part of the file.
struct Classified {
  std::vector<std::string> labels;
  std::size_t hits = 0;
  bool is_labeled = false;
  std::uint64_t values = 0;
};

struct ModelClassifier {
  NearestCentroid classifier;
  std::size_t channels = 0;  // of the series it was trained on
};

ModelClassifier classifier_of(const std::string& model) {
  const auto aligner = std::make_shared<TemporalAligner>(TemporalAligner::load(model));
  if (!aligner->centroids().labeled()) {
    throw std::runtime_error("classify: " + model +
                             ": expected a model of labeled series, got one fitted without labels");
  }
  NearestCentroidOptions options;
  options.threads = 1;  // every job is one
  return {NearestCentroid::from_centroids(aligner->comparison_centroids(), aligner, options), aligner->channels()};
}

void require_channels(const ClassifyOptions& options, std::size_t expected, const Dataset& part) {
  if (part.channels() == expected) return;
  throw FileError({shown_input_name(options.series)}, message("expected ", counted(expected, "channel", "channels"),
                                                              " as ", options.model, " has, got ", part.channels()));
}

Classified classified(const NearestCentroid& classifier, const Dataset& series) {
  Classified result;
  result.is_labeled = series.labeled();
  result.values = series.values().size();
  const std::vector<std::size_t> predicted = classifier.predict(series);
  for (std::size_t item = 0; item < predicted.size(); ++item) {
    result.labels.push_back(classifier.class_names()[predicted[item]]);
    if (series.labeled() && result.labels.back() == series.label(item)) ++result.hits;
  }
  return result;
}

std::string quoted_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

/// Where labels go: a file, stdout, or, for JSON without a file, memory.
class LabelWriter {
 public:
  explicit LabelWriter(const ClassifyOptions& options) : options_(options) {
    if (keeps_labels()) return;
    options.to_stdout() ? file_.emplace() : file_.emplace(options.output);
    is_csv_ = std::filesystem::path(options.output).extension() == ".csv" ||
              (is_stream(options.output) && options.format.name == "csv");
    if (is_csv_) file_->write(std::string_view("label\n"));
  }

  void write(const Classified& part) {
    if (keeps_labels()) kept_.insert(kept_.end(), part.labels.begin(), part.labels.end());
    if (!file_) return;
    for (const std::string& label : part.labels)
      file_->write((is_csv_ ? quoted_field(files::text_for_spreadsheet(label)) : label) + "\n");
    if (options_.to_stdout()) file_->commit();  // for whoever waits for it
  }

  void finish() {
    if (file_ && !options_.to_stdout()) file_->commit();
  }

  [[nodiscard]] const std::vector<std::string>& kept() const { return kept_; }

 private:
  [[nodiscard]] bool keeps_labels() const { return options_.reporting.json && options_.output.empty(); }

  const ClassifyOptions& options_;
  std::optional<files::OutputFile> file_;
  bool is_csv_ = false;
  std::vector<std::string> kept_;
};

/// All parts together.
struct Summary {
  std::size_t hits = 0;
  bool is_labeled = false;
  Throughput throughput;

  [[nodiscard]] double accuracy() const { return static_cast<double>(hits) / static_cast<double>(throughput.cases); }
};

void print_json(const ClassifyOptions& options, const Summary& summary, const std::vector<std::string>& labels) {
  const Throughput& throughput = summary.throughput;
  nlohmann::ordered_json document = {{"cases", throughput.cases}, {"accuracy", nullptr}};
  if (summary.is_labeled) document["accuracy"] = summary.accuracy();
  options.output.empty() ? document["labels"] = labels : document["file"] = options.output;
  document["values"] = throughput.values;
  document["seconds"] = throughput.seconds;
  document["jobs"] = throughput.jobs;
  document["values_per_second"] = throughput.per_second();
  document["values_per_second_per_core"] = throughput.per_core();
  (is_stream(options.output) ? std::cerr : std::cout) << files::json_line(document) << std::endl;
}

void print_lines(const ClassifyOptions& options, const Summary& summary) {
  options.reporting.remark(summary.throughput.text());
  if (!summary.is_labeled || (options.to_stdout() && options.reporting.quiet)) return;
  // Labels on stdout are for the next program; the accuracy is for whoever sits there.
  std::ostringstream line;
  line << std::setprecision(4) << "accuracy " << summary.accuracy() << " (" << summary.hits << " of "
       << summary.throughput.cases << ")\n";
  (options.to_stdout() ? std::cerr : std::cout) << line.str();
}

void classify(const ClassifyOptions& options) {
  const std::string output = options.to_stdout() ? std::string(kStandardStream) : options.output;
  require_other_file("--output", output, {options.model, options.series});
  const std::size_t jobs = options.bulk.threads();
  BulkMeter meter("classify", options.reporting, jobs);
  const auto [classifier, channels] = classifier_of(options.model);
  SeriesReader reader(options.series, meter.reading(options.series, options.format));
  meter.listen();
  meter.begin(reader.can_be_read_again() ? meter.outline(reader) : SeriesOutline());
  LabelWriter writer(options);
  Summary summary;
  std::size_t taken = 0;
  ordered_work<SeriesPart, Classified>(
      jobs,
      [&]() -> std::optional<SeriesPart> {
        meter.require_going_on();
        std::optional<Dataset> series = reader.next();
        if (!series) return std::nullopt;
        const std::size_t first = std::exchange(taken, taken + series->cases());
        return SeriesPart{std::move(*series), first};
      },
      [&](const SeriesPart& part) {
        use_one_torch_thread();
        require_channels(options, channels, part.series);
        return with_place(options.series, part.first, [&] { return classified(classifier, part.series); });
      },
      [&](const Classified& part) {
        writer.write(part);
        summary.hits += part.hits;
        summary.is_labeled = part.is_labeled;
        meter.add(part.labels.size(), part.values);
      });
  meter.require_going_on();
  writer.finish();
  summary.throughput = meter.throughput();
  options.reporting.json ? print_json(options, summary, writer.kept()) : print_lines(options, summary);
}

}  // namespace

void add_classify(CLI::App& program, Action& action) {
  CLI::App* verb = program.add_subcommand("classify", "Classify series by the nearest centroid of a model");
  verb->group("Verbs");
  const auto options = std::make_shared<ClassifyOptions>();
  verb->add_option("model", options->model, "What fit made of labeled series")->required()->type_name("MODEL");
  verb->add_option("series", options->series, "Series to classify, or -; labels, if any, are only compared with")
      ->required()
      ->type_name("FILE");
  verb->add_option("-o,--output", options->output, "Where to, instead of stdout: .tsv or .csv (with a header)")
      ->type_name("FILE");
  add_reading(*verb, options->format, options->reporting);
  add_table_options(*verb, options->format);
  add_bulk_options(*verb, options->bulk);
  add_reporting(*verb, options->reporting, "Print one JSON object, with labels unless they go to a file");
  add_config_options(*verb, options->config);
  verb->footer(
      "One label a line, in the order of FILE. Where FILE has labels, the accuracy is printed: on stdout with -o, else "
      "on stderr unless it is quiet.");
  verb->callback([options, verb, &action] {
    require_model_before_series("classify", options->model, options->series);
    const std::string extension = std::filesystem::path(options->output).extension().string();
    if (!options->to_stdout() && extension != ".tsv" && extension != ".csv") {
      throw CLI::ValidationError(message("--output: expected a name that ends in .tsv or .csv, got ", options->output));
    }
    action = saving_config(*verb, options->config, {}, [options] { classify(*options); });
  });
}

}  // namespace diffeo::cli
