// What a folder of results says, as tables: accuracies of methods on data sets, means over seeds.
//
//   const ResultsSummary summary = summarise_results(read_results("results"));
//   summary.scores.scores[dataset][method]
//
// A folder may hold a method with several settings of its options, from before and after a default changed, say. One
// counts for each method: that of most data sets, of several the one with most results (so that a setting with several
// seeds is not replaced by those that an ablation tries around it), of several the one that was worked on last.
//
//   * methods come as evaluation_methods has them, but diffeo first; data sets by name
//   * the table has no gaps: a method that was tested on less than half of the data sets is left out, and so is a data
//     set that some other method lacks; both are named (`methods_left_out`, `left_out`)
//   * accuracies by cross-validation are those of the same settings. In a folder without a single test they are all
//     there is, and take the place of tests (`are_cross_validated`)
//   * accuracies are rounded to about nine decimals, so that means that are the same fraction are the same number:
//     equal methods tie
//   * of settings that do not count, means over their data sets are told; what failed is named
//   * std::invalid_argument where there is no result, and where no data set has one of every method
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diffeo/evaluation_result.hpp"
#include "diffeo/statistics/score_table.hpp"

namespace diffeo {

struct SummarisedMethod {
  std::string name;
  std::map<std::string, std::string> options;  ///< the setting that counts
  std::size_t seeds = 0;                       ///< at most, of a data set
  std::size_t results = 0;                     ///< tests, of all data sets and seeds
  double seconds = 0.0;                        ///< of work (work_seconds), of all its tests
  std::size_t with_processor_time = 0;         ///< tests of which that is processor time, not the clock's
};

struct SummarisedVariance {
  std::string dataset;
  double before = 0.0;
  double after = 0.0;
};

/// Tests with a setting that does not count.
struct OtherSetting {
  std::string method;
  std::map<std::string, std::string> options;
  std::size_t datasets = 0;
  std::size_t results = 0;
  double mean_accuracy = 0.0;  ///< over its data sets, of means over seeds
};

struct FailedWork {
  std::string dataset;
  std::string method;
  std::string error;
};

struct ResultsSummary {
  ScoreTable scores;
  bool are_cross_validated = false;  ///< scores are those of cross-validation: no test set was looked at
  std::vector<SummarisedMethod> methods;
  /// Standard deviations over the seeds (divided by their number less one), [dataset][method]; none for one seed.
  std::vector<std::vector<std::optional<double>>> spreads;
  /// [dataset][method]: by cross-validation inside the training set, where that was done.
  std::vector<std::vector<std::optional<double>>> cross_validated;
  /// Of the first method on the series it was trained on, for each data set; means over seeds.
  std::vector<std::optional<double>> trained;
  std::vector<SummarisedVariance> variances;  ///< within classes of the test series, by the first method
  std::vector<std::string> left_out;          ///< data sets
  std::vector<std::string> methods_left_out;  ///< hardly begun
  std::vector<std::string> fewer_seeds;       ///< "method on data set": where it has less seeds than elsewhere
  std::vector<FailedWork> failed;             ///< by data set and method
  std::vector<OtherSetting> other_settings;   ///< by method, of most data sets first
  std::size_t others = 0;                     ///< results of settings that do not count, cross-validations too
};

[[nodiscard]] ResultsSummary summarise_results(std::span<const EvaluationResult> results);

}  // namespace diffeo
