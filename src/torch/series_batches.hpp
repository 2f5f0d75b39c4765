// Training series as batches of tensors, made when they are asked for.
//
// The set itself stays where it is: what a batch costs is the batch. Series are float, each channel with mean 0 and
// standard deviation 1 over the training set, and padded with NaN to the longest of the batch, which changes no result
// (diffeo/torch/network_input.hpp).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "diffeo/dataset.hpp"

namespace diffeo {

/// What makes each channel comparable: (value - mean) / scale.
struct Normalisation {
  std::vector<double> mean;
  std::vector<double> scale;  ///< the standard deviation; 1 where a channel is constant or has no values
};

[[nodiscard]] Normalisation normalisation_of(const Dataset& set);

/// (items, channels, longest of them).
[[nodiscard]] at::Tensor series_batch(const Dataset& set, const Normalisation& normalisation,
                                      std::span<const std::size_t> items);
/// All of a set as one batch.
[[nodiscard]] at::Tensor series_batch(const Dataset& set, const Normalisation& normalisation);

}  // namespace diffeo
