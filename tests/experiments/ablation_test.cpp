#include "diffeo/ablation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "support/fake_networks.hpp"
#include "support/small_archive.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace ablation_test {

class AblationTest : public ::testing::Test {
 protected:
  AblationTest() {
    testing::add_small_set(archive_path(), "Apple", 1);
    testing::add_small_set(archive_path(), "Bread", 3);
  }
  [[nodiscard]] std::filesystem::path archive_path() const { return directory_.path() / "archive"; }
  [[nodiscard]] std::filesystem::path results_path() const { return directory_.path() / "results"; }
  [[nodiscard]] AblationOutcome outcome(const EvaluationControl& control) const {
    const Archive archive(archive_path());
    ResultStore store(results_path());
    return study_ablation(plan_, archive, store, control).value();
  }

  testing::TemporaryDirectory directory_;
  AblationPlan plan_;
};

TEST_F(AblationTest, TheUsualStudiesChangeOneThingEach) {
  const std::vector<AblationStudy> studies = usual_studies({});
  std::vector<std::string> names;
  for (const AblationStudy& study : studies) {
    names.push_back(study.name);
    for (const AblationChange& change : study.changes) EXPECT_NO_THROW((void)with_setting({}, change.setting));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"cells", "loss", "layers", "method", "composition", "prior"}));
  EXPECT_EQ(studies[0].changes.front().value, "4");
  EXPECT_EQ(studies[0].changes.back().value, "256");
  for (const AblationChange& change : studies[4].changes) EXPECT_EQ(change.setting.at("layers"), "5");
  EXPECT_EQ(with_setting({}, studies[5].changes[1].setting).prior_weight, 0.0);
  EXPECT_GT(with_setting({}, studies[5].changes[0].setting).prior_weight, 0.0);
}

TEST_F(AblationTest, TheSettingsOwnValueIsAmongThem) {
  TrainingOptions options;
  options.cells = 20;
  options.prior_weight = 0.0;
  const std::vector<AblationStudy> studies = usual_studies(options);
  EXPECT_TRUE(std::ranges::any_of(studies[0].changes, [](const AblationChange& each) { return each.value == "20"; }));
  EXPECT_GT(with_setting(options, studies[5].changes[0].setting).prior_weight, 0.0);
}

TEST_F(AblationTest, TheSettingsOwnValueHasItsPlaceAmongNumbers) {
  const auto values_of = [](const AblationStudy& study) {
    std::vector<std::string> values;
    for (const AblationChange& each : study.changes) values.push_back(each.value);
    return values;
  };
  TrainingOptions options;
  options.cells = 20;
  options.layers = 7;
  set_hyperparameter(options, "loss", "variance + 10 cross-entropy");
  const std::vector<AblationStudy> studies = usual_studies(options);
  EXPECT_EQ(values_of(studies[0]), (std::vector<std::string>{"4", "8", "16", "20", "32", "64", "128", "256"}));
  EXPECT_EQ(values_of(studies[2]), (std::vector<std::string>{"1", "2", "5", "7"}));
  EXPECT_EQ(values_of(studies[1]).back(), "variance + 10 cross-entropy");  // no number: the last
}

TEST_F(AblationTest, TellsAccuracyAndSecondsOfEveryValue) {
  plan_.studies = {study_of({"cells", {"8", "32"}}), study_of({"layers", {"1", "2"}})};
  const auto control =
      testing::with_networks_that_are_good_where([](const TrainingOptions& options) { return options.cells == 32; });
  const AblationOutcome found = outcome(control);
  ASSERT_EQ(found.studies.size(), 2u);
  const AblationResult& cells = found.studies[0];
  EXPECT_LT(cells.values[0].mean_accuracy.value(), 0.5);
  EXPECT_GT(cells.values[1].mean_accuracy.value(), 0.5);
  EXPECT_GT(cells.values[1].mean_seconds.value(), 0.0);
  ASSERT_EQ(cells.values[1].scores.size(), 2u);
  EXPECT_EQ(cells.values[1].scores[0].dataset, "Apple");
  EXPECT_DOUBLE_EQ(*cells.values[1].mean_accuracy,
                   (cells.values[1].scores[0].accuracy + cells.values[1].scores[1].accuracy) / 2);
  // Cells 32 and layers 1 are the setting itself: done once, told twice.
  EXPECT_EQ(read_results(results_path()).size(), 2u * 3);
  EXPECT_EQ(found.studies[1].values[0].mean_accuracy, cells.values[1].mean_accuracy);
}

TEST_F(AblationTest, ComparesTheDataSetsThatAllValuesHave) {
  plan_.studies = {study_of({"cells", {"8", "32"}})};
  plan_.seeds = {0, 1};
  std::filesystem::remove(archive_path() / "Bread" / "Bread_TEST.tsv");
  const AblationOutcome found = outcome(testing::with_networks());
  EXPECT_EQ(found.failures, 4u);
  for (const AblationValue& value : found.studies[0].values) {
    EXPECT_EQ(value.failures, 2u);
    ASSERT_EQ(value.scores.size(), 1u);
    EXPECT_EQ(value.scores[0].dataset, "Apple");
    EXPECT_LE(value.scores[0].accuracy, 1.0);  // the mean of two seeds, not their sum
  }
}

TEST_F(AblationTest, CrossValidatesInsideTheTrainingSetsWhereAsked) {
  plan_.studies = {study_of({"layers", {"1", "2"}})};
  plan_.folds = 3;
  for (const std::string name : {"Apple", "Bread"}) {
    std::filesystem::remove(archive_path() / name / (name + "_TEST.tsv"));
  }
  EXPECT_EQ(outcome(testing::with_networks()).failures, 0u);
}

TEST_F(AblationTest, ItsDocumentHasEveryFigure) {
  plan_.studies = {study_of({"layers", {"1", "2"}})};
  const AblationOutcome found = outcome(testing::with_networks());
  const std::string text = ablation_json(plan_, found);
  EXPECT_EQ(text, ablation_json(plan_, outcome({})));  // from the store alone
  const auto document = nlohmann::json::parse(text);
  EXPECT_EQ(document["accuracy"], "test");
  EXPECT_EQ(document["studies"][0]["name"], "layers");
  const auto& value = document["studies"][0]["values"][1];
  EXPECT_EQ(value["value"], "2");
  EXPECT_EQ(value["setting"]["layers"], "2");
  EXPECT_EQ(value["mean_accuracy"].get<double>(), *found.studies[0].values[1].mean_accuracy);
  EXPECT_EQ(value["datasets"].size(), 2u);
}

}  // namespace ablation_test
}  // namespace diffeo
