#include "cli/results_inputs.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/setting_words.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo::cli {
namespace {

using ResultsJson = nlohmann::json;

/// Nothing where there is no such file; FileError where `read` finds another kind of document.
template <class Read>
auto read_document(const std::filesystem::path& file, const Read& read)
    -> std::optional<decltype(read(ResultsJson()))> {
  std::ifstream stream(file);
  if (!stream) return std::nullopt;
  try {
    return read(ResultsJson::parse(stream));
  } catch (const ResultsJson::exception& problem) {
    throw FileError({file.string()},
                    std::string("expected a document of the experiments, got one that is none: ") + problem.what());
  }
}

/// Values that are missing in a series are null there.
std::vector<std::vector<double>> series_of(const ResultsJson& rows) {
  std::vector<std::vector<double>> series;
  for (const ResultsJson& row : rows) {
    std::vector<double>& values = series.emplace_back();
    for (const ResultsJson& value : row) {
      values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
    }
  }
  return series;
}

bool is_one_of_several(const std::map<std::string, std::string>& options) {
  const auto value = [&](const char* name) { return options.contains(name) ? options.at(name) : std::string(); };
  if (value("members") == "0") return value("loss").find('|') != std::string::npos;
  return !value("members").empty() && value("members") != "1";
}

/// Nothing where the warps are those of other options.
std::optional<AlignmentPicture> picture_of(const ResultsJson& document,
                                           const std::map<std::string, std::string>& options) {
  if (document.contains("options") && document.at("options") != ResultsJson(options)) return std::nullopt;
  AlignmentPicture picture;
  picture.dataset = document.at("dataset");
  picture.note = message("Test series, ", document.at("method").get<std::string>(), ", seed ",
                         document.at("seed").is_null() ? 0 : document.at("seed").get<std::uint64_t>(),
                         is_one_of_several(options) ? ", by the one of its networks that aligns." : ".");
  picture.heat = AlignmentHeat{picture.dataset, document.at("classes"), series_of(document.at("before")),
                               series_of(document.at("after"))};
  const bool is_embedded = !document.at("embedding_before").empty() && !document.at("embedding_after").empty();
  if (is_embedded) {
    picture.embedding = EmbeddingPlot{picture.dataset, document.at("embedding_classes"),
                                      document.at("embedding_before"), document.at("embedding_after")};
  }
  return picture;
}

std::optional<double> figure_in(const ResultsJson& document, const char* name) {
  return document.contains(name) ? std::optional(document.at(name).get<double>()) : std::nullopt;
}

/// In the order of the search: "layers 5, cells 16".
std::string setting_text(const ResultsJson& setting, const std::vector<WinningFrequency>& varied) {
  std::string text;
  for (const WinningFrequency& each : varied) {
    if (!setting.contains(each.option)) continue;
    text += message(text.empty() ? "" : ", ", each.option, " ", setting.at(each.option).get<std::string>());
  }
  return text;
}

void add_choices(GridSearch& grid, const ResultsJson& datasets) {
  for (const ResultsJson& each : datasets) {
    ChosenSetting choice{each.at("dataset"), setting_text(each.at("setting"), grid.frequencies),
                         figure_in(each, "cv_accuracy"), figure_in(each, "test_accuracy")};
    if (each.contains("oracle")) {
      const ResultsJson& oracle = each.at("oracle");
      choice.best_on_test = oracle.at("test_accuracy").get<double>();
      grid.best_of = std::max(grid.best_of, oracle.value("settings", std::size_t{0}));  // older ones tested all
    }
    grid.choices.push_back(std::move(choice));
  }
}

GridSearch grid_of(const ResultsJson& document) {
  GridSearch grid;
  grid.method = "diffeo";
  grid.folds = document.at("folds");
  grid.rungs = document.at("rungs").size();
  grid.failures = document.at("failures");
  grid.settings = 1;
  for (const ResultsJson& factor : document.at("winning_frequency")) {
    WinningFrequency frequency{factor.at("name"), {}, {}};
    for (const ResultsJson& value : factor.at("values")) {
      frequency.values.push_back(value.at("value"));
      frequency.counts.push_back(value.at("wins"));
    }
    grid.settings *= frequency.values.size();
    grid.frequencies.push_back(std::move(frequency));
  }
  add_choices(grid, document.at("datasets"));
  return grid;
}

AblationStudies ablation_of(const ResultsJson& document) {
  AblationStudies studies{document.at("accuracy") == "cv", document.at("seeds"), {}};
  for (const ResultsJson& study : document.at("studies")) {
    AblationTable table{study.at("name"), {}};
    for (const ResultsJson& value : study.at("values")) {
      if (value.at("mean_accuracy").is_null()) continue;
      table.rows.push_back(
          {value.at("value"), value.at("mean_accuracy"), value.at("mean_seconds"), value.at("datasets").size()});
    }
    if (!table.rows.empty()) studies.tables.push_back(std::move(table));
  }
  if (document.contains("options")) studies.setting = setting_words("diffeo", document.at("options"));
  return studies;
}

}  // namespace

std::vector<AlignmentPicture> read_pictures(const std::filesystem::path& directory,
                                            const std::vector<std::string>& datasets,
                                            const std::map<std::string, std::string>& options) {
  std::vector<AlignmentPicture> pictures;
  for (const std::string& dataset : datasets) {
    const auto read = [&](const ResultsJson& document) { return picture_of(document, options); };
    const auto picture = read_document(directory / "pictures" / (dataset + ".json"), read);
    if (picture && *picture) pictures.push_back(**picture);
  }
  return pictures;
}

std::optional<GridSearch> read_grid(const std::filesystem::path& directory) {
  std::optional<GridSearch> grid = read_document(directory / "grid.json", grid_of);
  return grid ? grid : read_document(directory / "grid" / "grid.json", grid_of);
}

std::optional<AblationStudies> read_ablation(const std::filesystem::path& directory) {
  std::optional<AblationStudies> studies = read_document(directory / "ablation.json", ablation_of);
  return studies ? studies : read_document(directory / "ablation" / "ablation.json", ablation_of);
}

std::string read_remark(const std::filesystem::path& directory, std::string_view name) {
  std::ifstream stream(directory / name);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace diffeo::cli
