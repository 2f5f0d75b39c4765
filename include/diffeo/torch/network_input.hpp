// Converts series to network input: complete, and all of one length.
//
//   (cases, channels, time), NaN for missing  ->  (cases, channels, length), no NaN
//
// Time steps at the end at which every channel is missing are padding: the series ends before them. Gaps are filled by
// linear interpolation, with the nearest value at the ends of a channel. Then the series is read at `length` equally
// spaced times from its first to its last step. So padding never changes the result, and a complete series
// of `length` steps is unchanged.
//
//   * only for the network: warps are applied to the original series, with gaps
//   * a channel without any value becomes zero
//   * differentiable in the present values
//   * c10::Error for other shapes, precisions other than float32 and float64, and a length below 1
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace diffeo {

[[nodiscard]] at::Tensor network_input(const at::Tensor& series, std::int64_t length);

/// (cases): the length of every series without padding; at least 1.
[[nodiscard]] at::Tensor lengths_without_padding(const at::Tensor& series);

}  // namespace diffeo
