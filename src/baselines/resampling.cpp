#include "baselines/resampling.hpp"

#include "diffeo/sample.hpp"

namespace diffeo {

std::vector<double> resampled_series(SeriesView<const double> series, std::size_t length) {
  if (series.length == length) return {series.data, series.data + series.size()};
  std::vector<double> positions(length, 0.0);
  for (std::size_t t = 1; t < length; ++t) positions[t] = static_cast<double>(t) / static_cast<double>(length - 1);
  std::vector<double> result(series.channels * length);
  sample<double>({{series.data, 1, series.channels, series.length}, std::span<const double>(positions)},
                 {result.data(), 1, series.channels, length}, 1);
  return result;
}

}  // namespace diffeo
