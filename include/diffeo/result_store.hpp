// A folder of results that survives crashes. One process at a time adds to it; any number may read.
//
//   ResultStore store("results");                       // creates and locks the folder, reads existing results
//   if (!store.contains(item)) store.add(evaluated(item));
//
//   results.jsonl    one line of JSON per result (diffeo/evaluation_result.hpp)
//   .lock            locked (flock) while a store exists; names the process and its host
//
//   * std::runtime_error if another store has the lock. The kernel releases it when its process ends, however it ends
//   * add() writes a whole line and flushes it to disk before it returns: a killed process loses only work in progress
//   * no item ever has two results: the first one counts
//   * opening a store completes a last line that only lacks its end, as an editor may leave it. Any other last line
//     without an end is cut off: a killed process was writing it. repair() reports that
//   * FileError for a line that is no result, with its number; FileAccessError for errors of the file system
//   * not thread-safe
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "diffeo/evaluation_result.hpp"

namespace diffeo {

class ResultStore {
 public:
  explicit ResultStore(const std::filesystem::path& directory);
  ResultStore(const ResultStore&) = delete;
  ResultStore& operator=(const ResultStore&) = delete;
  ~ResultStore();

  [[nodiscard]] const std::filesystem::path& directory() const noexcept { return directory_; }
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
  /// In the order of their lines.
  [[nodiscard]] const std::vector<EvaluationResult>& results() const noexcept { return results_; }
  [[nodiscard]] bool contains(const WorkItem& item) const { return places_.contains(item); }
  /// Null if there is none.
  [[nodiscard]] const EvaluationResult* find(const WorkItem& item) const;
  /// What opening the store cut off, in one line; empty if nothing.
  [[nodiscard]] const std::string& repair() const noexcept { return repair_; }

  /// Returns the result that counts: this one, or the first one of its item.
  const EvaluationResult& add(const EvaluationResult& result);
  /// In a forked child: closes the child's copy of the lock, which would otherwise outlive the parent.
  void leave_lock_to_parent() noexcept;

 private:
  class Lock;

  std::filesystem::path directory_;
  std::filesystem::path file_;
  std::unique_ptr<Lock> lock_;
  std::vector<EvaluationResult> results_;
  std::map<WorkItem, std::size_t> places_;  // in results_
  std::string repair_;
};

/// The results in a folder, without changing it; empty if there is no such folder.
[[nodiscard]] std::vector<EvaluationResult> read_results(const std::filesystem::path& directory);

}  // namespace diffeo
