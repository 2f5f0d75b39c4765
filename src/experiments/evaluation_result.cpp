#include "diffeo/evaluation_result.hpp"

#include <nlohmann/json.hpp>

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

WorkItem item_of(const Json& document) {
  WorkItem item;
  document.at("dataset").get_to(item.dataset);
  document.at("method").get_to(item.method);
  document.at("options").get_to(item.options);
  if (!document.at("seed").is_null()) item.seed = document.at("seed").get<std::uint64_t>();
  item.folds = document.value("cv_folds", std::size_t{0});
  return item;
}

}  // namespace

std::string to_line(const EvaluationResult& result) {
  Json document = {{"dataset", result.item.dataset}, {"method", result.item.method}, {"options", result.item.options}};
  document["seed"] = result.item.seed ? Json(*result.item.seed) : Json(nullptr);
  put(document, "train_accuracy", result.train_accuracy);
  if (result.item.folds > 0) document["cv_folds"] = result.item.folds;
  put(document, "cv_accuracy", result.cv_accuracy);
  put(document, "test_accuracy", result.test_accuracy);
  if (!result.error.empty()) document["error"] = result.error;
  document["seconds"] = result.seconds;
  document["version"] = result.version;
  document["commit"] = result.commit;
  document["threads"] = result.threads;
  document["date"] = result.date;
  // A message may quote what stood in a file, in whatever bytes.
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

EvaluationResult result_of_line(std::string_view line) {
  try {
    const Json document = Json::parse(line);
    EvaluationResult result;
    result.item = item_of(document);
    result.train_accuracy = number(document, "train_accuracy");
    result.cv_accuracy = number(document, "cv_accuracy");
    result.test_accuracy = number(document, "test_accuracy");
    document.at("seconds").get_to(result.seconds);
    document.at("version").get_to(result.version);
    document.at("commit").get_to(result.commit);
    document.at("threads").get_to(result.threads);
    document.at("date").get_to(result.date);
    result.error = document.value("error", "");
    return result;
  } catch (const Json::exception& problem) {
    throw std::invalid_argument(message("expected a result as one JSON object, got ", line, " (", problem.what(), ")"));
  }
}

}  // namespace diffeo
