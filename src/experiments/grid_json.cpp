// The outcome of a search as a document.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "diffeo/error.hpp"
#include "diffeo/grid.hpp"

namespace diffeo {
namespace {

using Json = nlohmann::ordered_json;

void put_if_known(Json& document, const char* name, const std::optional<double>& value) {
  if (value) document[name] = *value;
}

Json choice_json(const GridChoice& choice) {
  Json document = {{"dataset", choice.dataset}, {"setting", choice.setting}};
  put_if_known(document, "cv_accuracy", choice.cv_accuracy);
  put_if_known(document, "train_accuracy", choice.train_accuracy);
  put_if_known(document, "test_accuracy", choice.test_accuracy);
  if (!choice.error.empty()) document["error"] = choice.error;
  if (choice.oracle) {
    document["oracle"] = {{"setting", choice.oracle->setting},
                          {"test_accuracy", choice.oracle->test_accuracy},
                          {"settings", choice.oracle->settings}};
  }
  return document;
}

Json frequency_json(const GridPlan& plan, const std::vector<Setting>& chosen) {
  Json factors = Json::array();
  for (const Factor& factor : plan.factors) {
    Json values = Json::array();
    for (const ValueWins& each : winning_values(factor, chosen)) {
      const double share = chosen.empty() ? 0.0 : static_cast<double>(each.wins) / static_cast<double>(chosen.size());
      values.push_back({{"value", each.value}, {"wins", each.wins}, {"share", share}});
    }
    factors.push_back({{"name", factor.name}, {"values", std::move(values)}});
  }
  return factors;
}

Json mean_json(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Of a data set on which settings failed, fewer may have reached the last rung than of others.
std::string oracle_note(const GridPlan& plan, const GridOutcome& outcome) {
  std::size_t most = 0;
  for (const GridChoice& each : outcome.choices) most = std::max(most, each.oracle ? each.oracle->settings : 0);
  return (plan.rungs > 1 ? message("The best of the ", most, " settings that reached the last rung of every data set")
                         : std::string("The best setting of every data set")) +
         ", chosen on its test set: what such a choice would claim, and no result of the method.";
}

/// What was chosen on test data, kept apart from what was not.
Json oracle_json(const GridPlan& plan, const GridOutcome& outcome) {
  std::vector<Setting> chosen;
  std::vector<double> accuracies;
  for (const GridChoice& each : outcome.choices) {
    if (!each.oracle) continue;
    chosen.push_back(each.oracle->setting);
    accuracies.push_back(each.oracle->test_accuracy);
  }
  return {{"note", oracle_note(plan, outcome)},
          {"datasets", chosen.size()},
          {"mean_test_accuracy", mean_json(accuracies)},
          {"winning_frequency", frequency_json(plan, chosen)}};
}

}  // namespace

std::string grid_json(const GridPlan& plan, const GridOutcome& outcome) {
  Json document = {{"factors", Json::array()}, {"folds", plan.folds}, {"seed", plan.seed}};
  for (const Factor& each : plan.factors) document["factors"].push_back({{"name", each.name}, {"values", each.values}});
  document["rungs"] = rung_shares(plan.rungs);
  document["failures"] = outcome.failures;
  document["datasets"] = Json::array();
  std::vector<Setting> chosen;
  std::vector<double> accuracies;
  for (const GridChoice& each : outcome.choices) {
    document["datasets"].push_back(choice_json(each));
    if (!each.setting.empty()) chosen.push_back(each.setting);
    if (each.test_accuracy) accuracies.push_back(*each.test_accuracy);
  }
  document["mean_test_accuracy"] = mean_json(accuracies);
  document["winning_frequency"] = frequency_json(plan, chosen);
  if (plan.oracle) document["oracle"] = oracle_json(plan, outcome);
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace diffeo
