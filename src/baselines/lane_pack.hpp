// Pairs of series laid out for the kernels: interleaved, filled up to a common length.
//
// Memory is taken once, for the longest series to come; packing takes none, so that it can run inside for_each_item.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "baselines/aligned_vector.hpp"
#include "baselines/kernels/kernel_set.hpp"
#include "diffeo/dataset.hpp"

namespace diffeo {

struct SeriesPair {
  SeriesView<const double> first;
  SeriesView<const double> second;
};

/// Fills `pairs` with a series and the cases from `first` on, as many as there are, and gives their number.
inline std::size_t pair_with_cases(SeriesView<const double> series, const Dataset& cases, std::size_t first,
                                   std::span<SeriesPair> pairs) noexcept {
  const std::size_t used = std::min(pairs.size(), cases.cases() - first);
  for (std::size_t k = 0; k < used; ++k) pairs[k] = {series, cases.series(first + k)};
  return used;
}

/// The longest series that a workspace must hold.
struct PairExtent {
  std::size_t channels;
  std::size_t first_length;
  std::size_t second_length;
};

[[nodiscard]] inline PairExtent extent_of(const SeriesPair& pair) noexcept {
  return {pair.first.channels, pair.first.length, pair.second.length};
}

/// What a series is filled up with.
enum class Filling {
  kFiller,   // kernels::kFiller, with room for at least one in every lane when lengths differ
  kAnything  // any finite value: the kernel does not look at it
};

class LanePack {
 public:
  LanePack(std::size_t lanes, const PairExtent& extent);

  /// One to `lanes` pairs; lanes without a pair repeat the first.
  void pack(std::span<const SeriesPair> pairs, Filling filling) noexcept;

  [[nodiscard]] const kernels::LanePairs& pairs() const noexcept { return pairs_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return lanes_; }

 private:
  std::size_t lanes_;
  AlignedVector<double> first_, second_;
  kernels::LanePairs pairs_ = {};
};

}  // namespace diffeo
