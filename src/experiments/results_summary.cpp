#include "diffeo/results_summary.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "diffeo/error.hpp"
#include "diffeo/evaluation.hpp"

namespace diffeo {
namespace {

using Options = std::map<std::string, std::string>;
using Sets = std::map<std::string, std::vector<const EvaluationResult*>>;  // results of one setting, by data set

/// From the first value on, so that the mean of equal values is that value and their deviation 0.
double mean_of(std::span<const double> values) {
  const double first = values.front();
  double sum = 0.0;
  for (const double value : values) sum += value - first;
  return first + sum / static_cast<double>(values.size());
}

/// Whoever compares methods counts as ties what is equal to the last bit, but accuracies are fractions of the cases,
/// and means over seeds that are the same fraction differ in their last bits. All are rounded therefore, those of one
/// seed too: to multiples of 2^-30, since no fraction whose denominator, cases times seeds, is below 2^20 lies within
/// 2^-51 of where that rounding changes, which is more than a mean errs. Fractions of the same cases that differ at all
/// differ by far more. Then to nine decimals, which depend on that multiple alone and give 0.85 back as 0.85.
double comparable(double accuracy) {
  constexpr double steps = 0x1p30;
  constexpr double decimals = 1e9;
  return std::round(std::round(accuracy * steps) / steps * decimals) / decimals;
}

double mean_accuracy(std::span<const double> accuracies) { return comparable(mean_of(accuracies)); }

std::optional<double> mean_accuracy_if_any(std::span<const double> accuracies) {
  return accuracies.empty() ? std::nullopt : std::optional(mean_accuracy(accuracies));
}

std::optional<double> deviation_of(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double middle = mean_of(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

enum class Kind { test, cross_validation };

std::optional<double> EvaluationResult::*accuracy_of(Kind kind) {
  return kind == Kind::test ? &EvaluationResult::test_accuracy : &EvaluationResult::cv_accuracy;
}

/// Of one kind, of one method: by setting, then by data set.
std::map<Options, Sets> by_setting(std::span<const EvaluationResult> results, const std::string& method, Kind kind) {
  std::map<Options, Sets> settings;
  for (const EvaluationResult& each : results) {
    const Kind own = each.item.folds == 0 ? Kind::test : Kind::cross_validation;
    if (each.item.method != method || !each.error.empty() || own != kind) continue;
    if (each.item.held_out > 0) continue;  // of a search: of some cases only
    settings[each.item.options][each.item.dataset].push_back(&each);
  }
  return settings;
}

std::string last_date(const Sets& sets) {
  std::string last;
  for (const auto& [dataset, found] : sets) {
    for (const EvaluationResult* each : found) last = std::max(last, each->date);
  }
  return last;
}

std::size_t count_of(const Sets& sets) {
  std::size_t count = 0;
  for (const auto& [dataset, found] : sets) count += found.size();
  return count;
}

/// Of most data sets; of several that of most results; of several the latest.
const Options& counting_setting(const std::map<Options, Sets>& settings) {
  const auto standing = [](const auto& setting) {
    return std::tuple(setting.second.size(), count_of(setting.second), last_date(setting.second));
  };
  return std::ranges::max_element(settings, {}, standing)->first;
}

/// One method with the setting that counts: what is compared, of one kind, and where that is tests cross-validations.
struct CountingResults {
  SummarisedMethod method;
  Kind kind;
  Sets compared;
  Sets cross_validations;
};

CountingResults counting_results(std::span<const EvaluationResult> results, const std::string& name, Kind kind) {
  const std::map<Options, Sets> settings = by_setting(results, name, kind);
  CountingResults counting{{name, counting_setting(settings)}, kind, {}, {}};
  counting.compared = settings.at(counting.method.options);
  for (const auto& [dataset, found] : counting.compared) {
    counting.method.seeds = std::max(counting.method.seeds, found.size());
    counting.method.results += found.size();
    for (const EvaluationResult* each : found) {
      counting.method.seconds += work_seconds(*each);
      counting.method.with_processor_time += each->cpu_seconds ? 1 : 0;
    }
  }
  if (kind == Kind::cross_validation) return counting;
  const std::map<Options, Sets> others = by_setting(results, name, Kind::cross_validation);
  const auto same = others.find(counting.method.options);
  if (same != others.end()) counting.cross_validations = same->second;
  return counting;
}

std::vector<std::string> methods_with(std::span<const EvaluationResult> results, Kind kind) {
  std::vector<std::string> order = evaluation_methods();
  std::ranges::stable_partition(order, [](const std::string& name) { return name == "diffeo"; });
  std::erase_if(order, [&](const std::string& name) { return by_setting(results, name, kind).empty(); });
  return order;
}

std::vector<double> values_of(const Sets& sets, const std::string& dataset,
                              std::optional<double> EvaluationResult::*value) {
  std::vector<double> values;
  const auto found = sets.find(dataset);
  if (found == sets.end()) return values;
  for (const EvaluationResult* each : found->second) {
    if (each->*value) values.push_back(*(each->*value));
  }
  return values;
}

/// In the table where every method has a result of it, else among those left out.
void add_dataset(ResultsSummary& summary, const std::vector<CountingResults>& methods, const std::string& dataset) {
  std::vector<double> scores;
  std::vector<std::optional<double>> spreads, cross_validated;
  for (const CountingResults& each : methods) {
    const std::vector<double> compared = values_of(each.compared, dataset, accuracy_of(each.kind));
    if (compared.empty()) return summary.left_out.push_back(dataset);
    scores.push_back(mean_accuracy(compared));
    spreads.push_back(deviation_of(compared));
    const std::vector<double> folds = values_of(each.cross_validations, dataset, &EvaluationResult::cv_accuracy);
    cross_validated.push_back(mean_accuracy_if_any(folds));
  }
  summary.scores.datasets.push_back(dataset);
  summary.scores.scores.push_back(std::move(scores));
  summary.spreads.push_back(std::move(spreads));
  summary.cross_validated.push_back(std::move(cross_validated));
}

void add_variance(ResultsSummary& summary, const Sets& tests, const std::string& dataset) {
  const std::vector<double> before = values_of(tests, dataset, &EvaluationResult::variance_before);
  const std::vector<double> after = values_of(tests, dataset, &EvaluationResult::variance_after);
  if (!before.empty() && !after.empty()) summary.variances.push_back({dataset, mean_of(before), mean_of(after)});
}

/// Takes out the methods that were tried on less than half of what the others were: keeping them would leave little.
void leave_out_begun(std::vector<CountingResults>& methods, ResultsSummary& summary) {
  std::size_t most = 0;
  for (const CountingResults& each : methods) most = std::max(most, each.compared.size());
  std::erase_if(methods, [&](const CountingResults& each) {
    const bool is_begun = 2 * each.compared.size() < most;
    if (is_begun) summary.methods_left_out.push_back(each.method.name);
    return is_begun;
  });
}

OtherSetting other_setting(const std::string& method, const Options& options, const Sets& sets, Kind kind) {
  OtherSetting other{method, options, sets.size(), count_of(sets)};
  for (const auto& [dataset, found] : sets) {
    other.mean_accuracy += mean_accuracy(values_of(sets, dataset, accuracy_of(kind)));
  }
  other.mean_accuracy /= static_cast<double>(sets.size());
  return other;
}

void add_other_settings(ResultsSummary& summary, std::span<const EvaluationResult> results,
                        const CountingResults& counting) {
  const SummarisedMethod& method = counting.method;
  std::vector<OtherSetting> others;
  for (const auto& [options, sets] : by_setting(results, method.name, counting.kind)) {
    if (options != method.options) others.push_back(other_setting(method.name, options, sets, counting.kind));
  }
  std::ranges::stable_sort(others, std::ranges::greater(), &OtherSetting::datasets);
  summary.other_settings.insert(summary.other_settings.end(), others.begin(), others.end());
}

void add_fewer_seeds(ResultsSummary& summary, const CountingResults& counting) {
  for (const auto& [dataset, found] : counting.compared) {
    if (found.size() < counting.method.seeds) {
      summary.fewer_seeds.push_back(message(counting.method.name, " on ", dataset));
    }
  }
}

std::vector<FailedWork> failed_work(std::span<const EvaluationResult> results) {
  std::vector<FailedWork> failed;
  for (const EvaluationResult& each : results) {
    if (!each.error.empty()) failed.push_back({each.item.dataset, each.item.method, each.error});
  }
  std::ranges::stable_sort(failed, {}, [](const FailedWork& work) { return std::tie(work.dataset, work.method); });
  return failed;
}

}  // namespace

ResultsSummary summarise_results(std::span<const EvaluationResult> results) {
  const Kind kind = methods_with(results, Kind::test).empty() ? Kind::cross_validation : Kind::test;
  std::vector<CountingResults> methods;
  for (const std::string& name : methods_with(results, kind)) methods.push_back(counting_results(results, name, kind));
  require(!methods.empty(), "results: expected at least one test or cross-validation, got none among ", results.size());

  ResultsSummary summary;
  summary.are_cross_validated = kind == Kind::cross_validation;
  leave_out_begun(methods, summary);
  std::set<std::string> datasets;
  std::size_t counted = 0;
  for (const CountingResults& each : methods) {
    summary.scores.methods.push_back(each.method.name);
    summary.methods.push_back(each.method);
    for (const auto& [dataset, found] : each.compared) counted += found.size(), datasets.insert(dataset);
    for (const auto& [dataset, found] : each.cross_validations) counted += found.size();
  }
  for (const std::string& dataset : datasets) add_dataset(summary, methods, dataset);
  require(!summary.scores.datasets.empty(), "results: expected a data set with results of all ", methods.size(),
          " methods, got none");
  for (const std::string& dataset : summary.scores.datasets) {
    const Sets& sets = methods.front().compared;
    summary.trained.push_back(mean_accuracy_if_any(values_of(sets, dataset, &EvaluationResult::train_accuracy)));
    add_variance(summary, sets, dataset);
  }
  for (const CountingResults& each : methods) {
    add_other_settings(summary, results, each);
    add_fewer_seeds(summary, each);
  }
  summary.failed = failed_work(results);
  summary.others = results.size() - counted - summary.failed.size();
  return summary;
}

}  // namespace diffeo
