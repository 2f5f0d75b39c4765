// What normalized_pooling.cpp does to one channel of a batch, over plain memory: kernels that exist once per
// instruction set, as a table of functions.
//
// A channel's rows are `stride` apart, one for each case. Factor 2 pools pairs of steps, factor 1 pools nothing; what
// is left over at the end of an odd row reaches no output, but belongs to the statistics.
//
//   * sums are taken in a fixed number of lanes, whatever a vector holds: the same bits for every instruction set
//   * all of them are noexcept, allocate nothing and trust their arguments
#pragma once

#include <cstdint>

namespace diffeo::pooling {

template <class Real>
struct ChannelRows {
  Real* first;
  std::int64_t stride;
  std::int64_t cases;
  std::int64_t steps;
};

struct Moments {
  double mean;
  double variance;  // biased
};

/// How a feature x is normalized: scale x + shift.
template <class Real>
struct Normalizer {
  Real scale;
  Real shift;
};

/// What the gradients by a channel's scale and shift are made of.
struct GradientSums {
  double gradient;      // of what is normalized
  double with_feature;  // times the feature's difference from `center`
};

/// scale g + slope x + offset for every feature x, g being what reaches it: the last two are how the statistics answer.
template <class Real>
struct Answer {
  Real scale;
  Real slope;
  Real offset;
};

template <class Real>
struct ChannelKernels {
  Moments (*moments)(const ChannelRows<const Real>& features) noexcept;
  /// Normalized features, the larger of a pair, and at least 0.
  void (*pool)(int factor, const ChannelRows<const Real>& features, Normalizer<Real> normalize,
               const ChannelRows<Real>& pooled) noexcept;
  GradientSums (*gradient_sums)(int factor, const ChannelRows<const Real>& features,
                                const ChannelRows<const Real>& gradients, Normalizer<Real> normalize,
                                Real center) noexcept;
  void (*give_back)(int factor, const ChannelRows<const Real>& features, const ChannelRows<const Real>& gradients,
                    Normalizer<Real> normalize, Answer<Real> answer, const ChannelRows<Real>& by_features) noexcept;
};

struct PoolingKernels {
  ChannelKernels<float> of_float;
  ChannelKernels<double> of_double;
};

/// The best kernels this machine can run (diffeo::instruction_set()).
[[nodiscard]] const PoolingKernels& pooling_kernels() noexcept;

}  // namespace diffeo::pooling
