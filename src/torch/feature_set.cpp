#include "feature_set.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace diffeo {
namespace {

/// Channels one after the other, in the units of the training set.
std::vector<double> in_units(SeriesView<const double> series, const Normalization& normalization) {
  std::vector<double> values(series.values().begin(), series.values().end());
  normalize({values.data(), series.channels, series.length}, normalization);
  return values;
}

}  // namespace

FeatureMaker::FeatureMaker(const Dataset& own, const Group& group, bool with_slopes)
    : values_(normalization_of(own, group)) {
  if (!with_slopes) return;
  SlopeSums sums;
  for (std::size_t item = 0; item < own.cases(); ++item) {
    const std::vector<double> values = in_units(own.series(item), values_);
    sums.add({values.data(), own.channels(), own.length(item)});
  }
  std::vector<double> numbers(sums.numbers().begin(), sums.numbers().end());
  group.sum(numbers);
  std::ranges::copy(numbers, sums.numbers().begin());
  slopes_ = sums.scale();
}

Dataset FeatureMaker::operator()(const Dataset& series, const Features& features) const {
  if (!features.slopes) return series;
  std::vector<double> all;
  all.reserve(series.values().size() * feature_channels(features, 1));
  std::vector<std::size_t> lengths;
  for (std::size_t item = 0; item < series.cases(); ++item) {
    const SeriesView<const double> own = series.series(item);
    if (features.values) all.insert(all.end(), own.values().begin(), own.values().end());
    const std::vector<double> values = in_units(own, values_);
    const std::vector<double> slopes =
        scaled_root_slopes({values.data(), own.channels, own.length}, slopes_, own.length);
    all.insert(all.end(), slopes.begin(), slopes.end());
    lengths.push_back(own.length);
  }
  Dataset result(feature_channels(features, series.channels()), std::move(all), lengths);
  if (series.labeled()) result.set_labels({series.labels().begin(), series.labels().end()}, series.class_names());
  return result;
}

SeenSeries::SeenSeries(const FeatureMaker& maker, const Dataset& series, const Features& features) : series_(&series) {
  if (features.slopes) made_ = maker(series, features);
}

}  // namespace diffeo
