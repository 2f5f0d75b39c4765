// How far estimated warps are from true ones, where only the relation between series can be known.
//
// Series i is template o psi_i (diffeo/generate.hpp), and an alignment reads it along phi_i. Aligned series agree when
// psi_i o phi_i is the same for all i, whatever that common warp is; so what is compared is how the warps of a pair
// relate: phi_i o phi_k^{-1} against psi_i^{-1} o psi_k.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "diffeo/flow.hpp"
#include "diffeo/matrix.hpp"
#include "diffeo/rows.hpp"

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

/// The rows of those numbers.
inline Matrix rows_of(const Matrix& matrix, std::span<const std::size_t> items) {
  Matrix result(items.size(), matrix.columns());
  for (std::size_t row = 0; row < items.size(); ++row) {
    std::copy(matrix.row(items[row]).begin(), matrix.row(items[row]).end(),
              result.values().begin() + static_cast<std::ptrdiff_t>(row * matrix.columns()));
  }
  return result;
}

inline Rows<const double> view_of(const Matrix& matrix) {
  return {matrix.values().data(), matrix.rows(), matrix.columns()};
}

}  // namespace diffeo::testing
