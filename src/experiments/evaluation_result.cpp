#include "diffeo/evaluation_result.hpp"

#include <array>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "data/json_text.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"

namespace diffeo {
namespace {

using Json = nlohmann::ordered_json;

void put(Json& document, const char* name, const std::optional<double>& value) {
  if (value) document[name] = *value;
}

std::optional<double> number(const Json& document, const char* name) {
  if (!document.contains(name) || document.at(name).is_null()) return std::nullopt;
  return document.at(name).get<double>();
}

std::optional<double> accuracy(const Json& document, const char* name) {
  const std::optional<double> value = number(document, name);
  require(!value || (*value >= 0.0 && *value <= 1.0), name, ": expected 0 to 1, got ", value.value_or(0.0));
  return value;
}

/// Files beside the results are named after the data set: they stay in their folder.
void require_file_name(const std::string& dataset) {
  const bool leads_elsewhere = dataset.empty() || dataset == "." || dataset == ".." ||
                               dataset.find('/') != std::string::npos || dataset.find('\0') != std::string::npos;
  require(!leads_elsewhere, "dataset: expected the name of a folder in the archive, got ", files::in_quotes(dataset));
}

/// The part of a line that says which piece of work it is about, but for its folds.
Json json_of(const WorkItem& item) {
  Json document = {{"dataset", item.dataset}, {"method", item.method}, {"options", item.options}};
  document["seed"] = item.seed ? Json(*item.seed) : Json(nullptr);
  return document;
}

void put_folds(Json& document, const WorkItem& item) {
  if (item.folds > 0) document["cv_folds"] = item.folds;
  if (item.held_out > 0) document["cv_held_out"] = item.held_out;
}

struct NamedMeasure {
  const char* name;
  double& value;
};

/// The measures by the names that lines have for them.
std::array<NamedMeasure, 9> named(AlignmentMeasures& measures) {
  return {{{"slope_variance_before", measures.slope_variance.before},
           {"slope_variance_after", measures.slope_variance.after},
           {"inverse_consistent_error_before", measures.inverse_consistent_error.before},
           {"inverse_consistent_error_after", measures.inverse_consistent_error.after},
           {"least_slope", measures.least_slope},
           {"largest_slope", measures.largest_slope},
           {"displacement", measures.displacement},
           {"mean_warp_distance", measures.mean_warp_distance},
           {"training_mean_warp_distance", measures.training_mean_warp_distance}}};
}

Json json_of(AlignmentMeasures measures) {
  Json document;
  for (const NamedMeasure& each : named(measures)) document[each.name] = each.value;
  return document;
}

AlignmentMeasures alignment_of(const Json& document) {
  AlignmentMeasures measures;
  for (const NamedMeasure& each : named(measures)) {
    each.value = number(document, each.name).value_or(std::numeric_limits<double>::quiet_NaN());
  }
  return measures;
}

// FNV-1a of 128 bits: state = (state ^ byte) * prime, with prime = 2^88 + 0x13b.
constexpr std::uint64_t kKeyPrime = 0x13b;
constexpr std::uint64_t kKeyOffsetHigh = 0x6c62272e07bb0142U;
constexpr std::uint64_t kKeyOffsetLow = 0x62b821756295c58dU;

struct KeyState {
  std::uint64_t high = kKeyOffsetHigh;
  std::uint64_t low = kKeyOffsetLow;

  void add(unsigned char byte) noexcept {
    low ^= byte;
    const std::uint64_t low_part = (low & 0xffffffffU) * kKeyPrime;
    const std::uint64_t high_part = (low >> 32U) * kKeyPrime + (low_part >> 32U);
    high = high * kKeyPrime + (high_part >> 32U) + (low << 24U);  // 2^88 moves the lower half by 24 into the upper
    low = (high_part << 32U) | (low_part & 0xffffffffU);
  }
};

WorkItem item_of(const Json& document) {
  WorkItem item;
  document.at("dataset").get_to(item.dataset);
  require_file_name(item.dataset);
  document.at("method").get_to(item.method);
  document.at("options").get_to(item.options);
  if (!document.at("seed").is_null()) item.seed = document.at("seed").get<std::uint64_t>();
  item.folds = document.value("cv_folds", std::size_t{0});
  item.held_out = document.value("cv_held_out", std::size_t{0});
  return item;
}

}  // namespace

std::string work_key(const WorkItem& item) {
  Json document = json_of(item);
  document["cv_folds"] = item.folds;  // also where there are none
  put_folds(document, item);
  KeyState state;
  for (const char letter : document.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    state.add(static_cast<unsigned char>(letter));
  }
  std::array<char, 33> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx%016llx", static_cast<unsigned long long>(state.high),
                static_cast<unsigned long long>(state.low));
  return digits.data();
}

double work_seconds(const EvaluationResult& result) { return result.cpu_seconds.value_or(result.seconds); }

std::string to_line(const WorkItem& item) {
  Json document = json_of(item);
  put_folds(document, item);
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_line(const EvaluationResult& result) {
  Json document = json_of(result.item);
  put(document, "train_accuracy", result.train_accuracy);
  put_folds(document, result.item);
  put(document, "cv_accuracy", result.cv_accuracy);
  put(document, "test_accuracy", result.test_accuracy);
  put(document, "variance_before", result.variance_before);
  put(document, "variance_after", result.variance_after);
  if (result.alignment) document["alignment"] = json_of(*result.alignment);
  if (!result.error.empty()) document["error"] = result.error;
  document["seconds"] = result.seconds;
  put(document, "cpu_seconds", result.cpu_seconds);
  put(document, "training_seconds", result.training_seconds);
  document["version"] = result.version;
  document["commit"] = result.commit;
  document["threads"] = result.threads;
  if (!result.processor.empty()) document["processor"] = result.processor;
  document["date"] = result.date;
  // A message may quote what stood in a file, in whatever bytes.
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

EvaluationResult result_of_line(std::string_view line) {
  try {
    const Json document = files::parsed_json(line);
    require(document.is_object(), "expected a result as one JSON object, got ", files::in_quotes(line));
    EvaluationResult result;
    result.item = item_of(document);
    result.train_accuracy = accuracy(document, "train_accuracy");
    result.cv_accuracy = accuracy(document, "cv_accuracy");
    result.test_accuracy = accuracy(document, "test_accuracy");
    result.variance_before = number(document, "variance_before");
    result.variance_after = number(document, "variance_after");
    if (document.contains("alignment")) result.alignment = alignment_of(document.at("alignment"));
    document.at("seconds").get_to(result.seconds);
    result.cpu_seconds = number(document, "cpu_seconds");
    result.training_seconds = number(document, "training_seconds");
    document.at("version").get_to(result.version);
    document.at("commit").get_to(result.commit);
    document.at("threads").get_to(result.threads);
    result.processor = document.value("processor", "");
    document.at("date").get_to(result.date);
    result.error = document.value("error", "");
    return result;
  } catch (const Json::exception& problem) {
    throw std::invalid_argument("expected a result with all its entries, got " + files::json_problem(problem));
  }
}

}  // namespace diffeo
