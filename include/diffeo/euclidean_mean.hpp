// The mean of series, sample by sample.
//
//   * missing values are left out: a sample is the mean of the cases that have it, NaN where none has
//   * cases of another length than the result are first resampled to it, linearly between equally spaced samples
//     (diffeo/sample.hpp); a missing neighbour makes a resampled value missing
//   * length 0 means the longest case's
//   * the cost is the mean over the cases of the summed squared differences to the mean, missing values left out
//   * O(cases channels length); cases are added in order
//   * std::invalid_argument for a set without cases
#pragma once

#include <cstddef>

#include "diffeo/barycenter.hpp"
#include "diffeo/dataset.hpp"

namespace diffeo {

[[nodiscard]] Barycenter euclidean_mean(const Dataset& cases, std::size_t length = 0);

}  // namespace diffeo
