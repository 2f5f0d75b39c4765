// What fitting a temporal aligner learns.
#pragma once

#include <memory>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/torch/temporal_aligner.hpp"
#include "diffeo/torch/temporal_transformer.hpp"
#include "series_batches.hpp"

namespace diffeo {

struct TemporalAligner::Model {
  std::size_t channels = 1;
  std::size_t length = 0;  ///< of aligned series
  Normalisation normalisation;
  std::vector<std::shared_ptr<TemporalTransformer>> members;
  double shrinkage = 1.0;
  std::vector<EpochRecord> history;
  Dataset centroids;
  Dataset comparison_centroids;
  Dataset unwarped_centroids;  ///< of the training series as they came, in `length` steps
};

/// One per layer, (cases, cells + 1): what one network makes of the series, before shrinkage and horizon.
[[nodiscard]] std::vector<Matrix> member_velocities(TemporalTransformer& network, const Normalisation& normalisation,
                                                    const Dataset& series);

}  // namespace diffeo
