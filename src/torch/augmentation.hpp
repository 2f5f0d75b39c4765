// Training series as they might have been: warped by random smooth fields.
//
// A network that has seen every series at many speeds learns to look at what happens, not at when. Fields come from the
// smoothness prior (diffeo/prior.hpp), scaled so that the root of their mean squared velocity is `size`: about the part
// of the length by which things move.
#pragma once

#include "diffeo/dataset.hpp"
#include "diffeo/prior.hpp"
#include "diffeo/random.hpp"
#include "shared_set.hpp"

namespace diffeo {

class Augmentation {
 public:
  /// With a size of 0 series stay as they are.
  Augmentation(const WarpSpace& space, double length_scale, double size);

  /// What this process has of a batch, each case warped in its own duration to its own length, in that order. Fields
  /// are drawn for the whole batch: a case has the same whoever holds it.
  [[nodiscard]] Dataset operator()(const Dataset& own, const BatchShare& share, Random& random) const;

 private:
  Prior prior_;
  double scale_;  // from the prior's velocities to those of the size asked for
};

}  // namespace diffeo
