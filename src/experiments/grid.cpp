#include "diffeo/grid.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "experiments/grid_items.hpp"

namespace diffeo {
namespace {

class GridSearch {
 public:
  GridSearch(const GridPlan& plan, const Archive& archive, ResultStore& store, const EvaluationControl& control,
             const GridStage& begins)
      : plan_(plan), archive_(archive), store_(store), control_(control), begins_(begins), items_(plan, archive) {
    std::vector<std::size_t> all(items_.settings().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    going_on_.assign(sets(), all);
  }

  std::optional<GridOutcome> run() {
    const std::vector<double> shares = rung_shares(plan_.rungs);
    for (std::size_t rung = 0; rung < shares.size(); ++rung) {
      last_rung_ = going_on_;
      if (!climb(rung_name(rung, shares.size()), shares[rung], rung + 1 == shares.size())) return std::nullopt;
    }
    if (!test()) return std::nullopt;
    return outcome();
  }

 private:
  [[nodiscard]] std::size_t sets() const { return items_.datasets().size(); }

  bool do_all(const std::string& stage, std::vector<WorkItem> items) {
    if (begins_) begins_(stage);
    asked_.insert(items.begin(), items.end());
    return evaluate(items, archive_, store_, control_);
  }

  /// Cross-validates what is still in the running; the best go on, or one where it is the last rung.
  bool climb(const std::string& name, double share, bool is_last) {
    std::vector<WorkItem> items;
    for (std::size_t set = 0; set < sets(); ++set) {
      for (const std::size_t setting : going_on_[set]) items.push_back(items_.in_rung(set, setting, share));
    }
    if (!do_all(name, std::move(items))) return false;
    for (std::size_t set = 0; set < sets(); ++set) keep_best(set, share, is_last);
    return true;
  }

  void keep_best(std::size_t set, double share, bool is_last) {
    std::vector<std::size_t>& settings = going_on_[set];
    const std::size_t most = is_last ? 1 : settings_that_go_on(settings.size());
    const auto accuracy = [&](std::size_t setting) {
      return store_.find(items_.in_rung(set, setting, share))->cv_accuracy;  // none where it failed
    };
    std::erase_if(settings, [&](std::size_t setting) { return !accuracy(setting).has_value(); });
    // Lots for ties, others for every data set and seed: keys of work are numbers that nobody has chosen.
    const auto lot = [&](std::size_t setting) { return work_key(items_.in_rung(set, setting, share)); };
    if (!is_last) std::ranges::sort(settings, {}, lot);
    std::ranges::stable_sort(settings, std::ranges::greater(), [&](std::size_t setting) { return *accuracy(setting); });
    settings.resize(std::min(settings.size(), most));
    if (!is_last) std::ranges::sort(settings);  // the order of the grid, for the last tie
  }

  bool test() {
    std::vector<WorkItem> items;
    for (std::size_t set = 0; set < sets(); ++set) {
      for (const std::size_t setting : going_on_[set]) items.push_back(items_.test(set, setting));
    }
    if (!do_all("tests", std::move(items))) return false;
    if (!plan_.oracle) return true;
    std::vector<WorkItem> every;
    for (std::size_t set = 0; set < sets(); ++set) {
      for (const std::size_t setting : last_rung_[set]) every.push_back(items_.test(set, setting));
    }
    return do_all(plan_.rungs > 1 ? "tests of the last rung's settings" : "tests of all settings", std::move(every));
  }

  [[nodiscard]] GridChoice choice(std::size_t set) const {
    GridChoice result;
    result.dataset = items_.datasets()[set];
    if (plan_.oracle) result.oracle = best_on_test(set);
    if (going_on_[set].empty()) {
      result.error = first_error(set);
      return result;
    }
    const std::size_t chosen = going_on_[set].front();
    const EvaluationResult& tested = *store_.find(items_.test(set, chosen));
    result.setting = items_.settings()[chosen];
    result.cv_accuracy = store_.find(items_.in_rung(set, chosen, 1.0))->cv_accuracy;
    result.train_accuracy = tested.train_accuracy;
    result.test_accuracy = tested.test_accuracy;
    result.error = tested.error;
    return result;
  }

  [[nodiscard]] std::optional<OracleChoice> best_on_test(std::size_t set) const {
    std::optional<OracleChoice> best;
    for (const std::size_t setting : last_rung_[set]) {
      const std::optional<double> accuracy = store_.find(items_.test(set, setting))->test_accuracy;
      if (!accuracy || (best && *accuracy <= best->test_accuracy)) continue;
      best = {items_.settings()[setting], *accuracy, last_rung_[set].size()};
    }
    return best;
  }

  [[nodiscard]] std::string first_error(std::size_t set) const {
    for (const double share : rung_shares(plan_.rungs)) {
      for (std::size_t setting = 0; setting < items_.settings().size(); ++setting) {
        const EvaluationResult* result = store_.find(items_.in_rung(set, setting, share));
        if (result != nullptr && !result->error.empty()) return result->error;
      }
    }
    return "no setting could be cross-validated";
  }

  [[nodiscard]] GridOutcome outcome() const {
    GridOutcome result;
    for (std::size_t set = 0; set < sets(); ++set) result.choices.push_back(choice(set));
    for (const WorkItem& each : asked_) {
      if (!store_.find(each)->error.empty()) ++result.failures;
    }
    return result;
  }

  const GridPlan& plan_;
  const Archive& archive_;
  ResultStore& store_;
  const EvaluationControl& control_;
  const GridStage& begins_;
  GridItems items_;
  std::vector<std::vector<std::size_t>> going_on_;   // settings of every data set
  std::vector<std::vector<std::size_t>> last_rung_;  // those of them that are trained in full
  std::set<WorkItem> asked_;
};

}  // namespace

std::optional<GridOutcome> search_grid(const GridPlan& plan, const Archive& archive, ResultStore& store,
                                       const EvaluationControl& control, const GridStage& begins) {
  return GridSearch(plan, archive, store, control, begins).run();
}

std::vector<ValueWins> winning_values(const Factor& factor, const std::vector<Setting>& chosen) {
  std::vector<ValueWins> result;
  for (const std::string& value : factor.values) {
    const auto wins = std::ranges::count_if(chosen, [&](const Setting& setting) {
      const auto found = setting.find(factor.name);
      return found != setting.end() && found->second == value;
    });
    result.push_back({value, static_cast<std::size_t>(wins)});
  }
  return result;
}

}  // namespace diffeo
