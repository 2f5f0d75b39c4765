#include "cli/typed_command.hpp"

#include <gtest/gtest.h>

namespace diffeo::cli {
namespace typed_command_test {

TEST(TypedCommand, QuotesWhatAShellWouldTakeApart) {
  const char* const arguments[] = {"bin/diffeo", "fit", "my file.tsv", "--loss=variance", "it's", ""};
  EXPECT_EQ(typed_command(6, arguments), R"(bin/diffeo fit 'my file.tsv' --loss=variance 'it'\''s' '')");
}

TEST(TypedCommand, GetsAnOptionMoreUnlessItIsThere) {
  EXPECT_EQ(with_option("diffeo fit a -o b", "--resume"), "diffeo fit a -o b --resume");
  EXPECT_EQ(with_option("diffeo fit --resume a -o b", "--resume"), "diffeo fit --resume a -o b");
  EXPECT_EQ(with_option("diffeo fit a --resume", "--resume"), "diffeo fit a --resume");
}

}  // namespace typed_command_test
}  // namespace diffeo::cli
