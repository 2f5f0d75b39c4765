// The square-root slopes of a batch (diffeo/slope_scale.hpp), beside what a network sees of it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "diffeo/slope_scale.hpp"

namespace diffeo {

/// Adds the series of a batch, (cases, channels, time) with padding, to the sums.
void add_batch(const at::Tensor& series, SlopeSums& sums);

/// (cases, channels, length), every series from its first to its last sample before the padding; no gradient.
[[nodiscard]] at::Tensor slope_batch(const at::Tensor& series, const SlopeScale& scale, std::int64_t length);

}  // namespace diffeo
