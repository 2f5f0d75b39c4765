#include "cli/progress_line.hpp"

#include <gtest/gtest.h>

namespace diffeo::cli {
namespace progress_line_test {

TEST(ProgressLine, SaysTimesAsPeopleDo) {
  EXPECT_EQ(duration_text(0.0), "0 s");
  EXPECT_EQ(duration_text(7.2), "8 s");
  EXPECT_EQ(duration_text(130.0), "3 min");
  EXPECT_EQ(duration_text(7500.0), "2 h 05 min");
}

TEST(ProgressLine, SaysAmountsAsPeopleDo) {
  EXPECT_EQ(amount_text(0.0123), "0.0123");
  EXPECT_EQ(amount_text(950.0), "950");
  EXPECT_EQ(amount_text(12345.0), "12.3 thousand");
  EXPECT_EQ(amount_text(1.35e6), "1.35 million");
}

TEST(ProgressLine, SaysThePaceOfASearch) {
  EXPECT_EQ(pace_text(30, 2.0, 0.0), "15 steps/s");
  EXPECT_EQ(pace_text(30, 2.0, 0.2), "15 steps/s, about 8 s left");
  EXPECT_EQ(pace_text(30, 2.0, 1.0), "15 steps/s, about 0 s left");
}

TEST(ProgressLine, DrawsABarOfTheWorkDone) {
  EXPECT_EQ(bar_text(0.0, false), "[--------------------]   0 %");
  EXPECT_EQ(bar_text(0.5, false), "[##########----------]  50 %");
  EXPECT_EQ(bar_text(0.999, false), "[###################-]  99 %");  // not done before it is
  EXPECT_EQ(bar_text(7.0, false), "[####################] 100 %");
  EXPECT_EQ(bar_text(0.0, true), "\x1b[32m[--------------------]\x1b[0m   0 %");
}

TEST(ProgressLine, ShowsNothingWhereItIsQuietOrTheWorkIsShort) {
  ::testing::internal::CaptureStderr();
  ProgressLine(true).show("half");
  ProgressLine(false).show("half");
  ProgressLine(true).show_at_once("none");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(ProgressLine, ShowsAtOnceWhatMustNotWait) {
  ::testing::internal::CaptureStderr();
  {
    ProgressLine line(false);
    line.show_at_once("none");
    line.show("half");
    line.show_at_once("all");
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "none\nall\n");
}

}  // namespace progress_line_test
}  // namespace diffeo::cli
