// Ranks: who is first, second, third, on every data set and on average.
//
// Accuracies of different data sets are not comparable: 0.60 may be excellent on one and hopeless on another. Ranks
// are. On each data set the best method gets 1, the next 2; methods with equal scores share the mean of the ranks they
// take up together, so that the ranks of k methods always add up to k (k + 1) / 2.
//
//   fractional_ranks(std::vector{10.0, 30.0, 10.0})     // {1.5, 3, 1.5}: the smallest first
//   mean_ranks(table)                                   // one per method, 1 for the one that is always best
//
// The arithmetic mean is what the tests of diffeo/statistics/friedman.hpp are about. The geometric mean weighs first
// places more heavily: from 1 to 2 is as far as from 3 to 6.
//
//   * equal means equal to the last bit
//   * std::invalid_argument for values that are not finite and for tables that are not complete
#pragma once

#include <span>
#include <vector>

#include "diffeo/statistics/score_table.hpp"

namespace diffeo {

/// 1 is the smallest; ties share the mean of their ranks.
[[nodiscard]] std::vector<double> fractional_ranks(std::span<const double> values);

/// [dataset][method]; 1 is the best score.
[[nodiscard]] std::vector<std::vector<double>> method_ranks(const ScoreTable& table);

/// Arithmetic means over the data sets, one per method.
[[nodiscard]] std::vector<double> mean_ranks(const ScoreTable& table);

[[nodiscard]] std::vector<double> geometric_mean_ranks(const ScoreTable& table);

}  // namespace diffeo
