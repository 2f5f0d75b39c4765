#include "diffeo/statistics/score_table.hpp"

#include "statistics/value_checks.hpp"

namespace diffeo {

std::vector<double> scores_of(const ScoreTable& table, std::size_t method) {
  statistics::require_complete(table);
  statistics::require_method(table, method);
  std::vector<double> scores;
  scores.reserve(table.datasets.size());
  for (const auto& row : table.scores) scores.push_back(row[method]);
  return scores;
}

}  // namespace diffeo
