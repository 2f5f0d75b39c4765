#include "diffeo/joint_aligner.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "align/series_checks.hpp"
#include "align/solver.hpp"
#include "align/templates.hpp"
#include "align/warp_dataset.hpp"
#include "diffeo/error.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/threads.hpp"
#include "diffeo/warp.hpp"

namespace diffeo {
namespace {

/// Several steps at each resolution for every value: enough to know whether threads are worth starting.
constexpr double kNanosecondsPerAlignedValue = 5000.0;

/// Values that a thread aligns between two calls of `between`: a quarter of a second of work. A series that has more is
/// not divided.
constexpr std::size_t kValuesBetweenCalls = 32768;

std::size_t cases_between_calls(const Dataset& series, const Dataset& means, std::size_t threads) {
  const std::size_t length = std::max(series.longest(), means.longest());
  const std::size_t values_per_case = std::max<std::size_t>(1, series.channels() * length * means.cases());
  return threads * std::max<std::size_t>(1, kValuesBetweenCalls / values_per_case);
}

}  // namespace

JointAligner::JointAligner(AlignOptions options, Dataset templates)
    : options_(std::move(options)), templates_(std::move(templates)) {
  require_valid(options_);
}

JointAligner::JointAligner(AlignOptions options, Dataset means, std::span<const AlignmentModel> models,
                           Dataset templates)
    : JointAligner(std::move(options), std::move(templates)) {
  require(models.size() == means.cases(), "models: expected one for each of ", means.cases(), " means, got ",
          models.size());
  alignment_.mean = std::move(means);
  for (std::size_t number = 0; number < models.size(); ++number) {
    ClassAlignment& each = alignment_.classes.emplace_back();
    if (alignment_.mean.labeled()) each.name = alignment_.mean.label(number);
    each.model = models[number];
  }
  if (!templates_.empty()) require_templates(templates_, alignment_.mean);
}

void JointAligner::fit(const Dataset& training) {
  alignment_ = templates_.empty() ? align(training, options_) : align_to(training, templates_, options_);
}

SeriesView<const double> JointAligner::target(std::size_t number) const {
  return templates_.empty() ? alignment_.mean.series(number) : template_of(templates_, alignment_.classes[number].name);
}

/// The warp to the mean, or template, that the series fits best.
void JointAligner::find_velocities(SeriesView<const double> own, const AlignOptions& options,
                                   std::span<double> velocities) const {
  // Costs are comparable between classes that were aligned alike: by their models if all have one, else as pairs.
  const bool by_model =
      std::ranges::all_of(alignment_.classes, [](const auto& each) { return each.model.noise > 0.0; });
  double least = 0.0;
  for (std::size_t number = 0; number < alignment_.mean.cases(); ++number) {
    const SeriesView<const double> mean = target(number);
    const AlignmentModel& model = alignment_.classes[number].model;
    const GroupSolution solution = by_model ? solve_by_model(own, mean, mean.length, model, options)
                                            : solve_group({&own, 1}, &mean, mean.length, options);
    const double cost = by_model ? -solution.log_likelihood : solution.difference + solution.penalty;
    if (number > 0 && !(cost < least)) continue;
    least = cost;
    std::ranges::copy(solution.velocities.values(), velocities.begin());
  }
}

void JointAligner::require_fitted(const Dataset& series) const {
  require(!alignment_.mean.empty(), "JointAligner: expected fit before transform");
  require(series.channels() == alignment_.mean.channels(), "series: expected ", alignment_.mean.channels(),
          " channels as in fit, got ", series.channels());
}

Matrix JointAligner::velocities(const Dataset& series, std::optional<std::size_t> threads,
                                const std::function<void()>& between) const {
  require_fitted(series);
  for (std::size_t item = 0; item < series.cases(); ++item) {
    require_alignable("case " + std::to_string(item), series.series(item));
  }
  Matrix result(series.cases(), options_.cells + 1);
  AlignOptions one_thread = options_;
  one_thread.threads = 1;
  one_thread.progress = {};
  const double nanoseconds = kNanosecondsPerAlignedValue * static_cast<double>(series.values().size());
  const std::size_t workers = useful_threads(threads.value_or(options_.threads), series.cases(), nanoseconds);
  const std::size_t at_once = between ? cases_between_calls(series, alignment_.mean, workers) : series.cases();
  for (std::size_t first = 0; first < series.cases(); first += at_once) {
    const std::size_t cases = std::min(at_once, series.cases() - first);
    for_each_item(std::min(workers, cases), cases, [&](std::size_t, std::size_t offset) {
      const std::size_t item = first + offset;
      find_velocities(series.series(item), one_thread,
                      result.values().subspan(item * result.columns(), result.columns()));
    });
    if (between) between();
  }
  return result;
}

Dataset JointAligner::warped(const Dataset& series, const Matrix& velocities,
                             std::optional<std::size_t> threads) const {
  require_fitted(series);
  require(velocities.rows() == series.cases() && velocities.columns() >= 2, "velocities: expected a row per case, ",
          series.cases(), ", got shape (", velocities.rows(), ", ", velocities.columns(), ")");
  return warp_dataset(series, {velocities.values().data(), velocities.rows(), velocities.columns()},
                      alignment_.mean.longest(), threads.value_or(options_.threads));
}

Dataset JointAligner::transform(const Dataset& series) const { return warped(series, velocities(series)); }

Dataset JointAligner::inverse_transform(const Dataset& aligned, const Dataset& series) const {
  require(aligned.cases() == series.cases(), "aligned: expected one for each of ", series.cases(), " series, got ",
          aligned.cases());
  const Matrix fields = velocities(series);
  const std::array time{-1.0};
  Dataset back(aligned.channels());
  for (std::size_t item = 0; item < series.cases(); ++item) {
    const SeriesView<const double> from = aligned.series(item);
    const std::size_t length = series.length(item);
    std::vector<double> values(from.channels * length);
    warp<double>({.series = {from.data, 1, from.channels, from.length},
                  .velocities = Rows<const double>(fields.row(item)),
                  .times = time},
                 {values.data(), 1, from.channels, length}, 1);
    aligned.labeled() ? back.add_case(values, aligned.label(item)) : back.add_case(values);
  }
  return back;
}

Matrix JointAligner::warp_times(const Dataset& series, const Matrix& times, bool inverse) const {
  require(times.rows() == series.cases(), "times: expected a row for each of ", series.cases(), " series, got ",
          times.rows());
  const Matrix fields = velocities(series);
  Matrix carried(times.rows(), times.columns());
  for (std::size_t item = 0; item < series.cases(); ++item) {
    const std::vector<double> row =
        flow(std::vector<double>(fields.row(item).begin(), fields.row(item).end()),
             std::vector<double>(times.row(item).begin(), times.row(item).end()), inverse ? -1.0 : 1.0);
    std::ranges::copy(row, carried.values().begin() + static_cast<std::ptrdiff_t>(item * times.columns()));
  }
  return carried;
}

}  // namespace diffeo
