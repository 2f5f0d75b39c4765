// One series per class: how centroids are made.
#pragma once

#include <cstddef>

#include "diffeo/dataset.hpp"
#include "diffeo/nearest_centroid.hpp"

namespace diffeo::classify {

/// The centroids of the classes that have cases, labeled, all equally long; an aligner's are the means of what is
/// given, which must be aligned already.
[[nodiscard]] Dataset class_centroids(const Dataset& training, const CentroidMethod& method, std::size_t threads);

}  // namespace diffeo::classify
