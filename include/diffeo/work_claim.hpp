// A claim on a work item, visible to all processes and machines that share the folder.
//
//   if (std::optional<WorkClaim> claim = WorkClaim::take("results/claims", work_key(item), lease)) {
//     ...                                              // renewed automatically while this object lives
//     claim->finish();                                 // there is a result: the claim is no longer needed
//   }                                                  // without finish: others may take it at once
//
// A claim is a file, CLAIMS/KEY.1, that contains its owner (host, process, a random token) and its expiry. It is
// created with its content by link(), which succeeds only once. A killed process stops renewing. An expired claim stays
// in place, and another process takes over the work by creating the next one, CLAIMS/KEY.2, again by link(): of several
// processes one succeeds. Nothing is ever replaced or moved, so a claim is never missing and never belongs to two.
//
//   * an item is free if it has no claim, an expired or unreadable one, or one of a dead process of this machine
//   * a claim that outlives its lease (a sleeping computer) may be taken over while its first owner still
//     works: duplicate results must then be resolved elsewhere (diffeo/result_store.hpp)
//   * the clocks of machines that share a folder agree to a fraction of the lease
//   * FileAccessError for errors of the file system
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace diffeo {

class WorkClaim {
 public:
  /// Empty if another process holds it. The folder must exist.
  [[nodiscard]] static std::optional<WorkClaim> take(const std::filesystem::path& folder, const std::string& key,
                                                     std::chrono::milliseconds lease);
  WorkClaim(WorkClaim&&) noexcept;
  WorkClaim& operator=(WorkClaim&&) noexcept;
  /// Releases the work, unless it is finished.
  ~WorkClaim();

  /// Removes the claim and those before it.
  void finish();

 private:
  class Held;
  explicit WorkClaim(std::unique_ptr<Held> held);

  std::unique_ptr<Held> held_;
};

}  // namespace diffeo
