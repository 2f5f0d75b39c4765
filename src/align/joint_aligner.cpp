#include "diffeo/joint_aligner.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "align/series_checks.hpp"
#include "align/solver.hpp"
#include "align/warp_dataset.hpp"
#include "diffeo/error.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {
namespace {

/// Several steps at each resolution for every value: enough to know whether threads are worth starting.
constexpr double kNanosecondsPerAlignedValue = 5000.0;

}  // namespace

JointAligner::JointAligner(AlignOptions options) : options_(std::move(options)) { require_valid(options_); }

void JointAligner::fit(const Dataset& training) { alignment_ = align(training, options_); }

void JointAligner::require_fitted(const Dataset& series) const {
  require(!alignment_.mean.empty(), "JointAligner: expected fit before transform");
  require(series.channels() == alignment_.mean.channels(), "series: expected ", alignment_.mean.channels(),
          " channels as in fit, got ", series.channels());
}

Matrix JointAligner::velocities(const Dataset& series) const {
  require_fitted(series);
  for (std::size_t item = 0; item < series.cases(); ++item) {
    require_alignable("case " + std::to_string(item), series.series(item));
  }
  Matrix result(series.cases(), options_.cells + 1);
  AlignOptions one_thread = options_;
  one_thread.threads = 1;
  one_thread.progress = {};
  const std::size_t length = alignment_.mean.longest();
  const double nanoseconds = kNanosecondsPerAlignedValue * static_cast<double>(series.values().size());
  for_each_item(useful_threads(options_.threads, series.cases(), nanoseconds), series.cases(),
                [&](std::size_t, std::size_t item) {
                  const SeriesView<const double> own = series.series(item);
                  double least = 0.0;
                  for (std::size_t number = 0; number < alignment_.mean.cases(); ++number) {
                    const SeriesView<const double> mean = alignment_.mean.series(number);
                    const GroupSolution solution = solve_group({&own, 1}, &mean, length, one_thread);
                    const double cost = solution.difference + solution.penalty;
                    if (number > 0 && !(cost < least)) continue;
                    least = cost;
                    std::copy(solution.velocities.values().begin(), solution.velocities.values().end(),
                              result.values().begin() + static_cast<std::ptrdiff_t>(item * result.columns()));
                  }
                });
  return result;
}

Dataset JointAligner::warped(const Dataset& series, const Matrix& velocities) const {
  require_fitted(series);
  require(velocities.rows() == series.cases() && velocities.columns() >= 2, "velocities: expected a row per case, ",
          series.cases(), ", got shape (", velocities.rows(), ", ", velocities.columns(), ")");
  return warp_dataset(series, {velocities.values().data(), velocities.rows(), velocities.columns()},
                      alignment_.mean.longest(), options_.threads);
}

Dataset JointAligner::transform(const Dataset& series) const { return warped(series, velocities(series)); }

}  // namespace diffeo
