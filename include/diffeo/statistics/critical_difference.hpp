// What a critical-difference diagram shows: methods in the order of their mean ranks, and which of them cannot be told
// apart.
//
// A clique is a run of neighbours in that order of which no two differ significantly; the diagram joins them by a bar.
//
//   const CriticalDifference found = critical_difference(table);
//   found.methods.front()                               // the best
//   found.cliques                                       // {{1, 2, 3}}: the second to the fourth cannot be told apart
//   found.p_values[0][1]                                // the best against the second
//
// Two ways to say "significantly":
//   wilcoxon_holm   Wilcoxon signed-rank tests of all pairs, Holm-adjusted. Nothing but the two methods matters.
//   nemenyi         mean ranks that differ by the critical difference or more, as Demsar introduced it. Adding a method
//   to
//                   the table may change what it says about two others.
//
//   * significant: the adjusted p-value is at most `level`; the difference of mean ranks is at least nemenyi_difference
//   * cliques have two members or more, and none lies within another; together with what is outside of them they need
//     not be all methods
//   * cliques are found whatever Friedman's test says; with a p-value of it above the level they mean little
//   * methods with equal mean ranks stand in the table's order
//   * std::invalid_argument as for diffeo/statistics/friedman.hpp
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diffeo/statistics/friedman.hpp"
#include "diffeo/statistics/score_table.hpp"

namespace diffeo {

enum class CliqueTest { wilcoxon_holm, nemenyi };

struct CriticalDifference {
  std::vector<std::string> methods = {};  ///< best first
  std::vector<double> ranks = {};         ///< their mean ranks
  /// Numbers of neighbours in that order.
  std::vector<std::vector<std::size_t>> cliques = {};
  /// Adjusted, [i][j] in that order, 1 on the diagonal; empty for nemenyi.
  std::vector<std::vector<double>> p_values = {};
  FriedmanResult friedman = {};
  double nemenyi_difference = 0.0;
  double level = 0.05;
  CliqueTest test = CliqueTest::wilcoxon_holm;
};

[[nodiscard]] CriticalDifference critical_difference(const ScoreTable& table,
                                                     CliqueTest test = CliqueTest::wilcoxon_holm, double level = 0.05);

}  // namespace diffeo
