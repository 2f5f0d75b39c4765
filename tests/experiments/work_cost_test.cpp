#include "experiments/work_cost.hpp"

#include <gtest/gtest.h>

#include "diffeo/evaluation.hpp"
#include "support/small_archive.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace work_cost_test {

class WorkCostsTest : public ::testing::Test {
 protected:
  WorkCostsTest() {
    testing::add_small_set(directory_.path(), "Apple", 1);
    plan_.methods = {"euclidean", "dba", "diffeo"};
  }
  [[nodiscard]] Archive archive() const { return Archive(directory_.path()); }
  [[nodiscard]] std::vector<WorkItem> items() const { return work_items(archive(), plan_); }

  static EvaluationResult result_of(const WorkItem& item, double seconds) {
    EvaluationResult result;
    result.item = item;
    result.seconds = seconds;
    return result;
  }

  testing::TemporaryDirectory directory_;
  EvaluationPlan plan_;
};

TEST_F(WorkCostsTest, AreMeasuredForEveryMethodForItself) {
  WorkCosts costs(archive(), items());
  costs.learn(result_of(items()[0], 3.0));
  costs.learn(result_of(items()[2], 50.0));
  EXPECT_DOUBLE_EQ(costs.of(items()[0]) * costs.seconds_per_unit("euclidean"), 3.0);
  EXPECT_DOUBLE_EQ(costs.of(items()[2]) * costs.seconds_per_unit("diffeo"), 50.0);
  // One without results gets the rate of all others together.
  EXPECT_DOUBLE_EQ(costs.seconds_per_unit("dba"), 53.0 / (costs.of(items()[0]) + costs.of(items()[2])));
}

TEST_F(WorkCostsTest, DoNotCountPausesNorThreadsAtWorkTogether) {
  WorkCosts costs(archive(), items());
  EvaluationResult paused = result_of(items()[0], 3600.0);
  paused.cpu_seconds = 3.0;
  EvaluationResult on_two_threads = result_of(items()[2], 50.0);
  on_two_threads.cpu_seconds = 99.0;
  costs.learn(paused);
  costs.learn(on_two_threads);
  EXPECT_DOUBLE_EQ(costs.of(items()[0]) * costs.seconds_per_unit("euclidean"), 3.0);
  EXPECT_DOUBLE_EQ(costs.of(items()[2]) * costs.seconds_per_unit("diffeo"), 50.0);
}

TEST_F(WorkCostsTest, GrowWithTheTraining) {
  const WorkCosts costs(archive(), items());
  WorkItem twice = items()[2];
  twice.options["epochs"] = std::to_string(2 * TrainingOptions().epochs);
  twice.options["least_steps"] = std::to_string(2 * TrainingOptions().least_steps);
  EXPECT_DOUBLE_EQ(costs.of(twice), 2 * costs.of(items()[2]));
  twice.folds = 3;
  EXPECT_DOUBLE_EQ(costs.of(twice), 6 * costs.of(items()[2]));
  twice.held_out = 1;
  EXPECT_DOUBLE_EQ(costs.of(twice), 2 * costs.of(items()[2]));
}

TEST_F(WorkCostsTest, OfACrossValidationAreThoseOfTheOtherFolds) {
  const WorkCosts costs(archive(), items());
  WorkItem by_epochs = items()[2];
  by_epochs.options["least_steps"] = "0";
  const double whole = costs.of(by_epochs);
  by_epochs.folds = 3;
  EXPECT_DOUBLE_EQ(costs.of(by_epochs), 3 * whole * 2 / 3);
}

TEST_F(WorkCostsTest, LearnNothingFromFailuresOrFromWhatIsUnknown) {
  WorkCosts costs(archive(), items());
  EvaluationResult failed = result_of(items()[2], 100.0);
  failed.error = "no";
  costs.learn(failed);
  EvaluationResult old = result_of(items()[2], 100.0);
  old.item.options["an_option_that_was"] = "1";
  costs.learn(old);
  EvaluationResult elsewhere = result_of(items()[2], 100.0);
  elsewhere.item.dataset = "Unknown";
  costs.learn(elsewhere);
  EXPECT_EQ(costs.seconds_per_unit("diffeo"), 1.0);
}

}  // namespace work_cost_test
}  // namespace diffeo
