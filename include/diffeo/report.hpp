// A report about an alignment: one self-contained HTML file, made from plain values.
//
//   AlignmentReport report;
//   report.title = "Gestures";
//   report.series = read_dataset("gestures.ts");
//   report.aligned = aligner.transform(report.series);
//   write_report("report.html", report);
//
// For every class it shows the series before and after, their warps and velocity fields, and a slider that moves
// every series along its flow. It also shows the centroids, variances, the confusion matrix, curves and options
// (docs/guide/report.md). Missing inputs are left out.
//
//   * figures (variances, means, spreads, accuracy) use all series. At most `cases` of them are drawn,
//     taken evenly from the classes with a seed, in at most `points` steps; if that is not all, the page says
//     so
//   * under 5 MB for any number, length and channels of the series: what is drawn is reduced until it fits
//   * series without labels are grouped by the predicted class; without predictions they are one group
//   * text is escaped; the page loads nothing
//   * the same values give the same bytes
//   * std::invalid_argument for inconsistent values
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo {

/// One line of a training chart: `values` over 1, 2, ...
struct ReportCurve {
  std::string chart;  ///< the quantity; curves with the same name share a chart
  std::string axis;   ///< the unit of the x axis: epoch, step
  std::string name;   ///< of the line
  std::vector<double> values;
};

/// A row of a table.
struct ReportRow {
  std::string name;
  std::string value;
  std::string help = {};
};

struct AlignmentReport {
  std::string title;
  Dataset series;                   ///< as recorded
  std::optional<Dataset> aligned;   ///< one for each of `series`, of equal length
  std::vector<Matrix> velocities;   ///< one per layer, (cases, cells + 1) on [0, 1], the flow at time 1; or none
  bool composed = true;             ///< aligned is series o phi_1 o ... o phi_L to rounding; false for approximations
  std::vector<ReportRow> measures;  ///< how well the series align, in words
  std::string measures_help;        ///< a sentence for the caption: what aligned them
  Dataset centroids;                ///< one per class, of equal length; no cases if there are none
  std::string centroid_help;        ///< a sentence for the caption: what they are
  std::vector<std::size_t> predicted;        ///< the number of the centroid's class for every series; or none
  std::string prediction_help;               ///< a sentence for the caption: how
  std::optional<double> unaligned_accuracy;  ///< of nearest means of the unaligned series, for comparison
  std::vector<ReportCurve> curves;
  std::string curve_help;  ///< a sentence for the caption
  std::vector<ReportRow> options;
  std::vector<ReportRow> provenance;  ///< files, version, date
};

/// Limits of what is drawn.
struct ReportDrawing {
  std::size_t cases = 240;  ///< at most, but at least one per class
  std::size_t points = 256;
  std::uint64_t seed = 0;
};

/// The figures of one class, computed from all its series.
struct ReportGroup {
  std::string name;  ///< empty for a single group without labels and predictions
  std::vector<std::size_t> items;
  double variance_before = 0.0;    ///< within_variance (diffeo/alignment_quality.hpp), at the length of `aligned`
  std::optional<double> variance;  ///< of the aligned series
  std::optional<std::size_t> hits;
};

struct ReportFigures {
  std::vector<ReportGroup> groups;  ///< classes by name: numbers by value, then words alphabetically
  double variance_before = 0.0;     ///< over the classes, each weighted by its number of series
  std::optional<double> variance;
  std::optional<double> accuracy;  ///< if labels and predictions are known
  /// confusion[i][j]: series of group i predicted as predicted_names[j], which starts in the order of the groups.
  std::vector<std::vector<std::size_t>> confusion;
  std::vector<std::string> predicted_names;
};

[[nodiscard]] ReportFigures report_figures(const AlignmentReport& report);

struct ReportPage {
  std::string html;
  ReportFigures figures;
  std::size_t cases_drawn = 0;
  std::size_t points_drawn = 0;
};

[[nodiscard]] ReportPage make_report(const AlignmentReport& report, const ReportDrawing& drawing = {});

/// make_report into a temporary file, which is then renamed.
ReportPage write_report(const std::filesystem::path& path, const AlignmentReport& report,
                        const ReportDrawing& drawing = {});

}  // namespace diffeo
