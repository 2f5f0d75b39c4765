// Scores of several methods on several data sets: what every comparison of methods starts from.
//
//   ScoreTable table;
//   table.datasets = {"Coffee", "Trace"};
//   table.methods = {"euclidean", "diffeo"};
//   table.scores = {{0.96, 1.00}, {0.58, 0.98}};        // one row a data set, one column a method
//   scores_of(table, 1)                                 // {1.00, 0.98}
//
//   * higher is better: accuracies as they are, errors with their sign changed
//   * every cell is there: a data set that one method lacks is left out by whoever makes the table, because methods can
//     only be compared on the same data sets
//   * functions of a table throw std::invalid_argument for one without methods or data sets, for rows whose length is
//     not the number of methods, and for scores that are not finite
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace diffeo {

struct ScoreTable {
  std::vector<std::string> datasets = {};
  std::vector<std::string> methods = {};
  std::vector<std::vector<double>> scores = {};  ///< scores[dataset][method]
};

/// The scores of one method over all data sets.
[[nodiscard]] std::vector<double> scores_of(const ScoreTable& table, std::size_t method);

}  // namespace diffeo
