#include "experiments/work_cost.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "diffeo/dba.hpp"
#include "diffeo/evaluation.hpp"

namespace diffeo {
namespace {

// Time of a value in one iteration of an average, against that of a value in one pass through a network.
constexpr double kDbaPass = 2e-4;
constexpr double kSoftDtwPass = 2e-3;

double network_cost(const WorkItem& item, double cases, double length) {
  const TrainingOptions options = training_options(item);
  const double passes = static_cast<double>(options.epochs) * cases;
  const double least = static_cast<double>(options.least_steps * options.batch_size);
  return std::max(passes, least) * length * static_cast<double>(member_count(options) * options.layers);
}

}  // namespace

std::size_t folds_predicted(const WorkItem& item) { return item.held_out > 0 ? item.held_out : item.folds; }

double work_cost(const WorkItem& item, std::size_t case_count, std::size_t longest) {
  const auto length = static_cast<double>(longest);
  const auto folds = static_cast<double>(item.folds);
  const double fits = item.folds > 0 ? static_cast<double>(folds_predicted(item)) : 1.0;
  const double trained_on = item.folds > 0 ? (folds - 1.0) / folds : 1.0;
  const double cases = static_cast<double>(case_count) * trained_on;
  if (has_network(item.method)) return fits * network_cost(item, cases, length);
  if (item.method == "euclidean") return fits * cases * length;
  const double pass = item.method == "dba" ? kDbaPass : kSoftDtwPass;
  return fits * cases * length * (1.0 + pass * length * static_cast<double>(DbaOptions().max_iterations));
}

WorkCosts::WorkCosts(const Archive& archive, const std::vector<WorkItem>& items) {
  for (const WorkItem& item : items) {
    if (sizes_.contains(item.dataset)) continue;
    try {
      const Dataset training = archive.training(item.dataset);
      sizes_[item.dataset] = {training.cases(), training.longest()};
    } catch (const std::exception&) {
      sizes_[item.dataset] = {1, 1};  // whoever does the work will say what is wrong
    }
  }
}

double WorkCosts::of(const WorkItem& item) const {
  const auto [cases, longest] = sizes_.at(item.dataset);
  return work_cost(item, cases, longest);
}

void WorkCosts::learn(const EvaluationResult& result) {
  if (!result.error.empty() || !sizes_.contains(result.item.dataset)) return;
  double cost = 0.0;
  try {
    cost = of(result.item);
  } catch (const std::invalid_argument&) {
    return;
  }
  // Threads at work together need less than their processor time; stopped, a process needs less than the clock says.
  const double seconds = std::min(result.seconds, work_seconds(result));
  for (Measured* each : {&measured_[result.item.method], &all_}) {
    each->seconds += seconds;
    each->cost += cost;
  }
}

double WorkCosts::seconds_per_unit(const std::string& method) const {
  const auto found = measured_.find(method);
  const Measured& measured = found == measured_.end() ? all_ : found->second;
  return measured.cost > 0.0 && measured.seconds > 0.0 ? measured.seconds / measured.cost : 1.0;
}

}  // namespace diffeo
