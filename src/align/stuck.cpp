#include "align/stuck.hpp"

#include <algorithm>
#include <vector>

#include "align/path_start.hpp"

namespace diffeo {
namespace {

/// What a move must gain in the log-likelihood: less is a matter of where the search stopped.
constexpr double kLeastFreed = 5.0;
constexpr double kFreeingTolerance = 1e-3;
/// A series can be stuck if it leaves at least this share of the noise's variance: those far below fit.
constexpr double kUnexplained = 0.9;

Matrix rows_of(const Matrix& all, std::span<const std::size_t> items) {
  Matrix result(items.size(), all.columns());
  for (std::size_t row = 0; row < items.size(); ++row) {
    std::ranges::copy(all.row(items[row]), result.values().begin() + static_cast<std::ptrdiff_t>(row * all.columns()));
  }
  return result;
}

/// Series that the warps do not explain up to noise.
std::vector<std::size_t> unexplained(const MixedFit& fit) {
  std::vector<std::size_t> result;
  for (std::size_t item = 0; item < fit.state.differences.size(); ++item) {
    if (fit.state.differences[item] > kUnexplained * fit.parameters.noise) result.push_back(item);
  }
  return result;
}

}  // namespace

std::size_t free_stuck_series(std::span<const SeriesView<const double>> series, std::size_t length, double smoothing,
                              double scale, const AlignOptions& options, MixedFit& fit) {
  const std::vector<std::size_t> items = unexplained(fit);
  if (items.empty()) return 0;
  std::vector<SeriesView<const double>> doubtful;
  for (const std::size_t item : items) doubtful.push_back(series[item]);
  const std::size_t channels = series.front().channels;
  const SeriesView<const double> middle{fit.state.target.data(), channels, fit.state.target.size() / channels};
  const MixedSeries to_template(doubtful, &middle, length);
  const MixedCriterion criterion(to_template, fit.parameters, scale, options.cells, options.zero_boundary,
                                 options.threads);
  GroupState now;
  criterion.evaluate(rows_of(fit.state.velocities, items), now);
  GroupState other;
  criterion.evaluate(path_start(doubtful, &middle, smoothing, length, options), other);
  AlignOptions quiet = options;
  quiet.progress = {};
  std::vector<AlignStep> unused;
  (void)descend(criterion, {kFreeingTolerance, 0.0, 0.0}, other, quiet, unused);

  // A cost is a sum of squares over samples and scale; over the noise too, it is twice the negative log-likelihood.
  const double least = 2.0 * kLeastFreed * fit.parameters.noise / static_cast<double>(channels * to_template.points());
  std::size_t freed = 0;
  for (std::size_t row = 0; row < items.size(); ++row) {
    const double gain = now.differences[row] + now.penalties[row] - other.differences[row] - other.penalties[row];
    if (!(gain > least)) continue;
    ++freed;
    for (std::size_t vertex = 0; vertex < other.velocities.columns(); ++vertex) {
      fit.state.velocities(items[row], vertex) = other.velocities(row, vertex);
    }
  }
  if (freed > 0) subtract_mean(fit.state.velocities);
  return freed;
}

}  // namespace diffeo
