#include "diffeo/results_summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace diffeo {
namespace results_summary_test {

EvaluationResult tested(const std::string& dataset, const std::string& method, double accuracy,
                        std::optional<std::uint64_t> seed = std::nullopt) {
  EvaluationResult result;
  result.item = {dataset, method, {}, seed, 0};
  result.test_accuracy = accuracy;
  result.seconds = 2.0;
  result.date = "2026-01-31T12:00:00Z";
  return result;
}

TEST(ResultsSummary, HasTheMeanOverTheSeedsAndTheirSpread) {
  const ResultsSummary summary =
      summarise_results(std::vector{tested("A", "diffeo", 0.8, 0), tested("A", "diffeo", 0.9, 1)});
  EXPECT_DOUBLE_EQ(summary.scores.scores[0][0], 0.85);
  EXPECT_DOUBLE_EQ(*summary.spreads[0][0], std::sqrt(0.005));
  EXPECT_EQ(summary.methods[0].seeds, 2U);
  EXPECT_DOUBLE_EQ(summary.methods[0].seconds, 4.0);
}

/// Test sets of these sizes: primes, powers of two, products of both, and the largest of the UCR archive.
constexpr std::size_t kTestSets[] = {7, 30, 49, 150, 375, 1024, 2345, 5120, 8236};

TEST(ResultsSummary, EqualAccuraciesOfSeveralSeedsTieWithAMethodWithoutSeeds) {
  for (const std::size_t cases : kTestSets) {
    for (std::size_t hits = 0; hits <= cases; hits += 1 + cases / 100) {
      const double accuracy = static_cast<double>(hits) / static_cast<double>(cases);
      const ResultsSummary summary =
          summarise_results(std::vector{tested("A", "diffeo", accuracy, 0), tested("A", "diffeo", accuracy, 1),
                                        tested("A", "diffeo", accuracy, 2), tested("A", "euclidean", accuracy)});
      ASSERT_EQ(summary.scores.scores[0][0], summary.scores.scores[0][1]) << hits << " of " << cases;
      ASSERT_EQ(summary.spreads[0][0], 0.0) << hits << " of " << cases;
      ASSERT_NEAR(summary.scores.scores[0][0], accuracy, 1e-9);
    }
  }
}

TEST(ResultsSummary, MeansThatAreTheSameFractionTieAndOthersDoNot) {
  for (const std::size_t cases : kTestSets) {
    const auto share = [&](std::size_t hits) { return static_cast<double>(hits) / static_cast<double>(cases); };
    for (std::size_t hits = 2; hits + 2 <= cases; hits += 1 + cases / 100) {
      const auto scores = [&](std::size_t last) {
        return summarise_results(
                   std::vector{tested("A", "diffeo", share(hits - 2), 0), tested("A", "diffeo", share(hits + 1), 1),
                               tested("A", "diffeo", share(last), 2), tested("A", "euclidean", share(hits))})
            .scores.scores[0];
      };
      ASSERT_EQ(scores(hits + 1)[0], scores(hits + 1)[1]) << hits << " of " << cases;
      ASSERT_LT(scores(hits)[0], scores(hits)[1]) << hits << " of " << cases;
      ASSERT_GT(scores(hits + 2)[0], scores(hits + 2)[1]) << hits << " of " << cases;
    }
  }
}

TEST(ResultsSummary, CountsProcessorTimeWhereItIsKnownAndSaysOfHowMuch) {
  std::vector<EvaluationResult> results = {tested("A", "diffeo", 0.8, 0), tested("A", "diffeo", 0.9, 1)};
  results[1].cpu_seconds = 0.5;
  const SummarisedMethod method = summarise_results(results).methods[0];
  EXPECT_DOUBLE_EQ(method.seconds, 2.5);
  EXPECT_EQ(method.results, 2U);
  EXPECT_EQ(method.with_processor_time, 1U);
}

TEST(ResultsSummary, PutsDiffeoFirstAndDataSetsInOrder) {
  const ResultsSummary summary =
      summarise_results(std::vector{tested("B", "euclidean", 0.1), tested("A", "euclidean", 0.2),
                                    tested("B", "diffeo", 0.3, 0), tested("A", "diffeo", 0.4, 0)});
  EXPECT_EQ(summary.scores.methods, (std::vector<std::string>{"diffeo", "euclidean"}));
  EXPECT_EQ(summary.scores.datasets, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(summary.scores.scores, (std::vector<std::vector<double>>{{0.4, 0.2}, {0.3, 0.1}}));
  EXPECT_FALSE(summary.spreads[0][0].has_value());
}

TEST(ResultsSummary, LeavesOutADataSetThatSomeMethodLacks) {
  const ResultsSummary summary = summarise_results(
      std::vector{tested("A", "euclidean", 0.1), tested("B", "euclidean", 0.2), tested("B", "diffeo", 0.3, 0)});
  EXPECT_EQ(summary.scores.datasets, std::vector<std::string>{"B"});
  EXPECT_EQ(summary.left_out, std::vector<std::string>{"A"});
}

TEST(ResultsSummary, TakesTheSettingOfMostDataSetsAndThenTheLatest) {
  std::vector<EvaluationResult> results = {tested("A", "diffeo", 0.1, 0), tested("B", "diffeo", 0.2, 0),
                                           tested("A", "diffeo", 0.7, 0)};
  results[2].item.options["cells"] = "16";
  results[2].date = "2026-02-01T12:00:00Z";
  EXPECT_DOUBLE_EQ(summarise_results(results).scores.scores[0][0], 0.1);
  EXPECT_EQ(summarise_results(results).others, 1U);
  results.erase(results.begin() + 1);
  EXPECT_DOUBLE_EQ(summarise_results(results).scores.scores[0][0], 0.7);
  EXPECT_EQ(summarise_results(results).methods[0].options.at("cells"), "16");
}

TEST(ResultsSummary, TakesTheSettingOfMostSeedsWhereSeveralHaveAllDataSets) {
  std::vector<EvaluationResult> results = {tested("A", "diffeo", 0.1, 0), tested("A", "diffeo", 0.2, 1),
                                           tested("A", "diffeo", 0.7, 0)};
  results[2].item.options["cells"] = "16";
  results[2].date = "2026-02-01T12:00:00Z";
  EXPECT_DOUBLE_EQ(summarise_results(results).scores.scores[0][0], 0.15);
}

TEST(ResultsSummary, LeavesOutAMethodThatWasHardlyBegun) {
  std::vector<EvaluationResult> results;
  for (const std::string dataset : {"A", "B", "C"}) results.push_back(tested(dataset, "euclidean", 0.1));
  results.push_back(tested("A", "dba", 0.2));
  const ResultsSummary summary = summarise_results(results);
  EXPECT_EQ(summary.scores.methods, std::vector<std::string>{"euclidean"});
  EXPECT_EQ(summary.scores.datasets.size(), 3U);
  EXPECT_EQ(summary.methods_left_out, std::vector<std::string>{"dba"});
}

TEST(ResultsSummary, HasCrossValidationsOfTheSameSettingAlone) {
  std::vector<EvaluationResult> results = {tested("A", "diffeo", 0.5, 0), tested("A", "diffeo", 0.0, 0),
                                           tested("A", "diffeo", 0.0, 0)};
  for (std::size_t i = 1; i < 3; ++i) {
    results[i].item.folds = 3;
    results[i].test_accuracy.reset();
    results[i].cv_accuracy = 0.6 + 0.1 * static_cast<double>(i);
  }
  results[2].item.options["cells"] = "16";
  EXPECT_DOUBLE_EQ(*summarise_results(results).cross_validated[0][0], 0.7);
  results[1].item.held_out = 1;  // of some cases only
  EXPECT_FALSE(summarise_results(results).cross_validated[0][0].has_value());
}

EvaluationResult cross_validated(const std::string& dataset, const std::string& method, double accuracy) {
  EvaluationResult result = tested(dataset, method, 0.0);
  result.item.folds = 3;
  result.test_accuracy.reset();
  result.cv_accuracy = accuracy;
  return result;
}

TEST(ResultsSummary, ComparesCrossValidationsWhereThereAreNoTests) {
  std::vector<EvaluationResult> results = {cross_validated("A", "euclidean", 0.5), cross_validated("B", "dba", 0.75),
                                           cross_validated("A", "dba", 0.25)};
  const ResultsSummary summary = summarise_results(results);
  EXPECT_TRUE(summary.are_cross_validated);
  EXPECT_EQ(summary.scores.datasets, std::vector<std::string>{"A"});
  EXPECT_EQ(summary.scores.scores, (std::vector<std::vector<double>>{{0.5, 0.25}}));
  EXPECT_EQ(summary.left_out, std::vector<std::string>{"B"});
  EXPECT_FALSE(summary.cross_validated[0][0].has_value()) << "not told twice";
  EXPECT_EQ(summary.others, 0U);

  results.push_back(tested("B", "euclidean", 0.125));
  EXPECT_FALSE(summarise_results(results).are_cross_validated);
  EXPECT_EQ(summarise_results(results).scores.scores, (std::vector<std::vector<double>>{{0.125}}));
}

TEST(ResultsSummary, HasTheFirstMethodsAccuracyOnTrainingSets) {
  std::vector<EvaluationResult> results = {tested("A", "diffeo", 0.5, 0), tested("A", "diffeo", 0.5, 1),
                                           tested("B", "diffeo", 0.5, 0), tested("A", "dba", 0.5),
                                           tested("B", "dba", 0.5)};
  results[0].train_accuracy = 1.0;
  results[1].train_accuracy = 0.75;
  results[3].train_accuracy = 0.1;
  EXPECT_EQ(summarise_results(results).trained, (std::vector<std::optional<double>>{0.875, std::nullopt}));
}

TEST(ResultsSummary, CountsFailuresAndHasVariances) {
  std::vector<EvaluationResult> results = {tested("A", "diffeo", 0.5, 0), tested("B", "diffeo", 0.5, 0)};
  results[0].variance_before = 3.0;
  results[0].variance_after = 1.0;
  results[1].error = "loss is not finite";
  results[1].test_accuracy.reset();
  const ResultsSummary summary = summarise_results(results);
  ASSERT_EQ(summary.failed.size(), 1U);
  EXPECT_EQ(summary.others, 0U);
  ASSERT_EQ(summary.variances.size(), 1U);
  EXPECT_EQ(summary.variances[0].before, 3.0);
  EXPECT_EQ(summary.variances[0].after, 1.0);
}

TEST(ResultsSummary, RefusesResultsWithNothingToCompare) {
  EXPECT_THROW((void)summarise_results({}), std::invalid_argument);
  EXPECT_THROW((void)summarise_results(std::vector{tested("A", "diffeo", 0.5, 0), tested("B", "dba", 0.5)}),
               std::invalid_argument);
}

}  // namespace results_summary_test
}  // namespace diffeo
