#include "diffeo/statistics/reachable_accuracy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/message_of.hpp"

namespace diffeo {
namespace reachable_accuracy_test {

TEST(ReachableAccuracy, IsWhatSomeNumberOfRightAnswersHas) {
  for (const std::size_t cases : {1, 3, 28, 139, 4500}) {
    for (std::size_t right = 0; right <= cases; ++right) {
      const double exact = static_cast<double>(right) / static_cast<double>(cases);
      EXPECT_TRUE(is_reachable_accuracy(exact, cases, 15)) << right << "/" << cases;
      EXPECT_TRUE(is_reachable_accuracy(std::round(exact * 1e4) / 1e4, cases, 4)) << right << "/" << cases;
    }
  }
}

// The published figures of ECG200, FaceFour and Earthquakes.
TEST(ReachableAccuracy, IsNoneBetweenTwoNumbersOfRightAnswers) {
  EXPECT_FALSE(is_reachable_accuracy(0.795031, 100, 5));
  EXPECT_FALSE(is_reachable_accuracy(0.855122, 88, 5));
  EXPECT_FALSE(is_reachable_accuracy(0.82, 139, 5));
}

TEST(ReachableAccuracy, DependsOnTheDigitsThatWereKept) {
  EXPECT_TRUE(is_reachable_accuracy(0.82, 139, 2));  // 114 / 139 = 0.8201...
  EXPECT_TRUE(is_reachable_accuracy(0.96429, 28, 5));
  EXPECT_FALSE(is_reachable_accuracy(0.96429, 28, 6));  // 27 / 28 = 0.9642857...
}

TEST(ReachableAccuracy, IsNeverOutsideZeroAndOne) {
  EXPECT_FALSE(is_reachable_accuracy(1.1, 10, 4));
  EXPECT_FALSE(is_reachable_accuracy(-0.1, 10, 4));
}

TEST(ReachableAccuracy, NeedsCases) {
  EXPECT_EQ(testing::message_of([] { (void)is_reachable_accuracy(0.5, 0, 4); }),
            "cases: expected at least one, got none");
}

}  // namespace reachable_accuracy_test
}  // namespace diffeo
