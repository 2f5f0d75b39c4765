// Square-root slopes: what series are compared by where heights vary.
//
//   q = f' / |f'|^{1/2},   with a smooth root f' / (|f'|^2 + eps^2)^{1/4};   |f'| over the channels together
//
// The series in another time, f o phi, has q' = (q o phi) sqrt(phi'). The squared distance of two q does not change when
// both series are warped alike, so nothing can be squeezed away. Slopes amplify noise: series are smoothed first, as
// little as their noise allows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "diffeo/dataset.hpp"

namespace diffeo {

/// The variance of white noise, from second differences: right where series are smooth between three samples.
[[nodiscard]] double noise_variance(std::span<const SeriesView<const double>> series);

/// The least smoothing (standard deviation, as a fraction of the duration) after which noise is a small part of the
/// slopes.
[[nodiscard]] double smoothing_for_slopes(std::span<const SeriesView<const double>> series, double noise_variance);

/// q of every series at `points` equally spaced times: (channels, points) each, all divided by their common root mean
/// square. Missing where the series is.
[[nodiscard]] std::vector<std::vector<double>> root_slopes(std::span<const SeriesView<const double>> series,
                                                           double smoothing, std::size_t points);

}  // namespace diffeo
