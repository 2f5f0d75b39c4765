// Scores by kind of data: for every group a strip of points for each method, with a bar at the mean.
//
//   group_figure(table, types);      // types[i]: the group of data set i
//
//   * groups in the order in which they first appear, each with its number of data sets
//   * a point shows its data set, method and score when pointed at; a bar the mean
//   * std::invalid_argument for a table without data sets or methods, or another number of groups
#pragma once

#include <span>
#include <string>

#include "diffeo/statistics/score_table.hpp"

namespace diffeo {

[[nodiscard]] std::string group_figure(const ScoreTable& table, std::span<const std::string> groups);

}  // namespace diffeo
