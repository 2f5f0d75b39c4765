#include "cli/ordered_work.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace diffeo::cli {
namespace ordered_work_test {

constexpr int kParts = 200;

/// 0, 1, ... kParts - 1.
class Counter {
 public:
  std::optional<int> next() { return next_ < kParts ? std::optional<int>(next_++) : std::nullopt; }

 private:
  int next_ = 0;
};

/// Later parts are often done first.
void take_a_while(int part) { std::this_thread::sleep_for(std::chrono::microseconds((part * 37) % 11 * 50)); }

TEST(OrderedWork, HandsResultsOnInOrderForAnyNumberOfJobs) {
  for (const std::size_t jobs : {1u, 2u, 7u}) {
    Counter counter;
    std::vector<int> results;
    ordered_work<int, int>(
        jobs, [&] { return counter.next(); },
        [](int part) {
          take_a_while(part);
          return part * part;
        },
        [&](int result) { results.push_back(result); });
    ASSERT_EQ(results.size(), static_cast<std::size_t>(kParts));
    for (int part = 0; part < kParts; ++part) EXPECT_EQ(results[static_cast<std::size_t>(part)], part * part);
  }
}

TEST(OrderedWork, HasNoMorePartsAtATimeThanJobs) {
  constexpr std::size_t kJobs = 3;
  Counter counter;
  std::atomic<int> there = 0;
  std::atomic<int> most = 0;
  ordered_work<int, int>(
      kJobs,
      [&] {
        const std::optional<int> part = counter.next();
        if (part) most = std::max<int>(most, ++there);
        return part;
      },
      [](int part) {
        take_a_while(part);
        return part;
      },
      [&](int) { --there; });
  EXPECT_LE(most, static_cast<int>(kJobs));
}

/// What came out of work in which something throws.
struct Failure {
  std::string problem;
  std::vector<int> results;
};

Failure failing(std::size_t jobs, int bad_take, int bad_work, int bad_result) {
  Failure failure;
  Counter counter;
  try {
    ordered_work<int, int>(
        jobs,
        [&] {
          const std::optional<int> part = counter.next();
          if (part == bad_take) throw std::runtime_error("take " + std::to_string(*part));
          return part;
        },
        [&](int part) {
          take_a_while(part);
          if (part >= bad_work) throw std::runtime_error("work " + std::to_string(part));
          return part;
        },
        [&](int result) {
          if (result == bad_result) throw std::runtime_error("hand on " + std::to_string(result));
          failure.results.push_back(result);
        });
  } catch (const std::runtime_error& problem) {
    failure.problem = problem.what();
  }
  return failure;
}

TEST(OrderedWork, ThrowsTheFirstErrorAfterEverythingBeforeItWasHandedOn) {
  std::vector<int> expected(60);
  std::iota(expected.begin(), expected.end(), 0);
  for (const std::size_t jobs : {1u, 4u}) {
    const Failure in_take = failing(jobs, 60, kParts, -1);
    EXPECT_EQ(in_take.problem, "take 60");
    EXPECT_EQ(in_take.results, expected);
    const Failure in_work = failing(jobs, -1, 60, -1);  // and in every part after it
    EXPECT_EQ(in_work.problem, "work 60");
    EXPECT_EQ(in_work.results, expected);
    const Failure in_result = failing(jobs, -1, kParts, 60);
    EXPECT_EQ(in_result.problem, "hand on 60");
    EXPECT_EQ(in_result.results, expected);
  }
}

TEST(OrderedWork, TakesNothingMoreOnceTakingFailed) {
  constexpr int kRuns = 1000;  // a thread that slips in between failing and stopping is seldom seen in one
  constexpr int kBadTake = 8;
  for (int run = 0; run < kRuns; ++run) {
    Counter counter;
    int takes_after = 0;
    bool has_failed = false;
    const auto take = [&]() -> std::optional<int> {
      if (has_failed) ++takes_after;
      const std::optional<int> part = counter.next();
      if (part == kBadTake) {
        has_failed = true;
        throw std::runtime_error("take");
      }
      return part;
    };
    EXPECT_THROW((ordered_work<int, int>(
                     8, take, [](int part) { return part; }, [](int) {})),
                 std::runtime_error);
    ASSERT_EQ(takes_after, 0) << "in run " << run;
  }
}

}  // namespace ordered_work_test
}  // namespace diffeo::cli
