// Series as a network can read them: complete, and all of one length.
//
//   (cases, channels, time), NaN for missing  ->  (cases, channels, length), no NaN
//
// Time steps at the end at which every channel is missing are padding: the series ends before them. Gaps are filled by
// linear interpolation, with the nearest value at the ends of a channel, and the series is read at `length` equally
// spaced times from its first to its last step. So padding, however much of it, changes nothing; and a complete series
// of `length` steps is given back as it is.
//
//   * only what the network sees: warps are applied to the series themselves, gaps and all
//   * a channel without any value is zero
//   * differentiable in the values that are present
//   * c10::Error for other shapes, precisions than float32 and float64, and a length below 1
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace diffeo {

[[nodiscard]] at::Tensor network_input(const at::Tensor& series, std::int64_t length);

/// (cases): the number of time steps of every series without the padding; at least 1.
[[nodiscard]] at::Tensor lengths_without_padding(const at::Tensor& series);

}  // namespace diffeo
