// Reports of what a trained model makes of series.
#include <algorithm>
#include <cstdint>
#include <iomanip>
#include <map>
#include <ranges>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/report_inputs.hpp"
#include "diffeo/alignment_measures.hpp"
#include "diffeo/error.hpp"
#include "diffeo/nearest_centroid.hpp"
#include "diffeo/prepare.hpp"
#include "diffeo/torch/temporal_aligner.hpp"
#include "diffeo/training_options.hpp"

namespace diffeo::cli {
namespace {

struct Column {
  std::string name;
  double EpochRecord::*field;
};

/// What was trained for, and how it went: terms that play no part are left out.
std::vector<Column> columns_of(const TemporalAligner& aligner) {
  std::vector<Column> columns = {{"loss (weighted sum)", &EpochRecord::loss}};
  const TrainingOptions& options = aligner.options();
  const auto add_term = [&](const Column& column, std::string_view term) {
    for (std::int64_t member = 0; member < member_count(options); ++member) {
      if (weight_of(member_loss(options, member), term) == 0.0) continue;
      columns.push_back(column);
      return;
    }
  };
  add_term({"distance to the warps taught", &EpochRecord::warps}, "warps");
  add_term({"variance", &EpochRecord::variance}, "variance");
  add_term({"variance of slopes", &EpochRecord::slopes}, "slopes");
  add_term({"inverse-consistent error", &EpochRecord::inverse_consistency}, "inverse-consistent");
  add_term({"cross-entropy", &EpochRecord::cross_entropy}, "cross-entropy");
  add_term({"recognition", &EpochRecord::recognition}, "recognition");
  if (options.prior_weight > 0.0) columns.push_back({"prior", &EpochRecord::prior});
  const auto is_measured = [&](double EpochRecord::*field) {
    return std::ranges::any_of(aligner.history(), [&](const EpochRecord& record) { return record.*field != 0.0; });
  };
  if (is_measured(&EpochRecord::validation_loss)) columns.push_back({"loss held out", &EpochRecord::validation_loss});
  if (is_measured(&EpochRecord::accuracy)) columns.push_back({"training accuracy", &EpochRecord::accuracy});
  return columns;
}

std::vector<ReportCurve> curves_of(const TemporalAligner& aligner) {
  std::map<std::int64_t, std::vector<EpochRecord>> members;
  for (const EpochRecord& record : aligner.history()) members[record.member].push_back(record);
  std::vector<ReportCurve> curves;
  for (const Column& column : columns_of(aligner)) {
    for (const auto& [member, records] : members) {
      const std::int64_t fold = member - member_count(aligner.options());
      ReportCurve curve{
          column.name, "epoch", fold < 0 ? message("member ", member + 1) : message("fold ", fold + 1), {}};
      for (const EpochRecord& record : records) curve.values.push_back(record.*column.field);
      const bool plays_a_part = std::ranges::any_of(curve.values, [](double value) { return value != 0.0; });
      if (plays_a_part) curves.push_back(std::move(curve));
    }
  }
  return curves;
}

/// " (250 made, least_steps 1000)": what became of the epochs that were asked for; nothing where all members made them.
std::string epochs_made(const TemporalAligner& aligner) {
  const TrainingOptions& options = aligner.options();
  std::map<std::int64_t, std::int64_t> made;  // by each member that trained
  for (const EpochRecord& record : aligner.history()) {
    if (record.member >= member_count(options)) continue;  // a fold, trained to choose the shrinkage
    made[record.member] = std::max(made[record.member], record.epoch);
  }
  const auto [least, most] = std::ranges::minmax(made | std::views::values);
  if (least == options.epochs && most == options.epochs) return "";
  const std::string count = least == most ? message(most) : message(least, " to ", most);
  const std::string reason = most > options.epochs ? message("least_steps ", options.least_steps) : "stopped early";
  return message(" (", count, " made, ", reason, ")");
}

std::vector<ReportRow> option_rows(const TemporalAligner& aligner) {
  std::vector<ReportRow> rows;
  for (const Hyperparameter& each : hyperparameters()) {
    std::string value = hyperparameter_text(aligner.options(), each);
    if (each.name == "epochs") value += epochs_made(aligner);
    rows.push_back({std::string(each.name), std::move(value), std::string(each.help)});
  }
  return rows;
}

std::string rounded(double value, int digits = 3) {
  std::ostringstream text;
  text << std::setprecision(digits) << value;
  return text.str();
}

std::string percent(double share) { return rounded(100.0 * share) + " %"; }

std::string change(const MeasureChange& measure) {
  std::string text = message(rounded(measure.before), " before, ", rounded(measure.after), " after");
  if (measure.before > 0.0) text += message(": ", percent(measure.after / measure.before), " is left");
  return text;
}

/// The series with the labels they are grouped by: their own, else the predicted ones, if there are any.
Dataset grouped(Dataset series, const AlignmentReport& report) {
  if (report.series.labeled()) {
    series.set_labels({report.series.labels().begin(), report.series.labels().end()}, report.series.class_names());
  } else if (!report.predicted.empty()) {
    series.set_labels(report.predicted, report.centroids.class_names());
  }
  return series;
}

/// Slopes are scaled by the series themselves: a model does not keep its training series.
std::vector<ReportRow> measure_rows(const TemporalAligner& aligner, const AlignmentReport& report) {
  const Dataset series = grouped(report.series, report);
  const Dataset aligned = grouped(*report.aligned, report);
  const AlignmentMeasures found = alignment_measures(aligner, series, series);
  const MeasureChange variance{weighted_within_variance(resample(series, aligned.longest())),
                               weighted_within_variance(aligned)};
  const std::string within = !series.labeled()         ? ""
                             : report.series.labeled() ? " within classes"
                                                       : " within predicted classes";
  return {
      {"variance" + within, change(variance), "of values. Squeezing features away lowers it, too"},
      {"slope variance" + within, change(found.slope_variance),
       "of square-root slopes. It forgives heights that differ, and squeezing does not lower it"},
      {"inverse-consistent error", change(found.inverse_consistent_error),
       "the mean of a class, brought back into each series' own time, minus the series: squared, averaged"},
      {"displacement", percent(found.displacement) + " of the duration",
       "the farthest that a series moves, averaged over the series"},
      {"pace",
       message("time runs at ", rounded(found.least_slope), " to ", rounded(found.largest_slope), " times its pace"),
       "1 means no warp; near 0, time is squeezed to nothing"},
      {"mean warp", percent(found.mean_warp_distance) + " of the duration away from no warp",
       "the farthest that the mean of all warps moves a point"}};
}

/// Which network aligns, and how much of its warps is used.
std::string chosen_words(const TemporalAligner& aligner) {
  const TrainingOptions& options = aligner.options();
  const std::int64_t aligning = aligning_member(options);
  const std::int64_t count = member_count(options);
  std::string text = count == 1 ? "One network aligns and compares."
                                : message("Network ", aligning + 1, " of ", count,
                                          " aligns; networks that tell classes apart compare.");
  text += message(" Warps are used at ", percent(aligner.shrinkage()), " of their strength");
  text += options.shrinkage == "validated" ? ", chosen on training series that were held out." : ".";
  if (options.centered) text += " Over the training series the mean warp is the identity.";
  return text;
}

/// The nearest mean, sample by sample, of the training series as recorded: what there is without alignment.
std::optional<double> unaligned_accuracy(const TemporalAligner& aligner, const Dataset& series) {
  if (!series.labeled()) return std::nullopt;
  return NearestCentroid::from_centroids(aligner.unwarped_centroids()).score(resample(series, aligner.length()));
}

void add_predictions(AlignmentReport& report, const TemporalAligner& aligner) {
  if (!report.centroids.labeled()) return;
  const NearestCentroid classifier = NearestCentroid::from_centroids(aligner.comparison_centroids());
  report.predicted = classifier.predict(aligner.comparison(report.series));
  report.prediction_help =
      "Every series gets the class whose centroid, a mean of training series, is nearest to it: by the mean squared "
      "difference over the samples present, of all that the members compare. Labels are only compared with.";
  report.unaligned_accuracy = unaligned_accuracy(aligner, report.series);
}

}  // namespace

AlignmentReport report_of_model(const std::string& model, const NamedSeries& series) {
  const TemporalAligner aligner = TemporalAligner::load(model);
  require_channels(series, aligner.channels(), model);
  const TrainingOptions& options = aligner.options();
  AlignmentReport report;
  report.series = series.set;
  report.aligned = aligner.transform(series.set);
  report.velocities = aligner.velocities(series.set);
  report.composed = options.method == "exact" && (options.layers == 1 || options.composition == "compose");
  report.centroids = aligner.centroids();
  report.centroid_help = "Means of the aligned training series, as kept in the model.";
  add_predictions(report, aligner);
  report.measures = measure_rows(aligner, report);
  report.measures_help = chosen_words(aligner);
  report.curves = curves_of(aligner);
  report.curve_help =
      "Every term of the loss before its weight, averaged over the steps of an epoch; series normalized to mean 0 and "
      "standard deviation 1. A scale is logarithmic where it says so.";
  report.options = option_rows(aligner);
  report.provenance = {{"model", model},
                       {"seed of the training", std::to_string(aligner.seed())},
                       {"shrinkage", message(aligner.shrinkage()), "the time at which the trained warps are used"}};
  return report;
}

}  // namespace diffeo::cli
