#include "diffeo/figures/before_after_figure.hpp"

#include <vector>

#include "figure_support.hpp"

namespace diffeo {
namespace before_after_figure_test {

using testing::holds;
using testing::number_of;
using testing::occurrences;

TEST(BeforeAfterFigure, HasADumbbellForEveryRow) {
  const std::vector<BeforeAfter> rows = {{"Trace", 100, 10}, {"Beef", 10, 1}, {"Wine", 1, 2}};
  const std::string svg = before_after_figure("variance", rows);
  testing::expect_figure(svg);
  EXPECT_EQ(occurrences(svg, "r=\"4.2\""), 3u);
  EXPECT_TRUE(holds(svg, "Lower after than before on 2 of 3 data sets."));
  EXPECT_TRUE(holds(svg, "<title>Trace: 100 before, 10 after, 10 % left</title>"));
  const std::string trace = "<title>Trace: 100 before, 10 after, 10 % left</title></line>";
  const std::string beef = "<title>Beef: 10 before, 1 after, 10 % left</title></line>";
  EXPECT_NEAR(number_of(svg, trace, "x1") - number_of(svg, trace, "x2"),
              number_of(svg, beef, "x1") - number_of(svg, beef, "x2"), 0.2);  // the same factor; to a tenth
  EXPECT_EQ(number_of(svg, trace, "x2"), number_of(svg, beef, "x1"));
}

TEST(BeforeAfterFigure, IsDrawnOfOneRowAndOfZeros) {
  testing::expect_figure(before_after_figure("variance", std::vector<BeforeAfter>{{"a", 2, 2}}));
  testing::expect_figure(before_after_figure(testing::kHostile, std::vector<BeforeAfter>{{testing::kHostile, 0, 0}}));
}

TEST(BeforeAfterFigure, RefusesNegativeValuesAndNoRows) {
  EXPECT_THROW((void)before_after_figure("v", {}), std::invalid_argument);
  EXPECT_THROW((void)before_after_figure("v", std::vector<BeforeAfter>{{"a", -1, 1}}), std::invalid_argument);
}

}  // namespace before_after_figure_test
}  // namespace diffeo
