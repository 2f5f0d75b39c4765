// Smoothing and scale of the square-root slopes of a set of series, so that its series can be compared by them.
//
//   q = r / (|r|^2 + 0.05^2)^{1/4},   r = f' / slope;   |r| over the channels together, f' of the smoothed series
//
// A series in another time, f o phi, has (q o phi) sqrt(phi'). Use slopes if heights vary (docs/math.md 4.4).
// Slopes amplify noise, so the set is smoothed as little as its noise allows. Both numbers come from sums over series,
// so that several processes can add up their parts.
//
//   * series have any lengths and last from 0 to 1; slopes next to a missing value are missing
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "diffeo/dataset.hpp"

namespace diffeo {

struct SlopeScale {
  double smoothing = 0.0;  ///< standard deviation, as a fraction of the duration
  double slope = 1.0;      ///< root mean square of the slopes, all channels together
};

class SlopeSums {
 public:
  void add(SeriesView<const double> series);

  /// The least smoothing after which noise is a small part of the slopes, and their size. A size below 1e-9 counts as
  /// rounding and is replaced by 1.
  [[nodiscard]] SlopeScale scale() const;

  /// The numbers to sum over processes.
  static constexpr std::size_t kSmoothings = 9;
  using Numbers = std::array<double, 2 + 3 * kSmoothings>;
  [[nodiscard]] Numbers& numbers() noexcept { return numbers_; }

 private:
  Numbers numbers_{};  // series, noise; for each smoothing: effect of noise on slopes, squared slopes, their number
};

/// (channels, points): q at equally spaced times from 0 to 1.
[[nodiscard]] std::vector<double> scaled_root_slopes(SeriesView<const double> series, const SlopeScale& scale,
                                                     std::size_t points);

}  // namespace diffeo
