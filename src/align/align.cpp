#include "diffeo/align.hpp"

#include <optional>
#include <string>
#include <utility>

#include "align/series_checks.hpp"
#include "align/solver.hpp"
#include "align/templates.hpp"
#include "align/warp_dataset.hpp"
#include "diffeo/alignment_quality.hpp"
#include "diffeo/error.hpp"

namespace diffeo {
namespace {

/// Options for a group that comes after a part `begin` of all cases and has a part `share` of them.
AlignOptions telling_of_all(const AlignOptions& options, double begin, double share) {
  AlignOptions result = options;
  if (!options.progress) return result;
  result.progress = [&options, begin, share](AlignStep step) {
    step.done = begin + share * step.done;
    return options.progress(step);
  };
  return result;
}

GroupSolution solve(const Dataset& series, std::span<const std::size_t> items, const SeriesView<const double>* target,
                    std::size_t length, const AlignOptions& options) {
  std::vector<SeriesView<const double>> views;
  for (const std::size_t item : items) views.push_back(series.series(item));
  return solve_group(views, target, length, options);
}

/// How far each case of a group can be trusted: compared with the template, of which it is a part of `own_share`.
void fill_quality(const Dataset& series, std::span<const std::size_t> items, SeriesView<const double> target,
                  double own_share, std::size_t threads, Alignment& result) {
  std::vector<SeriesView<const double>> views;
  std::vector<double> velocities;
  for (const std::size_t item : items) {
    views.push_back(series.series(item));
    const std::span<const double> row = result.velocities.row(item);
    velocities.insert(velocities.end(), row.begin(), row.end());
  }
  const Rows<const double> rows(velocities.data(), items.size(), result.velocities.columns());
  const std::vector<CaseQuality> quality = case_quality(views, rows, target, own_share, threads);
  for (std::size_t index = 0; index < items.size(); ++index) result.quality[items[index]] = quality[index];
}

/// Raw series on one grid, to measure the variance before alignment.
Dataset unwarped(const Dataset& series, std::size_t length, std::size_t threads) {
  const std::vector<double> rest(3, 0.0);
  return warp_dataset(series, Rows<const double>(std::span<const double>(rest)), length, threads);
}

/// To the templates, or to the means of the groups where there are none.
Alignment aligned(const Dataset& series, const Dataset* templates, const AlignOptions& options) {
  require_valid(options);
  require(!series.empty(), "series: expected at least one case, got none");
  for (std::size_t item = 0; item < series.cases(); ++item) {
    require_alignable("case " + std::to_string(item), series.series(item));
  }

  if (templates != nullptr) require_templates(*templates, series);

  const std::size_t own_length = templates == nullptr ? series.longest() : templates->longest();
  const std::size_t length = options.length == 0 ? own_length : options.length;
  const std::vector<std::vector<std::size_t>> groups = series.groups();
  std::vector<std::optional<SeriesView<const double>>> targets;
  Alignment result;
  result.velocities = Matrix(series.cases(), options.cells + 1);
  double behind = 0.0;
  for (const std::vector<std::size_t>& items : groups) {
    const double share = static_cast<double>(items.size()) / static_cast<double>(series.cases());
    const std::string name = series.labeled() ? series.label(items.front()) : "";
    const auto& target = targets.emplace_back();
    if (templates != nullptr) targets.back() = template_of(*templates, name);
    GroupSolution solution =
        solve(series, items, target ? &*target : nullptr, length, telling_of_all(options, behind, share));
    behind += share;
    for (std::size_t row = 0; row < items.size(); ++row) {
      for (std::size_t vertex = 0; vertex <= options.cells; ++vertex) {
        result.velocities(items[row], vertex) = solution.velocities(row, vertex);
      }
    }
    ClassAlignment& summary = result.classes.emplace_back();
    summary.name = name;
    summary.variance_before = within_variance(unwarped(series.subset(items), length, options.threads));
    summary.cost = solution.difference + solution.penalty;
    summary.converged = solution.converged;
    summary.model = solution.model;
    summary.history = std::move(solution.history);
  }

  const Rows<const double> velocities(result.velocities.values().data(), series.cases(), options.cells + 1);
  result.aligned = warp_dataset(series, velocities, length, options.threads);
  result.mean = Dataset(series.channels());
  result.quality.resize(series.cases());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const Dataset aligned = result.aligned.subset(groups[group]);
    result.classes[group].variance = within_variance(aligned);
    if (series.labeled()) {
      result.mean.add_case(mean_series(aligned), result.classes[group].name);
    } else {
      result.mean.add_case(mean_series(aligned));
    }
    const double own_share = targets[group] ? 0.0 : 1.0 / static_cast<double>(groups[group].size());
    fill_quality(series, groups[group], targets[group].value_or(result.mean.series(group)), own_share, options.threads,
                 result);
  }
  return result;
}

}  // namespace

Alignment align(const Dataset& series, const AlignOptions& options) { return aligned(series, nullptr, options); }

Alignment align_to(const Dataset& series, const Dataset& templates, const AlignOptions& options) {
  return aligned(series, &templates, options);
}

}  // namespace diffeo
