#include "diffeo/figures/error_map_figure.hpp"

#include <limits>

#include "figure_support.hpp"

namespace diffeo {
namespace error_map_figure_test {

using testing::holds;
using testing::number_of;
using testing::occurrences;

ErrorMap small_map() {
  return {"Errors", "steps", "inner steps", {1, 10, 100}, {1, 5}, {{1e-1, 1e-2, 1e-3}, {1e-2, 1e-4, 1e-8}}};
}

TEST(ErrorMapFigure, HasACellForEveryPairFromTheBottomUp) {
  const std::string svg = error_map_figure(small_map());
  testing::expect_figure(svg);
  EXPECT_EQ(occurrences(svg, "</title></rect>"), 6u);
  const std::string low = "<title>steps 1, inner steps 1: error 0.1</title>";
  const std::string high = "<title>steps 1, inner steps 5: error 0.01</title>";
  EXPECT_GT(number_of(svg, low, "y"), number_of(svg, high, "y"));
  EXPECT_EQ(number_of(svg, low, "x"), number_of(svg, high, "x"));
}

TEST(ErrorMapFigure, ColoursRunFromTheSmallestToTheLargestError) {
  const std::string svg = error_map_figure(small_map());
  EXPECT_TRUE(holds(svg, "fill=\"#440154\"><title>steps 100, inner steps 5: error 1e−8</title>"));
  EXPECT_TRUE(holds(svg, "fill=\"#fde725\"><title>steps 1, inner steps 1: error 0.1</title>"));
  EXPECT_TRUE(holds(svg, ">−8.0</text>"));
}

TEST(ErrorMapFigure, LeavesWhatIsNotFiniteBlankAndShowsZero) {
  ErrorMap map = small_map();
  map.errors[0][0] = std::numeric_limits<double>::infinity();
  map.errors[0][1] = 0.0;
  const std::string svg = error_map_figure(map);
  testing::expect_figure(svg);
  EXPECT_TRUE(holds(svg, "fill=\"var(--blank, #eceef0)\"><title>steps 1, inner steps 1: error ∞</title>"));
  EXPECT_TRUE(holds(svg, "fill=\"#440154\"><title>steps 10, inner steps 1: error 0</title>"));
}

TEST(ErrorMapFigure, IsDrawnOfOneCellAndOfEqualErrors) {
  testing::expect_figure(error_map_figure({testing::kHostile, "a", "b", {1}, {1}, {{0.0}}}));
  testing::expect_figure(error_map_figure({"t", "a", "b", {1, 2}, {1}, {{0.5, 0.5}}}));
}

TEST(ErrorMapFigure, RefusesNegativeErrorsAndOtherNumbersOfThem) {
  ErrorMap map = small_map();
  map.errors[1][1] = -1.0;
  EXPECT_THROW((void)error_map_figure(map), std::invalid_argument);
  map = small_map();
  map.errors.pop_back();
  EXPECT_THROW((void)error_map_figure(map), std::invalid_argument);
  EXPECT_THROW((void)error_map_figure({}), std::invalid_argument);
}

}  // namespace error_map_figure_test
}  // namespace diffeo
