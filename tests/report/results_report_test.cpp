#include "diffeo/results_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "support/temporary_directory.hpp"

namespace diffeo {
namespace results_report_test {

constexpr std::size_t kLargestResultsPage = 5'000'000;  // bytes

bool shows(const std::string& html, const std::string& part) { return html.find(part) != std::string::npos; }

std::size_t count_of(const std::string& html, const std::string& part) {
  std::size_t count = 0;
  for (auto at = html.find(part); at != std::string::npos; at = html.find(part, at + 1)) ++count;
  return count;
}

ResultsReport plain_report() {
  ResultsReport report;
  report.title = "Four sets";
  report.scores = {{"Coffee", "Trace", "Beef", "Wine"},
                   {"diffeo", "euclidean", "dba"},
                   {{1.0, 0.9, 0.9}, {0.9, 0.5, 0.95}, {0.7, 0.6, 0.5}, {0.8, 0.8, 0.7}}};
  return report;
}

AlignmentPicture picture_of(const std::string& dataset, std::size_t count, std::size_t length) {
  AlignmentHeat heat{.dataset = dataset, .classes = {}, .before = {}, .after = {}};
  EmbeddingPlot embedding{.dataset = dataset, .classes = {}, .before = {}, .after = {}};
  for (std::size_t item = 0; item < count; ++item) {
    const double place = static_cast<double>(item);
    heat.classes.push_back(std::to_string(item % 3));
    embedding.classes.push_back(heat.classes.back());
    embedding.before.push_back({std::cos(place), std::sin(place)});
    embedding.after.push_back({std::cos(2.0 * place), place});
    std::vector<double>& row = heat.before.emplace_back();
    for (std::size_t step = 0; step < length; ++step) row.push_back(std::sin(0.3 * static_cast<double>(step) + place));
    heat.after.push_back(row);
  }
  return {.dataset = dataset, .note = "diffeo, seed 0", .heat = heat, .embedding = embedding};
}

ResultsReport full_report() {
  ResultsReport report = plain_report();
  report.introduction = "Nearest centroids.";
  report.seeds = {3, 1, 1};
  report.spreads.assign(4, {0.01, std::nullopt, std::nullopt});
  report.properties = {{"Spectro", 28, 28, 286, 2},
                       {"Sensor", 100, 100, 275, 4},
                       {"Spectro", 30, 30, 470, 5},
                       {"Spectro", 57, 54, 234, 2}};
  report.published =
      PublishedTable{"Values of a paper.",
                     {"paper"},
                     {{{1.0, ""}}, {{0.93, "no multiple of 1/100 test series"}}, {{std::nullopt, ""}}, {{0.75, ""}}}};
  report.cross_validated.assign(4, {0.9, 0.8, std::nullopt});
  report.variances = {{"Coffee", 10.0, 5.0}, {"Trace", 8.0, 1.0}};
  report.pictures = {picture_of("Coffee", 12, 30)};
  report.grid = GridSearch{"diffeo",
                           {{"cells", {"16", "32"}, {1, 3}}},
                           {{"Coffee", "cells 16", 0.85, 0.9, 1.0}, {"Trace", "cells 32", 0.75, 0.8, 0.9}},
                           2,
                           3};
  report.ablation =
      AblationStudies{false,
                      {0, 1},
                      {{"cells", {{"4", 0.7, 10.0, 2}, {"8", 0.8, 12.5, 2}}},
                       {"loss", {{"variance", 0.6, 9.0, 2}, {"variance + cross-entropy", 0.8, 11.0, 2}}}}};
  report.provenance = {{"results", "results.jsonl", "one line a piece of work"}};
  return report;
}

TEST(ResultsReport, ShowsMeansRanksAndComparisonsOfTheFirstMethod) {
  const std::string html = make_results_report(plain_report()).html;
  EXPECT_TRUE(shows(html, ">0.850</data>"));                        // mean of diffeo
  EXPECT_TRUE(shows(html, ">0.700</data>"));                        // of euclidean
  EXPECT_TRUE(shows(html, "<data value=\"1.375\">1.38</data>"));    // mean rank of 1, 2, 1, 1.5
  EXPECT_TRUE(shows(html, "<td class=\"number\">3 / 1 / 0</td>"));  // against euclidean
  EXPECT_TRUE(shows(html, "<td class=\"number\">3 / 0 / 1</td>"));  // against dba
  EXPECT_TRUE(shows(html, "<data value=\"75\">75\u00a0%</data>"));
  EXPECT_TRUE(shows(html, "<data value=\"100\">100\u00a0%</data>"));
  EXPECT_TRUE(shows(html, "place 1 of 3 methods"));
}

TEST(ResultsReport, HasThePValuesOfAllPairsWhereThereAreSeveral) {
  const std::string html = make_results_report(plain_report()).html;
  EXPECT_TRUE(shows(html, "<table id=\"pair-tests\">"));
  EXPECT_TRUE(shows(html, "p-values of all pairs"));
  ResultsReport two = plain_report();
  two.scores.methods.pop_back();
  for (std::vector<double>& row : two.scores.scores) row.pop_back();
  EXPECT_FALSE(shows(make_results_report(two).html, "pair-tests"));  // the summary has the only one
}

TEST(ResultsReport, SaysWhereTheFirstMethodLosesAndByHowMuch) {
  const std::string html = make_results_report(plain_report()).html;
  EXPECT_TRUE(shows(html, "diffeo is worse than the best other method on 1 of 4 data sets"));
  EXPECT_TRUE(shows(html, "<li><b>Trace</b>: 0.900 against 0.950 of dba, "));
  ResultsReport winner = plain_report();
  winner.scores.scores[1][0] = 0.99;
  EXPECT_TRUE(shows(make_results_report(winner).html, "On no data set is another method better than diffeo."));
}

TEST(ResultsReport, ListsTheLargestLossFirst) {
  ResultsReport report = plain_report();
  report.scores.scores[3][1] = 0.99;
  const std::string html = make_results_report(report).html;
  EXPECT_LT(html.find("<li><b>Wine</b>"), html.find("<li><b>Trace</b>"));
}

TEST(ResultsReport, SaysWhereItHasLearnedTheTrainingSeriesRatherThanTheClasses) {
  ResultsReport report = plain_report();
  report.scores.scores[1][0] = 0.85;
  report.scores.scores[3][1] = 0.81;  // Wine is lost too, but not for that reason
  report.trained = {1.0, 1.0, std::nullopt, 0.85};
  const std::string html = make_results_report(report).html;
  EXPECT_TRUE(shows(html, "0.100</data> lower; 1.000 on its training set.</li>"));
  EXPECT_TRUE(shows(html, "<p>On 1 of these 2 the accuracy on the training set is more than 0.1 above"));
  EXPECT_TRUE(shows(html, "in common: Trace.</p>"));
  EXPECT_FALSE(shows(make_results_report(plain_report()).html, "on the training set is more than"));
}

TEST(ResultsReport, LeavesOutWhatIsNotGiven) {
  const std::string html = make_results_report(plain_report()).html;
  for (const char* there : {"summary", "ranks", "losses", "results", "scatter", "pairs"}) {
    EXPECT_TRUE(shows(html, std::string("<section id=\"") + there)) << there;
    EXPECT_TRUE(shows(html, std::string("<a href=\"#") + there)) << there;
  }
  for (const char* missing :
       {"published", "sharpshooter", "gain", "types", "variance", "grid", "ablation", "pictures", "provenance"}) {
    EXPECT_FALSE(shows(html, std::string("<section id=\"") + missing)) << missing;
    EXPECT_FALSE(shows(html, std::string("<a href=\"#") + missing)) << missing;
  }
}

TEST(ResultsReport, SaysWhetherScoresAreOfTestSetsOrOfCrossValidation) {
  ResultsReport report = plain_report();
  const std::string tested = make_results_report(report).html;
  EXPECT_TRUE(shows(tested, "diffeo on test sets"));
  EXPECT_TRUE(shows(tested, "<b>Accuracy on every test set.</b>"));
  report.scores_are_cross_validated = true;
  const std::string validated = make_results_report(report).html;
  EXPECT_TRUE(shows(validated, "diffeo by cross-validation inside training sets"));
  EXPECT_TRUE(shows(validated, "<b>Accuracy on every data set, by cross-validation inside its training set.</b>"));
  EXPECT_FALSE(shows(validated, "test sets"));
  EXPECT_FALSE(shows(validated, "every test set"));
}

TEST(ResultsReport, ShowsWhatIsGiven) {
  const ResultsPage page = make_results_report(full_report());
  for (const char* there :
       {"published", "sharpshooter", "gain", "types", "variance", "grid", "ablation", "pictures", "provenance"}) {
    EXPECT_TRUE(shows(page.html, std::string("<section id=\"") + there)) << there;
  }
  EXPECT_EQ(page.pictures_shown, 1u);
  EXPECT_EQ(count_of(page.html, "<svg "), 2u + 2u + 2u + 1u + 3u + 1u + 1u + 1u + 2u + 2u);
  EXPECT_TRUE(shows(page.html, "±\u00a00.010"));
  EXPECT_TRUE(shows(page.html, "chosen on test data (not a result)"));
  EXPECT_TRUE(shows(page.html, "2 of 2 data sets; on average (geometric mean) <data value=\"0.25\">25\u00a0%</data>"));
}

TEST(ResultsReport, MarksFaultsOfPublishedValuesAndMeansWithoutThem) {
  const std::string html = make_results_report(full_report()).html;
  EXPECT_TRUE(
      shows(html, "title=\"no multiple of 1/100 test series\"><s><data value=\"0.93\">0.930</data></s><sup>a</sup>"));
  EXPECT_TRUE(shows(html, "<li><sup>a</sup> no multiple of 1/100 test series</li>"));
  // Coffee and Wine: of Trace the figure is struck out, of Beef there is none.
  EXPECT_TRUE(shows(html, ">mean of 2 rows without fault or gap</th>"));
  EXPECT_TRUE(shows(html, "The last mean is over the rows in which every published figure is there and can be right"));
  EXPECT_TRUE(shows(html, "<data value=\"0.875\">0.875</data>"));  // of the published method on them
  EXPECT_TRUE(shows(html, "<data value=\"0.9\">0.900</data></td><td class=\"number\">1 / 1 / 0</td>"));
}

TEST(ResultsReport, TiesWithPublishedValuesThatDifferByTheirRounding) {
  ResultsReport report = full_report();
  report.scores.scores[0][0] = 215.0 / 391.0;  // published with the digits that its table has
  report.scores.scores[1][0] = 0.875;          // on the border
  report.scores.scores[2][0] = 0.7;
  report.scores.scores[3][0] = 0.8;
  report.published->values = {{{0.549872, "", 5}}, {{0.88, "", 2}}, {{0.7001, "", 4}}, {{0.79, ""}}};
  const std::string html = make_results_report(report).html;
  const std::string counts = html.substr(html.find("<table id=\"published-means\">"));
  EXPECT_TRUE(shows(counts, "<td class=\"number\">1 / 2 / 1</td>"));
  EXPECT_TRUE(shows(counts, "a published value that may be the measured one, rounded, is a tie."));
}

TEST(ResultsReport, CountsTheSharpshootersRegions) {
  const std::string html = make_results_report(full_report()).html;
  EXPECT_TRUE(shows(
      html,
      "<b>Over euclidean, 4 data sets.</b> A gain was expected and came: 3. None was expected and none came: 0."));
  EXPECT_FALSE(shows(html, "<b>Over dba"));  // it was not cross-validated
}

TEST(ResultsReport, StaysSmallAndSaysWhatItLeavesOut) {
  ResultsReport report;
  report.title = "Many";
  for (std::size_t method = 0; method < 10; ++method)
    report.scores.methods.push_back("method " + std::to_string(method));
  const AlignmentPicture picture = picture_of("x", 60, 120);
  for (std::size_t set = 0; set < 200; ++set) {
    report.scores.datasets.push_back("data set " + std::to_string(set));
    std::vector<double>& row = report.scores.scores.emplace_back();
    for (std::size_t method = 0; method < 10; ++method)
      row.push_back(static_cast<double>((set * 7 + method * 3) % 11) / 11);
    report.properties.push_back({"type " + std::to_string(set % 9), 10 + set, 10, 100, 2});
    report.pictures.push_back(picture);
  }
  const ResultsPage page = make_results_report(report);
  EXPECT_LT(page.html.size(), kLargestResultsPage);
  EXPECT_GT(page.pictures_shown, 20u);
  EXPECT_LT(page.pictures_shown, 200u);
  EXPECT_TRUE(shows(page.html, "the first " + std::to_string(page.pictures_shown) + " of 200 data sets"));
}

TEST(ResultsReport, ShowsHostileTextAsItIs) {
  const std::string hostile = "</script><script>alert('x')</script><!--\"&\xff";
  ResultsReport report = full_report();
  report.title = report.introduction = report.loss_note = hostile;
  for (std::string& name : report.scores.datasets) name += hostile;
  for (std::string& name : report.scores.methods) name += hostile;
  for (DatasetProperties& each : report.properties) each.type = hostile;
  report.published->methods = {hostile};
  report.published->source = report.published->values[0][0].fault = hostile;
  report.variances[0].dataset = report.pictures[0].dataset = report.pictures[0].note = hostile;
  report.grid = GridSearch{hostile, {{hostile, {hostile}, {1}}}, {{hostile, hostile, 0.1, 0.2, 0.3}}};
  std::vector<AblationTable>& tables = report.ablation->tables;
  tables[0].name = tables[1].name = tables[1].rows[0].value = hostile;
  report.provenance = {{hostile, hostile, hostile}};
  const std::string html = make_results_report(report).html;
  EXPECT_FALSE(shows(html, "<script>alert"));
  EXPECT_FALSE(shows(html, "<!--"));
  EXPECT_EQ(count_of(html, "</script>"), 2u);
}

TEST(ResultsReport, DrawsCurvesOfWhatIsCountedAndTabulatesEverythingThatWasChanged) {
  const std::string html = make_results_report(full_report()).html;
  EXPECT_EQ(count_of(html, "<table class=\"ablation\">"), 2u);
  EXPECT_TRUE(shows(html, ">0.700</data>"));
  EXPECT_TRUE(shows(html, "Accuracy by cells"));
  EXPECT_TRUE(shows(html, "Seconds of training by cells"));
  EXPECT_FALSE(shows(html, "Accuracy by loss"));
}

TEST(ResultsReport, CurvesGoFromSmallToLargeInWhateverOrderValuesWereTried) {
  const auto curve_of = [](const ResultsReport& report) {
    const std::string html = make_results_report(report).html;
    const std::size_t start = html.find("aria-label=\"Accuracy by cells\"");
    EXPECT_NE(start, std::string::npos);
    return html.substr(start, html.find("</svg>", start) - start);
  };
  ResultsReport report = full_report();
  std::vector<AblationRow>& rows = report.ablation->tables[0].rows;
  rows = {{"4", 0.7, 10.0, 2}, {"8", 0.8, 12.5, 2}, {"16", 0.75, 13.0, 2}};
  const std::string in_order = curve_of(report);
  std::swap(rows[0], rows[2]);
  EXPECT_EQ(curve_of(report), in_order);
}

TEST(ResultsReport, HoldsTheAccuraciesForMachines) {
  const std::string html = make_results_report(plain_report()).html;
  const std::string opening = "<script id=\"numbers\" type=\"application/json\">";
  const std::size_t start = html.find(opening) + opening.size();
  const auto numbers = nlohmann::json::parse(html.substr(start, html.find("</script>", start) - start));
  EXPECT_EQ(numbers["scores"][1][2], 0.95);
  EXPECT_EQ(numbers["methods"][0], "diffeo");
}

TEST(ResultsReport, IsMadeOfOneMethodOrOneDataSet) {
  ResultsReport report;
  report.title = "One";
  report.scores = {{"Coffee"}, {"diffeo"}, {{0.9}}};
  EXPECT_FALSE(shows(make_results_report(report).html, "<section id=\"ranks\""));
  report.scores = {{"Coffee"}, {"diffeo", "dba"}, {{0.9, 0.9}}};
  EXPECT_TRUE(shows(make_results_report(report).html, "<section id=\"ranks\""));
}

TEST(ResultsReport, IsTheSameForTheSameValuesAndInAFile) {
  const ResultsReport report = full_report();
  const testing::TemporaryDirectory folder;
  const std::filesystem::path path = folder.path() / "results.html";
  const std::string html = write_results_report(path, report).html;
  EXPECT_EQ(html, make_results_report(report).html);
  std::ifstream file(path, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), html);
}

TEST(ResultsReport, RefusesValuesThatDoNotFitTogether) {
  const auto expect_refusal = [](auto change) {
    ResultsReport report = full_report();
    change(report);
    EXPECT_THROW((void)make_results_report(report), std::invalid_argument);
  };
  expect_refusal([](ResultsReport& report) { report.scores = {}; });
  expect_refusal([](ResultsReport& report) { report.scores.scores[2].pop_back(); });
  expect_refusal([](ResultsReport& report) { report.scores.scores[2][0] = std::nan(""); });
  expect_refusal([](ResultsReport& report) { report.spreads.pop_back(); });
  expect_refusal([](ResultsReport& report) { report.cross_validated[0].pop_back(); });
  expect_refusal([](ResultsReport& report) { report.properties.pop_back(); });
  expect_refusal([](ResultsReport& report) { report.published->values.pop_back(); });
  expect_refusal([](ResultsReport& report) { report.seeds.pop_back(); });
  expect_refusal([](ResultsReport& report) { report.trained = {0.5}; });
  expect_refusal([](ResultsReport& report) { report.baseline = 3; });
}

}  // namespace results_report_test
}  // namespace diffeo
