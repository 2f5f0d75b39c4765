#include "diffeo/figures/embedding_figure.hpp"

#include <limits>

#include "figure_support.hpp"

namespace diffeo {
namespace embedding_figure_test {

using testing::holds;
using testing::occurrences;

EmbeddingPlot points_of(std::size_t count, std::size_t classes) {
  EmbeddingPlot plot{.dataset = "Trace", .classes = {}, .before = {}, .after = {}};
  for (std::size_t point = 0; point < count; ++point) {
    plot.classes.push_back(std::to_string(point % classes));
    plot.before.push_back({static_cast<double>(point * 7 % 13), static_cast<double>(point * 5 % 11)});
    plot.after.push_back({static_cast<double>(point % classes), static_cast<double>(point)});
  }
  return plot;
}

TEST(EmbeddingFigure, HasEveryPointInBothPanels) {
  const std::string svg = embedding_figure(points_of(12, 3));
  testing::expect_figure(svg);
  EXPECT_EQ(occurrences(svg, " r=\"3\""), 24u);
  EXPECT_EQ(occurrences(svg, "<g fill="), 6u);
  EXPECT_EQ(occurrences(svg, "r=\"4.5\""), 3u);  // of the legend
  EXPECT_TRUE(holds(svg, "t-SNE of 12 series of 3 classes"));
}

TEST(EmbeddingFigure, StaysSmallWithManyPointsAndClasses) {
  const std::string svg = embedding_figure(points_of(250, 37));
  testing::expect_figure(svg);
  EXPECT_LT(svg.size(), 60'000u);
  EXPECT_EQ(occurrences(svg, "r=\"4.5\""), 0u);  // too many classes for a legend
}

TEST(EmbeddingFigure, IsDrawnOfOnePointAndOfEqualPoints) {
  testing::expect_figure(embedding_figure(points_of(1, 1)));
  testing::expect_figure(
      embedding_figure({testing::kHostile, {testing::kHostile, "b"}, {{1, 1}, {1, 1}}, {{0, 0}, {0, 0}}}));
}

TEST(EmbeddingFigure, RefusesValuesThatDoNotFitTogether) {
  EmbeddingPlot plot = points_of(4, 2);
  plot.after.pop_back();
  EXPECT_THROW((void)embedding_figure(plot), std::invalid_argument);
  plot = points_of(4, 2);
  plot.before[2][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)embedding_figure(plot), std::invalid_argument);
  EXPECT_THROW((void)embedding_figure({}), std::invalid_argument);
}

}  // namespace embedding_figure_test
}  // namespace diffeo
