#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "diffeo/error.hpp"
#include "diffeo/evaluation.hpp"
#include "diffeo/training_options.hpp"
#include "expectations.hpp"
#include "run_with.hpp"
#include "support/small_archive.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo::cli {
namespace evaluate_test {

class Evaluate : public ::testing::Test {
 protected:
  Evaluate() {
    diffeo::testing::add_small_set(archive(), "Apple", 1);
    diffeo::testing::add_small_set(archive(), "Bread", 3);
  }
  [[nodiscard]] std::string archive() const { return directory_.file("archive"); }
  [[nodiscard]] std::string results() const { return directory_.file("results"); }

  [[nodiscard]] std::vector<std::string> command(std::vector<std::string> more) const {
    std::vector<std::string> all = {"evaluate", archive(), "--results", results(), "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  [[nodiscard]] static std::vector<nlohmann::json> parsed(std::istream& text) {
    std::vector<nlohmann::json> found;
    for (std::string line; std::getline(text, line);) found.push_back(nlohmann::json::parse(line));
    return found;
  }
  [[nodiscard]] static std::vector<nlohmann::json> parsed(const std::string& text) {
    std::istringstream stream(text);
    return parsed(stream);
  }
  [[nodiscard]] std::vector<nlohmann::json> lines() const {
    std::ifstream file(results() + "/results.jsonl");
    return parsed(file);
  }

 private:
  diffeo::testing::TemporaryDirectory directory_;
};

TEST_F(Evaluate, WritesALineForEveryPieceOfWorkAndPrintsATable) {
  const Outcome outcome = run_with(command({"--methods", "euclidean,dba", "--jobs", "2"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  EXPECT_TRUE(outcome.output.starts_with("method      sets  results  failed  mean test accuracy\neuclidean "))
      << outcome.output;
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 3);
  ASSERT_EQ(lines().size(), 4u);
  for (const nlohmann::json& line : lines()) {
    for (const char* name : {"dataset", "method", "options", "seed", "train_accuracy", "test_accuracy", "seconds",
                             "version", "commit", "threads", "processor", "date"}) {
      EXPECT_TRUE(line.contains(name)) << name;
    }
  }
}

TEST_F(Evaluate, SaysAtOnceHowMuchThereIsAndWhenAllIsDone) {
  const auto progress_of = [this](const std::string& methods) {
    return run_with({"evaluate", archive(), "--results", results(), "--methods", methods}).errors;
  };
  const std::string first = progress_of("euclidean");
  EXPECT_TRUE(first.starts_with("0/2 done\n2/2 done, 0 s left; last: ")) << first;
  EXPECT_EQ(progress_of("euclidean"), "");
  const std::string more = progress_of("euclidean,dba");
  EXPECT_TRUE(more.starts_with("2/4 done, ")) << more;
  EXPECT_NE(more.find(" left\n4/4 done, 0 s left; last: "), std::string::npos) << more;
}

TEST_F(Evaluate, StartedAgainAddsOnlyWhatIsMissing) {
  EXPECT_EQ(run_with(command({"--methods", "euclidean", "--datasets", "Apple"})).exit_code, 0);
  const Outcome both = run_with(command({"--methods", "euclidean", "--json"}));
  EXPECT_EQ(lines().size(), 2u);
  const auto document = nlohmann::json::parse(both.output);
  const double mean = (lines()[0]["test_accuracy"].get<double>() + lines()[1]["test_accuracy"].get<double>()) / 2;
  EXPECT_DOUBLE_EQ(document["methods"][0]["mean_accuracy"].get<double>(), mean);
}

TEST_F(Evaluate, CrossValidationReadsNoTestFile) {
  for (const std::string name : {"Apple", "Bread"}) {
    std::filesystem::remove(archive() + "/" + name + "/" + name + "_TEST.tsv");
  }
  EXPECT_EQ(run_with(command({"--methods", "euclidean", "--cv", "3"})).exit_code, 0);
  ASSERT_EQ(lines().size(), 2u);
  EXPECT_TRUE(lines()[0].contains("cv_accuracy"));
  EXPECT_EQ(lines()[0]["cv_folds"], 3);
  EXPECT_FALSE(lines()[0].contains("test_accuracy"));
}

TEST_F(Evaluate, FailsInTheEndWhereWorkFailedButDoesTheRest) {
  std::ofstream(archive() + "/Apple/Apple_TEST.tsv") << "1\tnonsense\n";
  const Outcome outcome = run_with(command({"--methods", "euclidean"}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.errors.find("diffeo: evaluate: 1 of 2 failed, first Apple with euclidean: "), std::string::npos)
      << outcome.errors;
  EXPECT_EQ(lines().size(), 2u);
}

TEST_F(Evaluate, ListsWhatThereIsToDoAndWhatCameOfItAndChangesNothing) {
  const std::vector<std::string> plan = {"--methods", "euclidean,dba", "--cv", "3", "--list"};
  const Outcome before = run_with(command(plan));
  EXPECT_EQ(before.exit_code, 0) << before.errors;
  EXPECT_FALSE(std::filesystem::exists(results()));
  const std::vector<nlohmann::json> planned = parsed(before.output);
  ASSERT_EQ(planned.size(), 4u);
  EXPECT_EQ(planned[1]["dataset"], "Apple");
  EXPECT_EQ(planned[1]["method"], "dba");
  EXPECT_EQ(planned[1]["cv_folds"], 3);
  EXPECT_TRUE(planned[1]["seed"].is_null());
  EXPECT_GT(planned[1]["relative_cost"].get<double>(), planned[0]["relative_cost"].get<double>());
  EXPECT_FALSE(planned[1].contains("expected_seconds"));  // nothing has been timed yet
  EXPECT_EQ(run_with(command({"--methods", "dba", "--datasets", "Bread", "--cv", "3"})).exit_code, 0);
  const std::vector<nlohmann::json> after = parsed(run_with(command(plan)).output);
  ASSERT_EQ(after.size(), 4u);
  EXPECT_EQ(after[3], lines()[0]);
  EXPECT_TRUE(after[2].contains("relative_cost"));
  EXPECT_TRUE(after[2].contains("expected_seconds"));
}

TEST_F(Evaluate, TakesEverySeedOnceAndAsItIsWritten) {
  const Outcome outcome =
      run_with(command({"--methods", "diffeo", "--datasets", "Apple", "--seeds=3,010,3", "--list"}));
  const std::vector<nlohmann::json> planned = parsed(outcome.output);
  ASSERT_EQ(planned.size(), 2u) << outcome.errors;
  EXPECT_EQ(planned[0]["seed"], 3);
  EXPECT_EQ(planned[1]["seed"], 10);
  expect_refusal(2, command({"--seeds=-1", "--list"}), "--seeds: expected a whole number from 0 to 2^64 - 1, got -1");
  expect_refusal(2, command({"--seeds=1,0x2", "--list"}), "--seeds: expected a whole number, got 0x2");
}

TEST_F(Evaluate, ASecondRunIsRefusedAndReadersAreNot) {
  const ResultStore other(results());
  expect_refusal(1, command({"--methods", "euclidean"}), "results: in use by process ");
  EXPECT_EQ(run_with(command({"--methods", "euclidean", "--list"})).exit_code, 0);
}

TEST_F(Evaluate, ReportsTheLineThatAKilledRunWasWriting) {
  std::filesystem::create_directories(results());
  std::ofstream(results() + "/results.jsonl") << "{\"dataset\": \"App";
  const Outcome outcome = run_with({"evaluate", archive(), "--results", results(), "--methods", "euclidean"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_NE(outcome.errors.find("results.jsonl: cut off an incomplete last line (16 bytes)"), std::string::npos)
      << outcome.errors;
  EXPECT_EQ(lines().size(), 2u);
}

TEST_F(Evaluate, MistakesExitWithTwoAndSayWhatIsExpected) {
  expect_refusal(2, command({"--preset", "papre"}),
                 "diffeo: evaluate: preset: expected default, ensemble, paper, dtan or resnet-tw, got papre");
  expect_refusal(2, command({"--cells", "many"}), "diffeo: evaluate: cells: expected ");
  expect_refusal(2, command({"--balanced", "perhaps"}), "diffeo: evaluate: balanced: expected ");
  expect_refusal(2, command({"--network", "conv", "--widths", "8,8", "--kernels", "3"}), "diffeo: evaluate: kernels: ");
  expect_refusal(2, command({"--methods", "magic"}), "magic not in {");
  expect_refusal(2, command({"--lerning-rate", "1"}), "unknown option --lerning-rate; did you mean --learning-rate?");
  expect_refusal(2, command({"--cv", "1"}), "--cv: ");
}

TEST_F(Evaluate, OptionsThatAreTypedMustFitEveryMethodWithANetwork) {
  expect_refusal(2, command({"--methods", "diffeo,resnet-tw", "--kernels", "7,5,3"}), "(with the method resnet-tw)");
}

TEST_F(Evaluate, ItsNeighborsRefuseValuesThatCannotBeVaried) {
  for (const std::string verb : {"grid", "ablation"}) {
    const std::vector<std::string> start = {verb, archive(), "--results", results(), "--vary"};
    const auto varying = [&](const std::string& text) {
      std::vector<std::string> all = start;
      all.push_back(text);
      return all;
    };
    expect_refusal(2, varying("cells"), "diffeo: " + verb + ": --vary: expected name=value,value,..., got cells");
    expect_refusal(2, varying("cels=3"), "--vary: cels: expected the name of a hyper-parameter, such as cells");
    expect_refusal(2, varying("cells=3,many"), "--vary: cells: expected an integer");
    expect_refusal(2, varying("kernels=3"), "--vary: kernels: expected one for each of the 3 widths");
  }
}

TEST_F(Evaluate, WhatIsNotThereFails) {
  expect_refusal(1, {"evaluate", archive() + "/nowhere", "--results", results()}, "expected a folder of data sets");
  expect_refusal(1, command({"--datasets", "Cake"}), "datasets: expected names of folders in the archive, got Cake");
}

TEST_F(Evaluate, HelpHasEveryHyperparameterWithItsDefault) {
  const std::string help = run_with({"evaluate", "--help"}).output;
  for (const Hyperparameter& each : hyperparameters()) {
    std::string name = message("--", each.name);
    std::ranges::replace(name, '_', '-');
    const std::size_t place = help.find(message("  ", name, " "));
    ASSERT_NE(place, std::string::npos) << name;
    const std::string line = help.substr(place, 200);
    EXPECT_NE(line.find(message("=", hyperparameter_text({}, each))), std::string::npos) << line;
  }
  for (const char* group : {"Warps:", "Network:", "Loss:", "Optimizer:", "Robustness:"}) {
    EXPECT_NE(help.find(group), std::string::npos) << group;
  }
}

}  // namespace evaluate_test
}  // namespace diffeo::cli
