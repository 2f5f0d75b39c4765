#include "diffeo/report.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "report_values.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace report_test {

constexpr std::size_t kLargestPage = 5'000'000;  // bytes

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// What the scripts of a page get to read.
nlohmann::json numbers_of(const std::string& html) {
  const std::string opening = "<script id=\"numbers\" type=\"application/json\">";
  const std::size_t start = html.find(opening) + opening.size();
  return nlohmann::json::parse(html.substr(start, html.find("</script>", start) - start));
}

TEST(Report, HoldsSeriesWarpsAndCentroidsForTheScripts) {
  const AlignmentReport report = testing::aligned_report(generate_cbf(12, 1, 32));
  const nlohmann::json numbers = numbers_of(make_report(report).html);
  EXPECT_EQ(numbers["classes"].size(), 3u);
  EXPECT_EQ(numbers["points"], 32);
  EXPECT_EQ(numbers["series"]["lengths"].size(), 12u);
  EXPECT_EQ(numbers["velocities"]["vertices"], 9);
  EXPECT_EQ(numbers["velocities"]["layers"].size(), 1u);
  EXPECT_EQ(numbers["centroids"]["groups"], (nlohmann::json{0, 1, 2}));
}

TEST(Report, StaysSmallAndSaysWhatItLeavesOut) {
  AlignmentReport report = testing::bumps_report(1000, 1000);
  report.velocities = {Matrix(1000, 33), Matrix(1000, 33)};
  const ReportPage page = make_report(report, {.seed = 3});
  EXPECT_LT(page.html.size(), kLargestPage);
  EXPECT_EQ(page.cases_drawn, 240u);
  EXPECT_EQ(page.points_drawn, 256u);
  EXPECT_TRUE(contains(page.html,
                       "240 of 1,000 series are drawn, taken evenly from the classes with seed 3; all of them "
                       "are counted"));
  EXPECT_TRUE(contains(page.html, "Lines are drawn in 256 of 1,000 time steps."));
}

TEST(Report, StaysSmallWithManyChannelsAndClasses) {
  Dataset set(30);
  for (std::size_t item = 0; item < 300; ++item) {
    set.add_case(std::vector<double>(30 * 200, static_cast<double>(item)), std::to_string(item % 150));
  }
  AlignmentReport report;
  report.title = "Many";
  report.aligned = set;
  report.centroids = set.subset(std::vector<std::size_t>{0, 1, 2});
  report.series = std::move(set);
  report.predicted.assign(300, 1);
  const ReportPage page = make_report(report);
  EXPECT_LT(page.html.size(), kLargestPage);
  EXPECT_TRUE(contains(page.html, " of 30 channels can be chosen"));
  EXPECT_TRUE(contains(page.html, " of 150 classes are drawn."));
  EXPECT_TRUE(contains(page.html, "The most frequent confusions."));
}

TEST(Report, ShowsHostileTextAsItIs) {
  const std::string hostile = "</script><script>alert('x')</script><!--\"&";
  AlignmentReport report;
  report.title = hostile;
  report.series = Dataset(1);
  report.series.add_case(std::vector<double>{1, 2, 3}, hostile);
  report.series.add_case(std::vector<double>{1, 2, 3}, "not UTF-8: \xff");
  report.centroids = report.series;
  report.predicted = {0, 1};
  report.aligned = report.series;
  report.curves = {{hostile, hostile, hostile, {1.0}}};
  report.options = {{hostile, hostile, hostile}};
  report.provenance = {{hostile, hostile}};
  report.centroid_help = report.prediction_help = report.curve_help = hostile;
  const std::string html = make_report(report).html;
  EXPECT_FALSE(contains(html, "<script>alert"));
  EXPECT_FALSE(contains(html, "<!--"));
  EXPECT_EQ(numbers_of(html)["classes"][0]["name"], hostile);
}

TEST(Report, SaysWhenEverythingIsDrawn) {
  const std::string html = make_report(testing::bumps_report(9, 30)).html;
  EXPECT_TRUE(contains(html, "All 9 series are drawn."));
  EXPECT_FALSE(contains(html, "time steps. "));
}

TEST(Report, TakesSeriesOfDifferentLengthsWithGapsAndWithoutLabels) {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  AlignmentReport report;
  report.title = "Ragged";
  report.series.add_case(std::vector<double>{0, 1, kMissing, 3});
  report.series.add_case(std::vector<double>{0, 1, 2, 3, 4, 5});
  const std::string html = make_report(report).html;
  EXPECT_TRUE(contains(html, "Series differ in length; each lasts from 0 to 1."));
  EXPECT_TRUE(contains(html, "Missing values are left as gaps."));
  EXPECT_TRUE(contains(html, "all series"));
  EXPECT_FALSE(contains(html, "id=\"time\""));
  EXPECT_EQ(numbers_of(html)["series"]["lengths"], (nlohmann::json{4, 6}));
}

TEST(Report, TakesOneSeriesOfOneStep) {
  AlignmentReport report;
  report.series.add_case(std::vector<double>{7.0}, "only");
  EXPECT_TRUE(contains(make_report(report).html, "1 time step"));
}

/// The colors of classes by name, and after them those of centroids, in the page about series with these labels.
std::pair<std::map<std::string, int>, std::map<std::string, int>> colors_of(const std::vector<std::string>& labels,
                                                                            const std::vector<std::string>& centroids) {
  AlignmentReport report;
  for (const std::string& label : labels) report.series.add_case(std::vector<double>{1, 2}, label);
  for (const std::string& label : centroids) report.centroids.add_case(std::vector<double>{1, 2}, label);
  const nlohmann::json numbers = numbers_of(make_report(report).html);
  std::map<std::string, int> of_classes;
  std::map<std::string, int> of_centroids;
  for (const auto& each : numbers["classes"]) of_classes[each["name"]] = each["color"];
  for (std::size_t i = 0; i < centroids.size(); ++i) {
    of_centroids[numbers["centroids"]["names"][i]] = numbers["centroids"]["colors"][i];
  }
  return {of_classes, of_centroids};
}

TEST(Report, GivesAClassTheSameColorWhateverTheOrderOfTheFile) {
  const std::map<std::string, int> expected = {{"1", 0}, {"2", 1}, {"10", 2}};
  for (const std::vector<std::string>& labels :
       {std::vector<std::string>{"1", "2", "10"}, {"10", "1", "2", "2"}, {"2", "10", "1"}}) {
    const auto [of_classes, of_centroids] = colors_of(labels, {"10", "2", "1"});
    EXPECT_EQ(of_classes, expected);
    EXPECT_EQ(of_centroids, expected);
  }
}

TEST(Report, GivesACentroidAColorOfItsOwnWhereTheSeriesLackItsClass) {
  const auto [of_classes, of_centroids] = colors_of({"10", "2"}, {"1", "2", "10"});
  EXPECT_EQ(of_classes, (std::map<std::string, int>{{"2", 1}, {"10", 2}}));
  EXPECT_EQ(of_centroids, (std::map<std::string, int>{{"1", 0}, {"2", 1}, {"10", 2}}));
}

TEST(Report, OffersChannelsAndClassesToChooseWhereThereAreSeveral) {
  EXPECT_FALSE(contains(make_report(testing::bumps_report(9, 30)).html, "id=\"channel\""));
  EXPECT_TRUE(contains(make_report(testing::bumps_report(9, 30, 2)).html, "id=\"channel\""));
}

TEST(Report, IsTheSameBytesForTheSameValuesAndReachesTheFileWhole) {
  const testing::TemporaryDirectory directory;
  const AlignmentReport report = testing::bumps_report(9, 30);
  write_report(directory.file("report.html"), report);
  std::ostringstream written;
  written << std::ifstream(directory.file("report.html"), std::ios::binary).rdbuf();
  EXPECT_EQ(written.str(), make_report(report).html);
}

}  // namespace report_test
}  // namespace diffeo
