// A page about an alignment: one HTML file that needs nothing else, made of plain values.
//
//   AlignmentReport report;
//   report.title = "Gestures";
//   report.series = read_dataset("gestures.ts");
//   report.aligned = aligner.transform(report.series);
//   write_report("report.html", report);
//
// It shows, class by class, the series before and after, their warps and velocity fields, with a slider that moves
// every series along its flow; the centroids together; variances, the confusion matrix, curves and options
// (docs/guide/report.md). What is not given is left out.
//
//   * figures (variances, means, spreads, accuracy) are computed from all series. Drawn are at most `cases` of them,
//     taken evenly from the classes with a seed, in at most `points` steps; where that is less than all, the page says
//     so
//   * under 5 MB whatever the number, length and channels of the series: what is drawn is reduced until it fits
//   * series without labels are grouped by the predicted class, or are one group where nothing is predicted
//   * text is shown as it is, whatever it contains; nothing in the page is loaded from anywhere
//   * the same values give the same bytes
//   * std::invalid_argument for values that do not fit together
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

/// One line of a chart of training: `values` over 1, 2, ...
struct ReportCurve {
  std::string chart;  ///< what is measured; curves of one name share a chart
  std::string axis;   ///< what is counted: epoch, step
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
  Dataset series;                  ///< as recorded
  std::optional<Dataset> aligned;  ///< one for each of `series`, equally long
  std::vector<Matrix> velocities;  ///< one per layer, (cases, cells + 1) on [0, 1], time 1 the warp; or none
  bool composed = true;            ///< aligned is series o phi_1 o ... o phi_L, to rounding; not so for approximations
  Dataset centroids;               ///< one per class, equally long; without cases where there are none
  std::string centroid_help;       ///< what they are, a sentence for the caption
  std::vector<std::size_t> predicted;        ///< the number, among the centroids' classes, for every series; or none
  std::string prediction_help;               ///< how, a sentence for the caption
  std::optional<double> unaligned_accuracy;  ///< of nearest means of series as recorded, for comparison
  std::vector<ReportCurve> curves;
  std::string curve_help;  ///< a sentence for the caption
  std::vector<ReportRow> options;
  std::vector<ReportRow> provenance;  ///< files, version, date
};

/// What is drawn of what there is.
struct ReportDrawing {
  std::size_t cases = 240;  ///< at most, but at least one per class
  std::size_t points = 256;
  std::uint64_t seed = 0;
};

/// The figures of one class, from all its series.
struct ReportGroup {
  std::string name;  ///< empty for the one group of series that have neither labels nor predictions
  std::vector<std::size_t> items;
  double variance_before = 0.0;    ///< within_variance (diffeo/alignment_quality.hpp), at the length of `aligned`
  std::optional<double> variance;  ///< of the aligned series
  std::optional<std::size_t> hits;
};

struct ReportFigures {
  std::vector<ReportGroup> groups;  ///< classes by name: numbers by their value, then words by their letters
  double variance_before = 0.0;     ///< over the classes, each weighted with its number of series
  std::optional<double> variance;
  std::optional<double> accuracy;  ///< where labels and predictions are known
  /// confusion[i][j]: series of group i that are predicted as predicted_names[j], which begins as the groups do.
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

/// make_report, into a file: written beside, then renamed.
ReportPage write_report(const std::filesystem::path& path, const AlignmentReport& report,
                        const ReportDrawing& drawing = {});

}  // namespace diffeo
