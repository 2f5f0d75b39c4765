// The cost of matching two samples: the squared difference, summed over the channels in order.
#pragma once

#include "core/kernels/lanes.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

/// `first` and `second` point at (channels, lanes); `values` are the first channel of `first`.
template <bool kOneChannel>
DIFFEO_INLINE DoubleLanes squared_difference(DoubleLanes values, const double* first, const double* second,
                                             std::size_t channels) {
  const DoubleLanes difference = values - load<DoubleLanes>(second);
  DoubleLanes cost = difference * difference;
  if constexpr (!kOneChannel) {
    for (std::size_t c = 1; c < channels; ++c) {
      const std::size_t at = c * kLaneCount<double>;
      const DoubleLanes next = load<DoubleLanes>(first + at) - load<DoubleLanes>(second + at);
      cost += next * next;
    }
  }
  return cost;
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
