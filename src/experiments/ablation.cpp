#include "diffeo/ablation.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

namespace diffeo {
namespace {

using Json = nlohmann::ordered_json;

/// Enough for composing and resampling to differ.
constexpr const char* kSeveralLayers = "5";
/// Without a prior there is none; with it there is the setting's, or the default's where the setting has none.
std::string prior_that_is_on(const TrainingOptions& options) {
  const Hyperparameter& weight = hyperparameter("prior_weight");
  return hyperparameter_text(options.prior_weight > 0.0 ? options : TrainingOptions(), weight);
}

/// Nothing for words.
std::optional<double> number_of(const std::string& value) {
  double number = 0.0;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

/// The values, and the setting's own where it is none of them: among numbers in its place, as a curve may be drawn
/// through them, else the last.
Factor with_own_value(Factor factor, const TrainingOptions& options) {
  const std::string own = hyperparameter_text(options, hyperparameter(factor.name));
  if (std::ranges::find(factor.values, own) != factor.values.end()) return factor;
  const auto is_larger = [number = number_of(own)](const std::string& value) {
    return number && number_of(value) > number;
  };
  factor.values.insert(std::ranges::find_if(factor.values, is_larger), own);
  return factor;
}

class Ablation {
 public:
  Ablation(const AblationPlan& plan, const Archive& archive) : plan_(plan) {
    for (const AblationStudy& study : plan.studies) {
      for (const AblationChange& change : study.changes) {
        const std::vector<WorkItem> own = items_of(change, archive);
        items_.insert(items_.end(), own.begin(), own.end());
      }
    }
    std::ranges::sort(items_);
    items_.erase(std::ranges::unique(items_).begin(), items_.end());
  }

  [[nodiscard]] const std::vector<WorkItem>& items() const { return items_; }

  [[nodiscard]] AblationOutcome outcome(const Archive& archive, const ResultStore& store) const {
    AblationOutcome result;
    for (const AblationStudy& study : plan_.studies) result.studies.push_back(result_of(study, archive, store));
    for (const WorkItem& item : items_) result.failures += store.find(item)->error.empty() ? 0 : 1;
    return result;
  }

 private:
  [[nodiscard]] std::vector<WorkItem> items_of(const AblationChange& change, const Archive& archive) const {
    EvaluationPlan plan;
    plan.datasets = plan_.datasets;
    plan.methods = {"diffeo"};
    plan.seeds = plan_.seeds;
    plan.folds = plan_.folds;
    plan.options = with_setting(plan_.options, change.setting);
    return work_items(archive, plan);
  }

  [[nodiscard]] AblationResult result_of(const AblationStudy& study, const Archive& archive,
                                         const ResultStore& store) const {
    AblationResult result = {study.name, {}};
    std::set<std::string> failed;  // data sets
    for (const AblationChange& change : study.changes) {
      for (const WorkItem& item : items_of(change, archive)) {
        if (!store.find(item)->error.empty()) failed.insert(item.dataset);
      }
    }
    for (const AblationChange& change : study.changes) {
      result.values.push_back(value_of(change, items_of(change, archive), failed, store));
    }
    return result;
  }

  [[nodiscard]] static AblationValue value_of(const AblationChange& change, const std::vector<WorkItem>& items,
                                              const std::set<std::string>& left_out, const ResultStore& store) {
    AblationValue value;
    value.change = change;
    std::vector<std::size_t> seeds;
    for (const WorkItem& item : items) {
      const EvaluationResult& result = *store.find(item);
      if (!result.error.empty()) ++value.failures;
      if (left_out.contains(item.dataset)) continue;
      if (value.scores.empty() || value.scores.back().dataset != item.dataset) {
        value.scores.push_back({item.dataset});
        seeds.push_back(0);
      }
      value.scores.back().accuracy += item.folds > 0 ? *result.cv_accuracy : *result.test_accuracy;
      value.scores.back().seconds += result.training_seconds.value_or(work_seconds(result));
      ++seeds.back();
    }
    average(value, seeds);
    return value;
  }

  static void average(AblationValue& value, const std::vector<std::size_t>& seeds) {
    if (value.scores.empty()) return;
    double accuracy = 0.0;
    double seconds = 0.0;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      value.scores[i].accuracy /= static_cast<double>(seeds[i]);
      value.scores[i].seconds /= static_cast<double>(seeds[i]);
      accuracy += value.scores[i].accuracy;
      seconds += value.scores[i].seconds;
    }
    value.mean_accuracy = accuracy / static_cast<double>(seeds.size());
    value.mean_seconds = seconds / static_cast<double>(seeds.size());
  }

  const AblationPlan& plan_;
  std::vector<WorkItem> items_;
};

Json value_json(const AblationValue& value) {
  Json document = {{"value", value.change.value}, {"setting", value.change.setting}};
  document["mean_accuracy"] = value.mean_accuracy ? Json(*value.mean_accuracy) : Json(nullptr);
  document["mean_seconds"] = value.mean_seconds ? Json(*value.mean_seconds) : Json(nullptr);
  document["failures"] = value.failures;
  document["datasets"] = Json::array();
  for (const AblationScore& each : value.scores) {
    document["datasets"].push_back({{"dataset", each.dataset}, {"accuracy", each.accuracy}, {"seconds", each.seconds}});
  }
  return document;
}

}  // namespace

AblationStudy study_of(const Factor& factor) {
  AblationStudy study = {factor.name, {}};
  for (const std::string& value : factor.values) study.changes.push_back({value, {{factor.name, value}}});
  return study;
}

std::vector<AblationStudy> usual_studies(const TrainingOptions& options) {
  const std::vector<Factor> factors = {
      {"cells", {"4", "8", "16", "32", "64", "128", "256"}},
      {"loss", {"variance", "variance + inverse-consistent", "30 cross-entropy", "variance + 30 cross-entropy"}},
      {"layers", {"1", "2", "5"}},
      {"method", {"exact", "scaling-squaring", "numeric"}},
  };
  std::vector<AblationStudy> studies;
  for (const Factor& factor : factors) studies.push_back(study_of(with_own_value(factor, options)));
  const std::string layers =
      options.layers > 1 ? hyperparameter_text(options, hyperparameter("layers")) : std::string(kSeveralLayers);
  studies.push_back({"composition",
                     {{"compose", {{"composition", "compose"}, {"layers", layers}}},
                      {"resample", {{"composition", "resample"}, {"layers", layers}}}}});
  studies.push_back(
      {"prior", {{"on", {{"prior_weight", prior_that_is_on(options)}}}, {"off", {{"prior_weight", "0"}}}}});
  return studies;
}

std::optional<AblationOutcome> study_ablation(const AblationPlan& plan, const Archive& archive, ResultStore& store,
                                              const EvaluationControl& control) {
  const Ablation ablation(plan, archive);
  if (!evaluate(ablation.items(), archive, store, control)) return std::nullopt;
  return ablation.outcome(archive, store);
}

std::string ablation_json(const AblationPlan& plan, const AblationOutcome& outcome) {
  Json document = {{"accuracy", plan.folds > 0 ? "cv" : "test"},
                   {"options", option_texts(plan.options)},
                   {"seeds", plan.seeds},
                   {"failures", outcome.failures},
                   {"studies", Json::array()}};
  for (const AblationResult& study : outcome.studies) {
    Json values = Json::array();
    for (const AblationValue& each : study.values) values.push_back(value_json(each));
    document["studies"].push_back({{"name", study.name}, {"values", std::move(values)}});
  }
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace diffeo
