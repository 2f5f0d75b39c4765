// Training that takes a second and still learns something.
#pragma once

#include "diffeo/training_options.hpp"

namespace diffeo::testing {

/// A small network, ten epochs, however few steps these are.
inline TrainingOptions small_training() {
  TrainingOptions options;
  options.widths = {8, 8};
  options.kernels = {5, 3};
  options.hidden = 8;
  options.cells = 8;
  options.epochs = 10;
  options.least_steps = 0;
  return options;
}

}  // namespace diffeo::testing
