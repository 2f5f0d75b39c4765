// What the baselines ask of series, and the sentences that say so.
#pragma once

#include <cmath>
#include <cstddef>

#include "diffeo/dataset.hpp"
#include "diffeo/error.hpp"

namespace diffeo {

/// Squares of differences of values up to here, summed over any series there is, stay in the range of double.
inline constexpr double kLargestValue = 1e150;

template <class... Names>
void require_complete(SeriesView<const double> series, const Names&... name) {
  require(series.channels > 0 && series.length > 0, name..., ": expected at least one channel and one sample, got (",
          series.channels, ", ", series.length, ")");
  for (std::size_t k = 0; k < series.size(); ++k) {
    const double value = series.data[k];
    if (std::fabs(value) <= kLargestValue) continue;
    const std::size_t time = k % series.length;
    require(!std::isnan(value), name..., ": expected no missing values, got NaN at time ", time,
            "; fill them in first");
    require(false, name..., ": expected values up to 1e150 in magnitude, got ", value, " at time ", time);
  }
}

inline void require_complete(const Dataset& cases, const char* name) {
  for (std::size_t item = 0; item < cases.cases(); ++item) {
    require_complete(cases.series(item), name, ": case ", item);
  }
}

inline void require_same_channels(std::size_t first, std::size_t second) {
  require(first == second, "second: expected ", first, " channels as the first has, got ", second);
}

}  // namespace diffeo
