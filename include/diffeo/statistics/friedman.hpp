// The Friedman test: do several methods differ at all? And Nemenyi's: by how much must two mean ranks differ?
//
// Were all k methods equally good, every order of ranks on each of n data sets would be equally likely, and mean ranks
// would scatter about (k + 1) / 2 by chance alone. Friedman's statistic says how much more they scatter; it is compared
// with a chi-squared distribution with k - 1 degrees of freedom. Iman and Davenport's form of it,
//     F = (n - 1) X / (n (k - 1) - X)         with k - 1 and (k - 1) (n - 1) degrees of freedom,
// is less timid with few data sets.
//
//   friedman(table).iman_davenport_p_value              // small: look which ones differ
//   nemenyi_critical_difference(6, 31)                  // 1.354: mean ranks that far apart differ at the level 0.05
//
// Nemenyi's difference is q sqrt(k (k + 1) / (6 n)), where q sqrt(2) is the quantile of the range of k normal numbers.
// It compares every two methods by their mean ranks, which depend on the other methods in the table;
// diffeo/statistics/wilcoxon.hpp looks at the two alone.
//
//   * corrected for ties; the values of scipy.stats.friedmanchisquare and scipy.stats.studentized_range
//   * where all scores are equal on each data set the statistics are 0 and the p-values 1
//   * where all data sets agree on the order entirely F is infinite and its p-value 0; of one data set alone, F is 0
//     and its p-value 1
//   * std::invalid_argument for fewer than two methods, no data set, or a level that is not between 0 and 1
#pragma once

#include <cstddef>

#include "diffeo/statistics/score_table.hpp"

namespace diffeo {

struct FriedmanResult {
  double statistic = 0.0;  ///< chi-squared
  double p_value = 1.0;
  double iman_davenport = 0.0;  ///< F
  double iman_davenport_p_value = 1.0;
};

[[nodiscard]] FriedmanResult friedman(const ScoreTable& table);

[[nodiscard]] double nemenyi_critical_difference(std::size_t methods, std::size_t datasets, double level = 0.05);

}  // namespace diffeo
