// A whole data set warped, lengths as they may be.
#pragma once

#include <cstddef>

#include "diffeo/dataset.hpp"
#include "diffeo/rows.hpp"

namespace diffeo {

/// Every case warped by its row of velocities to `length` samples; labels stay. O(cases * length).
[[nodiscard]] Dataset warp_dataset(const Dataset& series, Rows<const double> velocities, std::size_t length,
                                   std::size_t threads);

}  // namespace diffeo
