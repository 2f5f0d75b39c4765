// A work item of an evaluation and its result: one line of JSON in a results file.
//
//   {"dataset":"GunPoint","method":"dba","options":{"distance":"dtw"},"seed":null,"train_accuracy":0.76,
//    "test_accuracy":0.73,"seconds":0.4,"cpu_seconds":0.4,"training_seconds":0.3,"version":"0.1.0",
//    "commit":"f5e577f2a1b0","threads":1,"processor":"AMD EPYC 9654","date":"2026-01-31T12:00:00Z"}
//
//   * options contain all options of the method, as typed. For a network these are all hyperparameters, so that a
//     changed default is another work item
//   * seed is null for deterministic methods
//   * accuracies that were not computed are left out. `cv_folds` comes with `cv_accuracy`; `cv_held_out` is the number
//     of predicted folds if not all were
//   * `variance_before` and `variance_after` are the within-class variances of the test series before and after
//     warping, for methods that warp
//   * `alignment` comes with them: the other measures of diffeo/alignment_measures.hpp by name, with `_before` and
//     `_after` for those measured twice. A non-finite number is null. Old lines lack it
//   * `processor` is the processor's model name, or unknown. Old lines lack it
//   * `seconds` is wall-clock time, which includes pauses of the process or the machine. `cpu_seconds` is
//     processor time of all threads and excludes pauses. `training_seconds` is the part of it spent in
//     fitting. Old lines lack the latter two
//   * failed items have `error` and no accuracies
//   * reading a line gives the same result back; std::invalid_argument for an invalid line
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
  std::size_t folds = 0;     ///< of a cross-validation inside the training set; 0: predict the test set
  std::size_t held_out = 0;  ///< number of folds to predict; 0: all

  auto operator<=>(const WorkItem&) const = default;
};

/// A name for a work item, the same on every machine: 32 hexadecimal digits, a hash of all its fields.
[[nodiscard]] std::string work_key(const WorkItem& item);

struct EvaluationResult {
  WorkItem item;
  std::optional<double> train_accuracy = std::nullopt;  ///< on the training series
  std::optional<double> cv_accuracy = std::nullopt;
  std::optional<double> test_accuracy = std::nullopt;
  /// Within classes of the test set, summed over time and channels; classes weighted by their sizes.
  std::optional<double> variance_before = std::nullopt;
  std::optional<double> variance_after = std::nullopt;
  std::optional<AlignmentMeasures> alignment = std::nullopt;  ///< of the test set
  double seconds = 0.0;
  std::optional<double> cpu_seconds = std::nullopt;
  std::optional<double> training_seconds = std::nullopt;  ///< of cpu_seconds
  std::string version = {};
  std::string commit = {};  ///< that the program was built from, or unknown
  std::size_t threads = 1;
  std::string processor = {};  ///< its model name, or unknown; empty in old lines
  std::string date = {};       ///< completion time in UTC, as 2026-01-31T12:00:00Z
  std::string error = {};      ///< empty without an error

  bool operator==(const EvaluationResult&) const = default;
};

/// The cost of the item: processor time, or wall-clock time if that is unknown.
[[nodiscard]] double work_seconds(const EvaluationResult& result);

/// Without a trailing newline.
[[nodiscard]] std::string to_line(const EvaluationResult& result);
/// For an item without a result: only its fields.
[[nodiscard]] std::string to_line(const WorkItem& item);
[[nodiscard]] EvaluationResult result_of_line(std::string_view line);

}  // namespace diffeo
