// How many numbers a network of given options has at least, without making one: what a file that claims to hold such a
// network must be able to fill.
#pragma once

#include <cstdint>

#include "diffeo/torch/temporal_transformer.hpp"

namespace diffeo {

/// Weights of all layers and the vertex basis, but for biases and normalization. A double, because options may ask for
/// more than there are integers.
[[nodiscard]] double least_network_size(const TransformerOptions& options, std::int64_t channels, std::int64_t length);

}  // namespace diffeo
