#include "diffeo/figures/gain_figure.hpp"

#include "figure_support.hpp"

namespace diffeo {
namespace gain_figure_test {

using testing::holds;
using testing::number_of;
using testing::occurrences;

GainPlot rising() {
  return {"diffeo", "euclidean", "training cases", {"a", "b", "c", "d"}, {10, 100, 1000, 10000}, {-0.1, 0.0, 0.1, 0.2}};
}

TEST(GainFigure, PutsPowersOfTenAtEqualDistances) {
  const std::string svg = gain_figure(rising());
  testing::expect_figure(svg);
  EXPECT_EQ(occurrences(svg, "<circle"), 4u);
  const double first = number_of(svg, "<title>a:", "cx");
  const double second = number_of(svg, "<title>b:", "cx");
  const double third = number_of(svg, "<title>c:", "cx");
  EXPECT_NEAR(second - first, third - second, 0.2);  // coordinates are to a tenth
  EXPECT_EQ(number_of(svg, "<title>b:", "cy"), number_of(svg, "stroke-dasharray=\"4 4\"", "y1"));
}

TEST(GainFigure, GivesCorrelationsWithThePropertyAsItIsDrawn) {
  EXPECT_TRUE(gain_correlation_text(rising()).starts_with("Spearman 1.00 (p < 0.0001), Pearson 1.00 (p < 0.0001)"));
  EXPECT_TRUE(holds(gain_figure(rising()), ">Spearman 1.00"));
  GainPlot linear = rising();
  linear.is_logarithmic = false;
  EXPECT_TRUE(gain_correlation_text(linear).starts_with("Spearman 1.00 (p < 0.0001), Pearson 0.8"));
}

TEST(GainFigure, IsDrawnWhereNothingCanBeCorrelated) {
  EXPECT_EQ(gain_correlation_text({"a", "b", "p", {"x"}, {5}, {0.1}}), "");
  testing::expect_figure(gain_figure({"a", "b", "p", {"x"}, {5}, {0.1}}));
  testing::expect_figure(gain_figure({"a", "b", "p", {"x", "y", "z"}, {5, 5, 5}, {0, 0, 0}}));
  testing::expect_figure(gain_figure({testing::kHostile, testing::kHostile, testing::kHostile, {"x"}, {5}, {0.1}}));
}

TEST(GainFigure, RefusesWhatItCannotPlace) {
  GainPlot plot = rising();
  plot.values[0] = 0.0;
  EXPECT_THROW((void)gain_figure(plot), std::invalid_argument);
  plot.is_logarithmic = false;
  EXPECT_NO_THROW((void)gain_figure(plot));
  plot.gains.pop_back();
  EXPECT_THROW((void)gain_figure(plot), std::invalid_argument);
  EXPECT_THROW((void)gain_figure({}), std::invalid_argument);
}

}  // namespace gain_figure_test
}  // namespace diffeo
