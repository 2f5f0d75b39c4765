// From hyper-parameters to a network.
#pragma once

#include <cstdint>
#include <memory>

#include "diffeo/torch/temporal_transformer.hpp"
#include "diffeo/training_options.hpp"

namespace diffeo {

/// The part of the hyper-parameters that a network is built from.
[[nodiscard]] TransformerOptions transformer_options(const TrainingOptions& options);

/// A network with weights still to be set; torch's own generator is left as it was.
[[nodiscard]] std::shared_ptr<TemporalTransformer> make_transformer(std::int64_t channels, std::int64_t length,
                                                                    const TrainingOptions& options);

}  // namespace diffeo
