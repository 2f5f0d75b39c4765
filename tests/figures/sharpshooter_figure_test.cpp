#include "diffeo/figures/sharpshooter_figure.hpp"

#include <limits>

#include "figure_support.hpp"

namespace diffeo {
namespace sharpshooter_figure_test {

using testing::holds;
using testing::number_of;
using testing::occurrences;

Sharpshooter four_shots() {
  const std::vector<std::string> names = {"kept", "broken", "missed", "left"};
  const std::vector<double> baseline = {0.5, 0.5, 0.5, 0.5};
  const std::vector<double> expected = {0.75, 0.75, 0.25, 0.25};
  const std::vector<double> actual = {0.75, 0.25, 0.75, 0.25};
  return sharpshooter(names, baseline, baseline, expected, actual);
}

TEST(SharpshooterFigure, CountsItsFourRegions) {
  const std::string svg = sharpshooter_figure(four_shots(), "diffeo", "euclidean");
  testing::expect_figure(svg);
  for (const char* words : {"rightly expected: 1", "missed: 1", "rightly none: 1", "wrongly expected: 1"}) {
    EXPECT_TRUE(holds(svg, words)) << words;
  }
  EXPECT_EQ(occurrences(svg, "<circle"), 4u);
}

TEST(SharpshooterFigure, PutsPromisesKeptInTheUpperRight) {
  const std::string svg = sharpshooter_figure(four_shots(), "diffeo", "euclidean");
  EXPECT_GT(number_of(svg, "<title>kept:", "cx"), number_of(svg, "<title>left:", "cx"));
  EXPECT_LT(number_of(svg, "<title>kept:", "cy"), number_of(svg, "<title>left:", "cy"));
  EXPECT_EQ(number_of(svg, "<title>broken:", "cx"), number_of(svg, "<title>kept:", "cx"));
  EXPECT_EQ(number_of(svg, "<title>broken:", "cy"), number_of(svg, "<title>left:", "cy"));
}

TEST(SharpshooterFigure, IsDrawnOfNothingAndOfOneDataSetWithoutGain) {
  testing::expect_figure(sharpshooter_figure({}, "a", "b"));
  testing::expect_figure(sharpshooter_figure({.points = {{"x"}}, .counts = {0, 1, 0, 0}}, testing::kHostile, "b"));
}

TEST(SharpshooterFigure, RefusesGainsThatAreNotFinite) {
  Sharpshooter values = four_shots();
  values.points[1].actual_gain = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)sharpshooter_figure(values, "a", "b"), std::invalid_argument);
}

}  // namespace sharpshooter_figure_test
}  // namespace diffeo
