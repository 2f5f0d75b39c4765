#include "diffeo/work_claim.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <fstream>
#include <thread>

#include "support/temporary_directory.hpp"

namespace diffeo {
namespace work_claim_test {

using testing::TemporaryDirectory;
using namespace std::chrono_literals;

constexpr auto kLongLease = std::chrono::milliseconds(std::chrono::hours(1));

std::int64_t milliseconds_from_now(std::chrono::milliseconds delay) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             (std::chrono::system_clock::now() + delay).time_since_epoch())
      .count();
}

/// A claim of another machine.
void write_foreign_claim(const std::filesystem::path& folder, std::chrono::milliseconds left) {
  std::ofstream(folder / "key.1") << R"({"host":"elsewhere","process_space":"another","pid":1,"token":"t","expires":)"
                                  << milliseconds_from_now(left) << "}\n";
}

TEST(WorkClaim, BelongsToOneAtATime) {
  const TemporaryDirectory folder;
  {
    const std::optional<WorkClaim> claim = WorkClaim::take(folder.path(), "key", kLongLease);
    EXPECT_TRUE(claim.has_value());
    EXPECT_FALSE(WorkClaim::take(folder.path(), "key", kLongLease).has_value());
    EXPECT_TRUE(WorkClaim::take(folder.path(), "other", kLongLease).has_value());
  }
  EXPECT_TRUE(WorkClaim::take(folder.path(), "key", kLongLease).has_value());  // given back
}

TEST(WorkClaim, LeavesNothingWhenTheWorkIsFinished) {
  const TemporaryDirectory folder;
  write_foreign_claim(folder.path(), -1s);
  WorkClaim::take(folder.path(), "key", kLongLease)->finish();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(WorkClaim, OfAnotherMachineCountsUntilItExpires) {
  const TemporaryDirectory folder;
  write_foreign_claim(folder.path(), 1h);
  EXPECT_FALSE(WorkClaim::take(folder.path(), "key", kLongLease).has_value());
  write_foreign_claim(folder.path(), -1ms);
  EXPECT_TRUE(WorkClaim::take(folder.path(), "key", kLongLease).has_value());
}

TEST(WorkClaim, ThatNobodyCanReadIsNone) {
  const TemporaryDirectory folder;
  for (const char* text : {"", "nonsense", "{\"expires\":\"never\"}"}) {
    std::ofstream(folder.path() / "key.1") << text;
    EXPECT_TRUE(WorkClaim::take(folder.path(), "key", kLongLease).has_value()) << text;
  }
}

TEST(WorkClaim, IsTakenOverByExactlyOneOfThoseWhoTry) {
  constexpr std::ptrdiff_t takers = 8;
  for (int round = 0; round < 10; ++round) {
    const TemporaryDirectory folder;
    write_foreign_claim(folder.path(), -1s);
    std::barrier together(takers);
    std::atomic<int> winners = 0;
    {
      std::vector<std::jthread> threads;
      for (std::ptrdiff_t taker = 0; taker < takers; ++taker) {
        threads.emplace_back([&] {
          together.arrive_and_wait();
          const std::optional<WorkClaim> claim = WorkClaim::take(folder.path(), "key", kLongLease);
          if (claim) ++winners;
          together.arrive_and_wait();  // nobody gives it back before all have tried
        });
      }
    }
    EXPECT_EQ(winners, 1);
  }
}

TEST(WorkClaim, IsRenewedAsLongAsItIsHeld) {
  const TemporaryDirectory folder;
  constexpr auto lease = 400ms;  // renewed every 100: time enough for a busy machine
  const std::optional<WorkClaim> claim = WorkClaim::take(folder.path(), "key", lease);
  std::this_thread::sleep_for(2 * lease);
  EXPECT_FALSE(WorkClaim::take(folder.path(), "key", lease).has_value());
}

TEST(WorkClaim, OfAProcessThatIsGoneCanBeTakenAtOnce) {
  const TemporaryDirectory folder;
  const pid_t child = fork();
  if (child == 0) {
    const std::optional<WorkClaim> claim = WorkClaim::take(folder.path(), "key", kLongLease);
    _exit(claim ? 0 : 1);  // as if it were killed: nothing is given back
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "key.1"));
  EXPECT_TRUE(WorkClaim::take(folder.path(), "key", kLongLease).has_value());
}

}  // namespace work_claim_test
}  // namespace diffeo
