// Results in a file that survives: DIRECTORY/results.jsonl, one line of JSON each (diffeo/evaluation_result.hpp).
//
//   ResultStore store("results");                       // makes the directory, reads what is there
//   if (!store.contains(item)) store.add(evaluated(item));
//
//   * a line is appended whole and brought to disk before `add` returns: whoever is killed loses what was being worked
//     on, nothing else
//   * a last line that does not end was being written when somebody was killed; it is cut off
//   * one at a time: while a store is open, opening it again is refused, here and in other processes
//   * FileError for a line that is no result, with its number; FileAccessError for what the system refuses
//   * not to be used from several threads at once
#pragma once

#include <filesystem>
#include <set>
#include <vector>

#include "diffeo/evaluation_result.hpp"

namespace diffeo {

class ResultStore {
 public:
  explicit ResultStore(const std::filesystem::path& directory);
  ResultStore(const ResultStore&) = delete;
  ResultStore& operator=(const ResultStore&) = delete;
  ~ResultStore();

  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
  /// Those that were there, then those added.
  [[nodiscard]] const std::vector<EvaluationResult>& results() const noexcept { return results_; }
  [[nodiscard]] bool contains(const WorkItem& item) const { return items_.contains(item); }

  void add(const EvaluationResult& result);

 private:
  void read();
  void keep(EvaluationResult result);

  std::filesystem::path file_;
  int descriptor_ = -1;
  std::vector<EvaluationResult> results_;
  std::set<WorkItem> items_;
};

}  // namespace diffeo
