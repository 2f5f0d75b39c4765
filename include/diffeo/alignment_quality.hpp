// How well series are aligned.
//
// If the true warps are unknown there are two numbers, and neither is enough alone: squeezing the features of the
// series lowers the variance, squeezing those of the mean lowers the inverse-consistent error. If the true warps are
// known (diffeo/generate.hpp, diffeo/generate_warped.hpp), the error itself can be computed.
//
//   * missing values are ignored; a measure is NaN, never a perfect 0, if nothing is present to measure or a value is
//     infinite
//   * std::invalid_argument for mismatched shapes
#pragma once

#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/rows.hpp"

namespace diffeo {

/// Mean of the present values at every time step and channel; NaN if there are none. For series of equal length.
[[nodiscard]] std::vector<double> mean_series(const Dataset& aligned);

/// The variance over the cases (divided by their number) at every time step and channel; NaN if no value is present.
[[nodiscard]] std::vector<double> variance_series(const Dataset& aligned);

/// variance_series summed over time and channels. Ignores labels.
[[nodiscard]] double within_variance(const Dataset& aligned);

/// The mean, warped back into the time of every series by the exact inverse, minus that series: squared
/// differences summed over time and channels, averaged over the cases.
[[nodiscard]] double inverse_consistent_error(const Dataset& series, Rows<const double> velocities,
                                              SeriesView<const double> mean);

/// Error of estimated warps: mean |difference| over the pairs of cases and 201 points in time, as a
/// fraction of the duration. Series i is template o psi_i with psi_i the flow of `truth`, and is read along phi_i, the
/// flow of `estimated`. They are aligned if psi_i o phi_i is the same for all i, whatever that common warp is. So the
/// error compares pairs of warps: phi_i o phi_k^{-1} with psi_i^{-1} o psi_k. NaN for fewer than two cases.
[[nodiscard]] double relative_warp_error(Rows<const double> estimated, Rows<const double> truth);

/// Distance of aligned series from one common true time; see true_time_spread. Times are fractions of the duration.
struct TrueTimeSpread {
  double before = 0;         ///< mean |C_i - mean C| over cases and points, for unaligned series (phi_i(x) = x)
  double after = 0;          ///< the same along phi_i
  double percentile_95 = 0;  ///< of |C_i - mean C| over cases and points, along phi_i
  double failures = 0;       ///< fraction of the cases whose mean |C_i - mean C| exceeds 5 % of the duration

  /// after / before: 0 is perfect, 1 no better than no alignment; 0 for 0 / 0.
  [[nodiscard]] double share() const noexcept { return after == 0 ? 0.0 : after / before; }
};

/// Series i is shape_i o W_i (diffeo/generate_warped.hpp) and is read along phi_i. Its true time is C_i = W_i o phi_i,
/// and the series are aligned if C_i is the same for all i, whatever it is.
///
/// `warps` holds phi_i and `truth` W_i, one row per case, as positions at equally spaced points from 0 to 1. Each may
/// have any number of points from 2. Between points both are linear. Positions outside [0, 1] are clamped.
[[nodiscard]] TrueTimeSpread true_time_spread(Rows<const double> warps, Rows<const double> truth);

}  // namespace diffeo
