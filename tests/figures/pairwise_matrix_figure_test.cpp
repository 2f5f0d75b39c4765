#include "diffeo/figures/pairwise_matrix_figure.hpp"

#include "figure_support.hpp"

namespace diffeo {
namespace pairwise_matrix_figure_test {

using testing::holds;
using testing::occurrences;

TEST(PairwiseMatrixFigure, HasANumberForEveryPair) {
  const ScoreTable table = testing::small_table();
  const std::string svg = pairwise_matrix_figure(table.methods, pairwise_comparisons(table), PairwiseQuantity::wins);
  testing::expect_figure(svg);
  EXPECT_EQ(occurrences(svg, "</title></rect>"), 6u);
  EXPECT_TRUE(holds(svg, "<title>diffeo against euclidean: 3 wins, 1 ties, 0 losses, mean difference 0.1500</title>"));
  EXPECT_TRUE(holds(svg, "<title>dba against diffeo: 1 wins, 0 ties, 3 losses, mean difference −0.0875</title>"));
}

TEST(PairwiseMatrixFigure, GivesTheChangeOfMeanScoresInPercent) {
  const ScoreTable table = testing::small_table();
  const std::string svg =
      pairwise_matrix_figure(table.methods, pairwise_comparisons(table), PairwiseQuantity::relative_change);
  testing::expect_figure(svg);
  EXPECT_TRUE(holds(svg, ">+21.4 %</text>"));  // 0.85 against 0.7
  EXPECT_TRUE(holds(svg, ">−17.6 %</text>"));
}

TEST(PairwiseMatrixFigure, IsDrawnOfOneMethodAndOfEqualOnes) {
  const ScoreTable one{{"a"}, {testing::kHostile}, {{0.5}}};
  testing::expect_figure(pairwise_matrix_figure(one.methods, pairwise_comparisons(one), PairwiseQuantity::wins));
  const ScoreTable equal{{"a"}, {"x", "y"}, {{0.0, 0.0}}};
  testing::expect_figure(
      pairwise_matrix_figure(equal.methods, pairwise_comparisons(equal), PairwiseQuantity::relative_change));
}

TEST(PairwiseMatrixFigure, RefusesMatricesOfAnotherSize) {
  const std::vector<std::string> methods = {"x", "y"};
  EXPECT_THROW((void)pairwise_matrix_figure(methods, {}, PairwiseQuantity::wins), std::invalid_argument);
  EXPECT_THROW((void)pairwise_matrix_figure({}, {}, PairwiseQuantity::wins), std::invalid_argument);
}

}  // namespace pairwise_matrix_figure_test
}  // namespace diffeo
