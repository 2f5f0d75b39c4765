// Every method against every other: a shaded matrix with numbers. The row is compared with the column.
//
//   pairwise_matrix_figure(table.methods, pairwise_comparisons(table), PairwiseQuantity::wins);
//
//   * wins: on how many data sets the row is better; relative change: of the row's mean score from the column's, in
//     percent
//   * shades are blue where the row is better, orange where it is worse, stronger with the difference
//   * a cell shows wins, ties, losses and the mean difference when pointed at
//   * std::invalid_argument for no methods, or comparisons that are not one for every pair
#pragma once

#include <span>
#include <string>
#include <vector>

#include "diffeo/statistics/comparison.hpp"

namespace diffeo {

enum class PairwiseQuantity { wins, relative_change };

[[nodiscard]] std::string pairwise_matrix_figure(std::span<const std::string> methods,
                                                 const std::vector<std::vector<PairComparison>>& comparisons,
                                                 PairwiseQuantity quantity);

}  // namespace diffeo
