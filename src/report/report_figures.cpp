#include <algorithm>
#include <unordered_map>

#include "diffeo/alignment_quality.hpp"
#include "diffeo/error.hpp"
#include "diffeo/prepare.hpp"
#include "report/checks.hpp"
#include "report/class_order.hpp"

namespace diffeo {
namespace {

/// Groups by number, those without series left out, in the order of their names.
std::vector<ReportGroup> grouped_by(std::span<const std::size_t> numbers, const std::vector<std::string>& names) {
  std::vector<ReportGroup> groups(names.size());
  for (std::size_t number = 0; number < names.size(); ++number) groups[number].name = names[number];
  for (std::size_t item = 0; item < numbers.size(); ++item) groups[numbers[item]].items.push_back(item);
  std::erase_if(groups, [](const ReportGroup& group) { return group.items.empty(); });
  std::ranges::sort(groups, report::comes_before, &ReportGroup::name);
  return groups;
}

std::vector<ReportGroup> groups_of(const AlignmentReport& report) {
  if (report.series.labeled()) return grouped_by(report.series.labels(), report.series.class_names());
  if (!report.predicted.empty()) return grouped_by(report.predicted, report.centroids.class_names());
  const std::vector<std::size_t> all(report.series.cases(), 0);
  return grouped_by(all, {""});
}

void add_variances(const AlignmentReport& report, ReportFigures& figures) {
  const std::size_t length = report.aligned ? report.aligned->longest() : report.series.longest();
  double variance = 0.0;
  for (ReportGroup& group : figures.groups) {
    const double weight = static_cast<double>(group.items.size()) / static_cast<double>(report.series.cases());
    group.variance_before = within_variance(resample(report.series.subset(group.items), length));
    figures.variance_before += weight * group.variance_before;
    if (!report.aligned) continue;
    group.variance = within_variance(report.aligned->subset(group.items));
    variance += weight * *group.variance;
  }
  if (report.aligned) figures.variance = variance;
}

/// The groups' names, then those of the classes that no series has.
std::vector<std::string> ordered_names(const ReportFigures& figures, const std::vector<std::string>& known) {
  std::vector<std::string> names;
  const auto knows = [&](const std::string& name) { return std::ranges::find(known, name) != known.end(); };
  for (const ReportGroup& group : figures.groups) {
    if (knows(group.name)) names.push_back(group.name);
  }
  for (const std::string& name : known) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

void add_confusion(const AlignmentReport& report, ReportFigures& figures) {
  const std::vector<std::string>& known = report.centroids.class_names();
  figures.predicted_names = ordered_names(figures, known);
  std::unordered_map<std::string, std::size_t> columns;
  for (std::size_t column = 0; column < figures.predicted_names.size(); ++column) {
    columns[figures.predicted_names[column]] = column;
  }
  std::size_t hits = 0;
  for (ReportGroup& group : figures.groups) {
    std::vector<std::size_t>& row = figures.confusion.emplace_back(figures.predicted_names.size(), 0);
    for (const std::size_t item : group.items) ++row[columns.at(known[report.predicted[item]])];
    const auto own = columns.find(group.name);
    group.hits = own == columns.end() ? 0 : row[own->second];
    hits += *group.hits;
  }
  figures.accuracy = static_cast<double>(hits) / static_cast<double>(report.series.cases());
}

}  // namespace

ReportFigures report_figures(const AlignmentReport& report) {
  report::check(report);
  ReportFigures figures;
  figures.groups = groups_of(report);
  add_variances(report, figures);
  if (report.series.labeled() && !report.predicted.empty()) add_confusion(report, figures);
  return figures;
}

}  // namespace diffeo
