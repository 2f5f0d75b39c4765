// Soft dynamic time warping: DTW made differentiable (Cuturi and Blondel, 2017).
//
//     soft_dtw(a, b) = -gamma log( sum over paths of exp(-cost(path) / gamma) ),   cost = sum of |a_i - b_j|^2
//
// over the paths of diffeo/dtw.hpp, on squared differences and without a root, as in tslearn. It tends to dtw^2
// from below as gamma tends to 0, and may be negative. Its gradient by sample a_i is the sum over j of 2 E_ij (a_i -
// b_j), where E_ij is the probability that a path drawn with weights exp(-cost / gamma) visits (i, j).
//
//   * the sum is stored as mantissa and exponent (docs/decisions.md), so nothing overflows or underflows: the error is
//     a few (n + m) roundings relative to the larger of |soft_dtw| and gamma
//   * bit-identical for any number of threads and on any instruction set
//   * O(n m channels) time; the value needs O(m) memory, the gradient O(m sqrt(n))
//   * std::invalid_argument for anything that diffeo/dtw.hpp refuses; for gamma that is not positive and finite (for 0
//     the limit is dtw^2: use dtw); and for gamma so small relative to the costs that cost / gamma may exceed 2^49,
//     where soft and hard minimum are the same number
#pragma once

#include <vector>

#include "diffeo/dataset.hpp"

namespace diffeo {

[[nodiscard]] double soft_dtw(SeriesView<const double> first, SeriesView<const double> second, double gamma = 1.0);

struct SoftDtwGradient {
  double value;
  std::vector<double> by_first;  // in the shape of the first series: channel by channel
};

[[nodiscard]] SoftDtwGradient soft_dtw_gradient(SeriesView<const double> first, SeriesView<const double> second,
                                                double gamma = 1.0);

}  // namespace diffeo
