#include "align/values_criterion.hpp"

#include <array>
#include <cmath>

#include "align/finite.hpp"
#include "core/equally_spaced.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {
namespace {

/// Rough costs, for deciding how many threads are worth starting.
constexpr double kNanosecondsPerValue = 10.0;
constexpr double kNanosecondsPerJacobianEntry = 5.0;

}  // namespace

ValuesCriterion::ValuesCriterion(std::span<const SeriesView<const double>> series,
                                 const SeriesView<const double>* target, std::size_t length,
                                 const Resolution& resolution, const ValuesOptions& options)
    : Criterion(series.size(), target == nullptr,
                {resolution.cells, options.zero_boundary, options.prior_weight, options.length_scale},
                resolution.smoothing, options.threads),
      scale_(options.scale),
      own_time_(options.own_time),
      channels_(series.front().channels),
      grid_(equally_spaced(samples_at(length, resolution.smoothing))) {
  Smoother smoother(resolution.smoothing);
  series_.reserve(series.size());
  for (const SeriesView<const double>& item : series) series_.push_back(smoother.smoothed(item));
  if (target != nullptr) {
    const std::vector<double> smoothed = smoother.smoothed(*target);
    target_.resize(channels_ * points());
    read_values({smoothed.data(), channels_, smoothed.size() / channels_}, grid_, target_);
  }
}

SeriesView<const double> ValuesCriterion::series(std::size_t item) const noexcept {
  return {series_[item].data(), channels_, series_[item].size() / channels_};
}

Comparison ValuesCriterion::comparison(const GroupState& state, std::size_t item) const noexcept {
  const std::size_t size = channels_ * points();
  return {.channels = channels_,
          .own_time = own_time_,
          .positions = std::span(state.positions).subspan(item * points(), points()),
          .weights = std::span(state.weights).subspan(item * points(), points()),
          .values = std::span(state.values).subspan(item * size, size),
          .target = state.target};
}

void ValuesCriterion::fill_mean(const GroupState& state, std::vector<double>& mean) const {
  std::vector<double> total(mean.size(), 0.0);
  std::fill(mean.begin(), mean.end(), 0.0);
  for (std::size_t item = 0; item < cases(); ++item) {
    const Comparison own = comparison(state, item);
    for (std::size_t index = 0; index < mean.size(); ++index) {
      if (std::isnan(own.values[index])) continue;
      const double weight = own.weights[index % points()];
      mean[index] += weight * own.values[index];
      total[index] += weight;
    }
  }
  for (std::size_t index = 0; index < mean.size(); ++index) mean[index] /= total[index];  // 0 / 0: nobody is present
}

bool ValuesCriterion::compare(GroupState& state) const {
  const std::size_t size = channels_ * points();
  state.positions.resize(cases() * points());
  state.weights.resize(cases() * points());
  state.values.resize(cases() * size);
  const std::array time{1.0};
  const Rows<const double> fields(state.velocities.values().data(), cases(), cells() + 1);
  flow<double>({.velocities = fields, .points = std::span<const double>(grid_), .times = time},
               Rows<double>(state.positions.data(), cases(), points()), requested_threads());
  if (!all_finite(state.positions)) return false;

  const double nanoseconds = kNanosecondsPerValue * static_cast<double>(size);
  for_each_item(threads(nanoseconds), cases(), [&](std::size_t, std::size_t item) {
    const auto positions = std::span(state.positions).subspan(item * points(), points());
    fill_time_weights(positions, own_time_, std::span(state.weights).subspan(item * points(), points()));
    read_values(series(item), positions, std::span(state.values).subspan(item * size, size));
  });
  state.target.resize(size);
  if (centered()) {
    fill_mean(state, state.target);
  } else {
    state.target = target_;
  }
  for_each_item(threads(nanoseconds), cases(), [&](std::size_t, std::size_t item) {
    state.differences[item] = difference(comparison(state, item)).mean() / scale_;
  });
  return true;
}

double ValuesCriterion::nanoseconds_per_case() const noexcept {
  return kNanosecondsPerJacobianEntry * static_cast<double>(points() * (cells() + 1));
}

void ValuesCriterion::add_normal_equations(const GroupState& state, std::size_t item, std::span<double> gradient,
                                           std::span<double> hessian) const {
  std::vector<double> all_columns(points() * (cells() + 1));
  std::vector<double> free_columns(points() * free());
  std::vector<double> slopes(channels_ * points());
  std::vector<double> row(free());
  std::vector<double> other_row(free());
  const std::array time{1.0};
  flow_jacobian<double>(
      {.velocities = state.velocities.row(item), .points = std::span<const double>(grid_), .times = time},
      Rows<double>(all_columns.data(), points(), cells() + 1), 1);
  keep_free_columns(all_columns, points(), free_columns);
  const Comparison own = comparison(state, item);
  read_slopes(series(item), own.positions, slopes);
  diffeo::add_normal_equations(own, slopes, Rows<const double>(free_columns.data(), points(), free()), 1.0 / scale_,
                               gradient, hessian, row, other_row);
}

}  // namespace diffeo
