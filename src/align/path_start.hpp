// Where the search begins: warps from the globally best paths between smoothed square-root slopes.
//
// Every series is matched to the target, or to the group's mean, which is found in turn with the paths, beginning with
// the series nearest to all others. The paths become smooth velocity fields that follow them where the template has
// features and are gentle where it is flat.
#pragma once

#include <span>

#include "diffeo/align_options.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo {

/// (cases, cells + 1) velocities, with mean zero if `target` is null.
[[nodiscard]] Matrix path_start(std::span<const SeriesView<const double>> series,
                                const SeriesView<const double>* target, double smoothing, std::size_t length,
                                const AlignOptions& options);

}  // namespace diffeo
