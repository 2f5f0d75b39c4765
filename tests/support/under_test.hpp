// Whose flow, warp and sampling the tests look at: the library's, or (DIFFEO_TEST_KERNELS) those that CUDA's kernels
// compute.
//
// So that every test of the core that is about what kernels do is one of the kernels as well: tests/cuda compiles the
// same sources again.
#pragma once

#include <cstdint>

#if defined(DIFFEO_TEST_KERNELS)
#include "cuda/machine.hpp"
#else
#include "diffeo/flow.hpp"
#include "diffeo/log_slope.hpp"
#include "diffeo/sample.hpp"
#include "diffeo/warp.hpp"

namespace diffeo::under_test {

using diffeo::flow;
using diffeo::flow_log_slope;
using diffeo::flow_log_slope_vjp;
using diffeo::flow_vjp;
using diffeo::sample;
using diffeo::sample_vjp;
using diffeo::warp;
using diffeo::warp_vjp;

/// How many times fewer random fields are enough for patience.
inline constexpr std::uint64_t kSlowness = 1;

/// Whether series may have nodes that are not regular.
inline constexpr bool kHasGrids = true;

}  // namespace diffeo::under_test
#endif
