#include "diffeo/figures/frequency_figure.hpp"

#include "figure_support.hpp"

namespace diffeo {
namespace frequency_figure_test {

using testing::holds;
using testing::number_of;
using testing::occurrences;

std::vector<WinningFrequency> two_options() {
  return {{"cells", {"16", "32"}, {10, 30}}, {"layers", {"1", "5"}, {0, 40}}};
}

TEST(FrequencyFigure, BarsAreAsLongAsTheirShares) {
  const std::string svg = frequency_figure(two_options());
  testing::expect_figure(svg);
  EXPECT_EQ(occurrences(svg, "<rect"), 1u + 2u * 4u);  // the ground, and a bar on its track for every value
  EXPECT_EQ(number_of(svg, "<title>cells 16: 10 of 40", "width"), 75.0);
  EXPECT_EQ(number_of(svg, "<title>cells 32: 30 of 40", "width"), 225.0);
  EXPECT_EQ(number_of(svg, "<title>layers 1: 0 of 40", "width"), 0.0);
  EXPECT_TRUE(holds(svg, "cells: most often 32. layers: most often 5."));
}

TEST(FrequencyFigure, ShowsTheNamesOfValuesWhole) {
  const std::vector<WinningFrequency> method = {{"method", {"exact", "scaling-squaring"}, {1, 2}}};
  EXPECT_TRUE(holds(frequency_figure(method), ">scaling-squaring</text>"));
}

TEST(FrequencyFigure, IsDrawnWhereNothingWins) {
  testing::expect_figure(frequency_figure(std::vector<WinningFrequency>{{testing::kHostile, {"1"}, {0}}}));
}

TEST(FrequencyFigure, RefusesValuesThatDoNotFitTogether) {
  EXPECT_THROW((void)frequency_figure({}), std::invalid_argument);
  EXPECT_THROW((void)frequency_figure(std::vector<WinningFrequency>{{"a", {"1", "2"}, {1}}}), std::invalid_argument);
  EXPECT_THROW((void)frequency_figure(std::vector<WinningFrequency>{{"a", {"1"}, {-1}}}), std::invalid_argument);
}

}  // namespace frequency_figure_test
}  // namespace diffeo
