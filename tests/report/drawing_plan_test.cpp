#include "report/drawing_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "report_values.hpp"

namespace diffeo::report {
namespace drawing_plan_test {

using Sizes = std::vector<std::size_t>;

DrawingPlan plan_of(const AlignmentReport& report, const ReportDrawing& drawing = {}) {
  return plan_drawing(report, report_figures(report), drawing);
}

TEST(DrawingPlan, ClassesShareEvenlyAndLeaveWhatTheyDoNotNeedToOthers) {
  EXPECT_EQ(shared_out(Sizes{100, 100, 100}, 30), (Sizes{10, 10, 10}));
  EXPECT_EQ(shared_out(Sizes{100, 2, 100}, 30), (Sizes{14, 2, 14}));
  EXPECT_EQ(shared_out(Sizes{3, 2, 1}, 30), (Sizes{3, 2, 1}));
  EXPECT_EQ(shared_out(Sizes{50, 50}, 3), (Sizes{1, 2}));
}

TEST(DrawingPlan, EveryClassIsDrawnHoweverFewSeriesAreAskedFor) {
  EXPECT_EQ(shared_out(Sizes{9, 9, 9, 9}, 1), (Sizes{1, 1, 1, 1}));
}

TEST(DrawingPlan, DrawsEverythingThatFits) {
  const DrawingPlan plan = plan_of(testing::bumps_report(30, 60));
  EXPECT_EQ(plan.cases(), 30u);
  EXPECT_EQ(plan.points, 60u);
  EXPECT_EQ(plan.channels, 1u);
}

TEST(DrawingPlan, TakesSeriesOfTheRightClassesOnceEachAndAsTheSeedSays) {
  const AlignmentReport report = testing::bumps_report(90, 20);
  const ReportFigures figures = report_figures(report);
  const DrawingPlan plan = plan_drawing(report, figures, {.cases = 12, .seed = 7});
  EXPECT_EQ(plan.cases(), 12u);
  for (std::size_t group = 0; group < plan.items.size(); ++group) {
    EXPECT_TRUE(std::ranges::is_sorted(plan.items[group]));
    EXPECT_EQ(std::ranges::adjacent_find(plan.items[group]), plan.items[group].end());
    for (const std::size_t item : plan.items[group]) EXPECT_EQ(report.series.labels()[item], group);
  }
  EXPECT_EQ(plan.items, plan_drawing(report, figures, {.cases = 12, .seed = 7}).items);
  EXPECT_NE(plan.items, plan_drawing(report, figures, {.cases = 12, .seed = 8}).items);
}

TEST(DrawingPlan, ReducesWhatIsDrawnUntilItFits) {
  AlignmentReport many_cells = testing::bumps_report(30, 50);
  many_cells.velocities = {Matrix(30, 65'537)};
  const DrawingPlan few_cases = plan_of(many_cells);
  EXPECT_LT(few_cases.cases(), 30u);
  EXPECT_GE(few_cases.cases(), 3u);

  AlignmentReport many_channels;
  many_channels.series = Dataset(963);
  many_channels.series.add_case(std::vector<double>(963 * 144, 1.0));
  EXPECT_EQ(plan_of(many_channels).channels, 24u);
}

}  // namespace drawing_plan_test
}  // namespace diffeo::report
