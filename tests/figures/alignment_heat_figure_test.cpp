#include "diffeo/figures/alignment_heat_figure.hpp"

#include <cmath>
#include <limits>

#include "figure_support.hpp"

namespace diffeo {
namespace alignment_heat_figure_test {

using testing::holds;
using testing::occurrences;

constexpr std::size_t kLargestHeat = 60'000;  // bytes, as the header promises

AlignmentHeat waves(std::size_t count, std::size_t length, std::size_t classes) {
  AlignmentHeat heat{.dataset = "Waves", .classes = {}, .before = {}, .after = {}};
  for (std::size_t item = 0; item < count; ++item) {
    heat.classes.push_back(std::to_string(item % classes));
    std::vector<double>& before = heat.before.emplace_back();
    std::vector<double>& after = heat.after.emplace_back();
    for (std::size_t step = 0; step < length; ++step) {
      before.push_back(std::sin(0.1 * static_cast<double>(step + item)));
      after.push_back(std::sin(0.1 * static_cast<double>(step)));
    }
  }
  return heat;
}

TEST(AlignmentHeatFigure, HasTwoPicturesAndNamesItsClasses) {
  const std::string svg = alignment_heat_figure(waves(9, 30, 3));
  testing::expect_figure(svg);
  EXPECT_EQ(occurrences(svg, "<image"), 2u);
  EXPECT_EQ(occurrences(svg, "href=\"data:image/png;base64,"), 2u);
  for (const char* name : {">0</text>", ">1</text>", ">2</text>", ">before</text>", ">after</text>"}) {
    EXPECT_TRUE(holds(svg, name)) << name;
  }
  EXPECT_EQ(occurrences(svg, "stroke=\"#ffffff\""), 2u);  // between three classes
}

TEST(AlignmentHeatFigure, StaysSmallWhateverIsGiven) {
  const std::string svg = alignment_heat_figure(waves(500, 1500, 50));
  testing::expect_figure(svg);
  EXPECT_LT(svg.size(), kLargestHeat);
  EXPECT_TRUE(holds(svg, "60 of 500 series"));
  EXPECT_LT(alignment_heat_figure(waves(60, 120, 60)).size(), kLargestHeat);
}

TEST(AlignmentHeatFigure, ShowsOtherValuesInOtherColours) {
  AlignmentHeat heat = waves(6, 20, 2);
  const std::string svg = alignment_heat_figure(heat);
  EXPECT_EQ(svg, alignment_heat_figure(heat));
  heat.after[0][0] = 0.9;
  EXPECT_NE(svg, alignment_heat_figure(heat));
}

TEST(AlignmentHeatFigure, IsDrawnOfOneClassOfEqualAndOfMissingValues) {
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  testing::expect_figure(alignment_heat_figure({"one", {"a"}, {{2, 2, 2}}, {{2, 2, 2}}}));
  testing::expect_figure(alignment_heat_figure({"none", {testing::kHostile}, {{missing}}, {{missing, missing}}}));
}

TEST(AlignmentHeatFigure, RefusesValuesThatDoNotFitTogether) {
  AlignmentHeat heat = waves(3, 10, 1);
  heat.before[1].pop_back();
  EXPECT_THROW((void)alignment_heat_figure(heat), std::invalid_argument);
  heat = waves(3, 10, 1);
  heat.classes.pop_back();
  EXPECT_THROW((void)alignment_heat_figure(heat), std::invalid_argument);
  EXPECT_THROW((void)alignment_heat_figure({}), std::invalid_argument);
}

}  // namespace alignment_heat_figure_test
}  // namespace diffeo
