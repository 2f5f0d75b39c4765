// How well an aligner aligns series that it was not trained on.
//
//   phi_i    the warp of series i; aligned, the series is f_i o phi_i, at n equally spaced times x of the output grid
//   before   the same for series without a warp, phi_i(x) = x, at the same n times
//
// No number is enough alone. Squeezing lowers the variance, but shows in the inverse-consistent error and the least
// slope. Different heights raise the variance, but slopes tolerate them (docs/math.md, 4.4).
//
//   * slope variance: variance within classes of square-root slopes q (diffeo/slope_scale.hpp), with smoothing and
//     scale from the training series. Aligned series have (q_i o phi_i) sqrt(phi_i'): q_i of the series in its
//     own time, read between n equally spaced times, with phi_i' from positions 2e-6 of the duration apart. They are
//     not the slopes of the aligned values: the effective smoothing of those would vary where a warp stretches time
//   * inverse-consistent error: the mean of the aligned series of a class, brought back into each series' own time by
//     the inverse warp, minus that series; squared differences averaged over its values, then over the series
//   * the slope of a warp is taken between neighboring times of the grid: 1 is no warp, 0 squeezes the interval away
//   * displacement: the largest |phi_i(x) - x| of a series, averaged over the series, as a fraction of the duration
//   * distance of the mean warp: max over x of |mean_i phi_i(x) - x|, over the series of all classes. 0 if common
//     time is the mean of the series' own times; centering guarantees that for the training series
//   * missing values are ignored; series may have any lengths. Variances are summed over time and channels, classes
//     weighted by their sizes
//   * costs three calls of transform on the test series and one on the training series
#pragma once

#include "diffeo/dataset.hpp"
#include "diffeo/warping_aligner.hpp"

namespace diffeo {

struct MeasureChange {
  double before = 0.0;
  double after = 0.0;

  bool operator==(const MeasureChange&) const = default;
};

struct AlignmentMeasures {
  MeasureChange slope_variance = {};
  MeasureChange inverse_consistent_error = {};
  double least_slope = 1.0;  ///< of all warps
  double largest_slope = 1.0;
  double displacement = 0.0;
  double mean_warp_distance = 0.0;
  double training_mean_warp_distance = 0.0;

  bool operator==(const AlignmentMeasures&) const = default;
};

/// For a fitted aligner. Series without labels count as one class. `training` is the set it was fitted to.
[[nodiscard]] AlignmentMeasures alignment_measures(const WarpingAligner& aligner, const Dataset& test,
                                                   const Dataset& training);

/// The variance within classes, each class weighted by its cases; over all series if they have no labels. For series of
/// equal length.
[[nodiscard]] double weighted_within_variance(const Dataset& series);

}  // namespace diffeo
