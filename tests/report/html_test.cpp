#include "report/html.hpp"

#include <gtest/gtest.h>

#include <string>

#include "report/assets.hpp"
#include "report/page.hpp"

namespace diffeo::report {
namespace html_test {

TEST(Html, EscapesEverythingThatHtmlReactsTo) {
  EXPECT_EQ(escaped("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
  EXPECT_EQ(escaped("Zürich φ(x) 时间"), "Zürich φ(x) 时间");
  EXPECT_EQ(escaped(std::string("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(Html, JsonCannotLeaveItsScriptElement) {
  EXPECT_EQ(escaped_json(R"({"a":"</script><!--&"})"), R"({"a":"\u003c/script\u003e\u003c!--\u0026"})");
}

TEST(Html, NumbersAreShortAndKeepTheirDigitsForMachines) {
  EXPECT_EQ(short_number(155.04), "155");
  EXPECT_EQ(short_number(0.561349), "0.5613");
  EXPECT_EQ(short_number(1234.5), "1234");
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(percent(0.9333333), "93.3\u00a0%");
  EXPECT_EQ(percent(1.0), "100\u00a0%");
  EXPECT_EQ(counted(1, "class", "classes"), "1 class");
  EXPECT_EQ(counted(1000, "class", "classes"), "1,000 classes");
  EXPECT_EQ(data_element(1.0 / 3.0, "0.3"), "<data value=\"0.3333333333333333\">0.3</data>");
}

TEST(Page, HasWhatItNeedsInsideAndForbidsTheRest) {
  const std::string html = html_of({.title = "</title><script>alert(1)</script>",
                                    .body = "<p>Hello</p>",
                                    .numbers = R"(["</script>"])",
                                    .styles = chart_styles(),
                                    .scripts = chart_scripts()});
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_NE(html.find("<title>&lt;/title&gt;&lt;script&gt;"), std::string::npos);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(html.find(asset("probe.js")), std::string::npos);
  EXPECT_EQ(html.find("src=\""), std::string::npos);
  EXPECT_EQ(html.find("@import"), std::string::npos);
  std::size_t ends = 0;
  for (auto at = html.find("</script>"); at != std::string::npos; at = html.find("</script>", at + 1)) ++ends;
  EXPECT_EQ(ends, 2u);
}

TEST(Assets, AreAskedForByName) {
  EXPECT_TRUE(asset("flow.js").starts_with("// The flow of a continuous velocity field"));
  EXPECT_THROW((void)asset("none.js"), std::logic_error);
}

}  // namespace html_test
}  // namespace diffeo::report
