// A page about an experiment: several methods on several data sets, compared. One HTML file that needs nothing else,
// made of plain values.
//
//   ResultsReport report;
//   report.title = "Nearest centroids on 31 data sets";
//   report.scores = {names, {"diffeo", "euclidean", "dba"}, accuracies};     // the first method is the one in question
//   write_results_report("results.html", report);
//
// It shows mean accuracies and ranks, wins and losses, tests with their corrections, critical-difference diagrams,
// every accuracy in a table that can be sorted, with published values beside, where the first method loses, and what
// else is given: see the members. What is not given is left out.
//
//   * every figure comes from the values given (diffeo/statistics, diffeo/figures): nothing is chosen or left out,
//     except pictures of alignments beyond what fits, and the page says so then
//   * under 5 MB for up to a thousand data sets and any number of pictures
//   * text is shown as it is, whatever it contains; nothing in the page is loaded from anywhere
//   * tables and figures need no script; sorting does
//   * the same values give the same bytes
//   * std::invalid_argument for values that do not fit together
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "diffeo/figures/alignment_heat_figure.hpp"
#include "diffeo/figures/before_after_figure.hpp"
#include "diffeo/figures/embedding_figure.hpp"
#include "diffeo/figures/frequency_figure.hpp"
#include "diffeo/report.hpp"
#include "diffeo/statistics/score_table.hpp"

namespace diffeo {

struct DatasetProperties {
  std::string type = {};  ///< of data: image, sensor, motion
  std::size_t training_cases = 0;
  std::size_t test_cases = 0;
  std::size_t length = 0;
  std::size_t classes = 0;
};

/// What somebody else reported.
struct PublishedValue {
  std::optional<double> value = std::nullopt;
  std::string fault = {};                            ///< why it cannot be compared, a sentence; empty where it can
  std::optional<std::size_t> digits = std::nullopt;  ///< behind the point, to which it was rounded; none: it is exact
};

struct PublishedTable {
  std::string source = {};  ///< where the values are from, a sentence
  std::vector<std::string> methods = {};
  std::vector<std::vector<PublishedValue>> values = {};  ///< [dataset][method], data sets as in the scores
};

/// Pictures of one alignment, for those who want to look at it.
struct AlignmentPicture {
  std::string dataset = {};
  std::string note = {};  ///< method, seed, how many series: a sentence
  std::optional<AlignmentHeat> heat = std::nullopt;
  std::optional<EmbeddingPlot> embedding = std::nullopt;
};

/// What a search for hyper-parameters found on one data set.
struct ChosenSetting {
  std::string dataset = {};
  std::string setting = {};                              ///< chosen within the training set; empty where none was
  std::optional<double> cross_validated = std::nullopt;  ///< its accuracy there
  std::optional<double> tested = std::nullopt;           ///< its accuracy on the test set
  /// Of the setting that is best on the test set: what choosing there would have claimed.
  std::optional<double> best_on_test = std::nullopt;
};

struct GridSearch {
  std::string method = {};
  std::vector<WinningFrequency> frequencies = {};
  std::vector<ChosenSetting> choices = {};
  std::size_t settings = 0;  ///< how many were compared on each data set
  std::size_t folds = 0;
  std::size_t rungs = 1;     ///< more than one where it was by successive halving
  std::size_t failures = 0;  ///< pieces of work
  std::size_t best_of = 0;   ///< how many settings the best on test data is the best of; all where it is 0
};

/// One value of a hyper-parameter, everything else the same: means over data sets.
struct AblationRow {
  std::string value = {};
  double accuracy = 0.0;
  double seconds = 0.0;
  std::size_t datasets = 0;
};

struct AblationTable {
  std::string name = {};  ///< what was changed
  std::vector<AblationRow> rows = {};
};

/// One thing changed at a time.
struct AblationStudies {
  bool is_cross_validated = false;         ///< accuracies are those within the training sets, else on test sets
  std::vector<std::uint64_t> seeds = {};   ///< that accuracies and seconds are means over
  std::vector<AblationTable> tables = {};  ///< with curves where all values are numbers
  std::string setting = {};                ///< around which things are changed, in words; or none
};

struct ResultsReport {
  std::string title = {};
  std::string introduction = {};  ///< a sentence or two below the title
  ScoreTable scores = {};         ///< accuracies, means over seeds; the first method is the one in question
  /// Scores are those of cross-validation inside training sets, else on test sets.
  bool scores_are_cross_validated = false;
  std::size_t baseline = 1;             ///< the method that gains are measured from
  std::vector<std::size_t> seeds = {};  ///< how many, for each method; or none
  /// Standard deviations over the seeds (divided by their number less one), [dataset][method]; or none.
  std::vector<std::vector<std::optional<double>>> spreads = {};
  std::vector<DatasetProperties> properties = {};  ///< of each data set; or none
  std::optional<PublishedTable> published = std::nullopt;
  /// Accuracies by cross-validation within the training sets, [dataset][method]; or none.
  std::vector<std::vector<std::optional<double>>> cross_validated = {};
  std::vector<BeforeAfter> variances = {};  ///< within classes, of test series, by the first method
  std::vector<AlignmentPicture> pictures = {};
  std::optional<GridSearch> grid = std::nullopt;
  std::optional<AblationStudies> ablation = std::nullopt;
  /// Of the first method on the series it was trained on, for each data set; or none.
  std::vector<std::optional<double>> trained = {};
  std::string loss_note = {};  ///< why the first method loses where it does, a paragraph
  std::vector<ReportRow> provenance = {};
};

struct ResultsPage {
  std::string html;
  std::size_t pictures_shown = 0;
};

[[nodiscard]] ResultsPage make_results_report(const ResultsReport& report);

/// make_results_report, into a file: written beside, then renamed.
ResultsPage write_results_report(const std::filesystem::path& path, const ResultsReport& report);

}  // namespace diffeo
