#include "diffeo/grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "diffeo/error.hpp"
#include "diffeo/random.hpp"

namespace diffeo {
namespace {

constexpr std::size_t kOneIn = 3;       // settings that go on, and how much more training those get
constexpr std::size_t kEarlyFolds = 1;  // held out before the last rung

std::int64_t part_of(std::int64_t whole, double share) {
  return static_cast<std::int64_t>(std::llround(static_cast<double>(whole) * share));
}

/// A number for every setting; the smaller goes on of two that are equally good.
std::vector<std::uint64_t> lots(std::size_t settings, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint64_t> drawn;
  for (std::size_t setting = 0; setting < settings; ++setting) drawn.push_back(random.bits());
  return drawn;
}

class GridSearch {
 public:
  GridSearch(const GridPlan& plan, const Archive& archive, ResultStore& store, const EvaluationControl& control,
             const GridStage& begins)
      : plan_(plan),
        archive_(archive),
        store_(store),
        control_(control),
        begins_(begins),
        settings_(settings_grid(plan.factors)),
        datasets_(checked_datasets()) {
    for (const Setting& setting : settings_) options_.push_back(with_setting(plan.options, setting));
    std::vector<std::size_t> all(settings_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    going_on_.assign(datasets_.size(), all);
    lots_ = lots(settings_.size(), plan.seed);
  }

  std::optional<GridOutcome> run() {
    const std::vector<double> shares = rung_shares(plan_.rungs);
    for (std::size_t rung = 0; rung < shares.size(); ++rung) {
      const std::string name = shares.size() > 1 ? message("rung ", rung + 1, " of ", shares.size()) : "all settings";
      if (!climb(name, shares[rung], rung + 1 == shares.size())) return std::nullopt;
    }
    if (!test()) return std::nullopt;
    return outcome();
  }

 private:
  std::vector<std::string> checked_datasets() const {
    EvaluationPlan names;
    names.datasets = plan_.datasets;
    names.methods = {"diffeo"};
    names.folds = plan_.folds;
    (void)work_items(archive_, names);  // for what it refuses
    require(plan_.folds >= 2, "folds: expected at least 2, got ", plan_.folds);
    return plan_.datasets.empty() ? archive_.names() : plan_.datasets;
  }

  [[nodiscard]] WorkItem test_item(std::size_t dataset, std::size_t setting) const {
    return {datasets_[dataset], "diffeo", option_texts(options_[setting]), plan_.seed};
  }

  /// Cross-validated with a share of the training; with all of it, that of the last rung, also with all folds.
  [[nodiscard]] WorkItem rung_item(std::size_t dataset, std::size_t setting, double share) const {
    TrainingOptions options = options_[setting];
    options.epochs = std::max<std::int64_t>(1, part_of(options.epochs, share));
    options.least_steps = part_of(options.least_steps, share);
    return {datasets_[dataset], "diffeo", option_texts(options), plan_.seed, plan_.folds, share < 1.0 ? kEarlyFolds : 0};
  }

  bool do_all(const std::string& stage, std::vector<WorkItem> items) {
    if (begins_) begins_(stage);
    asked_.insert(items.begin(), items.end());
    return evaluate(items, archive_, store_, control_);
  }

  /// Cross-validates what is still in the running; the best go on, or one where it is the last rung.
  bool climb(const std::string& name, double share, bool is_last) {
    std::vector<WorkItem> items;
    for (std::size_t set = 0; set < datasets_.size(); ++set) {
      for (const std::size_t setting : going_on_[set]) items.push_back(rung_item(set, setting, share));
    }
    if (!do_all(name, std::move(items))) return false;
    for (std::size_t set = 0; set < datasets_.size(); ++set) keep_best(set, share, is_last);
    return true;
  }

  void keep_best(std::size_t set, double share, bool is_last) {
    std::vector<std::size_t>& settings = going_on_[set];
    const std::size_t most = is_last ? 1 : (settings.size() + kOneIn - 1) / kOneIn;
    const auto accuracy = [&](std::size_t setting) {
      return store_.find(rung_item(set, setting, share))->cv_accuracy;  // none where it failed
    };
    std::erase_if(settings, [&](std::size_t setting) { return !accuracy(setting).has_value(); });
    if (!is_last) std::ranges::sort(settings, {}, [this](std::size_t setting) { return lots_[setting]; });
    std::ranges::stable_sort(settings, std::ranges::greater(), [&](std::size_t setting) { return *accuracy(setting); });
    settings.resize(std::min(settings.size(), most));
    if (!is_last) std::ranges::sort(settings);  // the order of the grid, for the last tie
  }

  bool test() {
    std::vector<WorkItem> items;
    for (std::size_t set = 0; set < datasets_.size(); ++set) {
      for (const std::size_t setting : going_on_[set]) items.push_back(test_item(set, setting));
    }
    if (!do_all("tests", std::move(items))) return false;
    if (!plan_.oracle) return true;
    std::vector<WorkItem> every;
    for (std::size_t set = 0; set < datasets_.size(); ++set) {
      for (std::size_t setting = 0; setting < settings_.size(); ++setting) every.push_back(test_item(set, setting));
    }
    return do_all("tests of all settings", std::move(every));
  }

  [[nodiscard]] GridChoice choice(std::size_t set) const {
    GridChoice result;
    result.dataset = datasets_[set];
    if (plan_.oracle) result.oracle = best_on_test(set);
    if (going_on_[set].empty()) {
      result.error = first_error(set);
      return result;
    }
    const std::size_t chosen = going_on_[set].front();
    const EvaluationResult& tested = *store_.find(test_item(set, chosen));
    result.setting = settings_[chosen];
    result.cv_accuracy = store_.find(rung_item(set, chosen, 1.0))->cv_accuracy;
    result.train_accuracy = tested.train_accuracy;
    result.test_accuracy = tested.test_accuracy;
    result.error = tested.error;
    return result;
  }

  [[nodiscard]] std::optional<OracleChoice> best_on_test(std::size_t set) const {
    std::optional<OracleChoice> best;
    for (std::size_t setting = 0; setting < settings_.size(); ++setting) {
      const std::optional<double> accuracy = store_.find(test_item(set, setting))->test_accuracy;
      if (accuracy && (!best || *accuracy > best->test_accuracy)) best = {settings_[setting], *accuracy};
    }
    return best;
  }

  [[nodiscard]] std::string first_error(std::size_t set) const {
    for (const double share : rung_shares(plan_.rungs)) {
      for (std::size_t setting = 0; setting < settings_.size(); ++setting) {
        const EvaluationResult* result = store_.find(rung_item(set, setting, share));
        if (result != nullptr && !result->error.empty()) return result->error;
      }
    }
    return "no setting could be cross-validated";
  }

  [[nodiscard]] GridOutcome outcome() const {
    GridOutcome result;
    for (std::size_t set = 0; set < datasets_.size(); ++set) result.choices.push_back(choice(set));
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
  std::vector<Setting> settings_;
  std::vector<TrainingOptions> options_;  // of every setting
  std::vector<std::string> datasets_;
  std::vector<std::uint64_t> lots_;                 // of every setting, for ties
  std::vector<std::vector<std::size_t>> going_on_;  // settings of every data set
  std::set<WorkItem> asked_;
};

}  // namespace

std::optional<GridOutcome> search_grid(const GridPlan& plan, const Archive& archive, ResultStore& store,
                                       const EvaluationControl& control, const GridStage& begins) {
  return GridSearch(plan, archive, store, control, begins).run();
}

std::vector<double> rung_shares(std::size_t rungs) {
  constexpr std::size_t most = 10;  // 3^9 is more than there are settings, and epochs
  require(rungs >= 1 && rungs <= most, "rungs: expected 1 to ", most, ", got ", rungs);
  std::vector<double> shares(rungs, 1.0);
  for (std::size_t rung = rungs - 1; rung > 0; --rung) shares[rung - 1] = shares[rung] / static_cast<double>(kOneIn);
  return shares;
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
