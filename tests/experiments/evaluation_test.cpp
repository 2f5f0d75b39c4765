#include "diffeo/evaluation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <stdexcept>

#include "diffeo/nearest_centroid.hpp"
#include "diffeo/stratified.hpp"
#include "support/message_of.hpp"
#include "support/small_archive.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace {

using testing::add_small_set;
using testing::message_of;

/// What a network is here: it leaves series as they are.
class Unmoved final : public Aligner {
 public:
  void fit(const Dataset&) override {}
  [[nodiscard]] Dataset transform(const Dataset& series) const override { return series; }
};

class Evaluation : public ::testing::Test {
 protected:
  Evaluation() {
    add_small_set(archive_path(), "Apple", 1);
    add_small_set(archive_path(), "Bread", 3);
  }
  [[nodiscard]] std::filesystem::path archive_path() const { return directory_.path() / "archive"; }
  [[nodiscard]] std::filesystem::path results_path() const { return directory_.path() / "results"; }
  [[nodiscard]] Archive archive() const { return Archive(archive_path()); }

  /// The results of a plan done from nothing, or from what was done before.
  std::vector<EvaluationResult> done(const EvaluationPlan& plan, const EvaluationControl& control) const {
    ResultStore store(results_path());
    const Archive sets = archive();
    evaluate(work_items(sets, plan), sets, store, control);
    return store.results();
  }

 private:
  testing::TemporaryDirectory directory_;
};

EvaluationPlan plan_of(std::vector<std::string> methods) {
  EvaluationPlan plan;
  plan.methods = std::move(methods);
  return plan;
}

EvaluationControl with_networks() {
  EvaluationControl control;
  control.make_network = [](const NetworkTask&) { return std::make_shared<Unmoved>(); };
  return control;
}

double accuracy_of(const std::vector<EvaluationResult>& results, const std::string& dataset,
                   const std::string& method) {
  for (const EvaluationResult& each : results) {
    if (each.item.dataset == dataset && each.item.method == method) return each.test_accuracy.value();
  }
  throw std::runtime_error("no result");
}

TEST_F(Evaluation, EveryDataSetMethodAndSeedIsOnePieceOfWork) {
  EvaluationPlan plan = plan_of({"euclidean", "dtan", "diffeo"});
  plan.seeds = {0, 7};
  plan.options.cells = 5;
  const std::vector<WorkItem> items = work_items(archive(), plan);
  EXPECT_EQ(items.size(), 2u * (1 + 2 + 2));
  EXPECT_EQ(std::set<WorkItem>(items.begin(), items.end()).size(), items.size());
  EXPECT_FALSE(items[0].seed.has_value());
  EXPECT_EQ(items[1].options.at("epochs"), hyperparameter_text(preset("dtan"), hyperparameter("epochs")));
  EXPECT_EQ(items[4].options.at("cells"), "5");
  EXPECT_EQ(items[4].seed, 7u);
}

TEST_F(Evaluation, AccuraciesAreThoseOfTheClassifiers) {
  const std::vector<EvaluationResult> results =
      done(plan_of({"euclidean", "dba", "soft-dtw", "diffeo"}), with_networks());
  ASSERT_EQ(results.size(), 8u);
  NearestCentroidOptions dtw;
  dtw.distance = CentroidDistance::dtw;
  NearestCentroid means;
  NearestCentroid dba(DbaOptions{}, dtw);
  NearestCentroid soft(SoftDtwBarycenterOptions{}, dtw);
  for (NearestCentroid* each : {&means, &dba, &soft}) each->fit(archive().training("Apple"));
  const Dataset test = archive().test("Apple");
  EXPECT_EQ(accuracy_of(results, "Apple", "euclidean"), means.score(test));
  EXPECT_EQ(accuracy_of(results, "Apple", "dba"), dba.score(test));
  EXPECT_EQ(accuracy_of(results, "Apple", "soft-dtw"), soft.score(test));
  EXPECT_EQ(accuracy_of(results, "Apple", "diffeo"), means.score(test));
  EXPECT_EQ(results.front().commit.empty(), false);
}

TEST_F(Evaluation, StartedAgainItDoesWhatIsMissing) {
  std::atomic<int> made = 0;
  EvaluationControl control = with_networks();
  control.make_network = [&](const NetworkTask&) {
    ++made;
    return std::make_shared<Unmoved>();
  };
  EvaluationPlan plan = plan_of({"diffeo"});
  EXPECT_EQ(done(plan, control).size(), 2u);
  plan.seeds = {0, 1};
  EXPECT_EQ(done(plan, control).size(), 4u);
  EXPECT_EQ(done(plan, control).size(), 4u);
  EXPECT_EQ(made, 4);
}

TEST_F(Evaluation, OneFailureDoesNotStopTheRest) {
  EvaluationControl control = with_networks();
  control.make_network = [](const NetworkTask& task) -> std::shared_ptr<Aligner> {
    if (task.seed == 1) throw std::runtime_error("the loss is not finite");
    return std::make_shared<Unmoved>();
  };
  EvaluationPlan plan = plan_of({"diffeo"});
  plan.seeds = {1, 2};
  const std::vector<EvaluationResult> results = done(plan, control);
  ASSERT_EQ(results.size(), 4u);
  for (const EvaluationResult& each : results) {
    EXPECT_EQ(each.error, each.item.seed == 1u ? "the loss is not finite" : "");
    EXPECT_EQ(each.test_accuracy.has_value(), each.item.seed == 2u);
  }
  EXPECT_EQ(done(plan, control).size(), 4u);
}

TEST_F(Evaluation, TheNumberOfJobsChangesNoAccuracy) {
  EvaluationPlan plan = plan_of({"euclidean", "dba", "soft-dtw", "diffeo"});
  plan.seeds = {0, 1, 2};
  EvaluationControl control = with_networks();
  const auto accuracies = [&] {
    std::map<WorkItem, std::optional<double>> found;
    for (const EvaluationResult& each : done(plan, control)) found[each.item] = each.test_accuracy;
    std::filesystem::remove_all(results_path());
    return found;
  };
  const auto alone = accuracies();
  control.jobs = 3;
  EXPECT_EQ(accuracies(), alone);
  EXPECT_EQ(alone.size(), 12u);
}

TEST_F(Evaluation, WhatIsStoppedLeavesNoResult) {
  std::atomic<bool> stop = false;
  EvaluationControl control;
  control.stop = [&] { return stop.load(); };
  control.make_network = [&](const NetworkTask& task) -> std::shared_ptr<Aligner> {
    if (task.seed == 5) stop = true;
    if (task.stop()) throw std::runtime_error("interrupted");
    return std::make_shared<Unmoved>();
  };
  EvaluationPlan plan = plan_of({"diffeo"});
  plan.seeds = {4, 5, 6};
  const std::vector<EvaluationResult> before = done(plan, control);
  EXPECT_LT(before.size(), 6u);
  EXPECT_TRUE(std::ranges::all_of(before, [](const EvaluationResult& each) { return each.error.empty(); }));
  stop = false;
  EXPECT_EQ(done(plan, with_networks()).size(), 6u);
}

TEST_F(Evaluation, CrossValidationPredictsEveryTrainingCaseOnceAndReadsNoTestFile) {
  std::filesystem::remove(archive_path() / "Apple" / "Apple_TEST.tsv");
  EvaluationPlan plan = plan_of({"euclidean"});
  plan.datasets = {"Apple"};
  plan.folds = 3;
  const std::vector<EvaluationResult> results = done(plan, {});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].error, "");
  EXPECT_FALSE(results[0].test_accuracy.has_value());

  const Dataset training = archive().training("Apple");
  const std::vector<std::size_t> folds = stratified_folds(training.labels(), 3, 0);
  double hits = 0;
  for (std::size_t fold = 0; fold < 3; ++fold) {
    std::vector<std::size_t> seen;
    std::vector<std::size_t> held_out;
    for (std::size_t i = 0; i < folds.size(); ++i) (folds[i] == fold ? held_out : seen).push_back(i);
    NearestCentroid classifier;
    classifier.fit(training.subset(seen));
    for (const std::size_t item : held_out) {
      const std::vector<std::size_t> one = {item};
      hits += classifier.score(training.subset(one));
    }
  }
  EXPECT_DOUBLE_EQ(results[0].cv_accuracy.value(), hits / static_cast<double>(training.cases()));
}

TEST_F(Evaluation, LongWorkComesFirst) {
  EvaluationPlan plan = plan_of({"euclidean", "dba", "diffeo"});
  plan.datasets = {"Apple"};
  const std::vector<EvaluationResult> results = done(plan, with_networks());
  EXPECT_EQ(results.front().item.method, "diffeo");
  EXPECT_EQ(results.back().item.method, "euclidean");
}

TEST_F(Evaluation, RefusesNamesThatThereAreNot) {
  EXPECT_EQ(message_of([&] { (void)work_items(archive(), plan_of({"magic"})); }),
            "methods: expected some of euclidean, dba, soft-dtw, dtan, resnet-tw and diffeo, got magic");
  EvaluationPlan plan;
  plan.datasets = {"Cake"};
  EXPECT_EQ(message_of([&] { (void)work_items(archive(), plan); }),
            "datasets: expected names of folders in the archive, got Cake");
}

}  // namespace
}  // namespace diffeo
