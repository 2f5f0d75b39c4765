#include "baselines/lane_pack.hpp"

#include <algorithm>

namespace diffeo {
namespace {

/// Puts one series into its lane of (length, channels, lanes).
void interleave(SeriesView<const double> series, std::size_t length, Filling filling, std::size_t lanes,
                double* lane) noexcept {
  for (std::size_t c = 0; c < series.channels; ++c) {
    const std::span<const double> values = series.channel(c);
    const double filler = filling == Filling::kFiller ? kernels::kFiller : values.back();
    for (std::size_t t = 0; t < length; ++t) {
      lane[(t * series.channels + c) * lanes] = t < values.size() ? values[t] : filler;
    }
  }
}

struct Lengths {
  std::size_t least, most;
};

template <SeriesView<const double> SeriesPair::*side>
Lengths lengths_of(std::span<const SeriesPair> pairs) noexcept {
  const auto [least, most] = std::minmax_element(
      pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return (a.*side).length < (b.*side).length; });
  return {((*least).*side).length, ((*most).*side).length};
}

}  // namespace

LanePack::LanePack(std::size_t lanes, const PairExtent& extent)
    : lanes_(lanes),
      first_((extent.first_length + 1) * extent.channels * lanes),
      second_((extent.second_length + 1) * extent.channels * lanes) {}

void LanePack::pack(std::span<const SeriesPair> pairs, Filling filling) noexcept {
  const Lengths first = lengths_of<&SeriesPair::first>(pairs);
  const Lengths second = lengths_of<&SeriesPair::second>(pairs);
  const bool alike = first.least == first.most && second.least == second.most;
  const std::size_t extra = !alike && filling == Filling::kFiller ? 1 : 0;
  pairs_.first = first_.data();
  pairs_.second = second_.data();
  pairs_.rows = first.most + extra;
  pairs_.columns = second.most + extra;
  pairs_.channels = pairs.front().first.channels;
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    const SeriesPair& pair = pairs[lane < pairs.size() ? lane : 0];
    pairs_.first_length[lane] = pair.first.length;
    pairs_.second_length[lane] = pair.second.length;
    interleave(pair.first, pairs_.rows, filling, lanes_, first_.data() + lane);
    interleave(pair.second, pairs_.columns, filling, lanes_, second_.data() + lane);
  }
}

}  // namespace diffeo
