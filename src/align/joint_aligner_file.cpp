#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "align/file_tensors.hpp"
#include "align/finite.hpp"
#include "align/series_checks.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/joint_aligner.hpp"
#include "diffeo/tensor_file.hpp"
#include "diffeo/version.hpp"

namespace diffeo {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kFormatVersion = 1;

Json options_json(const AlignOptions& options) {
  return {{"criterion", align_criterion_names()[static_cast<std::size_t>(options.criterion)]},
          {"cells", options.cells},
          {"zero_boundary", options.zero_boundary},
          {"prior_weight", options.prior_weight},
          {"length_scale", options.length_scale},
          {"smoothing", options.smoothing ? Json(*options.smoothing) : Json(nullptr)},
          {"own_time", options.own_time},
          {"length", options.length},
          {"max_iterations", options.max_iterations},
          {"tolerance", options.tolerance}};
}

AlignOptions options_of(const Json& json, std::size_t threads) {
  const Json& smoothing = json.at("smoothing");
  const AlignOptions options{.criterion = align_criterion(json.at("criterion").get<std::string>()),
                             .cells = json.at("cells").get<std::size_t>(),
                             .zero_boundary = json.at("zero_boundary").get<bool>(),
                             .prior_weight = json.at("prior_weight").get<double>(),
                             .length_scale = json.at("length_scale").get<double>(),
                             .smoothing = smoothing.is_null() ? std::nullopt : std::optional(smoothing.get<double>()),
                             .own_time = json.at("own_time").get<double>(),
                             .length = json.at("length").get<std::size_t>(),
                             .max_iterations = json.at("max_iterations").get<std::size_t>(),
                             .tolerance = json.at("tolerance").get<double>(),
                             .threads = threads};
  require_valid(options);
  return options;
}

Json history_json(const std::vector<AlignStep>& history) {
  Json steps = Json::array();
  for (const AlignStep& step : history) steps.push_back({step.cells, step.smoothing, step.cost, step.done});
  return steps;
}

std::vector<AlignStep> history_of(const Json& json) {
  std::vector<AlignStep> steps;
  for (const Json& step : json) {
    steps.push_back(
        {step.at(0).get<std::size_t>(), step.at(1).get<double>(), step.at(2).get<double>(), step.at(3).get<double>()});
  }
  return steps;
}

Json group_json(const ClassAlignment& each) {
  return {{"name", each.name},
          {"variance_before", each.variance_before},
          {"variance", each.variance},
          {"cost", each.cost},
          {"converged", each.converged},
          {"noise", each.model.noise},
          {"height_ratio", each.model.height_ratio},
          {"gain_ratio", each.model.gain_ratio},
          {"warp_ratio", each.model.warp_ratio},
          {"warp_length_scale", each.model.warp_length_scale},
          {"height_length_scale", each.model.height_length_scale},
          {"scale", each.model.scale},
          {"history", history_json(each.history)}};
}

ClassAlignment group_of(const Json& json) {
  const auto number = [&](const char* name) { return json.at(name).get<double>(); };
  return {.name = json.at("name").get<std::string>(),
          .variance_before = number("variance_before"),
          .variance = number("variance"),
          .cost = number("cost"),
          .converged = json.at("converged").get<bool>(),
          .model = {.noise = number("noise"),
                    .height_ratio = number("height_ratio"),
                    .gain_ratio = number("gain_ratio"),
                    .warp_ratio = number("warp_ratio"),
                    .warp_length_scale = number("warp_length_scale"),
                    .height_length_scale = number("height_length_scale"),
                    .scale = number("scale")},
          .history = history_of(json.at("history"))};
}

std::string description(const JointAligner& aligner) {
  const Dataset& means = aligner.alignment().mean;
  Json groups = Json::array();
  for (const ClassAlignment& each : aligner.alignment().classes) groups.push_back(group_json(each));
  const Json json = {{"format_version", kFormatVersion},
                     {"diffeo", version()},
                     {"channels", means.channels()},
                     {"length", means.longest()},
                     {"classes", labels_of(means)},
                     {"template_classes", labels_of(aligner.templates())},
                     {"options", options_json(aligner.options())},
                     {"groups", groups}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::uint8_t> verdicts_of(const Alignment& alignment) {
  std::vector<std::uint8_t> verdicts;
  for (const CaseQuality& each : alignment.quality) verdicts.push_back(each.reliable ? 1 : 0);
  return verdicts;
}

TensorFile encoded(const JointAligner& aligner) {
  const Alignment& alignment = aligner.alignment();
  require(!alignment.mean.empty(), "JointAligner: expected fit before save");
  TensorFile file;
  file.tensors.push_back(series_tensor("means", alignment.mean));
  if (!aligner.templates().empty()) file.tensors.push_back(series_tensor("templates", aligner.templates()));
  file.tensors.push_back(matrix_tensor("velocities", alignment.velocities));
  const std::vector<std::uint8_t> verdicts = verdicts_of(alignment);
  file.tensors.push_back(make_tensor("reliable", {static_cast<std::int64_t>(verdicts.size())}, verdicts));
  file.metadata["format"] = kJointAlignerFormat;
  file.metadata["model"] = description(aligner);
  return file;
}

Alignment alignment_of(const TensorFile& file, const Json& json) {
  Alignment alignment;
  alignment.mean = series_of(file, "means", json.at("classes").get<std::vector<std::string>>());
  for (std::size_t item = 0; item < alignment.mean.cases(); ++item) {
    require_alignable("means", alignment.mean.series(item));
  }
  for (const Json& each : json.at("groups")) alignment.classes.push_back(group_of(each));
  require(alignment.classes.size() == alignment.mean.cases(), "groups: expected one for each of ",
          alignment.mean.cases(), " means, got ", alignment.classes.size());
  require(alignment.mean.labeled() || alignment.mean.cases() == 1, "means: expected one without classes, got ",
          alignment.mean.cases());
  alignment.velocities = matrix_of(file, "velocities");
  require(all_finite(alignment.velocities.values()), "velocities: expected finite numbers, got others");
  for (const std::uint8_t verdict : tensor_named(file, "reliable", 1).values<std::uint8_t>()) {
    alignment.quality.emplace_back().reliable = verdict != 0;
  }
  require(alignment.quality.size() == alignment.velocities.rows(), "reliable: expected a verdict for each of ",
          alignment.velocities.rows(), " warps, got ", alignment.quality.size());
  return alignment;
}

Dataset templates_of(const TensorFile& file, const Json& json) {
  if (file.find("templates") == nullptr) return Dataset();
  return series_of(file, "templates", json.at("template_classes").get<std::vector<std::string>>());
}

Json described(const TensorFile& file, const std::string& name) {
  const auto refuse = [&](const std::string& problem) { throw FileError({name}, problem); };
  const auto entry = [&](const char* key) {
    const auto found = file.metadata.find(key);
    return found == file.metadata.end() ? std::string() : found->second;
  };
  if (entry("format") != kJointAlignerFormat) {
    refuse(message("expected a model of diffeo align, got a file of the format \"", entry("format"), "\""));
  }
  const Json json = Json::parse(entry("model"), nullptr, false);
  if (!json.is_object() || !json.contains("format_version") || !json["format_version"].is_number_integer()) {
    refuse("expected a description of the model, got none that can be read");
  }
  if (const auto came = json["format_version"].get<std::int64_t>(); came != kFormatVersion) {
    refuse(message("expected format version ", kFormatVersion, ", got ", came, ": ",
                   came > kFormatVersion ? "a newer diffeo wrote it" : "there is no such version"));
  }
  return json;
}

}  // namespace

JointAligner JointAligner::decoded(const TensorFile& file, std::size_t threads, const std::string& name) {
  const Json json = described(file, name);
  try {
    Alignment alignment = alignment_of(file, json);
    std::vector<AlignmentModel> models;
    for (const ClassAlignment& each : alignment.classes) models.push_back(each.model);
    JointAligner aligner(options_of(json.at("options"), threads), alignment.mean, models, templates_of(file, json));
    aligner.alignment_ = std::move(alignment);
    return aligner;
  } catch (const Json::exception& problem) {
    throw FileError({name}, message("expected a complete description of the model: ", problem.what()));
  } catch (const std::invalid_argument& problem) {
    throw FileError({name}, problem.what());
  }
}

void JointAligner::save(const std::filesystem::path& path) const { write_tensor_file(path, encoded(*this)); }

JointAligner JointAligner::load(const std::filesystem::path& path, std::size_t threads) {
  return decoded(read_tensor_file(path), threads, path.string());
}

std::vector<std::byte> JointAligner::bytes() const { return encode_tensor_file(encoded(*this)); }

JointAligner JointAligner::from_bytes(std::span<const std::byte> bytes, std::size_t threads, const std::string& name) {
  return decoded(decode_tensor_file(bytes, name), threads, name);
}

}  // namespace diffeo
