#include "series_batches.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace diffeo {
namespace {

/// The last value that is not missing, in every channel that has one.
template <class Real>
void hold_last_values(Real* first_row, std::int64_t channels, std::int64_t row_length, std::size_t length) {
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    const std::span<Real> row(first_row + channel * row_length, length);
    const auto last = std::ranges::find_if(row.rbegin(), row.rend(), [](Real value) { return !std::isnan(value); });
    if (last != row.rend()) row.back() = *last;
  }
}

/// A network takes steps at the end that are missing in all channels for padding. Those of the series itself belong to
/// its duration: the last of them gets a value, which is not missing any more, and all before it stay as they are.
template <class Real>
void end_where_the_series_ends(Real* first_row, std::int64_t channels, std::int64_t row_length, std::size_t length) {
  if (length == 0) return;
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    if (!std::isnan(first_row[channel * row_length + static_cast<std::int64_t>(length) - 1])) return;
  }
  hold_last_values(first_row, channels, row_length, length);
}

template <class Real>
void fill_rows(const Dataset& set, const Normalization& normalization, std::span<const std::size_t> items,
               const at::Tensor& batch) {
  Real* row = batch.mutable_data_ptr<Real>();
  for (const std::size_t item : items) {
    Real* const first_row = row;
    for (std::size_t channel = 0; channel < set.channels(); ++channel) {
      const double mean = normalization.mean[channel];
      const double scale = normalization.scale[channel];
      std::ranges::transform(set.series(item).channel(channel), row,
                             [&](double value) { return static_cast<Real>((value - mean) / scale); });
      row += batch.size(2);
    }
    end_where_the_series_ends(first_row, batch.size(1), batch.size(2), set.length(item));
  }
}

}  // namespace

Normalization normalization_of(const Dataset& set, const Group& group) {
  Normalization result{std::vector<double>(set.channels(), 0.0), std::vector<double>(set.channels(), 1.0)};
  for (std::size_t channel = 0; channel < set.channels(); ++channel) {
    std::vector<double> sums(2, 0.0);  // of the values, and their number
    const auto for_each_value = [&](const auto& use) {
      for (std::size_t item = 0; item < set.cases(); ++item) {
        for (const double value : set.series(item).channel(channel)) {
          if (!std::isnan(value)) use(value);
        }
      }
    };
    for_each_value([&](double value) { sums[0] += value, ++sums[1]; });
    group.sum(sums);
    const double count = sums[1];
    if (count == 0.0) continue;
    const double mean = sums[0] / count;
    double squares = 0.0;
    for_each_value([&](double value) { squares += (value - mean) * (value - mean); });
    squares = group.sum(squares);
    result.mean[channel] = mean;
    const double deviation = std::sqrt(squares / count);
    if (deviation > 0.0 && std::isfinite(deviation)) result.scale[channel] = deviation;
  }
  return result;
}

void normalize(SeriesView<double> series, const Normalization& normalization) {
  for (std::size_t channel = 0; channel < series.channels; ++channel) {
    for (double& value : series.channel(channel)) {
      value = (value - normalization.mean[channel]) / normalization.scale[channel];
    }
  }
}

Dataset normalized(Dataset series, const Normalization& normalization) {
  for (std::size_t item = 0; item < series.cases(); ++item) normalize(series.series(item), normalization);
  return series;
}

at::Tensor series_batch(const Dataset& set, const Normalization& normalization, std::span<const std::size_t> items,
                        const BatchForm& form) {
  std::size_t longest = form.least_length;
  for (const std::size_t item : items) longest = std::max(longest, set.length(item));
  const at::Tensor batch = at::full({static_cast<std::int64_t>(items.size()), static_cast<std::int64_t>(set.channels()),
                                     static_cast<std::int64_t>(longest)},
                                    std::numeric_limits<double>::quiet_NaN(), form.precision);
  form.precision == at::kDouble ? fill_rows<double>(set, normalization, items, batch)
                                : fill_rows<float>(set, normalization, items, batch);
  return batch;
}

at::Tensor series_batch(const Dataset& set, const Normalization& normalization, const BatchForm& form) {
  std::vector<std::size_t> all(set.cases());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return series_batch(set, normalization, all, form);
}

}  // namespace diffeo
