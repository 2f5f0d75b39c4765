#include "cli/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run_with.hpp"

namespace diffeo::cli {
namespace run_test {

void expect_usage_error(const std::vector<std::string>& arguments, const std::string& line) {
  const Outcome outcome = run_with(arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.errors, line + "\n");
}

TEST(CommandLine, HelpListsTheVerbs) {
  const Outcome outcome = run_with({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.output.find("benchmark"), std::string::npos);
  EXPECT_EQ(outcome.errors, "");
}

TEST(CommandLine, EveryVerbHasHelp) {
  const Outcome outcome = run_with({"benchmark", "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.output.find("--repetitions"), std::string::npos);
}

TEST(CommandLine, VersionIsThatOfTheProject) {
  const Outcome outcome = run_with({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.output.starts_with("diffeo " DIFFEO_VERSION " (")) << outcome.output;
}

TEST(CommandLine, MistakesAreOneLineAndExitWithTwo) {
  expect_usage_error({}, "diffeo: which verb? diffeo --help lists them");
  expect_usage_error({"benchmrak"}, "diffeo: unknown verb benchmrak; did you mean benchmark?");
  expect_usage_error({"juggle"}, "diffeo: unknown verb juggle; diffeo --help lists those there are");
  expect_usage_error({"--verison"}, "diffeo: unknown option --verison; did you mean --version?");
  expect_usage_error({"benchmark", "--thread=3"},
                     "diffeo: benchmark: unknown option --thread; did you mean --threads?");
  expect_usage_error({"benchmark", "again"}, "diffeo: benchmark: unexpected argument again");
}

TEST(CommandLine, ValuesOutOfRangeAreMistakes) {
  expect_usage_error({"benchmark", "--repetitions", "0"},
                     "diffeo: benchmark: --repetitions: expected 1 to 1000000, got 0");
}

TEST(Benchmark, PrintsATimePerPointForEveryCase) {
  const Outcome outcome = run_with({"benchmark", "--repetitions", "1"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.output.find("ns/point"), std::string::npos);
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'),
            15);  // three lines of heading, 12 cases
}

TEST(Benchmark, JsonHoldsPositiveTimesOfTheStatedWork) {
  const Outcome outcome = run_with({"benchmark", "--repetitions", "1", "--json"});
  ASSERT_EQ(outcome.exit_code, 0);
  const nlohmann::json document = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(document.at("version"), DIFFEO_VERSION);
  EXPECT_EQ(document.at("threads"), 1);
  EXPECT_EQ(document.at("results").size(), 12u);
  for (const nlohmann::json& result : document.at("results")) {
    const double points = result.at("points").get<double>() * result.at("warps").get<double>();
    EXPECT_GT(result.at("milliseconds").get<double>(), 0.0);
    EXPECT_DOUBLE_EQ(result.at("nanoseconds_per_point").get<double>(),
                     result.at("milliseconds").get<double>() * 1e6 / points);
  }
}

}  // namespace run_test
}  // namespace diffeo::cli
