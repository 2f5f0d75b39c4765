#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "expectations.hpp"
#include "run_with.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo::cli {
namespace study_test {

using diffeo::testing::content_of;
using diffeo::testing::TemporaryDirectory;

const std::vector<std::string> kSmall = {"--fields", "2", "--points", "20", "--measure", "errors", "--quiet"};

std::vector<std::string> command_of(std::vector<std::string> command, const std::vector<std::string>& more) {
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

nlohmann::json json_of(const std::vector<std::string>& command) {
  const Outcome outcome = run_with(command_of(command, {"--json"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  return nlohmann::json::parse(outcome.output);
}

TEST(Study, OfPrecisionHasTheMapOfErrors) {
  const nlohmann::json found =
      json_of(command_of({"study", "precision", "--steps", "3", "--inner-steps", "2", "--seed", "7"}, kSmall));
  EXPECT_EQ(found["study"], "precision");
  EXPECT_EQ(found["setting"]["source"], "prior");
  EXPECT_EQ(found["setting"]["seed"], 7);
  EXPECT_EQ(found["errors"]["alternating"]["value"].size(), 3U);
  EXPECT_EQ(found["errors"]["alternating"]["gradient"][0].size(), 2U);
  EXPECT_FALSE(found.contains("times"));
}

TEST(Study, OfSquaringTakesTheFieldOfOnesAsThePaperDoes) {
  const nlohmann::json found = json_of(
      {"study", "squaring", "--points", "20", "--sizes", "0,2", "--squarings", "2", "--repetitions", "1", "--quiet"});
  EXPECT_EQ(found["setting"]["source"], "ones");
  EXPECT_EQ(found["setting"]["fields"], 1);
  EXPECT_EQ(found["sizes"], nlohmann::json({0.0, 2.0}));
  EXPECT_EQ(found["errors"]["value"][1].size(), 3U);
  EXPECT_EQ(found["errors"]["value"][1][0], 0.0);
  EXPECT_EQ(found["times"]["gradient_ms"].size(), 2U);
}

TEST(Study, OfTimingVariesPointsCellsAndWarps) {
  const nlohmann::json found = json_of({"study", "timing", "--repetitions", "1", "--quiet"});
  std::set<std::string> varied;
  for (const nlohmann::json& each : found["times"]) varied.insert(each["varied"].get<std::string>());
  EXPECT_EQ(varied, (std::set<std::string>{"cells", "points", "warps"}));
}

TEST(Study, WithTheSameSeedWritesTheSameFile) {
  const TemporaryDirectory directory;
  const std::vector<std::string> command =
      command_of({"study", "precision", "--steps", "2", "--inner-steps", "2"}, kSmall);
  for (const std::string name : {"a.json", "b.json"}) {
    EXPECT_EQ(run_with(command_of(command, {"-o", directory.file(name)})).exit_code, 0);
  }
  EXPECT_EQ(content_of(directory.file("a.json")), content_of(directory.file("b.json")));
  EXPECT_EQ(nlohmann::json::parse(content_of(directory.file("a.json"))), json_of(command));
}

TEST(Study, ReplacesStudiesButNothingElse) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("study.json");
  const std::vector<std::string> command =
      command_of({"study", "squaring", "--source", "prior", "--squarings", "1", "-o", file}, kSmall);
  EXPECT_EQ(run_with(command).exit_code, 0);
  EXPECT_EQ(run_with(command).exit_code, 0);
  std::ofstream(file) << "{\"precious\": true}";
  expect_refusal(1, command, "--output: expected a new file or a study, got " + file);
  EXPECT_EQ(content_of(file), "{\"precious\": true}");
}

TEST(Study, DrawsWhatItMeasured) {
  const TemporaryDirectory directory;
  const std::string prefix = directory.file("a").string();
  const std::vector<std::string> more = command_of(kSmall, {"--figures", prefix});
  EXPECT_EQ(run_with(command_of({"study", "precision", "--steps", "2", "--inner-steps", "2"}, more)).exit_code, 0);
  EXPECT_EQ(directory.files(), 4U);
  for (const std::string name : {"value", "gradient", "by_differences", "runge_kutta"}) {
    const std::string svg = content_of(prefix + "_" + name + ".svg");
    EXPECT_TRUE(svg.starts_with("<svg")) << name;
    EXPECT_NE(svg.find("steps"), std::string::npos) << name;
  }
}

TEST(Study, PrintsATableForPeople) {
  const Outcome outcome = run_with(command_of({"study", "precision", "--steps", "2", "--inner-steps", "2"}, kSmall));
  EXPECT_NE(outcome.output.find("alternating 2 x 2"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("Runge-Kutta 256"), std::string::npos);
  EXPECT_EQ(outcome.errors, "");
}

TEST(Study, RefusesWhatItCannotMean) {
  expect_refusal(2, {"study"}, "study is required");
  expect_refusal(2, {"study", "precison"}, "expected precision, squaring or timing, got precison");
  expect_refusal(2, {"study", "precision", "--fields", "0"}, "--fields");
  expect_refusal(2, {"study", "precision", "--squarings", "3"},
                 "--squarings: expected with squaring only, got precision");
  expect_refusal(2, {"study", "timing", "--points", "3"},
                 "--points: expected with precision or squaring only, got timing");
  expect_refusal(2, {"study", "squaring", "--squarings", "31"}, "--squarings");
  expect_refusal(2, {"study", "precision", "--source", "noise"}, "--source: expected prior, normal or ones, got noise");
  expect_refusal(1, {"study", "squaring", "--fields", "3", "--quiet"}, "fields: expected 1 of ones, got 3");
}

}  // namespace study_test
}  // namespace diffeo::cli
