// How far one series, read along its warp, is from a template; and what a small change of the warp would do to that.
//
//   difference = sum_jc weight_j r_jc^2 / sum_j weight_j p_j,    r = s(phi(x_j)) - m(x_j)
//   weight_j   = (1 - own_time) dx_j + own_time dphi_j           (diffeo/align_options.hpp)
//
// x_j are equally spaced in [0, 1], dx_j and dphi_j the trapezoid measures of sample j in the template's and in the
// series' time, p_j the share of the channels that are present there. Without missing values the divisor is 1.
//
// Everything is differentiated as it is computed, so gradients are exact but for the kinks of interpolation. For
// Gauss-Newton the residuals are sqrt(weight_j) r_jc, with the derivatives of both factors.
//
// Kernels: they trust their arguments, allocate nothing and never throw.
#pragma once

#include <cstddef>
#include <span>

#include "diffeo/dataset.hpp"
#include "diffeo/rows.hpp"

namespace diffeo {

/// Values of the series at the positions, channel by channel: clamped beyond the ends, missing beside a missing value.
void read_values(SeriesView<const double> series, std::span<const double> positions, std::span<double> values) noexcept;

/// Derivatives by position of what read_values gives: the slope of the segment, 0 beyond the ends.
void read_slopes(SeriesView<const double> series, std::span<const double> positions, std::span<double> slopes) noexcept;

void fill_time_weights(std::span<const double> positions, double own_time, std::span<double> weights) noexcept;

/// One series on the grid, beside the template. Values, slopes and the template are channels x points.
struct Comparison {
  std::size_t channels = 0;
  double own_time = 0.0;
  std::span<const double> positions;
  std::span<const double> weights;
  std::span<const double> values;
  std::span<const double> target;

  [[nodiscard]] std::size_t points() const noexcept { return positions.size(); }
};

struct Difference {
  double sum = 0.0;      // of weighted squares
  double present = 0.0;  // weight of what was compared; 0 where nothing could be

  [[nodiscard]] double mean() const noexcept { return present > 0.0 ? sum / present : 0.0; }
};

[[nodiscard]] Difference difference(const Comparison& comparison) noexcept;

/// Half the gradient and half the Gauss-Newton matrix of Difference::mean by the columns of `jacobian`, added to what
/// is there. `jacobian` is (points, columns): the derivatives of the positions. Of the square `hessian` only the lower
/// triangle is filled. `row` and `other_row` are workspace of the size of a row.
void add_normal_equations(const Comparison& comparison, std::span<const double> slopes, Rows<const double> jacobian,
                          double factor, std::span<double> gradient, std::span<double> hessian, std::span<double> row,
                          std::span<double> other_row) noexcept;

}  // namespace diffeo
