#include "diffeo/soft_dtw.hpp"

#include "baselines/lane_soft_dtw.hpp"
#include "baselines/series_checks.hpp"
#include "baselines/soft_range.hpp"

namespace diffeo {
namespace {

void require_soft_pair(const SeriesPair& pair, double gamma) {
  require_complete(pair.first, "first");
  require_complete(pair.second, "second");
  require_same_channels(pair.first.channels, pair.second.channels);
  SoftRange range;
  range.include(pair.first);
  range.include(pair.second);
  range.require_gamma(gamma);
}

}  // namespace

double soft_dtw(SeriesView<const double> first, SeriesView<const double> second, double gamma) {
  const SeriesPair pair{first, second};
  require_soft_pair(pair, gamma);
  double value;
  LaneSoftDtw(extent_of(pair), WithGradient::kNo).run({&pair, 1}, gamma, &value);
  return value;
}

SoftDtwGradient soft_dtw_gradient(SeriesView<const double> first, SeriesView<const double> second, double gamma) {
  const SeriesPair pair{first, second};
  require_soft_pair(pair, gamma);
  LaneSoftDtw lanes(extent_of(pair), WithGradient::kYes);
  SoftDtwGradient result{0, std::vector<double>(first.size())};
  lanes.run({&pair, 1}, gamma, &result.value);
  lanes.take_gradient(0, result.by_first);
  return result;
}

}  // namespace diffeo
