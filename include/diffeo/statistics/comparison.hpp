// Two methods against each other: who wins how often, by how much, and whether that could be luck.
//
//   const PairComparison found = compare_methods(table, 1, 0);       // the second method against the first
//   found.count.wins                                    // data sets on which it is better
//   found.no_worse_percent                              // share of data sets on which it is better or equal
//   found.relative_change_percent                       // 10: its mean score is a tenth higher
//
//   * a tie is a score equal to the last bit
//   * the relative change is that of the mean scores, (mean of first - mean of second) / |mean of second|, not a mean
//     of ratios, which one data set with a score near zero would decide; 0 where the second's mean is 0
//   * the test is that of the two alone (diffeo/statistics/wilcoxon.hpp), its p-value not adjusted for other pairs
//   * comparing the other way round swaps wins and losses and changes the sign of the mean difference, exactly
//   * std::invalid_argument for tables that are not complete and methods that there are not
#pragma once

#include <cstddef>
#include <vector>

#include "diffeo/statistics/score_table.hpp"
#include "diffeo/statistics/wilcoxon.hpp"

namespace diffeo {

/// Data sets on which the first is better than the second, equal, worse.
struct WinsTiesLosses {
  std::size_t wins = 0;
  std::size_t ties = 0;
  std::size_t losses = 0;
};

struct PairComparison {
  WinsTiesLosses count = {};
  double better_percent = 0.0;    ///< wins
  double no_worse_percent = 0.0;  ///< wins and ties
  double mean_difference = 0.0;   ///< of first minus second
  double relative_change_percent = 0.0;
  WilcoxonResult test = {};
};

[[nodiscard]] PairComparison compare_methods(const ScoreTable& table, std::size_t first, std::size_t second);

/// [first][second], for all methods; a method compared with itself ties everywhere.
[[nodiscard]] std::vector<std::vector<PairComparison>> pairwise_comparisons(const ScoreTable& table);

}  // namespace diffeo
