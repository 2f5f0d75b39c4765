// Random numbers between two others.
#pragma once

#include "diffeo/random.hpp"

namespace diffeo {

[[nodiscard]] inline double uniform(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

}  // namespace diffeo
