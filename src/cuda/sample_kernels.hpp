// Series read at positions, and what comes back of it (core/interpolation.hpp).
//
// Forwards and for gradients by positions, a thread has one position and reads all channels there. The gradient by the
// series has a thread per node instead, which looks for the positions that read it and adds up their shares in order:
// no atomics, and the sums of the processor. Where to look: positions are cut into tiles, and of every tile it is known
// which node is the highest up to it and which the lowest from it on. For positions that ascend, as those of a warp do
// up to rounding, that leaves one or two tiles; for any others it is slower and as right.
#pragma once

#include <cstddef>

#include "core/interpolation.hpp"
#include "cuda/flow_kernels.hpp"
#include "cuda/product_kernels.hpp"

namespace diffeo::cuda {

/// (cases, channels, time) of one pass.
template <class Real>
struct SeriesBlock {
  Real* data;
  std::size_t channels, time;

  DIFFEO_MEMBER Real* row(std::size_t item, std::size_t channel) const {
    return data + (item * channels + channel) * time;
  }
};

/// Positions in units of samples: rows of memory times a factor.
template <class Real>
struct SamplePositions {
  FieldRows<Real> rows;
  Real scale;
  std::size_t count;

  DIFFEO_MEMBER Real at(std::size_t item, std::size_t j) const { return rows.row(item)[j] * scale; }
};

/// NaN is nowhere: what is read there is NaN, and passes nothing on. It must not become an index.
template <class Real>
DIFFEO_INLINE interpolation::Location<Real> location_of(Real u, std::size_t time) {
  return std::isnan(u) ? interpolation::Location<Real>{0, Real(0), false} : interpolation::locate(u, time);
}

/// All channels of a case at one position.
template <class Real>
DIFFEO_INLINE void read_channels(const SeriesBlock<const Real>& series, std::size_t item, Real u, std::size_t j,
                                 const SeriesBlock<Real>& out) {
  const interpolation::Location<Real> at = location_of(u, series.time);
  for (std::size_t channel = 0; channel < series.channels; ++channel) {
    const Real value = interpolation::value_at(series.row(item, channel), at);
    out.row(item, channel)[j] = std::isnan(u) ? u : value;
  }
}

/// Series read where given positions are.
template <class Real>
struct ReadSeries {
  static constexpr unsigned kThreads = kTilePoints;
  using Shared = Nothing;

  SeriesBlock<const Real> series;
  SamplePositions<Real> positions;
  std::size_t items;
  SeriesBlock<Real> out;

  [[nodiscard]] std::size_t blocks() const { return items * tiles_of(positions.count, kThreads); }

  template <class Block>
  DIFFEO_HOST_DEVICE void operator()(const Block& block) const {
    each_in_tiles<kThreads>(block, items, positions.count, [&](std::size_t item, std::size_t j) {
      read_channels(series, item, positions.at(item, j), j, out);
    });
  }
};

/// Series read where the flow takes the samples of the output; positions are never stored.
template <class Real>
struct WarpSeries {
  static constexpr unsigned kThreads = kTilePoints;
  using Shared = Nothing;

  FieldTables<Real> tables;
  FieldRows<double> times;
  SamplePoints<Real> points;
  SeriesBlock<const Real> series;
  std::size_t first, fields;
  SeriesBlock<Real> out;

  [[nodiscard]] std::size_t blocks() const { return fields * tiles_of(out.time, kThreads); }

  template <class Block>
  DIFFEO_HOST_DEVICE void operator()(const Block& block) const {
    each_in_tiles<kThreads>(block, fields, out.time, [&](std::size_t field, std::size_t j) {
      const Real position = value_at<math::Positions>(tables, field, *times.row(first + field), points[j]);
      read_channels(series, field, position, j, out);
    });
  }
};

/// Gradients by positions in units of `scale` samples: the sum over the channels.
template <class Real>
struct PullBackPositions {
  static constexpr unsigned kThreads = kTilePoints;
  using Shared = Nothing;

  SeriesBlock<const Real> series;
  SamplePositions<Real> positions;
  SeriesBlock<const Real> cotangents;
  std::size_t items;
  double scale;
  RowResult<Real> by_position;  // (items, positions)

  [[nodiscard]] std::size_t blocks() const { return items * tiles_of(positions.count, kThreads); }

  template <class Block>
  DIFFEO_HOST_DEVICE void operator()(const Block& block) const {
    each_in_tiles<kThreads>(block, items, positions.count, [&](std::size_t item, std::size_t j) {
      by_position.put(item * positions.count + j, scale * slope(item, j));
    });
  }

 private:
  DIFFEO_MEMBER double slope(std::size_t item, std::size_t j) const {
    const interpolation::Location<Real> at = location_of(positions.at(item, j), series.time);
    double sum = 0;
    for (std::size_t channel = 0; channel < series.channels; ++channel) {
      const Real cotangent = cotangents.row(item, channel)[j];
      sum += interpolation::pull_back(series.row(item, channel), series.time, at, cotangent, nullptr);
    }
    return std::isnan(positions.at(item, j)) ? not_a_number<double>() : sum;
  }
};

/// Which nodes the positions of every tile read.
struct NodeRanges {
  static constexpr std::size_t kTile = 64;  // positions
  std::size_t tiles;                        // per case
  std::size_t* highest;                     // (cases, tiles): of all tiles up to this one
  std::size_t* lowest;                      // (cases, tiles): of all tiles from this one on

  NodeRanges(Arena& arena, std::size_t positions, std::size_t cases)
      : tiles(tiles_of(positions, kTile)),
        highest(arena.take<std::size_t>(cases * tiles)),
        lowest(arena.take<std::size_t>(cases * tiles)) {}

  /// The first tile that may read `node` or one after it.
  DIFFEO_MEMBER std::size_t first_tile(std::size_t item, std::size_t node) const {
    const std::size_t* const up_to = highest + item * tiles;
    return first_where([&](std::size_t tile) { return up_to[tile] >= node; });
  }
  /// One past the last tile that may read `node` or one before it.
  DIFFEO_MEMBER std::size_t end_tile(std::size_t item, std::size_t node) const {
    const std::size_t* const from = lowest + item * tiles;
    return first_where([&](std::size_t tile) { return from[tile] > node; });
  }

 private:
  /// The first tile that is `wanted`, as are all that come after it.
  template <class Wanted>
  DIFFEO_MEMBER std::size_t first_where(const Wanted& wanted) const {
    std::size_t low = 0, high = tiles;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (wanted(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
};

/// Fills NodeRanges: one block per case.
template <class Real>
struct FindNodeRanges {
  static constexpr unsigned kThreads = 64;
  using Shared = Nothing;

  SamplePositions<Real> positions;
  std::size_t time;
  std::size_t items;
  NodeRanges ranges;

  template <class Block>
  DIFFEO_HOST_DEVICE void operator()(const Block& block) const {
    for (std::size_t item = block.index(); item < items; item += block.count()) {
      std::size_t* const highest = ranges.highest + item * ranges.tiles;
      std::size_t* const lowest = ranges.lowest + item * ranges.tiles;
      block.each_thread([&](unsigned thread) {
        for (std::size_t tile = thread; tile < ranges.tiles; tile += kThreads) measure(item, tile, highest, lowest);
      });
      block.each_thread([&](unsigned thread) {
        for (std::size_t tile = 1; thread == 0 && tile < ranges.tiles; ++tile) {
          if (highest[tile] < highest[tile - 1]) highest[tile] = highest[tile - 1];
        }
        for (std::size_t tile = ranges.tiles; thread == kThreads - 1 && tile-- > 1;) {
          if (lowest[tile - 1] > lowest[tile]) lowest[tile - 1] = lowest[tile];
        }
      });
    }
  }

 private:
  DIFFEO_MEMBER void measure(std::size_t item, std::size_t tile, std::size_t* highest, std::size_t* lowest) const {
    const std::size_t begin = tile * NodeRanges::kTile;
    std::size_t high = 0, low = time;
    for (std::size_t j = begin; j < begin + NodeRanges::kTile && j < positions.count; ++j) {
      const std::size_t node = location_of(positions.at(item, j), time).node;
      high = node > high ? node : high;
      low = node < low ? node : low;
    }
    highest[tile] = high;
    lowest[tile] = low;
  }
};

/// Gradients by the series: one thread per node.
template <class Real>
struct PullBackSeries {
  static constexpr unsigned kThreads = 128;
  using Shared = Nothing;

  SeriesBlock<const Real> series;
  SamplePositions<Real> positions;
  SeriesBlock<const Real> cotangents;
  std::size_t items;
  NodeRanges ranges;
  SeriesBlock<Real> by_series;

  [[nodiscard]] std::size_t blocks() const { return items * tiles_of(series.time, kThreads); }

  template <class Block>
  DIFFEO_HOST_DEVICE void operator()(const Block& block) const {
    each_in_tiles<kThreads>(block, items, series.time,
                            [&](std::size_t item, std::size_t node) { pull_back(item, node); });
  }

 private:
  DIFFEO_MEMBER void pull_back(std::size_t item, std::size_t node) const {
    const std::size_t begin = ranges.first_tile(item, node == 0 ? 0 : node - 1) * NodeRanges::kTile;
    const std::size_t past = ranges.end_tile(item, node) * NodeRanges::kTile;
    const std::size_t end = past < positions.count ? past : positions.count;
    for (std::size_t channel = 0; channel < series.channels; ++channel) {
      const Real* const values = series.row(item, channel);
      const Real* const weights = cotangents.row(item, channel);
      double sum = 0;
      for (std::size_t j = begin; j < end; ++j) {
        const Real u = positions.at(item, j);
        const interpolation::Location<Real> at = location_of(u, series.time);
        const double share = interpolation::share_of_node(at, node);
        if (share == 0 || std::isnan(u) || std::isnan(interpolation::value_at(values, at))) continue;
        sum += static_cast<double>(weights[j]) * share;
      }
      by_series.row(item, channel)[node] = static_cast<Real>(sum);
    }
  }
};

}  // namespace diffeo::cuda
