#include "series_batches.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace diffeo {

Normalisation normalisation_of(const Dataset& set) {
  Normalisation result{std::vector<double>(set.channels(), 0.0), std::vector<double>(set.channels(), 1.0)};
  for (std::size_t channel = 0; channel < set.channels(); ++channel) {
    double sum = 0.0;
    double squares = 0.0;
    double count = 0.0;
    const auto for_each_value = [&](const auto& use) {
      for (std::size_t item = 0; item < set.cases(); ++item) {
        for (const double value : set.series(item).channel(channel)) {
          if (!std::isnan(value)) use(value);
        }
      }
    };
    for_each_value([&](double value) { sum += value, ++count; });
    if (count == 0.0) continue;
    const double mean = sum / count;
    for_each_value([&](double value) { squares += (value - mean) * (value - mean); });
    result.mean[channel] = mean;
    const double deviation = std::sqrt(squares / count);
    if (deviation > 0.0 && std::isfinite(deviation)) result.scale[channel] = deviation;
  }
  return result;
}

at::Tensor series_batch(const Dataset& set, const Normalisation& normalisation, std::span<const std::size_t> items) {
  std::size_t longest = 1;
  for (const std::size_t item : items) longest = std::max(longest, set.length(item));
  const at::Tensor batch = at::full({static_cast<std::int64_t>(items.size()), static_cast<std::int64_t>(set.channels()),
                                     static_cast<std::int64_t>(longest)},
                                    std::numeric_limits<float>::quiet_NaN(), at::kFloat);
  float* row = batch.mutable_data_ptr<float>();
  for (const std::size_t item : items) {
    for (std::size_t channel = 0; channel < set.channels(); ++channel) {
      const double mean = normalisation.mean[channel];
      const double scale = normalisation.scale[channel];
      std::ranges::transform(set.series(item).channel(channel), row,
                             [&](double value) { return static_cast<float>((value - mean) / scale); });
      row += longest;
    }
  }
  return batch;
}

at::Tensor series_batch(const Dataset& set, const Normalisation& normalisation) {
  std::vector<std::size_t> all(set.cases());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return series_batch(set, normalisation, all);
}

}  // namespace diffeo
