// The Wilcoxon signed-rank test: is one method better than another over many data sets, or was it luck?
//
// On every data set the two scores differ by some amount. Amounts are ranked without their signs; the ranks of the
// positive differences are added up, and those of the negative ones. Were the methods equally good, each sign would be
// a fair coin, and both sums about the same. The smaller sum is the statistic; the p-value is the probability that fair
// coins make it as small as that or smaller, in either direction.
//
//   const WilcoxonResult result = wilcoxon_signed_rank(accuracies_of_diffeo, accuracies_of_dba);
//   if (result.p_value <= 0.05) ...                     // one pair of methods; for several see
//   diffeo/statistics/holm.hpp
//
// It asks less of the data than a t test, no normal distribution above all, and more than counting wins, because a
// large difference counts for more than a small one.
//
//   * equal scores say nothing and are dropped, as Wilcoxon did: `pairs` counts those that are left
//   * exact for up to 50 pairs, ties or none; else by the normal distribution, its variance corrected for ties, without
//     continuity correction
//   * the values of scipy.stats.wilcoxon(first, second, correction=False); for 14 to 50 pairs with ties, where SciPy
//     approximates, those of its method=PermutationMethod(n_resamples=inf)
//   * scores or differences that agree to twelve digits of the largest score are equal: 0.9 - 0.8 is 0.8 - 0.7
//   * with no pair left the p-value is 1; it is never NaN
//   * std::invalid_argument for different lengths and for scores that are not finite
#pragma once

#include <cstddef>
#include <span>

namespace diffeo {

struct WilcoxonResult {
  double statistic = 0.0;  ///< the smaller of the two sums of ranks
  double p_value = 1.0;    ///< two-sided
  std::size_t pairs = 0;   ///< that differ
  bool exact = true;
};

[[nodiscard]] WilcoxonResult wilcoxon_signed_rank(std::span<const double> first, std::span<const double> second);

}  // namespace diffeo
