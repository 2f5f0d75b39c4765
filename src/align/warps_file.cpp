#include "diffeo/warps_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "align/file_tensors.hpp"
#include "align/finite.hpp"
#include "data/json_text.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/tensor_file.hpp"

namespace diffeo {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kVersion = 2;  // since 2, there is a digest

template <class Value>
std::string number_text(Value value) {
  return Json(value).dump();
}

void require_one_each(std::string_view name, std::size_t count, std::size_t means) {
  require(count == means, name, ": expected one for each of ", means, " means, got ", count);
}

/// What must hold of the parts, whether they are written or were read.
void require_fitting(const WarpsFile& warps) {
  require(std::isfinite(warps.lower) && std::isfinite(warps.upper) && warps.lower < warps.upper,
          "domain: expected two finite numbers in increasing order, got ", warps.lower, " and ", warps.upper);
  require(warps.velocities.rows() >= 1 && warps.velocities.columns() >= 2,
          "velocities: expected at least one case and two vertices, got ", warps.velocities.rows(), " and ",
          warps.velocities.columns());
  require(all_finite(warps.velocities.values()), "velocities: expected finite numbers, got others");
  const std::size_t means = warps.means.cases();
  require(means >= 1, "means: expected at least one, got none");
  require(warps.means.labeled() || means == 1, "means: expected one without classes, got ", means);
  require(warps.means.equally_long(), "means: expected equally long ones, got from ", warps.means.shortest(), " to ",
          warps.means.longest(), " time steps");
  require_one_each("history", warps.history.size(), means);
  require_one_each("variance_before", warps.variance_before.size(), means);
  require_one_each("variance", warps.variance.size(), means);
  require(all_finite(warps.variance_before) && all_finite(warps.variance) &&
              std::ranges::all_of(warps.history, [](const auto& costs) { return all_finite(costs); }),
          "history: expected finite numbers, got others");
}

std::string description(const WarpsFile& warps) {
  const Json json = {{"version", kVersion},
                     {"source", warps.source},
                     {"classes", labels_of(warps.means)},
                     {"domain", {warps.lower, warps.upper}},
                     {"options", warps.options},
                     {"history", warps.history},
                     {"variance_before", warps.variance_before},
                     {"variance", warps.variance}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // a source may have any bytes in its name
}

WarpsFile decoded(const TensorFile& file, const Json& json) {
  WarpsFile warps;
  const auto domain = json.at("domain").get<std::vector<double>>();
  require(domain.size() == 2, "domain: expected two numbers, got ", domain.size());
  warps.source = json.at("source").get<std::string>();
  warps.lower = domain[0];
  warps.upper = domain[1];
  warps.options = json.at("options").get<std::map<std::string, std::string>>();
  warps.velocities = matrix_of(file, "velocities");
  warps.means = series_of(file, "means", json.at("classes").get<std::vector<std::string>>());
  warps.history = json.at("history").get<std::vector<std::vector<double>>>();
  warps.variance_before = json.at("variance_before").get<std::vector<double>>();
  warps.variance = json.at("variance").get<std::vector<double>>();
  require_fitting(warps);
  return warps;
}

}  // namespace

std::map<std::string, std::string> option_texts(const AlignOptions& options) {
  return {{"criterion", std::string(align_criterion_names()[static_cast<std::size_t>(options.criterion)])},
          {"cells", number_text(options.cells)},
          {"zero_boundary", number_text(options.zero_boundary)},
          {"prior_weight", number_text(options.prior_weight)},
          {"length_scale", number_text(options.length_scale)},
          {"smoothing", options.smoothing ? number_text(*options.smoothing) : "auto"},
          {"own_time", number_text(options.own_time)},
          {"length", number_text(options.length)},
          {"max_iterations", number_text(options.max_iterations)},
          {"tolerance", number_text(options.tolerance)}};
}

WarpsFile warps_of(const Alignment& alignment, const AlignOptions& options) {
  WarpsFile warps;
  warps.options = option_texts(options);
  warps.velocities = alignment.velocities;
  warps.means = alignment.mean;
  for (const ClassAlignment& each : alignment.classes) {
    std::vector<double>& costs = warps.history.emplace_back();
    for (const AlignStep& step : each.history) costs.push_back(step.cost);
    warps.variance_before.push_back(each.variance_before);
    warps.variance.push_back(each.variance);
  }
  return warps;
}

void write_warps_file(const std::filesystem::path& path, const WarpsFile& warps) {
  require_fitting(warps);
  TensorFile file;
  file.tensors.push_back(matrix_tensor("velocities", warps.velocities));
  file.tensors.push_back(series_tensor("means", warps.means));
  file.metadata[kWarpsFileKey] = description(warps);
  add_digest(file);
  write_tensor_file(path, file);
}

WarpsFile read_warps_file(const std::filesystem::path& path) {
  const TensorFile file = read_tensor_file(path);
  const auto refuse = [&](const std::string& problem) { throw FileError({path.string()}, problem); };
  const auto entry = file.metadata.find(kWarpsFileKey);
  if (entry == file.metadata.end()) refuse("expected warps that diffeo align wrote, got another safetensors file");
  const Json json = files::parsed_json(entry->second);
  if (!json.is_object() || !json.contains("version") || !json["version"].is_number_integer()) {
    refuse("expected a description of the warps, got none that can be read");
  }
  if (const auto came = json["version"].get<std::int64_t>(); came != kVersion) {
    refuse(message("expected format version ", kVersion, ", got ", came, ": ",
                   came > kVersion ? "a newer diffeo wrote it" : "an older diffeo wrote it"));
  }
  require_digest(file, path.string());
  try {
    return decoded(file, json);
  } catch (const Json::exception& problem) {
    throw FileError({path.string()},
                    message("expected a complete description of the warps, got ", files::json_problem(problem)));
  } catch (const std::invalid_argument& problem) {
    throw FileError({path.string()}, problem.what());
  }
}

}  // namespace diffeo
