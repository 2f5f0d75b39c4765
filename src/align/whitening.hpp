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

namespace diffeo {

class Whitening {
 public:
  /// Samples are equally spaced from 0 to 1. `present` is empty (all are there) or has a flag per sample.
  Whitening(std::size_t length, std::span<const char> present, double ratio, double length_scale);

  [[nodiscard]] double log_determinant() const noexcept { return log_determinant_; }

  /// `block` is (length, columns), whitened in place column by column; `states` is workspace for 2 * columns numbers.
  void whiten(std::span<double> block, std::size_t columns, std::span<double> states) const noexcept;

 private:
  struct Step {
    double height_gain;
    double slope_gain;
    double factor;  // 1 / standard deviation of the innovation; 0 where the sample is missing
  };

  double transition_[4];
  std::vector<Step> steps_;
  double log_determinant_ = 0.0;
};

}  // namespace diffeo
