#include "model_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/tensor_file.hpp"
#include "diffeo/version.hpp"
#include "expected_size.hpp"
#include "named_tensors.hpp"
#include "training_history.hpp"
#include "transformer_options.hpp"

namespace diffeo {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "diffeo temporal aligner";
constexpr std::int64_t kFormatVersion = 3;  // since 3, the digest is SHA-256

std::string member_prefix(std::size_t member) { return "members/" + std::to_string(member) + "/"; }

/// Weights and buffers, with the names they have in a file.
std::vector<std::pair<std::string, at::Tensor>> member_tensors(const TemporalTransformer& network, std::size_t member) {
  std::vector<std::pair<std::string, at::Tensor>> tensors;
  for (const auto& item : network.named_parameters()) {
    tensors.emplace_back(member_prefix(member) + item.key(), item.value());
  }
  for (const auto& item : network.named_buffers()) {
    tensors.emplace_back(member_prefix(member) + item.key(), item.value());
  }
  return tensors;
}

Json options_json(const TrainingOptions& options) {
  Json result = Json::object();
  for (const Hyperparameter& each : hyperparameters()) {
    result[std::string(each.name)] = hyperparameter_text(options, each);
  }
  return result;
}

TrainingOptions options_of(const Json& json) {
  TrainingOptions options;
  for (const Hyperparameter& each : hyperparameters()) {
    set_hyperparameter(options, each.name, json.at(std::string(each.name)).get<std::string>());
  }
  check_training_options(options);
  return options;
}

std::string offset_name(std::size_t layer) { return "offsets/" + std::to_string(layer); }

void add_normalization(const std::string& prefix, const Normalization& normalization, TensorFile& file) {
  const auto channels = static_cast<std::int64_t>(normalization.mean.size());
  file.tensors.push_back(make_tensor(prefix + "mean", {channels}, std::span<const double>(normalization.mean)));
  file.tensors.push_back(make_tensor(prefix + "scale", {channels}, std::span<const double>(normalization.scale)));
}

Json description(const StoredAligner& aligner) {
  const TemporalAligner::Model& model = *aligner.model;
  std::vector<double> comparison_scales;
  for (const ModelMember& member : model.members) comparison_scales.push_back(member.comparison_scale);
  return {{"format_version", kFormatVersion},
          {"diffeo", version()},
          {"seed", aligner.seed},
          {"shrinkage", model.shrinkage},
          {"comparison_scales", comparison_scales},
          {"slopes", {{"smoothing", model.features.slopes().smoothing}, {"size", model.features.slopes().slope}}},
          {"channels", model.channels},
          {"length", model.length},
          {"tessellation",
           {{"cells", aligner.options.cells},
            {"lower", 0.0},
            {"upper", 1.0},
            {"zero_boundary", aligner.options.zero_boundary}}},
          {"options", options_json(aligner.options)},
          {"labeled", model.centroids.labeled()},
          {"class_names", model.centroids.class_names()},
          {"history_columns", history_columns()}};
}

TensorFile encoded(const StoredAligner& aligner) {
  const TemporalAligner::Model& model = *aligner.model;
  TensorFile file;
  for (std::size_t member = 0; member < model.members.size(); ++member) {
    const ModelMember& own = model.members[member];
    for (const auto& [name, tensor] : member_tensors(*own.network, member)) {
      file.tensors.push_back(named_tensor(name, tensor));
    }
    add_normalization(member_prefix(member) + "normalization/", own.normalization, file);
  }
  add_normalization("normalization/", model.features.values(), file);
  for (std::size_t layer = 0; layer < model.offsets.size(); ++layer) {
    const std::vector<double>& offset = model.offsets[layer];
    file.tensors.push_back(
        make_tensor(offset_name(layer), {static_cast<std::int64_t>(offset.size())}, std::span<const double>(offset)));
  }
  const auto add_centroids = [&](const std::string& name, const Dataset& means) {
    const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(means.cases()),
                                             static_cast<std::int64_t>(means.channels()),
                                             static_cast<std::int64_t>(model.length)};
    file.tensors.push_back(make_tensor(name, shape, means.values()));
  };
  add_centroids("centroids", model.centroids);
  add_centroids("comparison_centroids", model.comparison_centroids);
  add_centroids("unwarped_centroids", model.unwarped_centroids);
  file.tensors.push_back(history_tensor(model.history));
  file.metadata["format"] = kFormat;
  file.metadata["model"] = description(aligner).dump();
  add_digest(file);
  return file;
}

std::string entry(const TensorFile& file, const std::string& key) {
  const auto found = file.metadata.find(key);
  return found == file.metadata.end() ? std::string() : found->second;
}

const NamedTensor& tensor_named(const TensorFile& file, const std::string& name) {
  const NamedTensor* found = file.find(name);
  require(found != nullptr, name, ": expected a tensor of that name, got none");
  return *found;
}

/// A number of the description within a range.
double number_in(const Json& json, const char* name, double lowest, double highest) {
  const double value = json.get<double>();
  require(value >= lowest && value <= highest, name, ": expected ", lowest, " to ", highest, ", got ", value);
  return value;
}

/// A whole number of the description within a range; -1 is no 18446744073709551615.
std::uint64_t count_in(const Json& json, const char* name, std::uint64_t lowest, std::uint64_t highest) {
  require(json.is_number_unsigned(), name, ": expected a whole number from ", lowest, ", got ", json.dump());
  const auto value = json.get<std::uint64_t>();
  require(value >= lowest && value <= highest, name, ": expected ", lowest, " to ", highest, ", got ", value);
  return value;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (const std::int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + ")";
}

void require_tensor_shape(const NamedTensor& tensor, const std::vector<std::int64_t>& expected) {
  require(tensor.shape == expected, tensor.name, ": expected shape ", shape_text(expected), ", got ",
          shape_text(tensor.shape));
}

template <class Value>
void require_finite_values(const NamedTensor& tensor) {
  for (const Value value : tensor.values<Value>()) {
    require(std::isfinite(value), tensor.name, ": expected finite values, got ", value);
  }
}

/// Numbers that are used in calculations; NaN is a missing value where `missing` says so.
std::vector<double> finite_values(const NamedTensor& tensor, bool missing = false) {
  std::vector<double> values = tensor.values<double>();
  for (const double value : values) {
    require(std::isfinite(value) || (missing && std::isnan(value)), tensor.name, ": expected finite values, got ",
            value);
  }
  return values;
}

std::vector<double> channel_values(const TensorFile& file, const std::string& name, std::size_t channels) {
  const NamedTensor& tensor = tensor_named(file, name);
  require_tensor_shape(tensor, {static_cast<std::int64_t>(channels)});
  return finite_values(tensor);
}

Normalization normalization_of(const TensorFile& file, const std::string& prefix, std::size_t channels) {
  Normalization result{channel_values(file, prefix + "mean", channels),
                       channel_values(file, prefix + "scale", channels)};
  for (const double scale : result.scale) {
    require(scale > 0.0, prefix, "scale: expected positive numbers, got ", scale);
  }
  return result;
}

Dataset centroids_of(const TensorFile& file, const std::string& name, const Json& json, std::size_t channels,
                     std::size_t length) {
  const NamedTensor& tensor = tensor_named(file, name);
  const auto names = json.at("class_names").get<std::vector<std::string>>();
  const bool labeled = json.at("labeled").get<bool>();
  const std::size_t cases = labeled ? names.size() : 1;
  require_tensor_shape(tensor, {static_cast<std::int64_t>(cases), static_cast<std::int64_t>(channels),
                                static_cast<std::int64_t>(length)});
  const std::vector<double> values = finite_values(tensor, true);
  const std::size_t size = channels * length;
  Dataset centroids(channels);
  for (std::size_t item = 0; item < cases; ++item) {
    const auto one = std::span(values).subspan(item * size, size);
    labeled ? centroids.add_case(one, names[item]) : centroids.add_case(one);
  }
  return centroids;
}

/// What the file has of a member must be enough for the network that the options ask for: before it is made.
void require_room_for(const TensorFile& file, std::size_t member, const TransformerOptions& options,
                      std::int64_t channels, std::int64_t length) {
  const std::string prefix = member_prefix(member);
  double there = 0.0;
  for (const NamedTensor& tensor : file.tensors) {
    if (!tensor.name.starts_with(prefix)) continue;
    there += static_cast<double>(tensor.bytes.size() / size_of(tensor.dtype));
    if (tensor.dtype == DType::f32) require_finite_values<float>(tensor);
    if (tensor.dtype == DType::f64) require_finite_values<double>(tensor);
  }
  const double least = least_network_size(options, channels, length);
  require(there >= least, prefix, ": expected at least ", least, " numbers for a network of these options, got ",
          there);
}

/// Of the aligned series, which the shapes of tensors must agree with.
constexpr std::uint64_t kMostChannels = 1 << 20;
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 32;

StoredAligner decoded(const TensorFile& file, const Json& json) {
  StoredAligner aligner;
  aligner.options = options_of(json.at("options"));
  aligner.seed = count_in(json.at("seed"), "seed", 0, std::numeric_limits<std::uint64_t>::max());
  const auto model = std::make_shared<TemporalAligner::Model>();
  model->channels = count_in(json.at("channels"), "channels", 1, kMostChannels);
  model->length = count_in(json.at("length"), "length", kShortestSeries, kMostSteps);
  model->shrinkage = number_in(json.at("shrinkage"), "shrinkage", 0.0, 1.0);
  constexpr double kLargest = std::numeric_limits<double>::max();
  const Json& slopes = json.at("slopes");
  model->features = FeatureMaker(normalization_of(file, "normalization/", model->channels),
                                 {number_in(slopes.at("smoothing"), "smoothing of slopes", 0.0, kLargest),
                                  number_in(slopes.at("size"), "size of slopes", 0.0, kLargest)});
  model->history = history_of(tensor_named(file, "history"));
  model->centroids = centroids_of(file, "centroids", json, model->channels, model->length);
  model->unwarped_centroids = centroids_of(file, "unwarped_centroids", json, model->channels, model->length);
  const SeriesShape shape{static_cast<std::int64_t>(model->channels), static_cast<std::int64_t>(model->length),
                          static_cast<std::int64_t>(model->centroids.cases())};
  model->comparison_centroids =
      centroids_of(file, "comparison_centroids", json,
                   comparison_channels(aligner.options, shape.classes, model->channels, model->length), model->length);
  const std::vector<std::int64_t> numbers = useful_members(aligner.options, shape.classes);
  const Json& scales = json.at("comparison_scales");
  require(scales.size() == numbers.size(), "comparison_scales: expected ", numbers.size(), ", got ", scales.size());
  for (std::size_t member = 0; member < numbers.size(); ++member) {
    const Features features = member_loss(aligner.options, numbers[member]).features;
    const std::size_t channels = feature_channels(features, model->channels);
    require_room_for(file, member, transformer_options(aligner.options, numbers[member], shape.classes),
                     static_cast<std::int64_t>(channels), shape.length);
    const auto network = make_transformer(shape, aligner.options, numbers[member]);
    for (const auto& [name, tensor] : member_tensors(*network, member)) copy_from_file(file, name, tensor);
    network->eval();
    model->members.push_back({numbers[member], network,
                              normalization_of(file, member_prefix(member) + "normalization/", channels),
                              number_in(scales.at(member), "comparison_scales", 0.0, kLargest)});
    if (numbers[member] == aligning_member(aligner.options)) model->aligning = member;
  }
  for (std::int64_t layer = 0; aligner.options.centered && layer < aligner.options.layers; ++layer) {
    const NamedTensor& offsets = tensor_named(file, offset_name(static_cast<std::size_t>(layer)));
    require_tensor_shape(offsets, {aligner.options.cells + 1});
    model->offsets.push_back(finite_values(offsets));
  }
  aligner.model = model;
  return aligner;
}

}  // namespace

void write_model_file(const std::filesystem::path& path, const StoredAligner& aligner) {
  write_tensor_file(path, encoded(aligner));
}

StoredAligner read_model_file(const std::filesystem::path& path) {
  const TensorFile file = read_tensor_file(path);
  const auto refuse = [&](const std::string& problem) { throw FileError({path.string()}, problem); };
  if (entry(file, "format") != kFormat) {
    refuse(message("expected a model of diffeo, got a file of the format \"", entry(file, "format"), "\""));
  }
  const Json json = Json::parse(entry(file, "model"), nullptr, false);
  if (!json.is_object() || !json.contains("format_version") || !json["format_version"].is_number_integer()) {
    refuse("expected a description of the model, got none that can be read");
  }
  if (const auto came = json["format_version"].get<std::int64_t>(); came != kFormatVersion) {
    refuse(message("expected format version ", kFormatVersion, ", got ", came, ": ",
                   came > kFormatVersion ? "a newer diffeo wrote it" : "an older diffeo wrote it"));
  }
  require_digest(file, path.string());
  try {
    return decoded(file, json);
  } catch (const Json::exception&) {
    throw FileError({path.string()},
                    "expected a complete description of the model, got one that lacks an entry, or has "
                    "one of another type");
  } catch (const std::invalid_argument& problem) {
    throw FileError({path.string()}, problem.what());
  } catch (const c10::Error& problem) {
    throw FileError({path.string()}, problem.what_without_backtrace());
  }
}

void TemporalAligner::save(const std::filesystem::path& path) const {
  (void)model();
  write_model_file(path, {options_, seed_, model_});
}

TemporalAligner TemporalAligner::load(const std::filesystem::path& path) {
  StoredAligner stored = read_model_file(path);
  TemporalAligner aligner(std::move(stored.options), stored.seed);
  aligner.model_ = std::move(stored.model);
  return aligner;
}

}  // namespace diffeo
