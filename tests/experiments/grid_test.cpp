#include "diffeo/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "support/fake_networks.hpp"
#include "support/message_of.hpp"
#include "support/small_archive.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace grid_test {

using testing::with_networks_that_are_good_where;

class Grid : public ::testing::Test {
 protected:
  Grid() {
    testing::add_small_set(archive_path(), "Apple", 1);
    testing::add_small_set(archive_path(), "Bread", 3);
    plan_.factors = {{"cells", {"8", "16", "32"}}, {"layers", {"1", "2", "3"}}};
  }
  [[nodiscard]] std::filesystem::path archive_path() const { return directory_.path() / "archive"; }
  [[nodiscard]] std::filesystem::path results_path() const { return directory_.path() / "results"; }

  [[nodiscard]] std::optional<GridOutcome> search(const EvaluationControl& control) const {
    const Archive archive(archive_path());
    ResultStore store(results_path());
    return search_grid(plan_, archive, store, control);
  }
  [[nodiscard]] std::vector<EvaluationResult> results() const { return read_results(results_path()); }
  [[nodiscard]] std::size_t count_with(const std::string& option, const std::string& value, std::size_t folds) const {
    const std::vector<EvaluationResult> all = results();
    return static_cast<std::size_t>(std::ranges::count_if(all, [&](const EvaluationResult& each) {
      return each.item.options.at(option) == value && each.item.folds == folds;
    }));
  }

  [[nodiscard]] std::string plan_epochs() const { return std::to_string(plan_.options.epochs); }

  testing::TemporaryDirectory directory_;
  GridPlan plan_;
};

TEST_F(Grid, ChoosesWhatCrossValidatesBestAndTestsThatAlone) {
  const auto control = with_networks_that_are_good_where(
      [](const TrainingOptions& options) { return options.cells == 16 && options.layers == 2; });
  const std::optional<GridOutcome> outcome = search(control);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->failures, 0u);
  ASSERT_EQ(outcome->choices.size(), 2u);
  for (const GridChoice& each : outcome->choices) {
    EXPECT_EQ(each.setting, (Setting{{"cells", "16"}, {"layers", "2"}}));
    EXPECT_GT(each.cv_accuracy.value(), 0.5);  // flattened series have a third
    EXPECT_GT(each.test_accuracy.value(), 0.5);
    EXPECT_FALSE(each.oracle.has_value());
  }
  EXPECT_EQ(results().size(), 2u * (9 + 1));
}

TEST_F(Grid, TestSeriesDoNotTakePartInTheChoice) {
  // Good where it is trained on all of the training set, which happens for tests alone: with layers 3.
  EvaluationControl control;
  struct Cheat final : testing::Unmoved {
    bool is_good = false;
    std::int64_t layers = 0;
    void fit(const Dataset& training) override { is_good = training.cases() < 12 ? layers == 2 : layers == 3; }
    [[nodiscard]] Dataset transform(const Dataset& series) const override {
      return is_good ? series : testing::Flattening().transform(series);
    }
  };
  control.make_network = [](const NetworkTask& task) {
    const auto network = std::make_shared<Cheat>();
    network->layers = task.options.layers;
    return network;
  };
  plan_.factors = {{"layers", {"1", "2", "3"}}};
  plan_.oracle = true;
  const std::optional<GridOutcome> outcome = search(control);
  for (const GridChoice& each : outcome->choices) {
    EXPECT_EQ(each.setting.at("layers"), "2");
    EXPECT_LT(each.test_accuracy.value(), 0.5);
    ASSERT_TRUE(each.oracle.has_value());
    EXPECT_EQ(each.oracle->setting.at("layers"), "3");
    EXPECT_GT(each.oracle->test_accuracy, 0.5);
  }
}

TEST_F(Grid, OfEquallyGoodSettingsTheFirstIsChosen) {
  const auto control =
      with_networks_that_are_good_where([](const TrainingOptions& options) { return options.layers >= 2; });
  const std::optional<GridOutcome> outcome = search(control);  // a temporary would be gone before the loop begins
  ASSERT_EQ(outcome->choices.size(), 2u);
  for (const GridChoice& each : outcome->choices) {
    EXPECT_EQ(each.setting, (Setting{{"cells", "8"}, {"layers", "2"}}));
  }
}

TEST_F(Grid, OfEquallyGoodSettingsLotsDecideWhichGoOn) {
  plan_.rungs = 2;
  plan_.options.epochs = 90;
  plan_.datasets = {"Apple"};
  std::set<std::string> cells;  // that went on, for some seeds
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    plan_.seed = seed;
    EXPECT_EQ(grid_json(plan_, *search(testing::with_networks())),
              grid_json(plan_, *search(testing::with_networks())));  // the same lots
  }
  for (const EvaluationResult& each : results()) {
    if (each.item.options.at("epochs") == "90") cells.insert(each.item.options.at("cells"));
  }
  EXPECT_EQ(cells, (std::set<std::string>{"8", "16", "32"}));  // in the order of the grid it would be 8 alone
}

TEST_F(Grid, EveryDataSetHasLotsOfItsOwn) {
  plan_.rungs = 2;
  plan_.options.epochs = 93;  // one of 84 draws of lots is the same for both
  ASSERT_TRUE(search(testing::with_networks()).has_value());
  std::map<std::string, std::set<std::string>> went_on;  // cells and layers, by data set
  for (const EvaluationResult& each : results()) {
    if (each.item.options.at("epochs") != "93") continue;
    went_on[each.item.dataset].insert(each.item.options.at("cells") + " " + each.item.options.at("layers"));
  }
  ASSERT_EQ(went_on["Apple"].size(), 3u);
  ASSERT_EQ(went_on["Bread"].size(), 3u);
  EXPECT_NE(went_on["Apple"], went_on["Bread"]);
}

TEST_F(Grid, HalvingHoldsOutOneFoldBeforeTheLastRung) {
  plan_.rungs = 2;
  plan_.datasets = {"Apple"};
  std::size_t fits = 0;
  EvaluationControl control;
  control.make_network = [&](const NetworkTask&) {
    ++fits;
    return std::make_shared<testing::Unmoved>();
  };
  const std::optional<GridOutcome> outcome = search(control);
  EXPECT_EQ(fits, 9u + 3 * 3 + 1);
  EXPECT_GT(outcome->choices[0].cv_accuracy.value(), 0.5);
  for (const EvaluationResult& each : results()) {
    const bool is_early = each.item.folds > 0 && each.item.options.at("epochs") != plan_epochs();
    EXPECT_EQ(each.item.held_out, is_early ? 1u : 0u);
  }
}

TEST_F(Grid, HalvingGivesABestThirdThreeTimesTheTraining) {
  plan_.rungs = 3;
  plan_.options.epochs = 90;
  plan_.options.least_steps = 900;
  plan_.datasets = {"Apple"};
  const auto control = with_networks_that_are_good_where([](const TrainingOptions& options) {
    return options.cells == 32 && options.layers >= 2;  // two of nine
  });
  std::vector<std::string> stages;
  const Archive archive(archive_path());
  ResultStore store(results_path());
  const std::optional<GridOutcome> outcome =
      search_grid(plan_, archive, store, control, [&](const std::string& stage) { stages.push_back(stage); });
  EXPECT_EQ(outcome->choices[0].setting.at("cells"), "32");
  EXPECT_NE(outcome->choices[0].setting.at("layers"), "1");
  EXPECT_EQ(count_with("epochs", "10", plan_.folds), 9u);
  EXPECT_EQ(count_with("epochs", "30", plan_.folds), 3u);
  EXPECT_EQ(count_with("epochs", "90", plan_.folds), 1u);
  EXPECT_EQ(count_with("least_steps", "100", plan_.folds), 9u);
  EXPECT_EQ(count_with("epochs", "90", 0), 1u);
  EXPECT_EQ(stages, (std::vector<std::string>{"rung 1 of 3", "rung 2 of 3", "rung 3 of 3", "tests"}));
}

TEST_F(Grid, SettingsThatFailAreNotChosenAndDoNotStopTheRest) {
  EvaluationControl control;
  control.make_network = [](const NetworkTask& task) -> std::shared_ptr<WarpingAligner> {
    if (task.options.cells != 32) throw std::runtime_error("the loss is not finite");
    return std::make_shared<testing::Flattening>();
  };
  plan_.rungs = 2;
  const std::optional<GridOutcome> outcome = search(control);
  EXPECT_EQ(outcome->failures, 2u * 6);
  for (const GridChoice& each : outcome->choices) EXPECT_EQ(each.setting.at("cells"), "32");
}

TEST_F(Grid, ADataSetOnWhichAllFailHasAnError) {
  EvaluationControl control;
  control.make_network = [](const NetworkTask&) -> std::shared_ptr<WarpingAligner> {
    throw std::runtime_error("broken");
  };
  const std::optional<GridOutcome> outcome = search(control);
  ASSERT_EQ(outcome->choices.size(), 2u);
  EXPECT_EQ(outcome->choices[0].error, "broken");
  EXPECT_TRUE(outcome->choices[0].setting.empty());
  EXPECT_FALSE(outcome->choices[0].test_accuracy.has_value());
}

TEST_F(Grid, GoesOnWhereItWasStopped) {
  std::size_t fits = 0;
  EvaluationControl control;
  control.make_network = [&](const NetworkTask&) {
    ++fits;
    return std::make_shared<testing::Unmoved>();
  };
  control.stop = [&] { return fits >= 20; };
  EXPECT_FALSE(search(control).has_value());
  const std::size_t before = results().size();
  EXPECT_GT(before, 0u);
  control.stop = {};
  EXPECT_TRUE(search(control).has_value());
  EXPECT_EQ(results().size(), 2u * (9 + 1));
  EXPECT_EQ(fits, 3 * 2 * 9 + 2u);  // three folds of every setting, and two tests: nothing was done twice
}

TEST_F(Grid, IsTheSameForAnyNumberOfProcesses) {
  const auto control = with_networks_that_are_good_where(
      [](const TrainingOptions& options) { return options.cells + options.layers > 17; });
  plan_.rungs = 2;
  const std::string alone = grid_json(plan_, *search(control));
  std::filesystem::remove_all(results_path());
  EvaluationControl several = control;
  several.jobs = 3;
  EXPECT_EQ(grid_json(plan_, *search(several)), alone);
}

TEST_F(Grid, ItsDocumentCountsWhatWon) {
  plan_.oracle = true;
  const auto control =
      with_networks_that_are_good_where([](const TrainingOptions& options) { return options.cells == 16; });
  const auto document = nlohmann::json::parse(grid_json(plan_, *search(control)));
  EXPECT_EQ(document["datasets"].size(), 2u);
  EXPECT_EQ(document["datasets"][0]["setting"]["cells"], "16");
  EXPECT_EQ(document["winning_frequency"][0]["name"], "cells");
  EXPECT_EQ(document["winning_frequency"][0]["values"][1]["value"], "16");
  EXPECT_EQ(document["winning_frequency"][0]["values"][1]["wins"], 2);
  EXPECT_EQ(document["winning_frequency"][0]["values"][1]["share"], 1.0);
  EXPECT_EQ(document["winning_frequency"][0]["values"][0]["wins"], 0);
  const double mean = (document["datasets"][0]["test_accuracy"].get<double>() +
                       document["datasets"][1]["test_accuracy"].get<double>()) /
                      2;
  EXPECT_DOUBLE_EQ(document["mean_test_accuracy"].get<double>(), mean);
  EXPECT_GE(document["oracle"]["mean_test_accuracy"].get<double>(), mean);
  EXPECT_NE(document["oracle"]["note"].get<std::string>().find("no result of the method"), std::string::npos);
}

TEST_F(Grid, WithHalvingTheOracleTestsWhatReachesTheLastRungAlone) {
  plan_.rungs = 2;
  plan_.options.epochs = 90;
  plan_.oracle = true;
  const auto control =
      with_networks_that_are_good_where([](const TrainingOptions& options) { return options.cells == 16; });
  const auto document = nlohmann::json::parse(grid_json(plan_, *search(control)));
  EXPECT_EQ(count_with("epochs", "90", plan_.folds), 2u * 3);
  EXPECT_EQ(count_with("epochs", "90", 0), 2u * 3);  // of nine settings
  for (const auto& each : document["datasets"]) {
    EXPECT_EQ(each["oracle"]["settings"], 3);
    EXPECT_EQ(each["oracle"]["setting"]["cells"], "16");
    EXPECT_GE(each["oracle"]["test_accuracy"].get<double>(), each["test_accuracy"].get<double>());
  }
  EXPECT_EQ(document["oracle"]["note"].get<std::string>().find("The best of the 3 settings that reached the last rung"),
            0u);
  const std::vector<GridStageCost> stages = expected_stages(plan_, Archive(archive_path()), {});
  EXPECT_EQ(stages.back().items, 2u * 3);
}

TEST_F(Grid, ItsCostIsKnownBeforehandFromResults) {
  plan_.rungs = 2;
  plan_.options.epochs = 90;
  plan_.options.least_steps = 0;
  plan_.datasets = {"Apple"};
  plan_.factors = {{"layers", {"1", "2", "3"}}};  // 2 on average
  EvaluationPlan measured;
  measured.datasets = plan_.datasets;
  measured.methods = {"diffeo"};
  measured.options = plan_.options;
  const Archive archive(archive_path());
  EvaluationResult one_layer;
  one_layer.item = work_items(archive, measured).front();
  one_layer.seconds = 9.0;
  const std::vector<GridStageCost> stages = expected_stages(plan_, archive, {one_layer});
  ASSERT_EQ(stages.size(), 3u);
  EXPECT_EQ(stages[0].name, "rung 1 of 2");
  EXPECT_EQ(stages[0].items, 3u);
  const double on_two_of_three_folds = 18.0 * 2 / 3;
  EXPECT_DOUBLE_EQ(stages[0].seconds, 3 * on_two_of_three_folds / 3);  // three settings, a third of the training
  EXPECT_EQ(stages[1].items, 1u);
  EXPECT_DOUBLE_EQ(stages[1].seconds, 3 * on_two_of_three_folds);  // one, with all folds
  EXPECT_EQ(stages[2].name, "tests");
  EXPECT_DOUBLE_EQ(stages[2].seconds, 18.0);
}

TEST_F(Grid, RefusesPlansThatMakeNoSense) {
  plan_.rungs = 0;
  EXPECT_THROW((void)search({}), std::invalid_argument);
  plan_.rungs = 1;
  plan_.folds = 0;
  EXPECT_THROW((void)search({}), std::invalid_argument);
  plan_.folds = 3;
  plan_.datasets = {"Cake"};
  EXPECT_THROW((void)search({}), std::invalid_argument);
}

}  // namespace grid_test
}  // namespace diffeo
