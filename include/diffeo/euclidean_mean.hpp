// The mean of series, sample by sample.
//
//   * ignores missing values: a sample is the mean of the cases that have it, NaN if none has
//   * cases of another length are first resampled to that of the result, linearly between equally spaced samples
//     (diffeo/sample.hpp); a missing neighbor makes a resampled value missing
//   * length 0: that of the longest case
//   * the cost is the mean over the cases of the summed squared differences to the mean, ignoring missing values
//   * O(cases channels length); cases are added in order
//   * std::invalid_argument for a set without cases
#pragma once

#include <cstddef>

#include "diffeo/barycenter.hpp"
#include "diffeo/dataset.hpp"

namespace diffeo {

[[nodiscard]] Barycenter euclidean_mean(const Dataset& cases, std::size_t length = 0);

}  // namespace diffeo
