#include "diffeo/figures/critical_difference_figure.hpp"

#include "figure_support.hpp"

namespace diffeo {
namespace critical_difference_figure_test {

using testing::holds;
using testing::number_of;
using testing::occurrences;

CriticalDifference three_methods() {
  return {.methods = {"diffeo", "dba", "euclidean"},
          .ranks = {1.25, 2.0, 2.75},
          .cliques = {{1, 2}},
          .friedman = {.statistic = 5.2, .p_value = 0.074},
          .nemenyi_difference = 1.5};
}

TEST(CriticalDifferenceFigure, PutsMethodsAtTheirRanks) {
  const std::string svg = critical_difference_figure(three_methods());
  testing::expect_figure(svg);
  const double best = number_of(svg, "fill=\"var(--class-0, #0072b2)\"><title>diffeo: mean rank 1.25", "cx");
  const double middle = number_of(svg, "fill=\"var(--ink, #1c2733)\"><title>dba: mean rank 2.00", "cx");
  const double worst = number_of(svg, "fill=\"var(--ink, #1c2733)\"><title>euclidean: mean rank 2.75", "cx");
  EXPECT_EQ(middle, 280.0);                          // rank 2 of 1 to 3 is the middle of the drawing
  EXPECT_NEAR(middle - best, worst - middle, 0.11);  // coordinates are to a tenth
  EXPECT_LT(best, middle);
  EXPECT_TRUE(holds(svg, ">diffeo (1.25)</text>"));
}

TEST(CriticalDifferenceFigure, JoinsWhatIsNotToldApart) {
  const std::string svg = critical_difference_figure(three_methods());
  EXPECT_EQ(occurrences(svg, "stroke-width=\"4.5\""), 1u);
  EXPECT_TRUE(holds(svg, "<title>not told apart: dba, euclidean</title>"));
  EXPECT_TRUE(holds(svg, "Friedman: χ² = 5.2, p = 0.074"));
  EXPECT_FALSE(holds(svg, "critical difference 1.5"));
}

TEST(CriticalDifferenceFigure, DrawsNemenyisDifferenceToScale) {
  CriticalDifference values = three_methods();
  values.test = CliqueTest::nemenyi;
  const std::string svg = critical_difference_figure(values);
  testing::expect_figure(svg);
  EXPECT_TRUE(holds(svg, "critical difference 1.5"));
  const double rank = 0.5 *
                      (number_of(svg, "<title>euclidean: mean rank 2.75</title></circle>", "cx") -
                       number_of(svg, "<title>diffeo: mean rank 1.25</title></circle>", "cx")) /
                      0.75;
  const std::string mark = " y1=\"14\"";
  EXPECT_NEAR(number_of(svg, mark, "x2") - number_of(svg, mark, "x1"), 1.5 * rank, 0.3);
}

TEST(CriticalDifferenceFigure, IsDrawnOfOneMethodAndOfManyEqualOnes) {
  testing::expect_figure(critical_difference_figure({.methods = {"only"}, .ranks = {1.0}}));
  ScoreTable table{{"a", "b"}, {"x", "y", "z", "w"}, {{0.5, 0.5, 0.5, 0.5}, {0.7, 0.7, 0.7, 0.7}}};
  const std::string svg = critical_difference_figure(critical_difference(table));
  testing::expect_figure(svg);
  EXPECT_EQ(occurrences(svg, "stroke-width=\"4.5\""), 1u);
}

TEST(CriticalDifferenceFigure, IsTheSameForTheSameValuesAndShowsHostileNames) {
  CriticalDifference values = three_methods();
  values.methods[1] = testing::kHostile;
  const std::string svg = critical_difference_figure(values);
  EXPECT_EQ(svg, critical_difference_figure(values));
  testing::expect_figure(svg);
}

TEST(CriticalDifferenceFigure, RefusesValuesThatDoNotFitTogether) {
  CriticalDifference values = three_methods();
  values.ranks.pop_back();
  EXPECT_THROW((void)critical_difference_figure(values), std::invalid_argument);
  values = three_methods();
  values.cliques = {{1, 3}};
  EXPECT_THROW((void)critical_difference_figure(values), std::invalid_argument);
  EXPECT_THROW((void)critical_difference_figure({}), std::invalid_argument);
}

}  // namespace critical_difference_figure_test
}  // namespace diffeo
