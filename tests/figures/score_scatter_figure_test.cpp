#include "diffeo/figures/score_scatter_figure.hpp"

#include "figure_support.hpp"

namespace diffeo {
namespace score_scatter_figure_test {

using testing::holds;
using testing::number_of;
using testing::occurrences;

TEST(ScoreScatterFigure, HasAPointForEveryDataSet) {
  const std::string svg = score_scatter_figure(testing::small_table(), 1, 0);
  testing::expect_figure(svg);
  EXPECT_EQ(occurrences(svg, "<circle"), 4u);
  EXPECT_TRUE(holds(svg, "<title>Trace: diffeo 0.900, euclidean 0.500</title>"));
}

TEST(ScoreScatterFigure, CountsWinsAndTies) {
  const std::string svg = score_scatter_figure(testing::small_table(), 2, 0);
  EXPECT_TRUE(holds(svg, "diffeo is better on 3, dba on 1, equal on 0."));
  const std::string tied = score_scatter_figure(testing::small_table(), 1, 0);
  EXPECT_TRUE(holds(tied, ">diffeo better: 3</text>"));
  EXPECT_TRUE(holds(tied, ">euclidean better: 0</text>"));
  EXPECT_TRUE(holds(tied, ">1 tie</text>"));
}

TEST(ScoreScatterFigure, PutsEqualScoresOnTheDiagonal) {
  const std::string svg = score_scatter_figure(testing::small_table(), 1, 0);
  const double x = number_of(svg, "<title>Wine:", "cx");
  const double y = number_of(svg, "<title>Wine:", "cy");
  const std::string diagonal = "stroke-dasharray=\"4 4\"";
  const double left = number_of(svg, diagonal, "x1");
  const double low = number_of(svg, diagonal, "y1");
  const double slope = (low - number_of(svg, diagonal, "y2")) / (number_of(svg, diagonal, "x2") - left);
  EXPECT_NEAR(low - y, slope * (x - left), 0.2);  // coordinates are to a tenth
}

TEST(ScoreScatterFigure, IsDrawnOfOneDataSetAndOfEqualScores) {
  testing::expect_figure(score_scatter_figure({{"a"}, {"x", "y"}, {{0.5, 0.5}}}, 0, 1));
  testing::expect_figure(score_scatter_figure({{"a", "b"}, {"x", "y"}, {{0.0, 0.0}, {0.0, 0.0}}}, 0, 1));
}

TEST(ScoreScatterFigure, ShowsHostileNamesAsTheyAre) {
  const ScoreTable table{{testing::kHostile}, {testing::kHostile, testing::kHostile}, {{0.2, 0.5}}};
  const std::string svg = score_scatter_figure(table, 0, 1);
  testing::expect_figure(svg);
  EXPECT_EQ(svg, score_scatter_figure(table, 0, 1));
}

TEST(ScoreScatterFigure, RefusesMethodsThatAreNotThere) {
  EXPECT_THROW((void)score_scatter_figure(testing::small_table(), 0, 3), std::invalid_argument);
  EXPECT_THROW((void)score_scatter_figure({{}, {"x", "y"}, {}}, 0, 1), std::invalid_argument);
}

}  // namespace score_scatter_figure_test
}  // namespace diffeo
