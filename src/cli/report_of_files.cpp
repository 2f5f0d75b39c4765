// Reports of what align and average wrote: warps, aligned series, averages.
#include <algorithm>
#include <set>

#include "align/warp_dataset.hpp"
#include "cli/report_inputs.hpp"
#include "diffeo/error.hpp"
#include "diffeo/euclidean_mean.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/files.hpp"
#include "diffeo/nearest_centroid.hpp"
#include "diffeo/warps_file.hpp"

namespace diffeo::cli {
namespace {

constexpr std::size_t kAllCores = 0;

std::string count_text(std::size_t count, const std::string& one, const std::string& several) {
  return message(count, " ", count == 1 ? one : several);
}

void require_warps(const std::string& file, const WarpsFile& warps, const NamedSeries& series) {
  const std::size_t cases = series.set.cases();
  if (warps.velocities.rows() != cases) {
    throw FileError(
        {file}, message("expected warps of the ", count_text(cases, "series", "series"), " of ", series.file, ", got ",
                        warps.velocities.rows(), warps.source.empty() ? "" : " of " + warps.source));
  }
  if (warps.lower != 0.0 || warps.upper != 1.0) {
    throw FileError({file}, message("expected warps on [0, 1], got [", warps.lower, ", ", warps.upper, "]"));
  }
}

std::vector<ReportCurve> cost_curves(const WarpsFile& warps) {
  std::vector<ReportCurve> curves;
  for (std::size_t group = 0; group < warps.history.size(); ++group) {
    const std::string name = warps.means.labeled() ? warps.means.label(group) : "all series";
    curves.push_back({"cost", "step of the solver", name, warps.history[group]});
  }
  return curves;
}

/// Whether every case has the label, by name, that the other set has; a set without labels agrees with any.
bool same_labels(const Dataset& one, const Dataset& other) {
  if (!one.labeled() || !other.labeled()) return true;
  for (std::size_t item = 0; item < one.cases(); ++item) {
    if (one.label(item) != other.label(item)) return false;
  }
  return true;
}

bool is_aligned_form(const Dataset& result, const Dataset& series) {
  return result.cases() == series.cases() && result.equally_long() && same_labels(result, series);
}

/// One case for each of some classes of the series, or a single one without label.
bool is_averages(const Dataset& result, const Dataset& series) {
  if (!result.equally_long()) return false;
  if (!result.labeled()) return result.cases() == 1;
  const std::set<std::size_t> labels(result.labels().begin(), result.labels().end());
  const auto is_known = [&](std::size_t label) {
    return std::ranges::find(series.class_names(), result.class_names()[label]) != series.class_names().end();
  };
  return labels.size() == result.cases() && std::ranges::all_of(labels, is_known);
}

Dataset means_of(const Dataset& aligned) {
  if (aligned.labeled()) {
    NearestCentroid means;
    means.fit(aligned);
    return means.centroids();
  }
  Dataset mean(aligned.channels());
  mean.add_case(euclidean_mean(aligned).values);
  return mean;
}

}  // namespace

void require_channels(const NamedSeries& series, std::size_t channels, const std::string& what) {
  if (series.set.channels() == channels) return;
  throw FileError({series.file}, message("expected ", count_text(channels, "channel", "channels"), " as ", what,
                                         " has, got ", series.set.channels()));
}

AlignmentReport report_of_warps(const std::string& file, const NamedSeries& series) {
  WarpsFile warps = read_warps_file(file);
  require_channels(series, warps.means.channels(), file);
  require_warps(file, warps, series);
  AlignmentReport report;
  report.series = series.set;
  const Rows<const double> velocities(warps.velocities.values().data(), warps.velocities.rows(),
                                      warps.velocities.columns());
  report.aligned = warp_dataset(series.set, velocities, warps.means.longest(), kAllCores);
  report.curves = cost_curves(warps);
  report.curve_help =
      "The cost that align minimizes, step by step. It goes from smoothed series and few cells to the series "
      "themselves "
      "and all cells; costs of different smoothing are not comparable, so the curve may jump where it changes.";
  for (const auto& [name, value] : warps.options) report.options.push_back({name, value});
  report.provenance = {{"warps", file}, {"aligned from", warps.source}};
  report.velocities.push_back(std::move(warps.velocities));
  report.centroids = std::move(warps.means);
  report.centroid_help = "Means of the aligned series, as align found them.";
  return report;
}

AlignmentReport report_of_series(const std::string& file, const NamedSeries& series) {
  Dataset result = read_dataset(file);
  require_channels(series, result.channels(), file);
  AlignmentReport report;
  report.series = series.set;
  if (is_aligned_form(result, series.set)) {
    if (series.set.labeled()) {
      result.set_labels({series.set.labels().begin(), series.set.labels().end()}, series.set.class_names());
    }
    report.provenance = {{"aligned series", file}};
    report.centroids = means_of(result);
    report.centroid_help = "Means of the aligned series.";
    report.aligned = std::move(result);
  } else if (is_averages(result, series.set)) {
    report.provenance = {{"averages", file}};
    report.centroids = std::move(result);
    report.centroid_help = "Averages of the series, as they stand in the file.";
  } else {
    throw FileError({file},
                    message("expected ", series.set.cases(), " aligned series, one for each of ", series.file,
                            ", equally long and with its labels, or one average for each of its classes, got ",
                            result.cases(), " of ", result.shortest(), " to ", result.longest(), " time steps"));
  }
  return report;
}

}  // namespace diffeo::cli
