// How the square-root slopes of a set of series are smoothed and scaled, so that all its series can be compared by them.
//
//   q = r / (|r|^2 + 0.05^2)^{1/4},   r = f' / slope;   |r| over the channels together, f' of the smoothed series
//
// A series in another time, f o phi, has (q o phi) sqrt(phi'): what is compared where heights vary (docs/math.md 4.4).
// Slopes amplify noise, so the set is smoothed as little as its noise allows. Both numbers come from sums over series,
// so that several processes can add up what each has.
//
//   * series have any lengths and last from 0 to 1; slopes are missing beside a missing value
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

  /// The least smoothing after which noise is a small part of the slopes, and their size. A size below 1e-9 is taken for
  /// rounding, and 1 instead of it.
  [[nodiscard]] SlopeScale scale() const;

  /// What is added up, to be summed over processes.
  static constexpr std::size_t kSmoothings = 9;
  using Numbers = std::array<double, 2 + 3 * kSmoothings>;
  [[nodiscard]] Numbers& numbers() noexcept { return numbers_; }

 private:
  Numbers numbers_{};  // series, noise; by smoothing: what noise does to slopes, squared slopes, how many
};

/// (channels, points): q at equally spaced times from 0 to 1.
[[nodiscard]] std::vector<double> scaled_root_slopes(SeriesView<const double> series, const SlopeScale& scale,
                                                     std::size_t points);

}  // namespace diffeo
