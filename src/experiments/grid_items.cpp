#include "experiments/grid_items.hpp"

#include <algorithm>
#include <cmath>

#include "diffeo/error.hpp"

namespace diffeo {
namespace {

constexpr std::size_t kOneIn = 3;       // settings that go on, and how much more training those get
constexpr std::size_t kEarlyFolds = 1;  // held out before the last rung

std::int64_t part_of(std::int64_t whole, double share) {
  return static_cast<std::int64_t>(std::llround(static_cast<double>(whole) * share));
}

std::vector<std::string> checked_datasets(const GridPlan& plan, const Archive& archive) {
  EvaluationPlan names;
  names.datasets = plan.datasets;
  names.methods = {"diffeo"};
  names.folds = plan.folds;
  (void)work_items(archive, names);  // for what it refuses
  require(plan.folds >= 2, "folds: expected at least 2, got ", plan.folds);
  return plan.datasets.empty() ? archive.names() : plan.datasets;
}

}  // namespace

GridItems::GridItems(const GridPlan& plan, const Archive& archive)
    : plan_(plan), datasets_(checked_datasets(plan, archive)), settings_(settings_grid(plan.factors)) {
  for (const Setting& setting : settings_) options_.push_back(with_setting(plan.options, setting));
}

WorkItem GridItems::test(std::size_t dataset, std::size_t setting) const {
  return {datasets_[dataset], "diffeo", option_texts(options_[setting]), plan_.seed};
}

WorkItem GridItems::in_rung(std::size_t dataset, std::size_t setting, double share) const {
  TrainingOptions options = options_[setting];
  options.epochs = std::max<std::int64_t>(1, part_of(options.epochs, share));
  options.least_steps = part_of(options.least_steps, share);
  const std::size_t held_out = share < 1.0 ? kEarlyFolds : 0;
  return {datasets_[dataset], "diffeo", option_texts(options), plan_.seed, plan_.folds, held_out};
}

std::size_t settings_that_go_on(std::size_t settings) { return (settings + kOneIn - 1) / kOneIn; }

std::string rung_name(std::size_t rung, std::size_t rungs) {
  return rungs > 1 ? message("rung ", rung + 1, " of ", rungs) : "all settings";
}

std::vector<double> rung_shares(std::size_t rungs) {
  constexpr std::size_t most = 10;  // 3^9 is more than there are settings, and epochs
  require(rungs >= 1 && rungs <= most, "rungs: expected 1 to ", most, ", got ", rungs);
  std::vector<double> shares(rungs, 1.0);
  for (std::size_t rung = rungs - 1; rung > 0; --rung) shares[rung - 1] = shares[rung] / static_cast<double>(kOneIn);
  return shares;
}

}  // namespace diffeo
