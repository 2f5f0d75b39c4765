// What fitting a temporal aligner learns.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/torch/temporal_aligner.hpp"
#include "diffeo/torch/temporal_transformer.hpp"
#include "feature_set.hpp"
#include "series_batches.hpp"

namespace diffeo {

/// One network, and what it needs to look at series.
struct ModelMember {
  std::int64_t number = 0;  ///< of its loss and features in the options
  std::shared_ptr<TemporalTransformer> network;
  Normalization normalization;    ///< of its features
  double comparison_scale = 1.0;  ///< what its warped features are multiplied by, so that members count alike
};

struct TemporalAligner::Model {
  std::size_t channels = 1;
  std::size_t length = 0;  ///< of aligned series
  FeatureMaker features;
  std::vector<ModelMember> members;
  std::size_t aligning = 0;  ///< the one of them whose warps align
  /// One per layer, (cells + 1): taken off the velocities of the aligning member, so that its mean warp is the identity.
  std::vector<std::vector<double>> offsets;
  double shrinkage = 1.0;
  std::vector<EpochRecord> history;
  Dataset centroids;
  Dataset comparison_centroids;
  Dataset unwarped_centroids;  ///< of the training series as they came, in `length` steps
};

/// Numbers of the members that a training set of so many classes has a use for: without classes, those that align.
[[nodiscard]] std::vector<std::int64_t> useful_members(const TrainingOptions& options, std::int64_t classes);

/// Number of channels that comparison() has: of the members that tell classes apart, or of all if none does. A member
/// that recognizes classes has one more for their probabilities, or several if there are more classes than time steps.
[[nodiscard]] std::size_t comparison_channels(const TrainingOptions& options, std::int64_t classes,
                                              std::size_t channels, std::size_t length);

/// What one network makes of a set of series.
struct NetworkOutput {
  std::vector<Matrix> velocities;  ///< one per layer, (cases, cells + 1), before shrinkage and horizon
  Matrix recognized;               ///< (cases, classes): probabilities; empty if it does not recognize classes
};

[[nodiscard]] NetworkOutput network_output(TemporalTransformer& network, const Normalization& normalization,
                                           const Dataset& series);

}  // namespace diffeo
