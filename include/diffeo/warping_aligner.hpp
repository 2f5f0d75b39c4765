// An aligner with known warps, so that it can also invert them. Alignment measures need the warps, besides the aligned
// series.
//
//   * series i in common time is f_i o phi_i. phi_i maps common time to the series' own time, both from 0 to 1. It is
//     increasing and depends only on series i
//   * otherwise the contract of Aligner
//   * everything Aligner says
#pragma once

#include "diffeo/aligner.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo {

class WarpingAligner : public Aligner {
 public:
  /// Carries series from common time, one per case of `series`, to that case's own time and length: aligned o phi^-1.
  [[nodiscard]] virtual Dataset inverse_transform(const Dataset& aligned, const Dataset& series) const = 0;
  /// times: (cases, n) in [0, 1]. phi_i at the times of row i, or, with `inverse`, phi_i^-1.
  [[nodiscard]] virtual Matrix warp_times(const Dataset& series, const Matrix& times, bool inverse = false) const = 0;
};

}  // namespace diffeo
