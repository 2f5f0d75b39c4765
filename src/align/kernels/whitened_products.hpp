// Whitening and products of a block's columns. (align/whitening.hpp)
//
// Columns do not depend on each other, so a vector holds neighboring columns of one sample. The filter is a chain of
// operations that wait for each other; two vectors go along it side by side. Products are sums over the samples of
// tiles that stay in registers: four rows by up to two vectors.
#pragma once

#include "align/kernels/kernel_set.hpp"
#include "core/kernels/lanes.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

inline constexpr std::size_t kTileRows = 4;

/// The state of the filter for one vector of columns.
struct FilterState {
  DoubleLanes height = {};
  DoubleLanes slope = {};

  /// The whitened sample; the state moves on to the next one.
  DIFFEO_MEMBER DoubleLanes step(DoubleLanes sample, const WhiteningStep& gains, const double (&transition)[4]) {
    const DoubleLanes innovation = sample - height;
    const DoubleLanes filtered = mul_add(splat<DoubleLanes>(gains.height_gain), innovation, height);
    const DoubleLanes filtered_slope = mul_add(splat<DoubleLanes>(gains.slope_gain), innovation, slope);
    height = mul_add(splat<DoubleLanes>(transition[0]), filtered, splat<DoubleLanes>(transition[1]) * filtered_slope);
    slope = mul_add(splat<DoubleLanes>(transition[2]), filtered, splat<DoubleLanes>(transition[3]) * filtered_slope);
    return splat<DoubleLanes>(gains.factor) * innovation;
  }
};

template <std::size_t kVectors>
DIFFEO_INLINE void whiten_vectors(const WhiteningFilter& filter, const double* block, std::size_t columns,
                                  double* whitened) {
  constexpr std::size_t kLanes = kLaneCount<double>;
  const double transition[4] = {filter.transition[0], filter.transition[1], filter.transition[2], filter.transition[3]};
  FilterState states[kVectors];
  for (std::size_t sample = 0; sample < filter.length; ++sample) {
    const WhiteningStep gains = filter.steps[sample];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t at = sample * columns + v * kLanes;
      store(whitened + at, states[v].step(load<DoubleLanes>(block + at), gains, transition));
    }
  }
}

/// products(i, j) += sum over the samples of w_i w_j, for four rows i and one or two vectors of j.
template <std::size_t kVectors>
DIFFEO_INLINE void add_tile(const double* whitened, std::size_t length, std::size_t columns, std::size_t row,
                            std::size_t column, double* products) {
  constexpr std::size_t kLanes = kLaneCount<double>;
  DoubleLanes sums[kTileRows][kVectors] = {};
  for (std::size_t sample = 0; sample < length; ++sample) {
    const double* values = whitened + sample * columns;
    DoubleLanes own[kVectors];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) own[v] = load<DoubleLanes>(values + column + v * kLanes);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kTileRows; ++r) {
      const DoubleLanes other = splat<DoubleLanes>(values[row + r]);
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = mul_add(other, own[v], sums[r][v]);
    }
  }
  for (std::size_t r = 0; r < kTileRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      double* to = products + (row + r) * columns + column + v * kLanes;
      store(to, load<DoubleLanes>(to) + sums[r][v]);
    }
  }
}

DIFFEO_INLINE void add_whitened_products(const WhiteningFilter& filter, const double* block, std::size_t columns,
                                         double* whitened, double* products) {
  constexpr std::size_t kLanes = kLaneCount<double>;
  std::size_t column = 0;
  for (; column + 2 * kLanes <= columns; column += 2 * kLanes) {
    whiten_vectors<2>(filter, block + column, columns, whitened + column);
  }
  if (column < columns) whiten_vectors<1>(filter, block + column, columns, whitened + column);
  for (std::size_t row = 0; row < columns; row += kTileRows) {
    std::size_t first = 0;
    for (; first + kLanes < row + kTileRows; first += 2 * kLanes) {
      add_tile<2>(whitened, filter.length, columns, row, first, products);
    }
    if (first < row + kTileRows) add_tile<1>(whitened, filter.length, columns, row, first, products);
  }
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
