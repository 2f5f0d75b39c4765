// The end of a convolutional block in one step of autograd: batch normalization, max pooling by two, ReLU.
//
// The values are those of torch's three modules one after the other, to rounding; normalized_pooling_test.cpp compares
// them. Torch's own take half of a training step of the default network: pooling there goes through 64-bit indices and
// scatters its gradient. Here nothing is kept but the features themselves, and the way back finds the maxima again.
//
//   * float32 and float64 on the CPU; anything else goes through torch's modules
//   * statistics and running averages as BatchNorm1d has them, in training and in evaluation
//   * of a batch that is shared out over a group, the statistics are those of the whole batch, and so is what they send
//     back; the gradients by weight and bias are this process's share
//   * one channel is one thread's: the same bits for any number of threads
//   * no second derivatives: asking for them is an error
#pragma once

#include <torch/torch.h>

#include "diffeo/torch/group.hpp"

namespace diffeo {

/// (cases, channels, steps) to (cases, channels, steps / 2), or of the same shape where nothing is to be pooled.
[[nodiscard]] at::Tensor normalized_pooling(const at::Tensor& features, torch::nn::BatchNorm1dImpl& norm, bool pools,
                                            const Group& group = {});

/// The same without normalization: max pooling by two, ReLU.
[[nodiscard]] at::Tensor rectified_pooling(const at::Tensor& features);

}  // namespace diffeo
