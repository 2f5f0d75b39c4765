// Two numbers that say how well series are aligned. Neither is enough alone: the first can be made small by squeezing
// features away, the second by doing nothing where the mean is flat.
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

/// The variance over the cases (divided by their number) at every time step and channel, summed. Labels play no part.
[[nodiscard]] double within_variance(const Dataset& aligned);

/// The mean warped back into the time of every series by the exact inverse of its warp, against that series: squared
/// differences summed over time and channels, averaged over the cases.
[[nodiscard]] double inverse_consistent_error(const Dataset& series, Rows<const double> velocities,
                                              SeriesView<const double> mean);

}  // namespace diffeo
