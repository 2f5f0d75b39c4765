// How reliable the alignment of one series is.
//
//   * a measure of fit in the series' own time, properties of the warp, and a verdict
//   * `reliable` is false if the series fits its template no better than without a warp, if the template explains no
//     more of the series than a warp explains of noise, if features of either were squeezed away, or if a much better
//     optimum is known: the best path on a grid (dynamic programming over slopes)
//   * explained: the squared correlation of series and template in the series' own time, its own part of the template
//     taken out. Of noise, p free velocities explain about p of n samples; half as much again is more than chance
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/rows.hpp"

namespace diffeo {

struct CaseQuality {
  double inverse_consistent_error = 0;  ///< template in the series' own time minus the series: squared, summed
  double error_at_rest = 0;             ///< the same without a warp
  double displacement = 0;              ///< largest shift, as a fraction of the duration
  double strongest_stretch = 1;         ///< largest slope of the warp: time in the series runs that much faster
  double strongest_squeeze = 1;         ///< least slope
  bool squeezed = false;                ///< features of the series or of the template are squeezed to almost no time
  bool missed = false;                  ///< a much better alignment is known
  double explained = 1;                 ///< share of the series' variance over time that the template explains
  double explained_by_chance = 0;       ///< share that it may explain of noise
  bool reliable = true;
};

/// The quality of every case, warped by its row of velocities and compared with the template. `own_share` is the part
/// of the template that is the series itself: 1 / cases for their mean, 0 for a template of its own.
[[nodiscard]] std::vector<CaseQuality> case_quality(std::span<const SeriesView<const double>> series,
                                                    Rows<const double> velocities, SeriesView<const double> target,
                                                    double own_share, std::size_t threads);

}  // namespace diffeo
