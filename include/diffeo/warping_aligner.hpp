// An aligner that can say where it reads a series, and so can bring series back: what an alignment is measured by
// beside the aligned series themselves.
//
//   * series i in common time is f_i o phi_i; phi_i maps common time into the series' own, both from 0 to 1, increases,
//     and depends on series i alone
//   * everything Aligner says
#pragma once

#include "diffeo/aligner.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo {

class WarpingAligner : public Aligner {
 public:
  /// Series in common time, one for each of `series`, brought back into its own time, to its length: aligned o phi^-1.
  [[nodiscard]] virtual Dataset inverse_transform(const Dataset& aligned, const Dataset& series) const = 0;
  /// times: (cases, n) in [0, 1]. phi_i at the times of row i, or, with `inverse`, phi_i^-1.
  [[nodiscard]] virtual Matrix warp_times(const Dataset& series, const Matrix& times, bool inverse = false) const = 0;
};

}  // namespace diffeo
