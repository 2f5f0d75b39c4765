// All kernels of the baselines, for one instruction set. Compiled once per entry of the list in cmake/kernels.cmake.
#include "baselines/kernels/dtw_lanes.hpp"
#include "baselines/kernels/soft_dtw_lanes.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

// Declared, and chosen among, in dispatch.cpp.
extern const BaselineKernels baseline_kernels;
const BaselineKernels baseline_kernels = {
    kLaneCount<double>,
    [](const LanePairs& pairs, const LaneBand& band, double* row, LaneSteps* steps, double* squared) noexcept {
      if (steps != nullptr) {
        dtw_lanes<true>(pairs, band, row, steps, squared);
      } else {
        dtw_lanes<false>(pairs, band, row, steps, squared);
      }
    },
    [](const LanePairs& pairs, double inverse_gamma, const SoftSpace& space) noexcept {
      return soft_dtw_lanes(pairs, inverse_gamma, space);
    },
    [](const LanePairs& pairs, double inverse_gamma, const SoftSpace& space, double* gradient) noexcept {
      return soft_dtw_gradient_lanes(pairs, inverse_gamma, space, gradient);
    },
};

}  // namespace diffeo::kernels::DIFFEO_TARGET
