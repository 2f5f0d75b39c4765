#include "layered_warp.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <ranges>

#include "diffeo/flow.hpp"
#include "diffeo/numeric_flow.hpp"
#include "diffeo/sample.hpp"
#include "diffeo/scaling_squaring.hpp"

namespace diffeo {
namespace {

Rows<const double> rows_of(const Matrix& matrix) { return {matrix.values().data(), matrix.rows(), matrix.columns()}; }

Matrix flowed(const Matrix& velocities, const Matrix& points, const TrainingOptions& options, double time,
              std::size_t threads) {
  Matrix positions(points.rows(), points.columns());
  const std::array<double, 1> times = {time};
  const FlowProblem<double> problem{rows_of(velocities), rows_of(points), times};
  const Rows<double> out(positions.values().data(), positions.rows(), positions.columns());
  const auto steps = static_cast<std::size_t>(options.method_steps);
  if (options.method == "numeric") {
    flow_numeric(problem, steps, out, threads);
  } else if (options.method == "scaling-squaring") {
    flow_scaling_squaring(problem, steps, out, threads);
  } else {
    flow(problem, out, threads);
  }
  return positions;
}

void copy_labels(const Dataset& from, Dataset& to) {
  if (from.labeled()) to.set_labels({from.labels().begin(), from.labels().end()}, from.class_names());
}

/// Cases that are warped together: what they need beside their result is the same for sets of any size.
constexpr std::size_t kCasesAtOnce = 256;

}  // namespace

Matrix rows_from(const Matrix& matrix, std::size_t first, std::size_t count) {
  Matrix rows(count, matrix.columns());
  std::ranges::copy(matrix.values().subspan(first * matrix.columns(), count * matrix.columns()), rows.values().begin());
  return rows;
}

Matrix layered_positions(const std::vector<Matrix>& layers, const Matrix& points, const TrainingOptions& options,
                         bool inverse, std::size_t threads) {
  Matrix positions = points;
  if (inverse) {
    for (const Matrix& velocities : layers) positions = flowed(velocities, positions, options, -1.0, threads);
  } else {
    for (const Matrix& velocities : std::views::reverse(layers))
      positions = flowed(velocities, positions, options, 1.0, threads);
  }
  return positions;
}

Dataset read_at(const Dataset& series, const Matrix& positions) {
  const std::size_t count = positions.columns();
  std::vector<double> values(series.cases() * series.channels() * count);
  const std::vector<std::size_t> lengths(series.cases(), count);
  for (std::size_t item = 0; item < series.cases(); ++item) {
    const SeriesView<const double> one = series.series(item);
    const Series<const double> source(one.data, 1, one.channels, one.length);
    const Series<double> target(values.data() + item * one.channels * count, 1, one.channels, count);
    sample<double>({source, Rows<const double>(positions.values().data() + item * count, 1, count)}, target, 1);
  }
  Dataset result(series.channels(), std::move(values), lengths);
  copy_labels(series, result);
  return result;
}

Matrix equal_times(std::size_t cases, std::size_t length) {
  Matrix times(cases, length);
  for (std::size_t row = 0; row < cases; ++row) {
    for (std::size_t i = 1; i < length; ++i) {
      times(row, i) = static_cast<double>(i) / static_cast<double>(length - 1);
    }
  }
  return times;
}

namespace {

Dataset warped_at_once(const Dataset& series, const std::vector<Matrix>& layers, std::size_t length,
                       const TrainingOptions& options, std::size_t threads) {
  const Matrix times = equal_times(series.cases(), length);
  if (options.composition != "resample") {
    return read_at(series, layered_positions(layers, times, options, false, threads));
  }
  Dataset warped = series;
  for (const Matrix& velocities : layers) warped = read_at(warped, flowed(velocities, times, options, 1.0, threads));
  return warped;
}

}  // namespace

Dataset layered_warp(const Dataset& series, const std::vector<Matrix>& layers, std::size_t length,
                     const TrainingOptions& options, std::size_t threads) {
  std::vector<double> values;
  values.reserve(series.cases() * series.channels() * length);
  for (std::size_t first = 0; first < series.cases(); first += kCasesAtOnce) {
    std::vector<std::size_t> items(std::min(kCasesAtOnce, series.cases() - first));
    std::iota(items.begin(), items.end(), first);
    std::vector<Matrix> own;
    for (const Matrix& layer : layers) own.push_back(rows_from(layer, first, items.size()));
    const Dataset warped = warped_at_once(series.subset(items), own, length, options, threads);
    values.insert(values.end(), warped.values().begin(), warped.values().end());
  }
  Dataset result(series.channels(), std::move(values), std::vector<std::size_t>(series.cases(), length));
  copy_labels(series, result);
  return result;
}

}  // namespace diffeo
