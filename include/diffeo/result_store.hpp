// A folder of results that survives crashes and that several processes and machines can share.
//
//   ResultStore store("results");                       // creates the folder, reads existing results
//   if (std::optional<WorkClaim> claim = store.claim(item)) {
//     store.add(evaluated(item));
//     claim->finish();
//   }
//
//   results.jsonl        settled results: one line of JSON each (diffeo/evaluation_result.hpp)
//   items/KEY.json       one line each, of results not settled yet; KEY is the item's work_key
//   claims/KEY.N         who is working on what (diffeo/work_claim.hpp)
//
// A result is first written under a temporary name and flushed to disk. Then link() gives it its name, which succeeds
// only once: if two processes did the same work, the first result counts and the other is dropped. Settling appends
// results to results.jsonl, flushes it and only then removes their files. So an item may be in both for a moment, and
// counts once. Readers look at items/ first, so they never miss a result that is being moved.
//
//   * no item ever has two results, and a killed process loses only the work in progress
//   * settling happens when a store is opened and on request, by one process at a time; the others continue without it
//   * an incomplete last line is kept and completed if it is a whole result, as an editor may leave it.
//     Otherwise a killed process was writing it, and settling cuts it off
//   * FileError for a line that is no result, with its number; FileAccessError for errors of the file system
//   * not thread-safe; a child process may continue with a copy
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diffeo/evaluation_result.hpp"
#include "diffeo/work_claim.hpp"

namespace diffeo {

/// How long a claim lasts without renewal. Long enough for folders that other machines see with a delay.
inline constexpr std::chrono::milliseconds kUsualLease = std::chrono::minutes(2);

class ResultStore {
 public:
  explicit ResultStore(const std::filesystem::path& directory, std::chrono::milliseconds lease = kUsualLease);
  ResultStore(const ResultStore&) = delete;
  ResultStore& operator=(const ResultStore&) = delete;

  [[nodiscard]] const std::filesystem::path& directory() const noexcept { return directory_; }
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
  /// As of the last refresh: existing results first, then those added here or by others.
  [[nodiscard]] const std::vector<EvaluationResult>& results() const noexcept { return results_; }
  [[nodiscard]] bool contains(const WorkItem& item) const { return items_.contains(item); }
  /// Null if there is none.
  [[nodiscard]] const EvaluationResult* find(const WorkItem& item) const;

  /// Reads results that others have added since.
  void refresh();
  /// Empty if another process is working on it.
  [[nodiscard]] std::optional<WorkClaim> claim(const WorkItem& item) const;
  /// Returns whether this result counts, rather than an earlier one.
  bool add(const EvaluationResult& result);
  /// Returns whether it was done here, rather than left to another process.
  bool settle();

 private:
  void read_items();
  void read_file();
  void keep(EvaluationResult result);

  std::filesystem::path directory_;
  std::filesystem::path file_;
  std::chrono::milliseconds lease_;
  std::vector<EvaluationResult> results_;
  std::map<WorkItem, std::size_t> items_;  // where in results_
  std::set<std::string> seen_files_;       // of items/
  std::size_t read_bytes_ = 0;             // of results.jsonl, in whole lines
  std::size_t read_lines_ = 0;
};

/// The results in a folder, without changing it; empty if there is no such folder.
[[nodiscard]] std::vector<EvaluationResult> read_results(const std::filesystem::path& directory);

}  // namespace diffeo
