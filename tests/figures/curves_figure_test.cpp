#include "diffeo/figures/curves_figure.hpp"

#include <limits>

#include "figure_support.hpp"

namespace diffeo {
namespace curves_figure_test {

using testing::holds;
using testing::number_of;
using testing::occurrences;

CurvesPlot two_lines() {
  return {.title = "Accuracy by cells",
          .horizontal = "cells",
          .vertical = "accuracy",
          .is_horizontal_logarithmic = true,
          .lines = {{"diffeo", {4, 16, 64}, {0.7, 0.8, 0.75}, {0.6, 0.7, 0.7}, {0.8, 0.85, 0.8}},
                    {"dtan", {4, 16, 64}, {0.5, 0.6, 0.65}}}};
}

TEST(CurvesFigure, HasALineAndMarksForEachAndABandWhereThereIsOne) {
  const std::string svg = curves_figure(two_lines());
  testing::expect_figure(svg);
  EXPECT_EQ(occurrences(svg, "r=\"3.2\""), 6u);
  EXPECT_EQ(occurrences(svg, "fill=\"none\""), 2u);
  EXPECT_EQ(occurrences(svg, "fill-opacity=\"0.18\""), 1u);
  EXPECT_TRUE(holds(svg, "<title>dtan: 0.65 at 64</title>"));
}

TEST(CurvesFigure, NamesItsLinesWhereThereAreSeveral) {
  EXPECT_TRUE(holds(curves_figure(two_lines()), ">diffeo</text>"));
  CurvesPlot alone = two_lines();
  alone.lines.pop_back();
  EXPECT_FALSE(holds(curves_figure(alone), ">diffeo</text>"));
}

TEST(CurvesFigure, PutsFactorsAtEqualDistancesOnALogarithmicAxis) {
  const std::string svg = curves_figure(two_lines());
  const double first = number_of(svg, "<title>diffeo: 0.7 at 4<", "cx");
  const double second = number_of(svg, "<title>diffeo: 0.8 at 16<", "cx");
  const double third = number_of(svg, "<title>diffeo: 0.75 at 64<", "cx");
  EXPECT_NEAR(second - first, third - second, 0.2);  // coordinates are to a tenth
}

TEST(CurvesFigure, NamesTheValuesOfALogarithmicAxisWhereTheyAreFew) {
  const std::string svg = curves_figure(two_lines());
  for (const char* tick : {">4</text>", ">16</text>", ">64</text>"}) EXPECT_TRUE(holds(svg, tick)) << tick;
  EXPECT_FALSE(holds(svg, ">5</text>"));
}

TEST(CurvesFigure, LeavesGapsWhereNothingCanBeDrawn) {
  CurvesPlot plot = two_lines();
  plot.lines = {{"a", {1, 2, 3, 4, 5}, {1, 2, std::numeric_limits<double>::quiet_NaN(), 4, 5}}};
  const std::string svg = curves_figure(plot);
  EXPECT_EQ(occurrences(svg, "fill=\"none\""), 2u);
  EXPECT_EQ(occurrences(svg, "r=\"3.2\""), 4u);
  plot.is_vertical_logarithmic = true;
  plot.lines[0].y[0] = 0.0;  // its neighbour is alone then, a mark without a line
  EXPECT_EQ(occurrences(curves_figure(plot), "fill=\"none\""), 1u);
  EXPECT_EQ(occurrences(curves_figure(plot), "r=\"3.2\""), 3u);
}

TEST(CurvesFigure, IsDrawnOfOnePointAndOfNone) {
  testing::expect_figure(
      curves_figure({.title = testing::kHostile, .horizontal = "x", .vertical = "y", .lines = {{"a", {1}, {1}}}}));
  testing::expect_figure(curves_figure({.title = "t", .horizontal = "x", .vertical = "y", .lines = {{"a", {}, {}}}}));
}

TEST(CurvesFigure, RefusesListsOfDifferentLengths) {
  CurvesPlot plot = two_lines();
  plot.lines[0].y.pop_back();
  EXPECT_THROW((void)curves_figure(plot), std::invalid_argument);
  plot = two_lines();
  plot.lines[0].high.clear();
  EXPECT_THROW((void)curves_figure(plot), std::invalid_argument);
  EXPECT_THROW((void)curves_figure({}), std::invalid_argument);
}

}  // namespace curves_figure_test
}  // namespace diffeo
