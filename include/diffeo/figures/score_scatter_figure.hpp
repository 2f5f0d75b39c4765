// Scores of one method against those of another: a point for every data set, and the diagonal on which both are equal.
//
//   score_scatter_figure(table, euclidean, diffeo);     // above the diagonal diffeo is better
//
//   * both axes have the same range; the corners count on how many data sets each method is better, and ties
//   * a point shows its data set and both scores when pointed at
//   * std::invalid_argument for methods that are not in the table, or a table without data sets
#pragma once

#include <cstddef>
#include <string>

#include "diffeo/statistics/score_table.hpp"

namespace diffeo {

[[nodiscard]] std::string score_scatter_figure(const ScoreTable& table, std::size_t horizontal, std::size_t vertical);

}  // namespace diffeo
