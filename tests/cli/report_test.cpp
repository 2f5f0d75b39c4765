// report of what needs no network; tests/cli/fit_test.cpp has the page of a model.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "diffeo/align.hpp"
#include "diffeo/files.hpp"
#include "diffeo/generate.hpp"
#include "diffeo/nearest_centroid.hpp"
#include "diffeo/tensor_file.hpp"
#include "diffeo/warps_file.hpp"
#include "expectations.hpp"
#include "run_with.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo::cli {
namespace report_test {

constexpr std::size_t kCases = 12;
constexpr std::size_t kLength = 32;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Report : public ::testing::Test {
 protected:
  Report() : series_(generate_cbf(kCases, 1, kLength)) {
    options_.cells = 6;
    options_.max_iterations = 3;
    alignment_ = align(series_, options_);
    write_dataset(data(), series_);
  }

  [[nodiscard]] std::string file(const std::string& name) const { return directory_.file(name); }
  [[nodiscard]] std::string data() const { return file("cbf.tsv"); }
  [[nodiscard]] std::string page() const { return file("report.html"); }
  [[nodiscard]] std::string warps() const {
    WarpsFile warps = warps_of(alignment_, options_);
    warps.source = "cbf.tsv";
    write_warps_file(file("cbf.warps"), warps);
    return file("cbf.warps");
  }
  [[nodiscard]] Outcome report(const std::string& input, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command = {"report", input, "--data", data(), "-o", page()};
    command.insert(command.end(), more.begin(), more.end());
    return run_with(command);
  }
  void expect_refused(const std::string& input, const std::string& part) const {
    expect_refusal(1, {"report", input, "--data", data(), "-o", page()}, part);
    EXPECT_FALSE(std::filesystem::exists(page()));
  }

  Dataset series_;
  AlignOptions options_;
  Alignment alignment_;

 private:
  diffeo::testing::TemporaryDirectory directory_;
};

TEST_F(Report, OfWarpsHasTheFlowAndTheVariancesOfTheAlignment) {
  const Outcome outcome = report(warps(), {"--json", "--title", "Cylinders & bells"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  const nlohmann::json made = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(made["kind"], "warps");
  EXPECT_EQ(made["cases"], kCases);
  EXPECT_EQ(made["cases_drawn"], kCases);
  EXPECT_EQ(made["accuracy"], nullptr);
  EXPECT_EQ(made["bytes"], std::filesystem::file_size(page()));
  double variance = 0.0;  // classes of four each
  for (const ClassAlignment& each : alignment_.classes) variance += each.variance / 3.0;
  EXPECT_NEAR(made["variance"].get<double>(), variance, 1e-12 * variance);
  const std::string html = text_of(page());
  EXPECT_TRUE(contains(html, "<h1>Cylinders &amp; bells</h1>"));
  EXPECT_TRUE(contains(html, "id=\"time\""));
  EXPECT_TRUE(contains(html, "prior_weight"));
}

TEST_F(Report, OfAlignedSeriesHasNoSlider) {
  write_dataset(file("aligned.tsv"), alignment_.aligned);
  const Outcome outcome = report(file("aligned.tsv"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_TRUE(outcome.output.starts_with(page() + ": 12 series, 12 drawn, ")) << outcome.output;
  const std::string html = text_of(page());
  EXPECT_TRUE(contains(html, "Alignment of cbf.tsv"));
  EXPECT_TRUE(contains(html, "data-chart=\"seriesAfter\""));
  EXPECT_FALSE(contains(html, "id=\"time\""));
}

TEST_F(Report, KnowsSeriesByTheirExtensionHoweverItIsWritten) {
  write_dataset(file("ALIGNED.TSV"), alignment_.aligned);
  EXPECT_EQ(run_with({"info", file("ALIGNED.TSV")}).exit_code, 0);
  const Outcome outcome = report(file("ALIGNED.TSV"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
}

TEST_F(Report, OfAveragesShowsThemOverTheSeries) {
  NearestCentroid means;
  means.fit(series_);
  write_dataset(file("means.tsv"), means.centroids());
  ASSERT_EQ(report(file("means.tsv")).exit_code, 0);
  const std::string html = text_of(page());
  EXPECT_TRUE(contains(html, "Averages of cbf.tsv"));
  EXPECT_TRUE(contains(html, "Averages together"));
  EXPECT_FALSE(contains(html, "data-chart=\"seriesAfter\""));
}

TEST_F(Report, DrawsAsManySeriesAsItIsTold) {
  ASSERT_EQ(report(warps(), {"--cases", "6", "--seed", "9"}).exit_code, 0);
  EXPECT_TRUE(contains(text_of(page()), "6 of 12 series are drawn, taken evenly from the classes with seed 9"));
}

TEST_F(Report, RefusesInputsThatDoNotBelongToTheData) {
  const Dataset others = generate_cbf(9, 2, kLength);
  write_warps_file(file("other.warps"), warps_of(align(others, options_), options_));
  expect_refused(file("other.warps"), "other.warps: expected warps of the 12 series of " + data() + ", got 9");
  write_dataset(file("other.tsv"), others);
  expect_refused(file("other.tsv"), "other.tsv: expected 12 aligned series, one for each of " + data());

  BumpsOptions two_channels;
  two_channels.channels = 2;
  two_channels.length = kLength;
  write_dataset(file("two.ts"), generate_bumps(kCases, 1, two_channels).dataset);
  expect_refused(file("two.ts"), data() + ": expected 2 channels as " + file("two.ts") + " has, got 1");
}

TEST_F(Report, RefusesFilesThatAreNothingItKnows) {
  expect_refused(file("none.safetensors"), "none.safetensors: cannot be opened");
  TensorFile something;
  something.metadata["note"] = "weights of something";
  write_tensor_file(file("something.safetensors"), something);
  expect_refused(file("something.safetensors"),
                 "something.safetensors: expected a model of fit, warps of align, or series");
}

TEST_F(Report, WantsDataAndAPlaceForThePage) {
  expect_refusal(2, {"report", warps(), "-o", page()}, "diffeo: report: --data is required");
  expect_refusal(1, {"report", file("none"), "-o", page()}, "none: cannot be opened");
  expect_refusal(2, {"report", warps(), "--data", data()}, "diffeo: report: --output is required");
  expect_refusal(2, {"report", warps(), "--data", data(), "-o", page(), "--cases", "0"}, "--cases");
}

TEST_F(Report, LeavesAnOldPageAloneWhenItFails) {
  ASSERT_EQ(report(warps()).exit_code, 0);
  const std::string before = text_of(page());
  EXPECT_EQ(report(file("none.tsv")).exit_code, 1);
  EXPECT_EQ(text_of(page()), before);
}

}  // namespace report_test
}  // namespace diffeo::cli
