// A set of series by the features that a network sees: values, square-root slopes, or both.
//
// Slopes (diffeo/slope_scale.hpp) are those of the values in units in which each channel has mean 0 and standard
// deviation 1 over the training set, so that no channel outweighs the others. Values come as they are, and a network's
// own normalization makes all of them comparable. Features are channels: values first, then slopes, each series as long
// as it was.
//
//   * slopes are missing in gaps, but for those short enough for the smoothing to bridge
//   * how slopes are scaled is decided once, on the training set of all processes
#pragma once

#include <cstddef>
#include <optional>

#include "diffeo/dataset.hpp"
#include "diffeo/slope_scale.hpp"
#include "diffeo/torch/group.hpp"
#include "diffeo/training_options.hpp"
#include "series_batches.hpp"

namespace diffeo {

/// Channels that a series of so many has by its features.
[[nodiscard]] constexpr std::size_t feature_channels(const Features& features, std::size_t channels) noexcept {
  return channels * ((features.values ? 1 : 0) + (features.slopes ? 1 : 0));
}

class FeatureMaker {
 public:
  FeatureMaker() = default;
  FeatureMaker(Normalization values, SlopeScale slopes) : values_(std::move(values)), slopes_(slopes) {}
  /// As it suits the training set, of which `own` are the series of this process. with_slopes: whether any are asked for.
  FeatureMaker(const Dataset& own, const Group& group, bool with_slopes = true);

  /// With the labels of the series.
  [[nodiscard]] Dataset operator()(const Dataset& series, const Features& features) const;

  [[nodiscard]] const Normalization& values() const noexcept { return values_; }
  [[nodiscard]] const SlopeScale& slopes() const noexcept { return slopes_; }

 private:
  Normalization values_;
  SlopeScale slopes_;
};

/// Series as a member sees them: the series themselves where it sees values alone, to which it refers.
class SeenSeries {
 public:
  SeenSeries(const FeatureMaker& maker, const Dataset& series, const Features& features);
  [[nodiscard]] const Dataset& get() const noexcept { return made_ ? *made_ : *series_; }

 private:
  const Dataset* series_;
  std::optional<Dataset> made_;
};

}  // namespace diffeo
