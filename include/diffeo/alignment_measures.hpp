// How well an aligner brings series into common time that it was not trained on.
//
//   phi_i    the warp of series i: aligned, it is f_i o phi_i, at n equally spaced times x of the output grid
//   before   the same of series without a warp, phi_i(x) = x, at the same n times
//
// No number is enough alone: squeezing makes the variance small, which the inverse-consistent error and the least slope
// show; heights that differ make it large, which slopes forgive (docs/math.md, 4.4).
//
//   * slope variance: variance within classes of square-root slopes q (diffeo/slope_scale.hpp), which smoothing and
//     scale are decided on the training series. Aligned series have (q_i o phi_i) sqrt(phi_i'): q_i of the series in its
//     own time, read between n equally spaced times, with phi_i' from positions 2e-6 of the duration apart. They are not
//     the slopes of the aligned values: those would be smoothed by another amount wherever a warp stretches time
//   * inverse-consistent error: the mean of the aligned series of a class, brought back into each series' own time by
//     the inverse of its warp, against that series; squared differences averaged over its values, then over the series
//   * the slope of a warp is that between neighboring times of the grid: 1 is no warp, 0 squeezes all between them away
//   * displacement: the largest |phi_i(x) - x| of a series, averaged over the series, as a fraction of the duration
//   * distance of the mean warp: max over x of |mean_i phi_i(x) - x|, over the series of all classes. 0 where common
//     time is the mean of the series' own times; on the training series it is what centering promises
//   * missing values are left out; series have any lengths. Variances are summed over time and channels, classes
//     weighted by their sizes
//   * the cost of transform three times on the test series and once on the training series
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

/// Of a fitted aligner on labeled series. `training` is what it was fitted to.
[[nodiscard]] AlignmentMeasures alignment_measures(const WarpingAligner& aligner, const Dataset& test,
                                                   const Dataset& training);

/// The variance within classes: that of every class, weighted by its cases. Equally long, labeled series.
[[nodiscard]] double weighted_within_variance(const Dataset& series);

}  // namespace diffeo
