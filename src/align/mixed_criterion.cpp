#include "align/mixed_criterion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "align/difference.hpp"
#include "align/finite.hpp"
#include "align/gains.hpp"
#include "align/resolution.hpp"
#include "core/equally_spaced.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {
namespace {

constexpr double kMixedNanosecondsPerValue = 20.0;
constexpr double kMixedNanosecondsPerJacobianEntry = 10.0;
/// Longer series are smoothed and thinned out to about this many samples.
constexpr std::size_t kMostSamples = 1024;
/// Samples of a thinned-out series per standard deviation of its smoothing, as Smoother has them.
constexpr double kThinnedSamplesPerDeviation = 4.0;

double smoothing_for(std::size_t length) {
  return length > kMostSamples ? kThinnedSamplesPerDeviation / static_cast<double>(kMostSamples) : 0.0;
}

/// Of every channel.
std::vector<double> means_over_time(SeriesView<const double> series) {
  std::vector<double> result;
  for (std::size_t channel = 0; channel < series.channels; ++channel) {
    const std::span<const double> values = series.channel(channel);
    result.push_back(std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()));
  }
  return result;
}

/// Values between missing ones are interpolated, those beyond the last present ones repeat it.
void fill_gaps(std::span<double> values) {
  std::size_t last = values.size();  // present, before the gap
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const std::size_t first = last == values.size() ? 0 : last + 1;
    for (std::size_t gap = first; gap < i; ++gap) {
      const double share = static_cast<double>(gap - last) / static_cast<double>(i - last);
      values[gap] = last == values.size() ? values[i] : values[last] + share * (values[i] - values[last]);
    }
    last = i;
  }
  for (std::size_t i = last == values.size() ? values.size() : last + 1; i < values.size(); ++i) {
    values[i] = values[last];
  }
}

}  // namespace

MixedSeries::MixedSeries(std::span<const SeriesView<const double>> series, const SeriesView<const double>* target,
                         std::size_t length)
    : channels_(series.front().channels), grid_(equally_spaced(samples_at(length, smoothing_for(length)))) {
  for (const SeriesView<const double>& item : series) {
    values_.push_back(Smoother(smoothing_for(item.length)).smoothed(item));
    const std::vector<double>& values = values_.back();
    times_.push_back(equally_spaced(values.size() / channels_));
    std::vector<char> flags(values.size());
    std::ranges::transform(values, flags.begin(), [](double value) { return std::isnan(value) ? 0 : 1; });
    const auto count = static_cast<std::size_t>(std::ranges::count(flags, 1));
    present_samples_.push_back(static_cast<double>(count));
    if (count == flags.size()) flags.clear();
    present_.push_back(std::move(flags));
  }
  if (target == nullptr) return;
  const std::vector<double> smoothed = Smoother(smoothing_for(target->length)).smoothed(*target);
  target_.resize(channels_ * points());
  read_values({smoothed.data(), channels_, smoothed.size() / channels_}, grid_, target_);
  for (std::size_t channel = 0; channel < channels_; ++channel) {
    fill_gaps(std::span(target_).subspan(channel * points(), points()));
  }
}

double MixedSeries::present_samples() const noexcept {
  return std::accumulate(present_samples_.begin(), present_samples_.end(), 0.0);
}

std::span<const char> MixedSeries::present(std::size_t item, std::size_t channel) const noexcept {
  if (present_[item].empty()) return {};
  return std::span(present_[item]).subspan(channel * length(item), length(item));
}

MixedCriterion::MixedCriterion(const MixedSeries& series, const MixedParameters& parameters, double scale,
                               std::size_t cells, bool zero_boundary, std::size_t threads)
    : Criterion(series.cases(), series.target() == nullptr,
                // sum r^2 / noise + theta^T P theta / warps, over samples and scale, as the difference is.
                {cells, zero_boundary,
                 1.0 / (parameters.warp_ratio * scale * static_cast<double>(series.channels() * series.points())),
                 parameters.warp_length_scale},
                0.0, threads),
      series_(series),
      scale_(scale),
      gain_ratio_(parameters.gain_ratio) {
  std::map<std::size_t, std::shared_ptr<const Whitening>> complete;  // by length
  std::size_t positions = 0;
  for (std::size_t item = 0; item < series.cases(); ++item) {
    first_position_.push_back(positions);
    positions += series.length(item);
    for (std::size_t channel = 0; channel < series.channels(); ++channel) {
      const std::span<const char> present = series.present(item, channel);
      std::shared_ptr<const Whitening>& shared = complete[series.length(item)];
      std::shared_ptr<const Whitening> own = present.empty() ? shared : nullptr;
      if (own == nullptr) {
        own = std::make_shared<const Whitening>(series.length(item), present, parameters.height_ratio,
                                                parameters.height_length_scale);
      }
      if (present.empty()) shared = own;
      whitenings_.push_back(std::move(own));
    }
  }
  first_position_.push_back(positions);
}

const Whitening& MixedCriterion::whitening(std::size_t item, std::size_t channel) const noexcept {
  return *whitenings_[item * series_.channels() + channel];
}

bool MixedCriterion::fill_template(GroupState& state) const {
  if (series_.target() != nullptr) {
    state.target = *series_.target();
    return true;
  }
  const std::size_t points = series_.points();
  const std::size_t size = series_.channels() * points;
  std::vector<double> positions(cases() * points);
  const std::array time{1.0};
  const Rows<const double> fields(state.velocities.values().data(), cases(), cells() + 1);
  flow<double>({.velocities = fields, .points = series_.grid(), .times = time},
               Rows<double>(positions.data(), cases(), points), requested_threads());
  if (!all_finite(positions)) return false;
  std::vector<double> weights(cases() * points);
  std::vector<double> values(cases() * size);
  for_each_item(threads(kMixedNanosecondsPerValue * static_cast<double>(size)), cases(),
                [&](std::size_t, std::size_t item) {
                  const auto own = std::span(positions).subspan(item * points, points);
                  fill_time_weights(own, 1.0, std::span(weights).subspan(item * points, points));
                  read_values(series_.series(item), own, std::span(values).subspan(item * size, size));
                });
  state.target.assign(size, 0.0);
  std::vector<double> total(size, 0.0);
  for (std::size_t item = 0; item < cases(); ++item) {
    for (std::size_t index = 0; index < size; ++index) {
      const double value = values[item * size + index];
      if (std::isnan(value)) continue;
      const double weight = weights[item * points + index % points];
      state.target[index] += weight * value;
      total[index] += weight;
    }
  }
  for (std::size_t index = 0; index < size; ++index) state.target[index] /= total[index];  // 0 / 0: nobody is present
  for (std::size_t channel = 0; channel < series_.channels(); ++channel) {
    fill_gaps(std::span(state.target).subspan(channel * points, points));
  }
  return true;
}

/// Neighbors with equally many samples have the same times, and go through the flow together.
void MixedCriterion::fill_positions(GroupState& state) const {
  const std::array back{-1.0};
  state.positions.resize(first_position_.back());
  for (std::size_t item = 0, end = 0; item < cases(); item = end) {
    const std::size_t length = series_.length(item);
    while (end < cases() && series_.length(end) == length) ++end;
    const Rows<const double> fields(state.velocities.row(item).data(), end - item, cells() + 1);
    flow<double>({.velocities = fields, .points = series_.times(item), .times = back},
                 Rows<double>(state.positions.data() + first_position_[item], end - item, length), requested_threads());
  }
}

double MixedCriterion::whitened_square(std::size_t item, std::size_t channel, std::span<const double> fitted,
                                       double level, double& gain) const {
  constexpr std::size_t kColumns = 2;  // residual and shape
  const std::span<const double> values = series_.series(item).channel(channel);
  std::vector<double> block(kColumns * fitted.size());
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    block[kColumns * i] = values[i] - fitted[i];
    block[kColumns * i + 1] = fitted[i] - level;
  }
  std::array<double, 2 * kColumns> states;
  whitening(item, channel).whiten(block, kColumns, states);
  std::array<double, kColumns * kColumns> products{};
  for (std::size_t i = 0; i < block.size(); i += kColumns) {
    products[0] += block[i] * block[i];
    products[2] += block[i + 1] * block[i];
    products[3] += block[i + 1] * block[i + 1];
  }
  gain = likeliest_gain(products[2], products[3], gain_ratio_);
  (void)take_out_gain(products, kColumns, 1, gain_ratio_);
  return products[0];
}

bool MixedCriterion::compare(GroupState& state) const {
  if (!fill_template(state)) return false;
  fill_positions(state);
  if (!all_finite(state.positions)) return false;
  state.values.resize(first_position_.back() * series_.channels());
  state.gains.resize(cases() * series_.channels());
  const SeriesView<const double> target{state.target.data(), series_.channels(), series_.points()};
  const std::vector<double> levels = means_over_time(target);
  const double nanoseconds =
      kMixedNanosecondsPerValue * static_cast<double>(state.values.size()) / static_cast<double>(cases());
  for_each_item(threads(nanoseconds), cases(), [&](std::size_t, std::size_t item) {
    const std::size_t length = series_.length(item);
    const auto positions = std::span(state.positions).subspan(first_position_[item], length);
    const auto fitted =
        std::span(state.values).subspan(first_position_[item] * series_.channels(), length * series_.channels());
    read_values(target, positions, fitted);
    double sum = 0.0;
    for (std::size_t channel = 0; channel < series_.channels(); ++channel) {
      sum += whitened_square(item, channel, fitted.subspan(channel * length, length), levels[channel],
                             state.gains[item * series_.channels() + channel]);
    }
    state.differences[item] = sum / (scale_ * static_cast<double>(series_.channels() * series_.points()));
  });
  return true;
}

double MixedCriterion::nanoseconds_per_case() const noexcept {
  return kMixedNanosecondsPerJacobianEntry * static_cast<double>(series_.points() * series_.channels() * (cells() + 1));
}

void MixedCriterion::linearized_residual(const GroupState& state, std::size_t item, std::span<double> block) const {
  const std::size_t length = series_.length(item);
  const std::size_t points = series_.points();
  const std::size_t columns = block_columns();
  const auto positions = std::span(state.positions).subspan(first_position_[item], length);
  const auto jacobian = std::make_unique_for_overwrite<double[]>(length * (cells() + 1));
  const std::array back{-1.0};
  flow_jacobian<double>({.velocities = state.velocities.row(item), .points = series_.times(item), .times = back},
                        Rows<double>(jacobian.get(), length, cells() + 1), 1);
  std::vector<double> fitted(series_.channels() * length);
  std::vector<double> steepness(series_.channels() * length);
  const SeriesView<const double> target{state.target.data(), series_.channels(), points};
  read_values(target, positions, fitted);
  read_slopes(target, positions, steepness);
  const std::vector<double> levels = means_over_time(target);
  const SeriesView<const double> own = series_.series(item);
  for (std::size_t index = 0; index < fitted.size(); ++index) {
    double* row = block.data() + index * columns;
    const double residual = own.data[index] - fitted[index];
    if (std::isnan(residual)) {
      std::fill_n(row, shape_column() + 1, 0.0);
      continue;
    }
    const std::size_t channel = index / length;
    row[0] = residual;
    row[shape_column()] = fitted[index] - levels[channel];
    const double slope = (1.0 + state.gains[item * series_.channels() + channel]) * steepness[index];
    const double* by_velocity = jacobian.get() + index % length * (cells() + 1) + first_free();
    for (std::size_t k = 0; k < free(); ++k) row[1 + k] = -slope * by_velocity[k];
  }
}

void MixedCriterion::add_normal_equations(const GroupState& state, std::size_t item, std::span<double> gradient,
                                          std::span<double> hessian) const {
  const std::size_t columns = block_columns();
  const std::size_t size = series_.length(item) * columns;
  std::vector<double> block(series_.channels() * size);
  const auto workspace = std::make_unique_for_overwrite<double[]>(size);
  std::vector<double> products(columns * columns);
  std::vector<double> sums(columns * columns);
  linearized_residual(state, item, block);
  for (std::size_t channel = 0; channel < series_.channels(); ++channel) {
    std::ranges::fill(products, 0.0);
    whitening(item, channel)
        .add_products(std::span(block).subspan(channel * size, size), columns, {workspace.get(), size}, products);
    (void)take_out_gain(products, columns, shape_column(), gain_ratio_);
    for (std::size_t i = 0; i < products.size(); ++i) sums[i] += products[i];
  }
  const double factor = 1.0 / (scale_ * static_cast<double>(series_.channels() * series_.points()));
  for (std::size_t i = 0; i < free(); ++i) {
    const double* row = sums.data() + (1 + i) * columns;
    gradient[i] += factor * row[0];
    for (std::size_t j = 0; j <= i; ++j) hessian[i * free() + j] += factor * row[1 + j];
  }
}

}  // namespace diffeo
