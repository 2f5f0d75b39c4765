// Gains: how much taller than the template a series is as a whole, taken out of sums of squares.
//
//   residual = gain * shape + rest,   gain ~ N(0, ratio) in units of the noise's variance, shape the template about its mean
//
// With columns B = [residual, derivatives..., shape], whitened, and P = B^T B, the gain is integrated out by
//   P - ratio p p^T / (1 + ratio p_shape),   p the column of P that belongs to the shape,
// which adds log(1 + ratio p_shape) to the log-determinant; the likeliest gain is ratio p_residual / (1 + ratio p_shape).
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace diffeo {

/// Of products (columns, columns), lower triangle, whose row `shape` is the shape's: changes the rows before it, and
/// returns what is added to the log-determinant.
inline double take_out_gain(std::span<double> products, std::size_t columns, std::size_t shape, double ratio) noexcept {
  const double* own = products.data() + shape * columns;
  const double spread = 1.0 + ratio * own[shape];
  for (std::size_t row = 0; row < shape; ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      products[row * columns + column] -= ratio / spread * own[row] * own[column];
    }
  }
  return std::log(spread);
}

[[nodiscard]] inline double likeliest_gain(double with_residual, double of_shape, double ratio) noexcept {
  return ratio * with_residual / (1.0 + ratio * of_shape);
}

}  // namespace diffeo
