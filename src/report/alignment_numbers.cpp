#include "report/alignment_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "diffeo/alignment_quality.hpp"
#include "diffeo/prepare.hpp"
#include "report/class_order.hpp"
#include "report/packed_numbers.hpp"

namespace diffeo::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostCurvePoints = 400;

/// The drawn series in the order of their groups.
std::vector<std::size_t> drawn_items(const DrawingPlan& plan) {
  std::vector<std::size_t> items;
  for (const auto& group : plan.items) items.insert(items.end(), group.begin(), group.end());
  return items;
}

/// The first channels of every case, case by case.
std::vector<double> values_of(const Dataset& set, std::size_t channels) {
  std::vector<double> values;
  for (std::size_t item = 0; item < set.cases(); ++item) {
    const SeriesView<const double> series = set.series(item);
    values.insert(values.end(), series.data, series.data + channels * series.length);
  }
  return values;
}

std::string packed_set(const Dataset& set, const DrawingPlan& plan) {
  return packed_floats(values_of(resample(set, plan.points), plan.channels));
}

Json series_json(const Dataset& series, const DrawingPlan& plan) {
  Json numbers = Json::array();
  Json lengths = Json::array();
  std::vector<double> values;
  for (const std::size_t item : drawn_items(plan)) {
    const std::vector<std::size_t> one = {item};
    const std::size_t length = std::min(series.length(item), plan.points);
    const std::vector<double> own = values_of(resample(series.subset(one), length), plan.channels);
    values.insert(values.end(), own.begin(), own.end());
    numbers.push_back(item + 1);
    lengths.push_back(length);
  }
  return {{"numbers", numbers}, {"lengths", lengths}, {"values", packed_floats(values)}};
}

Json velocities_json(const std::vector<Matrix>& layers, const DrawingPlan& plan) {
  Json packed = Json::array();
  for (const Matrix& layer : layers) {
    std::vector<double> values;
    for (const std::size_t item : drawn_items(plan)) {
      values.insert(values.end(), layer.row(item).begin(), layer.row(item).end());
    }
    packed.push_back(packed_doubles(values));
  }
  return {{"vertices", layers.front().columns()}, {"layers", packed}};
}

/// Mean and standard deviation of all series of every group that is drawn.
Json summaries_json(const Dataset& set, std::size_t length, const ReportFigures& figures, const DrawingPlan& plan) {
  Dataset means(set.channels());
  Dataset deviations(set.channels());
  for (std::size_t group = 0; group < plan.items.size(); ++group) {
    const Dataset members = resample(set.subset(figures.groups[group].items), length);
    means.add_case(mean_series(members));
    std::vector<double> spread = variance_series(members);
    for (double& value : spread) value = std::sqrt(value);
    deviations.add_case(spread);
  }
  return {{"mean", packed_set(means, plan)}, {"deviation", packed_set(deviations, plan)}};
}

Json classes_json(const ReportFigures& figures, const ClassColors& colors, const DrawingPlan& plan) {
  Json classes = Json::array();
  std::size_t first = 0;
  for (std::size_t group = 0; group < plan.items.size(); ++group) {
    classes.push_back({{"name", shown_name(figures.groups[group])},
                       {"color", colors.of(figures.groups[group].name)},
                       {"cases", figures.groups[group].items.size()},
                       {"first", first},
                       {"drawn", plan.items[group].size()}});
    first += plan.items[group].size();
  }
  return classes;
}

/// The group that a centroid belongs to; -1 for a class that no series drawn has.
std::ptrdiff_t group_of(const Dataset& centroids, std::size_t number, const ReportFigures& figures,
                        const DrawingPlan& plan) {
  if (!centroids.labeled()) return figures.groups.size() == 1 ? 0 : -1;
  for (std::size_t group = 0; group < plan.items.size(); ++group) {
    if (figures.groups[group].name == centroids.label(number)) return static_cast<std::ptrdiff_t>(group);
  }
  return -1;
}

Json centroids_json(const Dataset& centroids, const ReportFigures& figures, const ClassColors& colors,
                    const DrawingPlan& plan) {
  Json names = Json::array();
  Json groups = Json::array();
  Json numbers = Json::array();  // of colors
  std::vector<std::size_t> shown;
  for (std::size_t number = 0; number < std::min(centroids.cases(), kMostCentroids); ++number) {
    shown.push_back(number);
    names.push_back(centroids.labeled() ? centroids.label(number) : "all series");
    groups.push_back(group_of(centroids, number, figures, plan));
    numbers.push_back(centroids.labeled() ? colors.of(centroids.label(number)) : 0);
  }
  return {{"names", names},
          {"groups", groups},
          {"colors", numbers},
          {"values", shown.empty() ? "" : packed_set(centroids.subset(shown), plan)}};
}

/// Every so many values, and the last one.
Json curve_line(const ReportCurve& curve) {
  Json x = Json::array();
  Json y = Json::array();
  const std::size_t stride = curve.values.size() / kMostCurvePoints + 1;
  for (std::size_t i = 0; i < curve.values.size(); ++i) {
    if (i % stride != 0 && i + 1 != curve.values.size()) continue;
    x.push_back(i + 1);
    y.push_back(curve.values[i]);
  }
  return {{"name", curve.name}, {"x", x}, {"y", y}};
}

Json curves_json(const std::vector<ReportCurve>& curves) {
  Json charts = Json::array();
  for (const ReportCurve& curve : curves) {
    auto chart = std::ranges::find_if(
        charts, [&](const Json& each) { return each["name"].get_ref<const std::string&>() == curve.chart; });
    if (chart == charts.end()) {
      charts.push_back({{"name", curve.chart}, {"axis", curve.axis}, {"lines", Json::array()}});
      chart = charts.end() - 1;
    }
    (*chart)["lines"].push_back(curve_line(curve));
  }
  return charts;
}

}  // namespace

bool shows_averages(const AlignmentReport& report) { return !report.aligned && !report.centroids.empty(); }

std::string shown_name(const ReportGroup& group) { return group.name.empty() ? "all series" : group.name; }

std::string alignment_numbers(const AlignmentReport& report, const ReportFigures& figures, const DrawingPlan& plan) {
  const std::size_t length = report.aligned ? report.aligned->longest() : report.series.longest();
  const ClassColors colors(figures, report.centroids);
  Json numbers = {{"kind", shows_averages(report) ? "averages" : "alignment"},
                  {"channels", plan.channels},
                  {"points", plan.points},
                  {"classes", classes_json(figures, colors, plan)},
                  {"series", series_json(report.series, plan)},
                  {"before", summaries_json(report.series, length, figures, plan)},
                  {"aligned", nullptr},
                  {"after", nullptr},
                  {"velocities", nullptr},
                  {"centroids", centroids_json(report.centroids, figures, colors, plan)},
                  {"curves", curves_json(report.curves)}};
  if (report.aligned) {
    numbers["aligned"] = packed_set(report.aligned->subset(drawn_items(plan)), plan);
    numbers["after"] = summaries_json(*report.aligned, length, figures, plan);
  }
  if (!report.velocities.empty()) numbers["velocities"] = velocities_json(report.velocities, plan);
  // Names that are not UTF-8 are shown as far as they go.
  return numbers.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace diffeo::report
