#include "diffeo/evaluation.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

#include "diffeo/files.hpp"
#include "diffeo/nearest_centroid.hpp"
#include "diffeo/stratified.hpp"
#include "experiments/processor_model.hpp"
#include "experiments/processor_time.hpp"
#include "support/fake_networks.hpp"
#include "support/message_of.hpp"
#include "support/small_archive.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace evaluation_test {

using testing::add_small_set;
using testing::message_of;
using testing::Unmoved;
using testing::with_networks;

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
  for (NearestCentroid* each : {&means, &dba}) each->fit(archive().training("Apple"));
  const Dataset test = archive().test("Apple");
  EXPECT_EQ(accuracy_of(results, "Apple", "euclidean"), means.score(test));
  EXPECT_EQ(accuracy_of(results, "Apple", "dba"), dba.score(test));
  EXPECT_EQ(accuracy_of(results, "Apple", "diffeo"), means.score(test));
  EXPECT_EQ(results.front().commit.empty(), false);
}

TEST_F(Evaluation, SoftDtwIsAsSmoothAsSuitsTheTrainingSeries) {
  const std::vector<EvaluationResult> results = done(plan_of({"soft-dtw"}), with_networks());
  NearestCentroidOptions dtw;
  dtw.distance = CentroidDistance::dtw;
  double best = -1.0, test_accuracy = 0.0;
  for (const double gamma : {1.0, 0.1, 0.01}) {
    SoftDtwBarycenterOptions options;
    options.gamma = gamma;
    NearestCentroid soft(options, dtw);
    soft.fit(archive().training("Apple"));
    if (const double score = soft.score(archive().training("Apple")); score > best) {
      best = score;
      test_accuracy = soft.score(archive().test("Apple"));
    }
  }
  EXPECT_EQ(accuracy_of(results, "Apple", "soft-dtw"), test_accuracy);
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
  control.make_network = [](const NetworkTask& task) -> std::shared_ptr<WarpingAligner> {
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
  control.make_network = [&](const NetworkTask& task) -> std::shared_ptr<WarpingAligner> {
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

/// Remembers what it was trained on.
class Remembering final : public Unmoved {
 public:
  explicit Remembering(std::vector<Dataset>& seen) : seen_(seen) {}
  void fit(const Dataset& training) override { seen_.push_back(training); }

 private:
  std::vector<Dataset>& seen_;
};

/// A training set with classes of those sizes, each class at a level of its own.
Dataset of_class_sizes(const std::vector<std::size_t>& sizes) {
  Dataset set;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    for (std::size_t i = 0; i < sizes[k]; ++i) {
      const double level = 10.0 * static_cast<double>(k) + 0.1 * static_cast<double>(i);
      set.add_case(std::vector<double>{level, -level, 1.0}, std::string(1, static_cast<char>('a' + k)));
    }
  }
  return set;
}

TEST_F(Evaluation, AClassOfOneIsAlwaysTrainedOnAndNeverPredicted) {
  write_dataset(archive_path() / "Apple" / "Apple_TRAIN.tsv", of_class_sizes({4, 1, 2}));
  std::vector<Dataset> seen;
  EvaluationControl control;
  control.make_network = [&](const NetworkTask&) { return std::make_shared<Remembering>(seen); };
  EvaluationPlan plan = plan_of({"diffeo"});
  plan.datasets = {"Apple"};
  plan.folds = 3;
  const std::vector<EvaluationResult> results = done(plan, control);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].error, "");
  EXPECT_EQ(results[0].cv_accuracy, 1.0);  // classes lie far apart: every case that is predicted is a hit
  ASSERT_EQ(seen.size(), 3u);
  std::size_t left_out_of_two = 0;
  for (const Dataset& each : seen) {
    EXPECT_EQ(each.cases_by_class()[1].size(), 1u);
    EXPECT_GE(each.cases_by_class()[2].size(), 1u);
    left_out_of_two += 2 - each.cases_by_class()[2].size();
  }
  EXPECT_EQ(left_out_of_two, 2u);  // each case of the class of two once, with the other to make the centroid
}

TEST_F(Evaluation, NothingCanBeCrossValidatedWhereEveryClassHasOneCase) {
  write_dataset(archive_path() / "Apple" / "Apple_TRAIN.tsv", of_class_sizes({1, 1}));
  EvaluationPlan plan = plan_of({"euclidean"});
  plan.datasets = {"Apple"};
  plan.folds = 2;
  EXPECT_EQ(done(plan, {})[0].error,
            "training: expected a class of at least two cases to cross-validate with, got none");
}

/// Halves every value.
class Halving final : public Unmoved {
 public:
  [[nodiscard]] Dataset transform(const Dataset& series) const override {
    Dataset result = series;
    for (double& value : result.values()) value /= 2;
    return result;
  }
};

TEST_F(Evaluation, VariancesAreThoseOfTheTestSeriesWithinTheirClasses) {
  Dataset test;
  test.add_case(std::vector<double>{0, 0}, "1");
  test.add_case(std::vector<double>{2, 4}, "1");
  test.add_case(std::vector<double>{7, 7}, "2");  // alone: no variance
  write_dataset(archive_path() / "Apple" / "Apple_TRAIN.tsv", test);
  write_dataset(archive_path() / "Apple" / "Apple_TEST.tsv", test);
  EvaluationControl control;
  control.make_network = [](const NetworkTask&) { return std::make_shared<Halving>(); };
  EvaluationPlan plan = plan_of({"diffeo", "euclidean"});
  plan.datasets = {"Apple"};
  for (const EvaluationResult& each : done(plan, control)) {
    EXPECT_EQ(each.error, "");
    EXPECT_EQ(each.variance_before.has_value(), each.item.method == "diffeo");
    if (each.item.method != "diffeo") continue;
    EXPECT_DOUBLE_EQ(*each.variance_before, (2 * (1 + 4) + 1 * 0) / 3.0);
    EXPECT_DOUBLE_EQ(*each.variance_after, *each.variance_before / 4);
  }
}

TEST_F(Evaluation, WhatWarpsIsMeasuredOnTestSeriesAndNothingElseIs) {
  EvaluationPlan plan = plan_of({"diffeo", "euclidean"});
  plan.datasets = {"Apple"};
  for (const EvaluationResult& each : done(plan, with_networks())) {
    ASSERT_EQ(each.alignment.has_value(), each.item.method == "diffeo");
    if (!each.alignment) continue;
    EXPECT_EQ(*each.alignment, alignment_measures(Unmoved(), archive().test("Apple"), archive().training("Apple")));
  }
  plan.folds = 3;
  for (const EvaluationResult& each : done(plan, with_networks())) {
    EXPECT_EQ(each.alignment.has_value(), each.item.method == "diffeo" && each.item.folds == 0);
  }
}

TEST_F(Evaluation, EveryResultNamesTheProcessor) {
  for (const EvaluationResult& each : done(plan_of({"euclidean"}), {})) EXPECT_EQ(each.processor, processor_model());
}

TEST_F(Evaluation, GivenOptionsGoOnTopOfEveryPreset) {
  EvaluationPlan plan = plan_of({"dtan", "resnet-tw", "diffeo"});
  plan.datasets = {"Apple"};
  plan.given = {{"epochs", "7"}};
  const std::vector<WorkItem> items = work_items(archive(), plan);
  ASSERT_EQ(items.size(), 3u);
  for (const WorkItem& item : items) EXPECT_EQ(item.options.at("epochs"), "7");
  EXPECT_EQ(items[0].options.at("widths"), hyperparameter_text(preset("dtan"), hyperparameter("widths")));
  EXPECT_EQ(items[1].options.at("layers"), hyperparameter_text(preset("resnet-tw"), hyperparameter("layers")));
  plan.given = {{"kernels", "7,5,3"}};  // resnet-tw has two widths
  EXPECT_NE(message_of([&] { (void)work_items(archive(), plan); }).find("(with the method resnet-tw)"),
            std::string::npos);
}

TEST_F(Evaluation, WorkThatEndsItsProcessIsAFailureAndTheRestGoesOn) {
  EvaluationControl control;
  control.jobs = 2;
  control.make_network = [](const NetworkTask& task) -> std::shared_ptr<WarpingAligner> {
    if (task.seed == 1) kill(getpid(), SIGKILL);
    return std::make_shared<Unmoved>();
  };
  EvaluationPlan plan = plan_of({"diffeo"});
  plan.seeds = {0, 1, 2};
  const std::vector<EvaluationResult> results = done(plan, control);
  ASSERT_EQ(results.size(), 6u);
  for (const EvaluationResult& each : results) {
    EXPECT_EQ(each.error.find("was ended 2 times, by signal 9") != std::string::npos, each.item.seed == 1u)
        << each.error;
  }
}

TEST_F(Evaluation, WhatTheStoreThrowsEndsEverything) {
  EvaluationControl control;
  control.jobs = 2;
  control.make_network = [this](const NetworkTask&) {
    std::filesystem::remove_all(results_path());  // nowhere to write to
    return std::make_shared<Unmoved>();
  };
  EXPECT_THROW(done(plan_of({"diffeo"}), control), std::runtime_error);
}

TEST_F(Evaluation, TellsHowFarItIsFromProcessesToo) {
  for (const std::size_t jobs : {1, 3}) {
    EvaluationControl control = with_networks();
    control.jobs = jobs;
    std::vector<std::size_t> told;
    std::size_t total = 0;
    control.callback = [&](const EvaluationProgress& progress) {
      EXPECT_EQ(progress.result == nullptr, told.empty());  // the first is about the start
      told.push_back(progress.done);
      total = progress.total;
      EXPECT_EQ(progress.seconds_left == 0.0, progress.done == progress.total);
    };
    EXPECT_EQ(done(plan_of({"euclidean", "diffeo"}), control).size(), 4u);
    EXPECT_EQ(told.size(), 5u);
    EXPECT_EQ(told.front(), 0u);
    EXPECT_EQ(told.back(), 4u);
    EXPECT_EQ(total, 4u);
    std::filesystem::remove_all(results_path());
  }
}

TEST_F(Evaluation, TellsBeforeAnythingIsDoneHowLongItTakesWhereResultsTell) {
  struct Start {
    std::size_t done;
    bool is_time_known;
    bool operator==(const Start&) const = default;
  };
  std::size_t made = 0;
  std::vector<Start> starts;
  EvaluationControl control;
  control.make_network = [&](const NetworkTask&) {
    ++made;
    return std::make_shared<Unmoved>();
  };
  control.callback = [&](const EvaluationProgress& progress) {
    if (progress.result != nullptr) return;
    EXPECT_EQ(made, progress.done);
    starts.push_back({progress.done, progress.seconds_left.has_value()});
  };
  EvaluationPlan plan = plan_of({"diffeo"});
  done(plan, control);
  plan.seeds = {0, 1};
  done(plan, control);
  done(plan, control);  // nothing begins where nothing is missing
  EXPECT_EQ(starts, (std::vector<Start>{{0, false}, {2, true}}));
}

TEST_F(Evaluation, FailuresDoNotTellHowLongTheRestTakes) {
  EvaluationControl control;
  control.make_network = [](const NetworkTask&) -> std::shared_ptr<WarpingAligner> { throw std::runtime_error("no"); };
  control.callback = [](const EvaluationProgress& progress) {
    EXPECT_EQ(progress.seconds_left.has_value(), progress.done == progress.total);
  };
  EXPECT_EQ(done(plan_of({"diffeo"}), control).size(), 2u);
}

TEST_F(Evaluation, ProcessorTimeCountsNoPause) {
  static constexpr std::chrono::milliseconds pause{200};
  constexpr double longest_work = 0.1;  // seconds, of a few means of short series
  EvaluationControl control;
  struct Sleeping final : Unmoved {
    void fit(const Dataset&) override { std::this_thread::sleep_for(pause); }
  };
  control.make_network = [](const NetworkTask&) { return std::make_shared<Sleeping>(); };
  EvaluationPlan plan = plan_of({"diffeo"});
  plan.datasets = {"Apple"};
  const std::vector<EvaluationResult> results = done(plan, control);
  EXPECT_GE(results.front().seconds, std::chrono::duration<double>(pause).count());
  EXPECT_GT(results.front().cpu_seconds.value(), 0.0);
  EXPECT_LT(results.front().cpu_seconds.value(), longest_work);
}

TEST_F(Evaluation, TrainingTimeIsThatOfFittingAlone) {
  static constexpr double work = 0.05;  // seconds of a processor
  static const auto busy = [] {
    const double start = processor_seconds();
    while (processor_seconds() < start + work) {
    }
  };
  struct Slow final : Unmoved {
    void fit(const Dataset&) override { busy(); }
    [[nodiscard]] Dataset transform(const Dataset& series) const override {
      busy();
      return series;
    }
  };
  EvaluationControl control;
  control.make_network = [](const NetworkTask&) { return std::make_shared<Slow>(); };
  EvaluationPlan plan = plan_of({"diffeo"});
  plan.datasets = {"Apple"};
  // Fitting is once for the network and once to transform for the centroids; then two sets are scored.
  const EvaluationResult result = done(plan, control).front();
  EXPECT_GE(result.training_seconds.value(), work);
  EXPECT_GE(result.cpu_seconds.value(), result.training_seconds.value() + 2 * work);
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

}  // namespace evaluation_test
}  // namespace diffeo
