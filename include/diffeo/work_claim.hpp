// A piece of work that is being done: said to everybody who shares the folder, on this machine and on others.
//
//   if (std::optional<WorkClaim> claim = WorkClaim::take("results/claims", work_key(item), lease)) {
//     ...                                              // renewed by itself, as long as this object lives
//     claim->finish();                                 // there is a result: nobody needs the claim any more
//   }                                                  // without finish: others may take it at once
//
// A claim is a file, CLAIMS/KEY.1, that says who (host, process, a random token) and until when. It comes into being
// with its content, by link(), which succeeds once. Whoever is killed stops renewing; an expired claim stays where it
// is, and the work is taken over by making the next one, CLAIMS/KEY.2, again by link(): of several takers one succeeds,
// and nothing is ever replaced or moved, so there is no moment in which a claim is missing or belongs to two.
//
//   * held by nobody: no claim, an expired or unreadable one, or one of a process of this machine that is gone
//   * a claim that lasts longer than its lease (a computer asleep) may be taken over while its first holder still
//     works: whatever is done twice then must be told apart elsewhere (diffeo/result_store.hpp)
//   * machines that share a folder have clocks that agree to a fraction of the lease
//   * FileAccessError for what the system refuses
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace diffeo {

class WorkClaim {
 public:
  /// Nothing where somebody else holds it. The folder must be there.
  [[nodiscard]] static std::optional<WorkClaim> take(const std::filesystem::path& folder, const std::string& key,
                                                     std::chrono::milliseconds lease);
  WorkClaim(WorkClaim&&) noexcept;
  WorkClaim& operator=(WorkClaim&&) noexcept;
  /// Gives the work back, unless it is finished.
  ~WorkClaim();

  /// Removes the claim and those before it.
  void finish();

 private:
  class Held;
  explicit WorkClaim(std::unique_ptr<Held> held);

  std::unique_ptr<Held> held_;
};

}  // namespace diffeo
