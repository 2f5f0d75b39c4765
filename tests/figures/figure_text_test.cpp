#include "figures/figure_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace diffeo::figures {
namespace figure_text_test {

TEST(FigureText, EscapesWhatXmlReactsTo) {
  EXPECT_EQ(figure_escaped("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
  EXPECT_EQ(figure_escaped("Zürich φ(x) 时间 𝛼"), "Zürich φ(x) 时间 𝛼");
}

TEST(FigureText, ReplacesWhatXmlDoesNotAllow) {
  const std::string replacement = "\xEF\xBF\xBD";
  EXPECT_EQ(figure_escaped("a\x01z"), "a" + replacement + "z");
  EXPECT_EQ(figure_escaped("a\xffz"), "a" + replacement + "z");
  EXPECT_EQ(figure_escaped("a\xc3"), "a" + replacement);                               // cut off
  EXPECT_EQ(figure_escaped("\xed\xa0\x80"), replacement + replacement + replacement);  // half a pair
  EXPECT_EQ(figure_escaped("\xc0\xaf"), replacement + replacement);                    // a long slash
  EXPECT_EQ(figure_escaped("\xef\xbf\xbf"), replacement + replacement + replacement);  // no character
  EXPECT_EQ(figure_escaped("two\nlines"), "two lines");
}

TEST(FigureText, WritesCoordinatesToATenth) {
  EXPECT_EQ(coordinate(12.0), "12");
  EXPECT_EQ(coordinate(0.25), "0.3");
  EXPECT_EQ(coordinate(-3.14), "-3.1");
  EXPECT_EQ(coordinate(-0.01), "0");
}

TEST(FigureText, WritesNumbersForPeople) {
  EXPECT_EQ(shown_number(0.56134), "0.561");
  EXPECT_EQ(shown_number(-3.0), "−3");
  EXPECT_EQ(shown_number(1.2e-5, 2), "1.2e−5");
  EXPECT_EQ(shown_number(1.2e12, 2), "1.2e12");
  EXPECT_EQ(shown_number(std::numeric_limits<double>::quiet_NaN()), "missing");
  EXPECT_EQ(fixed_number(0.82, 3), "0.820");
  EXPECT_EQ(fixed_number(-0.0001, 2), "0.00");
  EXPECT_EQ(shown_p_value(0.0312), "p = 0.031");
  EXPECT_EQ(shown_p_value(1e-9), "p < 0.0001");
}

TEST(FigureText, IsCutWhereThereIsNoRoom) {
  EXPECT_EQ(fitted_text("short", 12.0, 100.0), "short");
  const std::string cut = fitted_text("a very long name of a method", 12.0, 60.0);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_LE(text_width(cut, 12.0), 60.0);
  EXPECT_GT(text_width("wide", 12.0), text_width("wid", 12.0));
}

}  // namespace figure_text_test
}  // namespace diffeo::figures
