// How far the alignment of one series can be trusted, in words a user understands.
//
//   * a measure of fit in the series' own time, an account of what the warp does, and a verdict
//   * `reliable` is false if the series fits its template no better than without a warp, if its features or the
//     template's were squeezed away, or if a better optimum is known: the best path on a grid (dynamic programming over
//     slopes) fits much better
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/rows.hpp"

namespace diffeo {

struct CaseQuality {
  double inverse_consistent_error = 0;  ///< template in the series' own time against the series: squared, summed
  double error_at_rest = 0;             ///< the same with a warp that moves nothing
  double displacement = 0;              ///< the farthest that anything moves, as a fraction of the duration
  double strongest_stretch = 1;         ///< largest slope of the warp: time runs that much faster in the series
  double strongest_squeeze = 1;         ///< least slope
  bool squeezed = false;                ///< features of the series or of the template have hardly any time left
  bool missed = false;                  ///< a much better alignment of the slopes is known
  bool reliable = true;
};

/// Of every case, read along its row of velocities beside the template.
[[nodiscard]] std::vector<CaseQuality> case_quality(std::span<const SeriesView<const double>> series,
                                                    Rows<const double> velocities, SeriesView<const double> target,
                                                    std::size_t threads);

}  // namespace diffeo
