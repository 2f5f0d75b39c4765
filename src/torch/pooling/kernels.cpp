// The kernels of pooling, for one instruction set. Compiled once per entry of the list in cmake/kernels.cmake.
#include "channel_kernels.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {
namespace {

template <class Real>
constexpr pooling::ChannelKernels<Real> kChannelKernels = {
    [](const ChannelRows<const Real>& features) noexcept { return moments(features); },
    [](int factor, const ChannelRows<const Real>& features, Normalizer<Real> normalize,
       const ChannelRows<Real>& pooled) noexcept {
      factor == 2 ? pool<2>(features, normalize, pooled) : pool<1>(features, normalize, pooled);
    },
    [](int factor, const ChannelRows<const Real>& features, const ChannelRows<const Real>& gradients,
       Normalizer<Real> normalize, Real center) noexcept {
      return factor == 2 ? gradient_sums<2>(features, gradients, normalize, center)
                         : gradient_sums<1>(features, gradients, normalize, center);
    },
    [](int factor, const ChannelRows<const Real>& features, const ChannelRows<const Real>& gradients,
       Normalizer<Real> normalize, Answer<Real> answer, const ChannelRows<Real>& by_features) noexcept {
      factor == 2 ? give_back<2>(features, gradients, normalize, answer, by_features)
                  : give_back<1>(features, gradients, normalize, answer, by_features);
    },
};

}  // namespace

// Declared, and chosen among, in dispatch.cpp.
extern const pooling::PoolingKernels pooling_kernels;
const pooling::PoolingKernels pooling_kernels = {kChannelKernels<float>, kChannelKernels<double>};

}  // namespace diffeo::kernels::DIFFEO_TARGET
