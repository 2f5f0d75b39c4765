// diffeo info: what a file holds, be it series, a model or warps. Needs no network.
#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

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
#include "diffeo/series_stream.hpp"
#include "diffeo/tensor_file.hpp"
#include "diffeo/warps_file.hpp"

namespace diffeo::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InfoOptions {
  std::string file;
  StreamFormat format;
  Reporting reporting;
};

std::string number_text(double value) { return message(std::setprecision(6), value); }

/// Lines of `name   value`, the values below each other.
class Table {
 public:
  void add(const std::string& name, const std::string& value) { rows_.emplace_back(shown(name), shown(value)); }
  void print() const {
    std::size_t width = 0;
    for (const auto& [name, value] : rows_) width = std::max(width, name.size());
    for (const auto& [name, value] : rows_) {
      std::cout << name << std::string(width + 2 - name.size(), ' ') << value << '\n';
    }
  }

 private:
  /// Names of classes may be anything.
  static std::string shown(const std::string& text) { return files::printable(text, std::string::npos); }

  std::vector<std::pair<std::string, std::string>> rows_;
};

Json classes_json(const SeriesOutline& outline) {
  Json classes = Json::object();
  for (std::size_t i = 0; i < outline.class_names.size(); ++i) classes[outline.class_names[i]] = outline.class_cases[i];
  return classes;
}

Json series_json(const InfoOptions& options, const SeriesOutline& outline) {
  const bool has_range = outline.values > outline.missing + outline.infinite;
  Json document = {{"file", options.file},
                   {"kind", "series"},
                   {"format", is_stream(options.file) ? options.format.name : series_format(options.file)},
                   {"cases", outline.cases},
                   {"channels", outline.channels},
                   {"shortest", outline.shortest},
                   {"longest", outline.longest},
                   {"values", outline.values},
                   {"missing", outline.missing},
                   {"infinite", outline.infinite},
                   {"least", nullptr},
                   {"greatest", nullptr},
                   {"classes", nullptr}};
  if (has_range) {
    document["least"] = outline.least;
    document["greatest"] = outline.greatest;
  }
  if (outline.labeled) document["classes"] = classes_json(outline);
  return document;
}

std::string classes_text(const SeriesOutline& outline) {
  if (!outline.labeled) return "none: no labels";
  std::string text = std::to_string(outline.class_names.size()) + ":";
  for (std::size_t i = 0; i < outline.class_names.size(); ++i) {
    text +=
        (i == 0 ? " " : ", ") + outline.class_names[i] + " (" + counted(outline.class_cases[i], "case", "cases") + ")";
  }
  return text;
}

void print_series(const InfoOptions& options, const SeriesOutline& outline) {
  Table table;
  table.add("file", is_stream(options.file) ? "standard input" : options.file);
  table.add("format", "series, " + (is_stream(options.file) ? options.format.name : series_format(options.file)));
  table.add("cases", std::to_string(outline.cases));
  table.add("channels", std::to_string(outline.channels));
  table.add("lengths", outline.equally_long() ? std::to_string(outline.longest)
                                              : message(outline.shortest, " to ", outline.longest));
  table.add("classes", classes_text(outline));
  table.add("missing", message(outline.missing, " of ", outline.values, " values"));
  if (outline.infinite > 0) table.add("infinite", counted(outline.infinite, "value", "values"));
  const bool has_range = outline.values > outline.missing + outline.infinite;
  table.add("range",
            has_range ? number_text(outline.least) + " to " + number_text(outline.greatest) : "no finite value");
  table.print();
}

/// The last epoch of the first member, by the names of its columns.
Json last_epoch(const TensorFile& file, const Json& description) {
  const NamedTensor* history = file.find("history");
  if (history == nullptr || history->shape.size() != 2 || history->shape[0] == 0) return nullptr;
  const std::vector<double> values = history->values<double>();
  const auto columns = description.at("history_columns").get<std::vector<std::string>>();
  require(static_cast<std::size_t>(history->shape[1]) == columns.size(), "history: expected ", columns.size(),
          " columns, got ", history->shape[1]);
  std::size_t last = 0;
  for (std::size_t row = 0; row * columns.size() < values.size(); ++row) {
    if (values[row * columns.size()] == 0.0) last = row;  // the member
  }
  Json epoch = Json::object();
  for (std::size_t column = 0; column < columns.size(); ++column) {
    epoch[columns[column]] = values[last * columns.size() + column];
  }
  return epoch;
}

std::size_t parameters_of(const TensorFile& file) {
  std::size_t count = 0;
  for (const NamedTensor& tensor : file.tensors) {
    // W is the basis of the warps, which is computed, not learned.
    if (tensor.name.starts_with("members/") && !tensor.name.ends_with("vertex_basis")) {
      count += tensor.bytes.size() / size_of(tensor.dtype);
    }
  }
  return count;
}

Json model_json(const InfoOptions& options, const TensorFile& file) {
  const Json description = files::parsed_json(file.metadata.at("model"));
  const auto classes = description.at("class_names").get<std::vector<std::string>>();
  return {{"file", options.file},
          {"kind", "model"},
          {"bytes", std::filesystem::file_size(options.file)},
          {"diffeo", description.at("diffeo")},
          {"channels", description.at("channels")},
          {"length", description.at("length")},
          {"classes", description.at("labeled").get<bool>() ? Json(classes) : Json(nullptr)},
          {"numbers", parameters_of(file)},
          {"seed", description.at("seed")},
          {"shrinkage", description.at("shrinkage")},
          {"last_epoch", last_epoch(file, description)},
          {"options", description.at("options")}};
}

std::string listed(const Json& names) {
  std::string text = std::to_string(names.size()) + ":";
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? " " : ", ") + names[i].get<std::string>();
  return text;
}

void print_model(const Json& model) {
  Table table;
  table.add("file", model["file"].get<std::string>());
  table.add("format", "model of diffeo " + model["diffeo"].get<std::string>());
  table.add("size", message(amount_text(model["bytes"].get<double>()), " bytes, ",
                            amount_text(model["numbers"].get<double>()), " numbers in its networks"));
  table.add("channels", model["channels"].dump());
  table.add("length", model["length"].dump());
  table.add("classes", model["classes"].is_null() ? "none: fitted without labels" : listed(model["classes"]));
  table.add("seed", model["seed"].dump());
  table.add("shrinkage", model["shrinkage"].dump());
  if (const Json& last = model["last_epoch"]; !last.is_null()) {
    table.add("training",
              message(last["epoch"].get<double>(), " epochs; the last: loss ", number_text(last["loss"].get<double>()),
                      ", variance ", number_text(last["variance"].get<double>()),
                      model["classes"].is_null() ? std::string()
                                                 : ", accuracy " + number_text(last["accuracy"].get<double>())));
  }
  for (const auto& [name, value] : model["options"].items()) table.add(name, value.get<std::string>());
  table.print();
}

Json warps_json(const InfoOptions& options, const WarpsFile& warps) {
  Json document = {{"file", options.file},
                   {"kind", "warps"},
                   {"source", warps.source},
                   {"cases", warps.velocities.rows()},
                   {"cells", warps.velocities.columns() - 1},
                   {"channels", warps.means.channels()},
                   {"length", warps.means.longest()},
                   {"classes", nullptr},
                   {"variance_before", warps.variance_before},
                   {"variance", warps.variance},
                   {"options", warps.options}};
  if (warps.means.labeled()) document["classes"] = warps.means.class_names();
  return document;
}

void print_warps(const InfoOptions& options, const WarpsFile& warps) {
  Table table;
  table.add("file", options.file);
  table.add("format", "warps of " + warps.source);
  table.add("cases", std::to_string(warps.velocities.rows()));
  table.add("cells", std::to_string(warps.velocities.columns() - 1));
  table.add("channels", std::to_string(warps.means.channels()));
  table.add("length", std::to_string(warps.means.longest()));
  for (std::size_t item = 0; item < warps.means.cases(); ++item) {
    table.add(
        warps.means.labeled() ? "class " + warps.means.label(item) : "variance",
        message("variance ", number_text(warps.variance_before[item]), " before, ", number_text(warps.variance[item]),
                " after, ", counted(warps.history[item].size(), "step", "steps")));
  }
  for (const auto& [name, value] : warps.options) table.add(name, value);
  table.print();
}

Json joint_model_json(const InfoOptions& options, const TensorFile& file) {
  const JointAligner aligner = JointAligner::load(options.file);
  const Dataset& means = aligner.alignment().mean;
  return {{"file", options.file},
          {"kind", "joint model"},
          {"bytes", std::filesystem::file_size(options.file)},
          {"diffeo", Json::parse(file.metadata.at("model")).at("diffeo")},
          {"channels", means.channels()},
          {"length", means.longest()},
          {"classes", means.labeled() ? Json(means.class_names()) : Json(nullptr)},
          {"cases", aligner.alignment().velocities.rows()},
          {"templates", aligner.templates().cases()},
          {"options", option_texts(aligner.options())}};
}

void print_joint_model(const Json& model) {
  Table table;
  table.add("file", model["file"].get<std::string>());
  table.add("format", "model of diffeo " + model["diffeo"].get<std::string>() + ", without a network");
  table.add("size", message(amount_text(model["bytes"].get<double>()), " bytes"));
  for (const char* name : {"channels", "length", "cases"}) table.add(name, model[name].dump());
  table.add("aligned to", model["templates"] == 0
                              ? "means"
                              : counted(model["templates"].get<std::size_t>(), "template", "templates"));
  table.add("classes", model["classes"].is_null() ? "none: fitted without labels" : listed(model["classes"]));
  for (const auto& [name, value] : model["options"].items()) table.add(name, value.get<std::string>());
  table.print();
}

void tell_tensors(const InfoOptions& options) {
  const TensorFile file = read_tensor_file(options.file);
  if (file.metadata.contains(kWarpsFileKey)) {
    const WarpsFile warps = read_warps_file(options.file);
    options.reporting.json ? void(std::cout << files::json_line(warps_json(options, warps)) << '\n')
                           : print_warps(options, warps);
    return;
  }
  if (joint_model_kind().matches(options.file)) {
    const Json model = joint_model_json(options, file);
    options.reporting.json ? void(std::cout << model.dump() << '\n') : print_joint_model(model);
    return;
  }
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != kModelFormat) {
    throw FileError({options.file}, "expected series, a model or warps of diffeo, got another safetensors file");
  }
  require_digest(file, options.file);
  try {
    const Json model = model_json(options, file);
    options.reporting.json ? void(std::cout << files::json_line(model) << '\n') : print_model(model);
  } catch (const Json::exception& problem) {
    throw FileError({options.file},
                    message("expected a complete description of the model, got ", files::json_problem(problem)));
  } catch (const std::out_of_range&) {
    throw FileError({options.file}, "expected a description of the model, got none");
  } catch (const std::invalid_argument& problem) {
    throw FileError({options.file}, problem.what());
  }
}

void info(const InfoOptions& options) {
  if (!is_stream(options.file) && !is_series_file(options.file)) {
    tell_tensors(options);
    return;
  }
  std::string layout;
  const SeriesOutline outline = outline_of(options.file, options.format.reading(options.file, layout));
  tell_layout(options.file, layout, options.reporting);
  if (!options.reporting.json) return print_series(options, outline);
  Json document = series_json(options, outline);
  document["layout"] = layout.empty() ? Json(nullptr) : Json(layout);
  std::cout << files::json_line(document) << '\n';
}

}  // namespace

void add_info(CLI::App& program, Action& action) {
  CLI::App* verb = program.add_subcommand("info", "Say what a file holds: series, a model or warps");
  verb->group("Verbs");
  const auto options = std::make_shared<InfoOptions>();
  verb->add_option("file", options->file,
                   "Series (.tsv, .csv, .ts, .arff, .npy, .npz or -), a model, or warps of align")
      ->required()
      ->type_name("FILE");
  add_reading(*verb, options->format, options->reporting);
  add_table_options(*verb, options->format);
  add_reporting(*verb, options->reporting, "Print one JSON object");
  verb->callback([options, &action] { action = [options] { info(*options); }; });
}

}  // namespace diffeo::cli
