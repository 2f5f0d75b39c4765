#include "cli/suggestion.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace diffeo::cli {
namespace suggestion_test {

const std::vector<std::string> kNames = {"align", "average", "benchmark", "report"};

TEST(Suggestion, FindsANameWithOneLetterWrongMissingOrTooMany) {
  EXPECT_EQ(nearest_name("benchmerk", kNames), "benchmark");
  EXPECT_EQ(nearest_name("reprt", kNames), "report");
  EXPECT_EQ(nearest_name("aliggn", kNames), "align");
}

TEST(Suggestion, CountsSwappedNeighborsOnce) { EXPECT_EQ(nearest_name("algin", kNames), "align"); }

TEST(Suggestion, CompletesTheBeginningOfAName) { EXPECT_EQ(nearest_name("av", kNames), "average"); }

TEST(Suggestion, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("transmogrify", kNames), "");
  EXPECT_EQ(suggestion("x", kNames), "");
}

TEST(Suggestion, ReadsAsAQuestion) { EXPECT_EQ(suggestion("alignn", kNames), "; did you mean align?"); }

}  // namespace suggestion_test
}  // namespace diffeo::cli
