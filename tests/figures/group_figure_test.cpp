#include "diffeo/figures/group_figure.hpp"

#include "figure_support.hpp"

namespace diffeo {
namespace group_figure_test {

using testing::holds;
using testing::number_of;
using testing::occurrences;

TEST(GroupFigure, HasAPointForEveryScoreAndABarForEveryMean) {
  const std::vector<std::string> kinds = {"Spectro", "Sensor", "Spectro", "Spectro"};
  const std::string svg = group_figure(testing::small_table(), kinds);
  testing::expect_figure(svg);
  EXPECT_EQ(occurrences(svg, "r=\"2.6\""), 12u);
  EXPECT_EQ(occurrences(svg, "stroke-width=\"3\""), 6u);
  EXPECT_TRUE(holds(svg, "<title>Spectro, diffeo: mean 0.833</title>"));
  EXPECT_TRUE(holds(svg, ">3 sets</text>"));
  EXPECT_TRUE(holds(svg, ">1 set</text>"));
  EXPECT_EQ(number_of(svg, "<title>Sensor, dba: mean 0.950", "y1"), number_of(svg, "<title>Trace, dba: 0.950", "cy"));
}

TEST(GroupFigure, IsDrawnOfOneDataSetAndEqualScores) {
  const std::vector<std::string> kinds = {testing::kHostile};
  testing::expect_figure(group_figure({{"a"}, {"x", "y"}, {{0.5, 0.5}}}, kinds));
}

TEST(GroupFigure, RefusesAnotherNumberOfGroups) {
  const std::vector<std::string> kinds = {"one"};
  EXPECT_THROW((void)group_figure(testing::small_table(), kinds), std::invalid_argument);
  EXPECT_THROW((void)group_figure({}, {}), std::invalid_argument);
}

}  // namespace group_figure_test
}  // namespace diffeo
