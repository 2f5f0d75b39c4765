#include "experiments/alignment_picture.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "data/output_file.hpp"
#include "diffeo/prepare.hpp"

namespace diffeo {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostSeries = 120;
constexpr std::size_t kMostSamples = 120;
constexpr int kSignificantDigits = 3;

Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, kSignificantDigits).ptr;
  double result = 0.0;
  std::from_chars(text.data(), end, result);
  return result;
}

Json drawn(const Dataset& set) {
  Json rows = Json::array();
  for (std::size_t item = 0; item < set.cases(); ++item) {
    Json row = Json::array();
    for (const double value : set.series(item).channel(0)) row.push_back(rounded(value));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json labels_of(const Dataset& set) {
  Json labels = Json::array();
  for (std::size_t item = 0; item < set.cases(); ++item) labels.push_back(set.label(item));
  return labels;
}

}  // namespace

std::vector<std::size_t> spread_over_classes(const Dataset& set, std::size_t most) {
  std::vector<std::vector<std::size_t>> classes = set.cases_by_class();
  std::vector<std::size_t> taken(classes.size(), 0);
  std::size_t left = std::min(most, set.cases());
  for (std::size_t round = 0; left > 0; ++round) {
    for (std::size_t k = 0; k < classes.size() && left > 0; ++k) {
      if (round >= classes[k].size()) continue;
      ++taken[k];
      --left;
    }
  }
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    chosen.insert(chosen.end(), classes[k].begin(), classes[k].begin() + static_cast<std::ptrdiff_t>(taken[k]));
  }
  return chosen;
}

std::string alignment_picture(const WorkItem& item, const Dataset& before, const Dataset& after) {
  const std::vector<std::size_t> cases = spread_over_classes(before, kMostSeries);
  const std::size_t length = std::min(before.longest(), kMostSamples);
  Json picture = {{"dataset", item.dataset}, {"method", item.method}};
  picture["seed"] = item.seed ? Json(*item.seed) : Json(nullptr);
  picture["options"] = item.options;
  picture["length"] = length;
  picture["classes"] = labels_of(before.subset(cases));
  picture["before"] = drawn(resample(before.subset(cases), length));
  picture["after"] = drawn(resample(after.subset(cases), length));
  return picture.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void keep_alignment_picture(const std::filesystem::path& directory, const WorkItem& item, const Dataset& before,
                            const Dataset& after) {
  std::filesystem::create_directories(directory / "pictures");
  files::OutputFile file(directory / "pictures" / (item.dataset + ".json"));
  file.write(alignment_picture(item, before, after));
  file.commit();
}

}  // namespace diffeo
