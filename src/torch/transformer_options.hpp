// From hyper-parameters to a network.
#pragma once

#include <cstdint>
#include <memory>

#include "diffeo/torch/temporal_transformer.hpp"
#include "diffeo/training_options.hpp"

namespace diffeo {

/// What the series are like that a network is made for.
struct SeriesShape {
  std::int64_t channels = 1;  ///< by values; what a network sees may have more
  std::int64_t length = 0;    ///< of aligned series
  std::int64_t classes = 1;   ///< which a network tells apart where its loss asks for it
};

/// What a network learns. Those beyond the members of the model only choose the shrinkage: they are as the one that
/// aligns.
[[nodiscard]] MemberLoss network_loss(const TrainingOptions& options, std::int64_t member);

/// The part of the hyper-parameters that the network of a member is built from.
[[nodiscard]] TransformerOptions transformer_options(const TrainingOptions& options, std::int64_t member,
                                                     std::int64_t classes);

/// A network with weights still to be set; torch's own generator is left as it was.
[[nodiscard]] std::shared_ptr<TemporalTransformer> make_transformer(const SeriesShape& shape,
                                                                    const TrainingOptions& options,
                                                                    std::int64_t member);

}  // namespace diffeo
