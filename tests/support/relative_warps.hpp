// How far estimated warps are from true ones, where only the relation between series can be known.
//
// Series i is template o psi_i (diffeo/generate.hpp), and an alignment reads it along phi_i. Aligned series agree when
// psi_i o phi_i is the same for all i, whatever that common warp is; so what is compared is how the warps of a pair
// relate: phi_i o phi_k^{-1} against psi_i^{-1} o psi_k.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "diffeo/flow.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo::testing {

inline std::vector<double> equally_spaced(std::size_t count) {
  std::vector<double> grid(count);
  for (std::size_t i = 0; i < count; ++i) grid[i] = static_cast<double>(i) / static_cast<double>(count - 1);
  return grid;
}

inline std::vector<double> row_of(const Matrix& matrix, std::size_t row) {
  return {matrix.row(row).begin(), matrix.row(row).end()};
}

/// The warp that takes series `source` into the time of series `target`, by the truth.
inline std::vector<double> true_relation(const Matrix& truth, std::size_t source, std::size_t target,
                                         const std::vector<double>& grid) {
  return flow(row_of(truth, source), flow(row_of(truth, target), grid), -1.0);
}

inline double mean_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::fabs(a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

/// Mean over the pairs of `items` and over time, as a fraction of the duration.
inline double relative_warp_error(const Matrix& estimated, const Matrix& truth, std::span<const std::size_t> items) {
  const std::vector<double> grid = equally_spaced(201);
  double sum = 0.0;
  std::size_t pairs = 0;
  for (const std::size_t source : items) {
    for (const std::size_t target : items) {
      if (source == target) continue;
      const auto found = flow(row_of(estimated, source), flow(row_of(estimated, target), grid, -1.0));
      sum += mean_distance(found, true_relation(truth, source, target, grid));
      ++pairs;
    }
  }
  return pairs == 0 ? 0.0 : sum / static_cast<double>(pairs);
}

}  // namespace diffeo::testing
