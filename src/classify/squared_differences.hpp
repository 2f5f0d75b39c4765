// How far series are from each other, sample by sample, where values may be missing.
#pragma once

#include <cstddef>

#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo::classify {

/// (rows, columns): the mean of the squared differences over the values present in both, infinite where there are none.
/// All series are equally long and have the same channels.
[[nodiscard]] Matrix mean_squared_differences(const Dataset& rows, const Dataset& columns, std::size_t threads);

}  // namespace diffeo::classify
