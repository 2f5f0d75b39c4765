// How well series are aligned.
//
// Without knowing the true warps there are two numbers, and neither is enough alone: the variance can be made small by
// squeezing the features of the series away, the inverse-consistent error by squeezing those of the mean. With known
// warps (diffeo/generate.hpp) there is the error itself.
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

}  // namespace diffeo
