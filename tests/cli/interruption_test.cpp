#include "cli/interruption.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace diffeo::cli {
namespace interruption_test {

volatile std::sig_atomic_t reached = 0;

TEST(Interruption, NotesASignalAndGivesTheHandlerBack) {
  struct sigaction own {};
  own.sa_handler = [](int) { reached = 1; };
  struct sigaction before {};
  sigaction(SIGTERM, &own, &before);
  {
    const Interruption interruption;
    EXPECT_FALSE(interruption.requested());
    raise(SIGTERM);
    EXPECT_TRUE(interruption.requested());
    EXPECT_EQ(reached, 0);
  }
  raise(SIGTERM);
  EXPECT_EQ(reached, 1);
  EXPECT_FALSE(Interruption().requested());
  sigaction(SIGTERM, &before, nullptr);
}

TEST(Interruption, MayBeAskedToTerminateSeveralTimes) {
  const Interruption interruption;
  raise(SIGTERM);
  raise(SIGTERM);  // would end this process
  EXPECT_TRUE(interruption.requested());
}

TEST(Interruption, LeavesSignalsIgnoredThatWereIgnored) {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction ignoring {};
    ignoring.sa_handler = SIG_IGN;
    struct sigaction before {};
    sigaction(signal, &ignoring, &before);
    {
      const Interruption interruption;
      raise(signal);
      EXPECT_FALSE(interruption.requested());
    }
    struct sigaction after {};
    sigaction(signal, &before, &after);
    EXPECT_EQ(after.sa_handler, SIG_IGN);
  }
}

}  // namespace interruption_test
}  // namespace diffeo::cli
