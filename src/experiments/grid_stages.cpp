// What a search costs before it is begun.
#include <algorithm>
#include <utility>

#include "diffeo/grid.hpp"
#include "experiments/grid_items.hpp"

namespace diffeo {
namespace {

/// Of as many settings on every data set as a stage has: which they are is not known yet, so each is an average one.
GridStageCost stage_cost(std::string name, const std::vector<WorkItem>& all, std::size_t settings,
                         const GridItems& items, const Archive& archive, const std::vector<EvaluationResult>& results) {
  double whole = 0.0;
  for (const ExpectedCost& each : expected_costs(all, archive, results)) whole += each.relative;
  const double share = static_cast<double>(settings) / static_cast<double>(items.settings().size());
  return {std::move(name), settings * items.datasets().size(), whole * share};
}

template <class ItemOf>
std::vector<WorkItem> every_item(const GridItems& items, const ItemOf& item_of) {
  std::vector<WorkItem> all;
  for (std::size_t set = 0; set < items.datasets().size(); ++set) {
    for (std::size_t setting = 0; setting < items.settings().size(); ++setting) all.push_back(item_of(set, setting));
  }
  return all;
}

}  // namespace

std::vector<GridStageCost> expected_stages(const GridPlan& plan, const Archive& archive,
                                           const std::vector<EvaluationResult>& results) {
  const GridItems items(plan, archive);
  const std::vector<double> shares = rung_shares(plan.rungs);
  std::vector<GridStageCost> stages;
  std::size_t settings = items.settings().size();
  std::size_t last = settings;  // of the last rung
  for (std::size_t rung = 0; rung < shares.size(); ++rung) {
    const std::vector<WorkItem> all = every_item(
        items, [&](std::size_t set, std::size_t setting) { return items.in_rung(set, setting, shares[rung]); });
    stages.push_back(stage_cost(rung_name(rung, shares.size()), all, settings, items, archive, results));
    last = std::exchange(settings, settings_that_go_on(settings));
  }
  const std::vector<WorkItem> tests =
      every_item(items, [&](std::size_t set, std::size_t setting) { return items.test(set, setting); });
  stages.push_back(stage_cost("tests", tests, plan.oracle ? last : 1, items, archive, results));
  return stages;
}

}  // namespace diffeo
