// What tests ask of the text of a figure.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "diffeo/statistics/score_table.hpp"

namespace diffeo::testing {

inline std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

inline bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// The value of an attribute of the first element that contains `mark` before it ends (its title included).
inline double number_of(std::string_view svg, std::string_view mark, std::string_view name) {
  const std::size_t at = svg.find(mark);
  EXPECT_NE(at, std::string_view::npos) << mark;
  if (at == std::string_view::npos) return 0.0;
  const std::size_t line = svg.rfind('\n', at) + 1;
  const std::string opening = std::string(" ") + std::string(name) + "=\"";
  const std::size_t start = svg.find(opening, line) + opening.size();
  return std::stod(std::string(svg.substr(start, svg.find('"', start) - start)));
}

/// Every element is closed in the order in which it was opened, and no letter stands where XML has none.
inline void expect_well_formed(std::string_view svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string_view::npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string_view::npos);
    const std::string tag(svg.substr(at + 1, end - at - 1));
    EXPECT_EQ(tag.find('<'), std::string::npos) << tag;
    if (tag.back() == '/') continue;
    if (tag.front() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
      continue;
    }
    ASSERT_FALSE(open.empty()) << tag;
    EXPECT_EQ(open.back(), tag.substr(1));
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
  for (const std::string_view wrong : {"nan", "inf", "\"-0\""})
    EXPECT_FALSE(holds(svg, std::string("=\"").append(wrong)));
}

/// What every figure promises.
inline void expect_figure(std::string_view svg) {
  expect_well_formed(svg);
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  for (const std::string_view part :
       {" width=\"", " height=\"", " viewBox=\"0 0 ", "<title>", "<desc>", "role=\"img\""}) {
    EXPECT_TRUE(holds(svg, part)) << part;
  }
  EXPECT_EQ(occurrences(svg, "<svg"), 1u);
  EXPECT_FALSE(holds(svg, " id=\""));
  EXPECT_FALSE(holds(svg, "<script"));
}

inline constexpr const char* kHostile = "</title><script>alert('x')</script>&\"\x01\xff";

inline ScoreTable small_table() {
  return {{"Coffee", "Trace", "Beef", "Wine"},
          {"diffeo", "euclidean", "dba"},
          {{1.0, 0.9, 0.9}, {0.9, 0.5, 0.95}, {0.7, 0.6, 0.5}, {0.8, 0.8, 0.7}}};
}

}  // namespace diffeo::testing
