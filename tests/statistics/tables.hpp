// Tables of scores that several tests use.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "diffeo/statistics/score_table.hpp"

namespace diffeo::testing {

/// Methods a, b, c, ... on data sets 1, 2, 3, ...
inline ScoreTable table_of(std::vector<std::vector<double>> scores) {
  ScoreTable table;
  for (std::size_t i = 0; i < scores.size(); ++i) table.datasets.push_back(std::to_string(i + 1));
  for (std::size_t j = 0; j < scores.front().size(); ++j) table.methods.emplace_back(1, static_cast<char>('a' + j));
  table.scores = std::move(scores);
  return table;
}

/// With ties between two, and once between all four.
inline ScoreTable table_with_ties() {
  return table_of({{0.70, 0.72, 0.75, 0.80},
                   {0.60, 0.60, 0.66, 0.71},
                   {0.90, 0.85, 0.92, 0.92},
                   {0.55, 0.58, 0.57, 0.64},
                   {0.81, 0.81, 0.81, 0.81},
                   {0.45, 0.62, 0.60, 0.70}});
}

inline ScoreTable table_of_equals(std::size_t datasets, std::size_t methods) {
  return table_of(std::vector<std::vector<double>>(datasets, std::vector<double>(methods, 0.5)));
}

}  // namespace diffeo::testing
