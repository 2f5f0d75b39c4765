#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "diffeo/alignment_quality.hpp"
#include "diffeo/nearest_centroid.hpp"
#include "diffeo/prepare.hpp"
#include "diffeo/report.hpp"
#include "report_values.hpp"
#include "support/message_of.hpp"

namespace diffeo {
namespace report_figures_test {

using testing::message_of;

Dataset labeled(const std::vector<std::pair<std::vector<double>, std::string>>& cases) {
  Dataset set;
  for (const auto& [values, label] : cases) set.add_case(values, label);
  return set;
}

TEST(ReportFigures, VariancesAreThoseOfTheLibraryClassByClass) {
  const Dataset series = generate_cbf(20, 3, 40);
  const AlignmentReport report = testing::aligned_report(series);
  const ReportFigures figures = report_figures(report);
  const Alignment alignment = align(series, {.cells = 8, .max_iterations = 5});
  ASSERT_EQ(figures.groups.size(), 3u);
  double before = 0.0;
  double after = 0.0;
  for (std::size_t group = 0; group < 3; ++group) {
    EXPECT_EQ(figures.groups[group].name, alignment.classes[group].name);
    EXPECT_EQ(figures.groups[group].variance_before, alignment.classes[group].variance_before);
    EXPECT_EQ(figures.groups[group].variance, alignment.classes[group].variance);
    const double share = static_cast<double>(figures.groups[group].items.size()) / 20.0;
    before += share * alignment.classes[group].variance_before;
    after += share * alignment.classes[group].variance;
  }
  EXPECT_DOUBLE_EQ(figures.variance_before, before);
  EXPECT_DOUBLE_EQ(*figures.variance, after);
  EXPECT_FALSE(figures.accuracy);
}

TEST(ReportFigures, AccuracyIsThatOfTheNearestCentroidAndTheMatrixAddsUp) {
  AlignmentReport report = testing::bumps_report(60, 40);
  NearestCentroid classifier;
  classifier.fit(report.series);
  report.centroids = classifier.centroids();
  report.predicted = classifier.predict(report.series);
  const ReportFigures figures = report_figures(report);
  EXPECT_DOUBLE_EQ(*figures.accuracy, classifier.score(report.series));
  std::size_t sum = 0;
  for (std::size_t row = 0; row < 3; ++row) {
    for (const std::size_t count : figures.confusion[row]) sum += count;
    EXPECT_EQ(*figures.groups[row].hits, figures.confusion[row][row]);
  }
  EXPECT_EQ(sum, 60u);
}

TEST(ReportFigures, ClassesThatOneSideDoesNotKnowAreMissesNotErrors) {
  AlignmentReport report;
  report.series = labeled({{{0, 1}, "new"}, {{0, 1}, "b"}, {{0, 1}, "b"}});
  report.centroids = labeled({{{0, 1}, "a"}, {{1, 0}, "b"}});
  report.predicted = {0, 1, 0};
  const ReportFigures figures = report_figures(report);
  EXPECT_EQ(figures.predicted_names, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(figures.confusion, (std::vector<std::vector<std::size_t>>{{1, 1}, {0, 1}}));
  EXPECT_DOUBLE_EQ(*figures.accuracy, 1.0 / 3.0);
  EXPECT_EQ(figures.groups[1].hits, 0u);
}

TEST(ReportFigures, ClassesAreInAnOrderOfTheirOwnNotOfTheFile) {
  AlignmentReport report;
  report.series = labeled(
      {{{0, 1}, "b"}, {{0, 1}, "10"}, {{0, 1}, "nan"}, {{0, 1}, "-2"}, {{0, 1}, "9.5"}, {{0, 1}, "a"}, {{0, 1}, "9"}});
  std::vector<std::string> names;
  for (const ReportGroup& group : report_figures(report).groups) names.push_back(group.name);
  EXPECT_EQ(names, (std::vector<std::string>{"-2", "9", "9.5", "10", "a", "b", "nan"}));
}

TEST(ReportFigures, SeriesWithoutLabelsAreGroupedByPredictionOrNotAtAll) {
  AlignmentReport report;
  report.series.add_case(std::vector<double>{0, 1});
  report.series.add_case(std::vector<double>{1, 0});
  ASSERT_EQ(report_figures(report).groups.size(), 1u);
  EXPECT_EQ(report_figures(report).groups[0].name, "");
  report.centroids = labeled({{{0, 1}, "a"}, {{1, 0}, "b"}});
  report.predicted = {1, 0};
  const ReportFigures figures = report_figures(report);
  ASSERT_EQ(figures.groups.size(), 2u);
  EXPECT_EQ(figures.groups[0].items, (std::vector<std::size_t>{1}));
  EXPECT_FALSE(figures.accuracy);
}

TEST(ReportFigures, SeriesOfDifferentLengthsAreComparedAtTheCommonLength) {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  AlignmentReport report;
  report.series = labeled({{{0, 2, 4}, "a"}, {{1, kMissing, 3, 4, 5}, "a"}});
  report.aligned = labeled({{{0, 1, 2, 3, 4}, "a"}, {{1, kMissing, 3, 4, 5}, "a"}});
  const ReportFigures figures = report_figures(report);
  EXPECT_EQ(figures.groups[0].variance_before, within_variance(resample(report.series, 5)));
  EXPECT_EQ(figures.groups[0].variance_before, *figures.groups[0].variance);
}

TEST(ReportFigures, RefusesValuesThatDoNotFitTogether) {
  AlignmentReport report;
  EXPECT_EQ(message_of([&] { (void)report_figures(report); }), "series: expected at least one, got none");
  report.series = labeled({{{0, 1}, "a"}, {{1, 0}, "b"}});
  report.aligned = labeled({{{0, 1}, "a"}});
  EXPECT_EQ(message_of([&] { (void)report_figures(report); }), "aligned: expected one for each of the 2 series, got 1");
  report.aligned = report.series;
  report.velocities = {Matrix(2, 3), Matrix(1, 3)};
  EXPECT_EQ(message_of([&] { (void)report_figures(report); }), "velocities: expected 2 rows of at least 2, got 1 of 3");
  report.velocities.clear();
  report.predicted = {0};
  EXPECT_EQ(message_of([&] { (void)report_figures(report); }),
            "predicted: expected one for each of the 2 series, got 1");
  report.predicted = {0, 5};
  EXPECT_EQ(message_of([&] { (void)report_figures(report); }),
            "predicted: expected numbers of the centroids' 0 classes");
}

}  // namespace report_figures_test
}  // namespace diffeo
