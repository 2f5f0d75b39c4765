// Training series as batches of tensors, made when they are asked for.
//
// The set itself stays where it is: what a batch costs is the batch. Series are float unless asked otherwise, each
// channel with mean 0 and standard deviation 1 over the training set, and padded with NaN to the longest of the batch,
// which changes no result (diffeo/torch/network_input.hpp). A series that itself ends in missing values is as long as it
// says: its last step has the last value there is.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/torch/group.hpp"

namespace diffeo {

/// What makes each channel comparable: (value - mean) / scale.
struct Normalization {
  std::vector<double> mean;
  std::vector<double> scale;  ///< the standard deviation; 1 where a channel is constant or has no values
};

/// Of the series of all processes.
[[nodiscard]] Normalization normalization_of(const Dataset& own, const Group& group = {});

/// In place.
void normalize(SeriesView<double> series, const Normalization& normalization);
/// The series in these units.
[[nodiscard]] Dataset normalized(Dataset series, const Normalization& normalization);

/// How many series of a length go through a network at once where no gradient is needed: with long ones fewer, so that
/// what a network keeps in between does not grow with the length.
[[nodiscard]] constexpr std::size_t series_at_once(std::size_t length) noexcept {
  constexpr std::size_t kMost = 256;
  constexpr std::size_t kSamples = kMost * 512;
  return std::clamp<std::size_t>(kSamples / std::max<std::size_t>(length, 1), 1, kMost);
}

/// How a batch is laid out.
struct BatchForm {
  std::size_t least_length = 1;           ///< padded to more than the longest: as if a series that long were among them
  at::ScalarType precision = at::kFloat;  ///< or at::kDouble
};

/// (items, channels, longest of them).
[[nodiscard]] at::Tensor series_batch(const Dataset& set, const Normalization& normalization,
                                      std::span<const std::size_t> items, const BatchForm& form = {});
/// All of a set as one batch.
[[nodiscard]] at::Tensor series_batch(const Dataset& set, const Normalization& normalization,
                                      const BatchForm& form = {});

}  // namespace diffeo
