// Training that takes a second and still learns something.
#pragma once

#include "diffeo/training_options.hpp"

namespace diffeo::testing {

/// One small network that warps classes apart, ten epochs, however few steps these are.
inline TrainingOptions small_training() {
  TrainingOptions options;
  options.loss = "variance + 30 cross-entropy";
  options.widths = {8, 8};
  options.kernels = {5, 3};
  options.hidden = 8;
  options.cells = 8;
  options.epochs = 10;
  options.least_steps = 0;
  return options;
}

}  // namespace diffeo::testing
