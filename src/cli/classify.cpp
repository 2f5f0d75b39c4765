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
#include <vector>

#include "cli/verb.hpp"
#include "data/output_file.hpp"
#include "diffeo/error.hpp"
#include "diffeo/files.hpp"
#include "diffeo/nearest_centroid.hpp"
#include "diffeo/torch/temporal_aligner.hpp"

namespace diffeo::cli {
namespace {

struct ClassifyOptions {
  std::string model;
  std::string series;
  std::string output;
  bool json = false;
};

struct Classified {
  std::vector<std::string> labels;
  std::optional<std::size_t> hits;  // none where the file has no labels
};

NearestCentroid classifier_of(const std::string& model) {
  const auto aligner = std::make_shared<TemporalAligner>(TemporalAligner::load(model));
  if (!aligner->centroids().labelled()) {
    throw std::runtime_error("classify: " + model +
                             ": expected a model of labelled series, got one fitted without labels");
  }
  return NearestCentroid::from_centroids(aligner->centroids(), aligner);
}

Classified classified(const NearestCentroid& classifier, const Dataset& series) {
  Classified result;
  if (series.labelled()) result.hits = 0;
  const std::vector<std::size_t> predicted = classifier.predict(series);
  for (std::size_t item = 0; item < predicted.size(); ++item) {
    result.labels.push_back(classifier.class_names()[predicted[item]]);
    if (series.labelled() && result.labels.back() == series.label(item)) ++*result.hits;
  }
  return result;
}

double accuracy_of(const Classified& result) {
  return static_cast<double>(*result.hits) / static_cast<double>(result.labels.size());
}

std::string quoted_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

void write_labels(const std::string& path, const std::vector<std::string>& labels) {
  const bool is_csv = std::filesystem::path(path).extension() == ".csv";
  files::OutputFile file(path);
  if (is_csv) file.write(std::string_view("label\n"));
  for (const std::string& label : labels) file.write((is_csv ? quoted_field(label) : label) + "\n");
  file.commit();
}

void print_json(const ClassifyOptions& options, const Classified& result) {
  nlohmann::ordered_json document = {{"cases", result.labels.size()}, {"accuracy", nullptr}};
  if (result.hits) document["accuracy"] = accuracy_of(result);
  options.output.empty() ? document["labels"] = result.labels : document["file"] = options.output;
  std::cout << document.dump() << '\n';
}

void print_lines(const ClassifyOptions& options, const Classified& result) {
  if (options.output.empty()) {
    for (const std::string& label : result.labels) std::cout << label << '\n';
  }
  if (!result.hits) return;
  // Labels on stdout are for the next program; the accuracy is for whoever sits there.
  std::ostringstream line;
  line << std::setprecision(4) << "accuracy " << accuracy_of(result) << " (" << *result.hits << " of "
       << result.labels.size() << ")\n";
  (options.output.empty() ? std::cerr : std::cout) << line.str();
}

void classify(const ClassifyOptions& options) {
  const NearestCentroid classifier = classifier_of(options.model);
  const Classified result = classified(classifier, read_dataset(options.series));
  if (!options.output.empty()) write_labels(options.output, result.labels);
  options.json ? print_json(options, result) : print_lines(options, result);
}

}  // namespace

void add_classify(CLI::App& program, Action& action) {
  CLI::App* verb = program.add_subcommand("classify", "Classify series by the nearest centroid of a model");
  verb->group("Verbs");
  const auto options = std::make_shared<ClassifyOptions>();
  verb->add_option("model", options->model, "What fit made of labelled series")->required()->type_name("MODEL");
  verb->add_option("series", options->series, "Series to classify; labels, if any, are only compared with")
      ->required()
      ->type_name("FILE");
  verb->add_option("-o,--output", options->output, "Where to, instead of stdout: .tsv or .csv (with a header)")
      ->type_name("FILE");
  verb->add_flag("--json", options->json, "Print one JSON object, with labels unless they go to a file");
  verb->footer(
      "One label a line, in the order of FILE. Where FILE has labels, the accuracy is printed: on stdout with -o, else "
      "on stderr.");
  verb->callback([options, &action] {
    const std::string extension = std::filesystem::path(options->output).extension().string();
    if (!options->output.empty() && extension != ".tsv" && extension != ".csv") {
      throw CLI::ValidationError(message("--output: expected a name that ends in .tsv or .csv, got ", options->output));
    }
    action = [options] { classify(*options); };
  });
}

}  // namespace diffeo::cli
