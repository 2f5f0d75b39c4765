// Results that survive, in a folder that several processes and machines can share.
//
//   ResultStore store("results");                       // makes the folder, reads what is there
//   if (std::optional<WorkClaim> claim = store.claim(item)) {
//     store.add(evaluated(item));
//     claim->finish();
//   }
//
//   results.jsonl        results that are settled: one line of JSON each (diffeo/evaluation_result.hpp)
//   items/KEY.json       one line each, of results that will be settled; KEY is the item's work_key
//   claims/KEY.N         who is working on what (diffeo/work_claim.hpp)
//
// A result is written beside, brought to disk and then given its name by link(), which succeeds once: of two processes
// that did the same work, the first one's result counts and the other's is dropped. Settling appends results to
// results.jsonl, brings it to disk and only then removes their files, so an item may be in both for a moment, and
// counts once; the reader looks at items/ first, so it never misses one that is being moved.
//
//   * no item ever has two results, and whoever is killed at any moment loses what was being worked on, nothing else
//   * settling happens when a store is opened and when it is asked for, by one process at a time; others go on without
//   * a last line that does not end is kept, and given its end, where it is a whole result, as an editor may leave it;
//     else it was being written when somebody was killed, and whoever settles cuts it off
//   * FileError for a line that is no result, with its number; FileAccessError for what the system refuses
//   * not to be used from several threads at once; a child process may go on with a copy
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

/// How long a claim lasts without being renewed. Long enough for folders that other machines see late.
inline constexpr std::chrono::milliseconds kUsualLease = std::chrono::minutes(2);

class ResultStore {
 public:
  explicit ResultStore(const std::filesystem::path& directory, std::chrono::milliseconds lease = kUsualLease);
  ResultStore(const ResultStore&) = delete;
  ResultStore& operator=(const ResultStore&) = delete;

  [[nodiscard]] const std::filesystem::path& directory() const noexcept { return directory_; }
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
  /// As far as was looked: those that were there, then those added, here or by others.
  [[nodiscard]] const std::vector<EvaluationResult>& results() const noexcept { return results_; }
  [[nodiscard]] bool contains(const WorkItem& item) const { return items_.contains(item); }
  /// Null where there is none.
  [[nodiscard]] const EvaluationResult* find(const WorkItem& item) const;

  /// Looks for what others have added since.
  void refresh();
  /// Nothing where somebody is working on it.
  [[nodiscard]] std::optional<WorkClaim> claim(const WorkItem& item) const;
  /// Whether this one counts, as opposed to one that was there before.
  bool add(const EvaluationResult& result);
  /// Whether it was done, as opposed to left to somebody who is doing it.
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

/// What a folder of results holds, without changing it; nothing where there is no such folder.
[[nodiscard]] std::vector<EvaluationResult> read_results(const std::filesystem::path& directory);

}  // namespace diffeo
