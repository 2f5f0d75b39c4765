// report of a folder of results.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "diffeo/result_store.hpp"
#include "diffeo/training_options.hpp"
#include "expectations.hpp"
#include "run_with.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo::cli {
namespace report_of_results_test {

class ReportOfResults : public ::testing::Test {
 protected:
  ReportOfResults() {
    ResultStore store(results());
    for (const std::string dataset : {"Ante", "Brio", "Coda"}) {
      for (const std::string method : {"euclidean", "dba"}) {
        EvaluationResult result;
        result.item = {dataset, method, {}, std::nullopt, 0};
        result.test_accuracy = dataset == "Brio" ? 0.625 : 0.875;
        store.add(result);
      }
    }
  }

  [[nodiscard]] std::string results() const { return directory_.file("results"); }
  [[nodiscard]] std::string page() const { return directory_.file("page.html"); }
  [[nodiscard]] std::string page_text() const {
    std::ostringstream text;
    text << std::ifstream(page(), std::ios::binary).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::string written(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(directory_.file(name)).parent_path());
    std::ofstream(directory_.file(name)) << text;
    return directory_.file(name);
  }
  [[nodiscard]] std::vector<std::string> command(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"report", results(), "-o", page()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  void expect_in_page(const std::string& part) const { EXPECT_NE(page_text().find(part), std::string::npos) << part; }

  testing::TemporaryDirectory directory_;
};

constexpr const char* kHead = "dataset,type,train,test,length,classes,euclidean,paper,faults\n";

TEST_F(ReportOfResults, IsAPageAboutTheMethodsOnTheDataSets) {
  const Outcome outcome = run_with(command());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("3 data sets, 2 methods"), std::string::npos) << outcome.output;
  expect_in_page("Nearest centroids on 3 data sets");
  expect_in_page("less than a minute of work, on the clock");
  const auto document = nlohmann::json::parse(run_with(command({"--json"})).output);
  EXPECT_EQ(document["kind"], "results");
  EXPECT_EQ(document["datasets"], 3);
}

TEST_F(ReportOfResults, HasPublishedValuesAndTheirFaults) {
  const std::string table = written("table.csv", std::string(kHead) +
                                                     "Ante,Image,30,40,150,2,0.900,0.925,\n"
                                                     "Brio,Motion,30,40,150,2,0.925,,euclidean\n"
                                                     "Coda,Image,30,40,150,2,0.950,0.975,\n"
                                                     "Other,Image,30,40,150,2,0.93,0.97,\n");
  const Outcome outcome = run_with(command({"--table", table}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  expect_in_page("Beside published values");
  expect_in_page("Motion");
  expect_in_page("<li><sup>a</sup> the table names it as one that cannot be compared</li>");
  EXPECT_EQ(page_text().find("no classifier can have this accuracy"), std::string::npos);
}

TEST_F(ReportOfResults, SaysOfPublishedValuesThatTheyAreOfAnotherSplitWhateverElseIsWrong) {
  const std::string table = written("table.csv", std::string(kHead) +
                                                     "Ante,Image,30,40,150,2,0.900,0.925,euclidean:split\n"
                                                     "Brio,Motion,30,40,150,2,0.9111,,euclidean:split\n"
                                                     "Coda,Image,30,40,150,2,0.950,0.975,\n");
  ASSERT_EQ(run_with(command({"--table", table})).exit_code, 0);
  expect_in_page("<li><sup>a</sup> measured on another split into training and test series than the archive");
  EXPECT_EQ(page_text().find("no classifier can have this accuracy"), std::string::npos);
}

TEST_F(ReportOfResults, OfCrossValidationsAloneSaysSo) {
  ResultStore store(directory_.file("validated"));
  EvaluationResult result;
  result.item = {"Ante", "euclidean", {}, std::nullopt, 3};
  result.cv_accuracy = 0.5;
  store.add(result);
  const Outcome outcome = run_with({"report", directory_.file("validated"), "-o", page()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  expect_in_page("Accuracies by cross-validation inside training sets");
}

TEST_F(ReportOfResults, TiesWithPublishedValuesThatDifferByTheirRounding) {
  // Measured are 0.875, 0.625 and 0.875; dba comes first by its name. A figure without decimals is taken as it is.
  const std::string table = written("table.csv", std::string(kHead) +
                                                     "Ante,Image,30,40,150,2,0.88,1,\n"
                                                     "Brio,Motion,30,40,150,2,0.62,0.625000,\n"
                                                     "Coda,Image,30,40,150,2,0.87,0.8751,\n");
  ASSERT_EQ(run_with(command({"--table", table})).exit_code, 0);
  const std::string html = page_text();
  const std::string counts = html.substr(html.find("<table id=\"published-means\">"));
  EXPECT_NE(counts.find(">0 / 3 / 0</td>"), std::string::npos);
  EXPECT_NE(counts.find(">0 / 1 / 2</td>"), std::string::npos);
}

TEST_F(ReportOfResults, TakesTheTableOfTheFolderWhereNoneIsGiven) {
  (void)written("results/published.csv", std::string(kHead) +
                                             "Ante,Image,30,40,150,2,0.9,0.5,\nBrio,Motion,30,40,150,2,0.6,0.5,\n"
                                             "Coda,Image,30,40,150,2,0.9,0.5,\n");
  ASSERT_EQ(run_with(command()).exit_code, 0);
  expect_in_page("<table id=\"published-means\">");
  expect_in_page("<data value=\"0.25\">0.25</data></td><td class=\"number\"><data value=\"0.5\">");  // p, and Holm's
}

TEST_F(ReportOfResults, NamesWhatFailedWhatIsAnotherSettingAndWhereSeedsAreMissing) {
  ResultStore store(results());
  const auto add = [&](const std::string& dataset, const TrainingOptions& options, std::uint64_t seed, double accuracy,
                       const std::string& error = "") {
    EvaluationResult result;
    result.item = {dataset, "diffeo", {}, seed, 0};
    for (const Hyperparameter& each : hyperparameters()) {
      result.item.options[std::string(each.name)] = hyperparameter_text(options, each);
    }
    error.empty() ? void(result.test_accuracy = accuracy) : void(result.error = error);
    store.add(result);
  };
  TrainingOptions wider = preset("ensemble");
  wider.cells = 64;
  for (const std::string dataset : {"Ante", "Brio", "Coda"}) {
    add(dataset, wider, 0, 0.75);
    if (dataset != "Brio") add(dataset, wider, 1, 0.75);
    add(dataset, {}, 0, 0.5);
  }
  add("Dune", {}, 0, 0.0, "<no> series");
  ASSERT_EQ(run_with(command()).exit_code, 0);
  expect_in_page("On this page diffeo is the preset ensemble with cells 64.");
  expect_in_page(
      "<td>diffeo, the defaults</td><td class=\"help\">mean accuracy 0.5000 on 3 data sets, of 3 tests</td>");
  expect_in_page("<td>diffeo on Dune</td><td class=\"help\">&lt;no&gt; series</td>");
  expect_in_page("<td>diffeo on Brio</td><td class=\"help\">fewer seeds there than on other data sets</td>");
}

TEST_F(ReportOfResults, RefusesOptionsOfOtherPages) {
  const std::vector<std::vector<std::string>> others = {{"--cases", "5"}, {"--seed", "0"}, {"--format", "tsv"}};
  for (const std::vector<std::string>& each : others) {
    expect_refusal(2, command(each), each.front() + " excludes a folder of results");
  }
  EXPECT_FALSE(std::filesystem::exists(page()));
}

TEST_F(ReportOfResults, MarksPublishedValuesThatNoClassifierCanHave) {
  // Of 40 test cases 37 are 0.925: with three digits 0.926 is none, nor is 0.94 with two; 0.92 may be 0.925, and 0.98
  // may be 0.975.
  const std::string table = written("table.csv", std::string(kHead) +
                                                     "Ante,Image,30,40,150,2,0.926,0.975000,\n"
                                                     "Brio,Motion,30,40,150,2,0.98,0.92,\n"
                                                     "Coda,Image,30,40,150,2,0.975000,0.94,paper\n");
  const Outcome outcome = run_with(command({"--table", table}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  expect_in_page("<s><data value=\"0.926\">0.926</data></s><sup>a</sup>");
  expect_in_page("<s><data value=\"0.94\">0.940</data></s><sup>a</sup>");
  expect_in_page("<li><sup>a</sup> no classifier can have this accuracy on a test set of this size");
  for (const char* sound : {"0.975", "0.98", "0.92"}) {
    EXPECT_EQ(page_text().find(std::string("<s><data value=\"") + sound + "\""), std::string::npos) << sound;
  }
}

TEST_F(ReportOfResults, HasPicturesSearchesAndAblationsThatAreThere) {
  (void)written(
      "results/pictures/Ante.json",
      R"({"dataset":"Ante","method":"diffeo","seed":0,"classes":["a","b"],"length":3,"before":[[1,2,3],[2,3,4]],)"
      R"("after":[[1,2,3],[2,3,4]],"embedding_before":[[0,0],[1,1]],"embedding_after":[[0,0],[1,1]],)"
      R"("embedding_classes":["a","b"]})");
  (void)written("results/grid.json",
                R"({"folds":3,"rungs":[1],"failures":0,"datasets":[{"dataset":"Ante","setting":{"cells":"16"},)"
                R"("cv_accuracy":0.7,"test_accuracy":0.8,"oracle":{"test_accuracy":0.9}}],)"
                R"("winning_frequency":[{"name":"cells","values":[{"value":"16","wins":1,"share":1}]}]})");
  (void)written(
      "results/ablation.json",
      R"({"accuracy":"test","seeds":[0],"studies":[{"name":"cells","values":[)"
      R"({"value":"4","mean_accuracy":0.5,"mean_seconds":1,"datasets":[{}]},{"value":"8","mean_accuracy":null,)"
      R"("mean_seconds":null,"datasets":[]}]}]})");
  const Outcome outcome = run_with(command());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  for (const char* section : {"pictures", "grid", "ablation"}) expect_in_page(std::string("<section id=\"") + section);
}

TEST_F(ReportOfResults, HasPicturesOfSeriesWithGapsAndWithoutPlaces) {
  (void)written("results/pictures/Ante.json",
                R"({"dataset":"Ante","method":"diffeo","seed":0,"classes":["a"],"length":3,"before":[[1,null,3]],)"
                R"("after":[[1,2,null]],"embedding_before":[],"embedding_after":[],"embedding_classes":["a"]})");
  const Outcome outcome = run_with(command());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  expect_in_page("Ante: series before and after alignment");
  EXPECT_EQ(page_text().find("t-SNE"), std::string::npos);
}

TEST_F(ReportOfResults, HasSearchesAndAblationsOfFoldersInside) {
  (void)written("results/grid/grid.json",
                R"({"folds":3,"rungs":[0.25,0.5,1],"failures":2,"datasets":[{"dataset":"Ante",)"
                R"("setting":{"cells":"16","layers":"5"},"cv_accuracy":0.71,"test_accuracy":0.82},)"
                R"({"dataset":"Brio","setting":{},"error":"broken"}],"winning_frequency":[)"
                R"({"name":"layers","values":[{"value":"1","wins":0},{"value":"5","wins":1}]},)"
                R"({"name":"cells","values":[{"value":"16","wins":1},{"value":"32","wins":0},)"
                R"({"value":"64","wins":0}]}]})");
  (void)written("results/ablation/ablation.json",
                R"({"accuracy":"test","seeds":[0],"studies":[{"name":"cells","values":[)"
                R"({"value":"4","mean_accuracy":0.5,"mean_seconds":1,"datasets":[{}]}]}]})");
  const Outcome outcome = run_with(command());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  for (const char* section : {"grid", "ablation"}) expect_in_page(std::string("<section id=\"") + section);
  // There was no --oracle, and there are accuracies nevertheless.
  expect_in_page(
      "Ante</th><td>layers 5, cells 16</td><td class=\"number\"><data value=\"0.71\">0.710</data></td>"
      "<td class=\"number\"><data value=\"0.82\">0.820</data></td></tr>");
  expect_in_page("Brio</th><td>–</td><td class=\"number\">–</td><td class=\"number\">–</td></tr>");
  expect_in_page("mean of the 1 with every figure</th>");
  expect_in_page("6 settings");
  expect_in_page("3 folds");
  expect_in_page("3 rungs");
  expect_in_page("2 pieces of work failed");
  EXPECT_EQ(page_text().find("chosen on test data"), std::string::npos);
}

TEST_F(ReportOfResults, SaysWhichSettingsTheBestOnTestDataIsTheBestOf) {
  const auto make_with = [&](const std::string& rungs, const std::string& settings) {
    (void)written("results/grid.json",
                  R"({"folds":3,"rungs":)" + rungs + R"(,"failures":0,"datasets":[{"dataset":"Ante",)" +
                      R"("setting":{"cells":"16"},"cv_accuracy":0.7,"test_accuracy":0.8,)" +
                      R"("oracle":{"test_accuracy":0.9)" + settings + R"(}}],"winning_frequency":[{"name":"cells",)" +
                      R"("values":[{"value":"8","wins":0},{"value":"16","wins":1},{"value":"32","wins":0}]}]})");
    const Outcome outcome = run_with(command());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    expect_in_page("chosen on test data (not a result)");
  };
  make_with("[1]", R"(,"settings":3)");
  expect_in_page("the best of all settings, chosen on test data");
  make_with("[0.3333,1]", R"(,"settings":1)");
  expect_in_page("the best of the 1 that reached the last rung, chosen on test data");
  make_with("[0.3333,1]", "");  // of a program that tested all of them
  expect_in_page("the best of all settings, chosen on test data");
}

TEST_F(ReportOfResults, SaysWhichAccuraciesAnAblationIsAbout) {
  const auto make_with = [&](const std::string& accuracy, const std::string& seeds) {
    (void)written("results/ablation.json",
                  R"({"accuracy":")" + accuracy + R"(","seeds":)" + seeds +
                      R"(,"studies":[{"name":"cells","values":[)"
                      R"({"value":"4","mean_accuracy":0.5,"mean_seconds":1,"datasets":[{}]}]}]})");
    const Outcome outcome = run_with(command());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  };
  make_with("test", "[0,1,7]");
  expect_in_page("Accuracies are those on the test sets, means over data sets and the seeds 0, 1, 7.");
  expect_in_page(">test accuracy</th>");
  make_with("cv", "[3]");
  expect_in_page("Accuracies are those of cross-validation within the training sets, means over data sets, of seed 3.");
  expect_in_page(">cross-validated accuracy</th>");
}

TEST_F(ReportOfResults, HasTheRemarksThatLieBesideThem) {
  (void)written("results/introduction.txt", "One setting for all.\n");
  (void)written("results/losses.txt", "Brio is too small & noisy.\n");
  const Outcome outcome = run_with(command());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  expect_in_page("One setting for all.</p>");
  expect_in_page("Brio is too small &amp; noisy.</p>");
}

TEST_F(ReportOfResults, NamesWhatIsWrongWithWhatItReads) {
  const auto refuses = [&](const std::string& table, const std::string& part) {
    std::vector<std::string> arguments = command({"--table", written("table.csv", table)});
    expect_refusal(1, arguments, part);
    EXPECT_FALSE(std::filesystem::exists(page()));
  };
  refuses("", "table.csv:1: expected the columns dataset,type,train");
  refuses(std::string(kHead) + "Ante,Image,30\n", "table.csv:2: expected 9 values, got 3");
  refuses(std::string(kHead) + "Ante,Image,many,40,150,2,0.9,0.9,\n", "table.csv:2: expected a number, got many");
  refuses(std::string(kHead) + "Ante,Image,30,40,150,2,0.9,0.9,\n",
          "table.csv: expected a row for every data set, got none for Brio");
  (void)written("results/grid.json", "[1, 2");
  expect_refusal(1, command(), "grid.json: expected a document of the experiments");
}

TEST_F(ReportOfResults, WantsResultsAndNothingThatBelongsToSeries) {
  std::filesystem::create_directory(directory_.file("empty"));
  expect_refusal(1, {"report", directory_.file("empty"), "-o", page()},
                 "empty: results: expected at least one test or cross-validation");
  expect_refusal(2, command({"--data", "some.tsv"}), "--data");
  expect_refusal(2, {"report", "some.warps", "--data", "some.tsv", "-o", page(), "--table", written("t.csv", kHead)},
                 "--table");
}

}  // namespace report_of_results_test
}  // namespace diffeo::cli
