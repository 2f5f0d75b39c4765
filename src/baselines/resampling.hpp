// A series brought to a length, linearly between equally spaced samples; as it is where it has that length.
#pragma once

#include <cstddef>
#include <vector>

#include "diffeo/dataset.hpp"

namespace diffeo {

[[nodiscard]] std::vector<double> resampled_series(SeriesView<const double> series, std::size_t length);

}  // namespace diffeo
