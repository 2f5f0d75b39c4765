// How well series are aligned.
//
// Without knowing the true warps there are two numbers, and neither is enough alone: the variance can be made small by
// squeezing the features of the series away, the inverse-consistent error by squeezing those of the mean. With known
// warps (diffeo/generate.hpp, diffeo/generate_warped.hpp) there is the error itself.
//
//   * missing values are left out
//   * std::invalid_argument for shapes that do not fit
#pragma once

#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/rows.hpp"

namespace diffeo {

/// Mean at every time step and channel of the values present; NaN where there are none. Equally long series only.
[[nodiscard]] std::vector<double> mean_series(const Dataset& aligned);

/// The variance over the cases (divided by their number) at every time step and channel; NaN where there are no values.
[[nodiscard]] std::vector<double> variance_series(const Dataset& aligned);

/// variance_series summed over time and channels. Labels play no part.
[[nodiscard]] double within_variance(const Dataset& aligned);

/// The mean warped back into the time of every series by the exact inverse of its warp, against that series: squared
/// differences summed over time and channels, averaged over the cases.
[[nodiscard]] double inverse_consistent_error(const Dataset& series, Rows<const double> velocities,
                                              SeriesView<const double> mean);

/// How far estimated warps are from true ones: mean |difference| over the pairs of cases and 201 points in time, as a
/// fraction of the duration. Series i is template o psi_i with psi_i the flow of `truth`, and is read along phi_i, the
/// flow of `estimated`. They are aligned when psi_i o phi_i is the same for all, whatever that common warp is; so what
/// can be compared is how two warps relate: phi_i o phi_k^{-1} against psi_i^{-1} o psi_k. 0 for fewer than two cases.
[[nodiscard]] double relative_warp_error(Rows<const double> estimated, Rows<const double> truth);

/// How far aligned series are from one common true time; see true_time_spread. Times are fractions of the duration.
struct TrueTimeSpread {
  double before = 0;         ///< mean |C_i - mean C| over cases and points, of series as they are (phi_i(x) = x)
  double after = 0;          ///< ... and read along phi_i
  double percentile_95 = 0;  ///< of |C_i - mean C| over cases and points, read along phi_i
  double failures = 0;       ///< share of the cases whose mean |C_i - mean C| exceeds 5 % of the duration

  /// after / before: 0 is perfect, 1 no better than doing nothing; 0 for 0 / 0.
  [[nodiscard]] double share() const noexcept { return after == 0 ? 0.0 : after / before; }
};

/// Series i is shape_i o W_i (diffeo/generate_warped.hpp) and is read along phi_i: true time there is C_i = W_i o phi_i,
/// and the series are aligned when C_i is the same for all, whatever it is.
///
/// `warps` holds phi_i and `truth` W_i, a row per case, as positions at equally spaced points from 0 to 1, each with as
/// many points as it likes (at least 2). Between points both are linear. Positions outside [0, 1] count as its ends.
[[nodiscard]] TrueTimeSpread true_time_spread(Rows<const double> warps, Rows<const double> truth);

}  // namespace diffeo
