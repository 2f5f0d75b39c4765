// Correlation: does one quantity go with another, and could that be chance?
//
// Pearson's coefficient asks for a straight line: 1 for one that rises, -1 for one that falls. Spearman's asks only
// whether one rises when the other does; it is Pearson's coefficient of the ranks, so that a logarithm on either axis
// changes nothing and one outlier little. Sizes of data sets span orders of magnitude: there Spearman's is the one to
// look at.
//
//   const Correlation found = spearman(training_sizes, gains);
//   found.coefficient, found.p_value
//
// The two-sided p-value is that of r sqrt((n - 2) / (1 - r r)) in Student's t distribution with n - 2 degrees of
// freedom: exact for Pearson's where both are normal, near enough for Spearman's from about ten pairs.
//
//   * the values of scipy.stats.pearsonr and scipy.stats.spearmanr
//   * where one side is constant the coefficient is 0 and the p-value 1; two pairs or fewer say nothing: p-value 1
//   * std::invalid_argument for different lengths and for values that are not finite
#pragma once

#include <span>

namespace diffeo {

struct Correlation {
  double coefficient = 0.0;
  double p_value = 1.0;
};

[[nodiscard]] Correlation pearson(std::span<const double> first, std::span<const double> second);
[[nodiscard]] Correlation spearman(std::span<const double> first, std::span<const double> second);

}  // namespace diffeo
