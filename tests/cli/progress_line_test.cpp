#include "cli/progress_line.hpp"

#include <gtest/gtest.h>

namespace diffeo::cli {
namespace {

TEST(ProgressLine, SaysTimesAsPeopleDo) {
  EXPECT_EQ(duration_text(0.0), "0 s");
  EXPECT_EQ(duration_text(7.2), "8 s");
  EXPECT_EQ(duration_text(130.0), "3 min");
  EXPECT_EQ(duration_text(7500.0), "2 h 05 min");
}

TEST(ProgressLine, ShowsNothingWhereItIsQuietOrTheWorkIsShort) {
  ::testing::internal::CaptureStderr();
  ProgressLine(true).show("half");
  ProgressLine(false).show("half");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace diffeo::cli
