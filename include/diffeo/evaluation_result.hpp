// One piece of work of an evaluation, and what came of it: one line of JSON in a file of results.
//
//   {"dataset":"GunPoint","method":"dba","options":{"distance":"dtw"},"seed":null,"train_accuracy":0.76,
//    "test_accuracy":0.73,"seconds":0.4,"cpu_seconds":0.4,"training_seconds":0.3,"version":"0.1.0",
//    "commit":"f5e577f2a1b0","threads":1,"processor":"AMD EPYC 9654","date":"2026-01-31T12:00:00Z"}
//
//   * options say everything that a method was told, as people type it: all hyper-parameters of a network, so that a
//     change of a default is another piece of work
//   * seed is null for methods in which nothing is left to chance
//   * an accuracy that was not computed is left out; `cv_folds` stands beside `cv_accuracy`, and `cv_held_out` where
//     only so many of the folds were predicted
//   * `variance_before` and `variance_after` tell how far test series of a class lie from each other before and after
//     they were warped, where something warped them
//   * `alignment` stands beside them: the other measures of diffeo/alignment_measures.hpp, by their names, those before
//     and after with `_before` and `_after`. A number that is not finite is null. Lines from before it was kept have none
//   * `processor` is the name of the processor's model, or unknown. Lines from before it was kept have none
//   * `seconds` are those of a clock, which goes on while a process is stopped or the machine sleeps; `cpu_seconds` are
//     processor time, of all threads together, and count no pause; `training_seconds` are the part of them that went into
//     fitting. Lines from before these were kept have none
//   * work that failed has `error` and no accuracies
//   * a line is read back to the same result; std::invalid_argument for a line that is none
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "diffeo/alignment_measures.hpp"

namespace diffeo {

struct WorkItem {
  std::string dataset;
  std::string method;
  std::map<std::string, std::string> options = {};
  std::optional<std::uint64_t> seed = std::nullopt;
  std::size_t folds = 0;     ///< of a cross-validation inside the training set; 0 means the test set is predicted
  std::size_t held_out = 0;  ///< of the folds, how many are predicted; 0 means all

  auto operator<=>(const WorkItem&) const = default;
};

/// A name for a piece of work that is the same on every machine: 32 hexadecimal digits, of everything that it is.
[[nodiscard]] std::string work_key(const WorkItem& item);

struct EvaluationResult {
  WorkItem item;
  std::optional<double> train_accuracy = std::nullopt;  ///< of the series that were trained on
  std::optional<double> cv_accuracy = std::nullopt;
  std::optional<double> test_accuracy = std::nullopt;
  /// Within classes of the test set, summed over time and channels, classes weighted by their sizes.
  std::optional<double> variance_before = std::nullopt;
  std::optional<double> variance_after = std::nullopt;
  std::optional<AlignmentMeasures> alignment = std::nullopt;  ///< of the test set
  double seconds = 0.0;
  std::optional<double> cpu_seconds = std::nullopt;
  std::optional<double> training_seconds = std::nullopt;  ///< of cpu_seconds
  std::string version = {};
  std::string commit = {};  ///< of the source that the program was built from, or unknown
  std::size_t threads = 1;
  std::string processor = {};  ///< the name of its model, or unknown; empty in lines from before it was kept
  std::string date = {};       ///< when it was done, UTC, as 2026-01-31T12:00:00Z
  std::string error = {};      ///< empty where there was none

  bool operator==(const EvaluationResult&) const = default;
};

/// How much work it was: processor time, or that of the clock where no other is known.
[[nodiscard]] double work_seconds(const EvaluationResult& result);

/// Without the end of the line.
[[nodiscard]] std::string to_line(const EvaluationResult& result);
/// Of work that has no result: what it is.
[[nodiscard]] std::string to_line(const WorkItem& item);
[[nodiscard]] EvaluationResult result_of_line(std::string_view line);

}  // namespace diffeo
