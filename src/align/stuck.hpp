// Series that are stuck in a local optimum, and how they get out.
//
// The search goes downhill, so a series whose features lie far from the template's can stop beside them. The globally best
// path to the template (align/best_path.hpp) knows where they belong. So every series that is not
// explained up to noise starts again from there, alone, against the template as it is, and stays where it gets if the
// model finds that more likely.
#pragma once

#include <cstddef>
#include <span>

#include "align/mixed_model.hpp"
#include "diffeo/align_options.hpp"
#include "diffeo/dataset.hpp"

namespace diffeo {

/// Moves the stuck series of a fit, whose template is the mean of the group, and returns how many there were. The
/// velocities have mean zero again; the rest of the state is as it was and has to be evaluated anew.
[[nodiscard]] std::size_t free_stuck_series(std::span<const SeriesView<const double>> series, std::size_t length,
                                            double smoothing, double scale, const AlignOptions& options, MixedFit& fit);

}  // namespace diffeo
