#include "diffeo/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diffeo/files.hpp"
#include "diffeo/generate_warped.hpp"
#include "run_with.hpp"

namespace diffeo::cli {
namespace generate_test {

Outcome generate(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "generate");
  return run_with(std::move(arguments));
}

/// A file name of this test's own, whose file does not outlive it.
class Generate : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& extension) {
    path_ = std::filesystem::temp_directory_path() /
            (std::string("diffeo_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() + extension);
    return path_.string();
  }
  void TearDown() override { std::filesystem::remove(path_); }

 private:
  std::filesystem::path path_;
};

void expect_same(const Dataset& one, const Dataset& other) {
  EXPECT_TRUE(std::ranges::equal(one.values(), other.values()));
  EXPECT_TRUE(std::ranges::equal(one.labels(), other.labels()));
  EXPECT_EQ(one.class_names(), other.class_names());
}

TEST_F(Generate, WritesWhatTheLibraryMakes) {
  const std::string tsv = file(".tsv");
  EXPECT_EQ(generate({"cbf", "--cases", "7", "--seed", "5", "-o", tsv}).output,
            tsv + ": 7 cases of 1 channel and 128 time steps, 3 classes, seed 5\n");
  expect_same(read_dataset(tsv), generate_cbf(7, 5));
  EXPECT_EQ(generate({"synthetic-control", "--cases", "7", "--seed", "5", "--length", "30", "-o", tsv}).exit_code, 0);
  expect_same(read_dataset(tsv), generate_synthetic_control(7, 5, 30));
}

TEST_F(Generate, PassesTheOptionsOfBumpsOn) {
  const std::string ts = file(".ts");
  BumpsOptions options;
  options.classes = 2;
  options.channels = 3;
  options.length = 50;
  options.noise = 0.2;
  EXPECT_EQ(generate({"bumps", "--cases=5", "--seed=9", "--classes=2", "--channels=3", "--length=50", "--noise=0.2",
                      "-o", ts})
                .errors,
            "");
  expect_same(read_dataset(ts), generate_bumps(5, 9, options).dataset);
}

TEST_F(Generate, MakesEveryKindWhoseTrueTimesAreKnown) {
  const std::string tsv = file(".tsv");
  for (const std::string_view kind : warped_kind_names()) {
    EXPECT_EQ(generate({std::string(kind), "--cases", "4", "--seed", "5", "-o", tsv}).errors, "");
    expect_same(read_dataset(tsv), generate_warped(warped_kind(kind), 4, 5).dataset);
  }
}

TEST_F(Generate, PassesTheOptionsOfWarpedKindsOn) {
  const std::string ts = file(".ts");
  const WarpedOptions options{.family = WarpFamily::fourier,
                              .displacement = 0.3,
                              .height = 0.1,
                              .width = 0.2,
                              .noise = 0.05,
                              .length = 60,
                              .channels = 2,
                              .peaks = 3};
  EXPECT_EQ(generate({"peaks", "--cases=5", "--seed=9", "--family=fourier", "--displacement=0.3", "--height=0.1",
                      "--width=0.2", "--noise=0.05", "--length=60", "--channels=2", "--peaks=3", "-o", ts})
                .errors,
            "");
  expect_same(read_dataset(ts), generate_warped(WarpedKind::peaks, 5, 9, options).dataset);
}

TEST_F(Generate, SaysTheSeedItDrew) {
  const std::string tsv = file(".tsv");
  const auto document =
      nlohmann::json::parse(generate({"cbf", "--cases", "2", "--length", "16", "-o", tsv, "--json"}).output);
  expect_same(read_dataset(tsv), generate_cbf(2, document["seed"].get<std::uint64_t>(), 16));
  EXPECT_EQ(document["file"], tsv);
  EXPECT_EQ(document["length"], 16);
}

TEST_F(Generate, WholeNumbersAreDecimal) {
  const std::string tsv = file(".tsv");
  EXPECT_EQ(generate({"cbf", "--cases", "010", "--seed", "0010", "-o", tsv}).output,
            tsv + ": 10 cases of 1 channel and 128 time steps, 3 classes, seed 10\n");
  expect_same(read_dataset(tsv), generate_cbf(10, 10));
  for (const std::string text : {"0x10", "0b11", "1_0", "1e1"}) {
    for (const std::string option : {"--cases", "--seed", "--length"}) {
      const Outcome outcome = generate({"cbf", "--cases", "4", "-o", tsv, option, text});
      EXPECT_EQ(outcome.exit_code, 2);
      EXPECT_EQ(outcome.errors, "diffeo: generate: " + option + ": expected a whole number, got " + text + "\n");
    }
  }
}

TEST_F(Generate, MistakesAreOneLineAndExitWithTwo) {
  const std::string tsv = file(".tsv");
  const auto expect_usage_error = [](const std::vector<std::string>& arguments, const std::string& part) {
    const Outcome outcome = generate(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.errors;
    EXPECT_EQ(outcome.output, "");
    EXPECT_NE(outcome.errors.find(part), std::string::npos) << outcome.errors;
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1);
  };
  expect_usage_error({"sines", "--cases", "2", "-o", tsv},
                     "diffeo: generate: kind: expected cbf, synthetic-control, bumps, two-peaks, peaks, ");
  expect_usage_error({"cbf", "-o", tsv}, "diffeo: generate: --cases is required");
  expect_usage_error({"cbf", "--cases", "3"}, "diffeo: generate: --output is required");
  expect_usage_error({"cbf", "--cases", "0", "-o", tsv}, "--cases: expected 1 to ");
  expect_usage_error(
      {"cbf", "--cases", "3", "--noise", "0.1", "-o", tsv},
      "diffeo: generate: --noise: expected with bumps, two-peaks, peaks, narrow-peaks, beats or steps only, "
      "got cbf");
  expect_usage_error({"bumps", "--cases", "3", "--height", "0.1", "-o", tsv}, "--height: expected with two-peaks, ");
  expect_usage_error({"beats", "--cases", "3", "--family", "affine", "-o", tsv},
                     "--family: expected flow, exponential, fourier, logistic or moves, got affine");
  EXPECT_FALSE(std::filesystem::exists(tsv));
}

TEST_F(Generate, WhatCannotBeMadeOrWrittenFailsWithOneLine) {
  const Outcome too_short = generate({"cbf", "--cases", "3", "--length", "7", "-o", file(".tsv")});
  EXPECT_EQ(too_short.exit_code, 1);
  EXPECT_EQ(too_short.errors, "diffeo: length: expected at least 8 time steps for cylinder-bell-funnel, got 7\n");
  const Outcome unknown = generate({"cbf", "--cases", "3", "-o", file(".docx")});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_NE(unknown.errors.find(".docx"), std::string::npos) << unknown.errors;
}

}  // namespace generate_test
}  // namespace diffeo::cli
