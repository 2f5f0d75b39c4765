// Residuals whitened by the covariance of varying heights plus noise, in O(length).
//
// Heights vary as a Gaussian process along a series' own time, with the Matern 3/2 covariance
//   ratio (1 + d) e^{-d},   d = sqrt(3) |t - t'| / length_scale,
// on top of white noise of variance 1. The process is Markov with two states, the height and its slope, so a Kalman
// filter gives the Cholesky factor's inverse times any column: the innovations over their standard deviations. It is
// linear in the column, so derivatives are whitened by the same filter.
//
//   * sum of squares of the whitened residual = r^T C^{-1} r;  log_determinant() = log det C
//   * ratio 0: nothing changes. A large ratio compares slopes rather than values
//   * missing samples are left out: their rows come out as 0
//   * one filter serves every column and every series with the same length and gaps
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "align/kernels/kernel_set.hpp"

namespace diffeo {

class Whitening {
 public:
  /// Samples are equally spaced from 0 to 1. `present` is empty (all are there) or has a flag per sample.
  Whitening(std::size_t length, std::span<const char> present, double ratio, double length_scale);

  [[nodiscard]] double log_determinant() const noexcept { return log_determinant_; }

  /// `block` is (length, columns), whitened in place column by column; `states` is workspace for 2 * columns numbers.
  void whiten(std::span<double> block, std::size_t columns, std::span<double> states) const noexcept;

  /// products += W^T W, the lower triangle (columns, columns), with W the block (length, columns) as whiten() leaves it.
  /// Rows are padded with zeros (kernels::padded), and missing samples hold zeros; `workspace` has the block's size.
  void add_products(std::span<const double> block, std::size_t columns, std::span<double> workspace,
                    std::span<double> products) const noexcept {
    kernels::align_kernels().add_whitened_products({transition_, steps_.data(), steps_.size()}, block.data(), columns,
                                                   workspace.data(), products.data());
  }

 private:
  double transition_[4];
  std::vector<kernels::WhiteningStep> steps_;
  double log_determinant_ = 0.0;
};

}  // namespace diffeo
