#include "diffeo/statistics/critical_difference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "diffeo/statistics/holm.hpp"
#include "diffeo/statistics/ranks.hpp"
#include "diffeo/statistics/wilcoxon.hpp"
#include "statistics/value_checks.hpp"

namespace diffeo {
namespace {

using MethodOrder = std::vector<std::size_t>;

MethodOrder by_rank(const std::vector<double>& ranks) {
  MethodOrder order(ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t method) { return ranks[method]; });
  return order;
}

/// Wilcoxon tests of all pairs, adjusted together.
std::vector<std::vector<double>> adjusted_p_values(const ScoreTable& table, const MethodOrder& order) {
  std::vector<std::vector<double>> scores;
  for (const std::size_t method : order) scores.push_back(scores_of(table, method));
  std::vector<double> single;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      single.push_back(wilcoxon_signed_rank(scores[i], scores[j]).p_value);
    }
  }
  const std::vector<double> adjusted = holm_adjusted(single);
  std::vector<std::vector<double>> matrix(order.size(), std::vector<double>(order.size(), 1.0));
  auto next = adjusted.begin();
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) matrix[i][j] = matrix[j][i] = *next++;
  }
  return matrix;
}

bool differ_significantly(const CriticalDifference& found, std::size_t i, std::size_t j) {
  if (found.test == CliqueTest::wilcoxon_holm) return found.p_values[i][j] <= found.level;
  return std::fabs(found.ranks[i] - found.ranks[j]) >= found.nemenyi_difference;
}

bool joins_run(const CriticalDifference& found, std::size_t begin, std::size_t candidate) {
  for (std::size_t member = begin; member < candidate; ++member) {
    if (differ_significantly(found, member, candidate)) return false;
  }
  return true;
}

/// The end of the longest run from `begin` in which no two differ.
std::size_t end_of_run(const CriticalDifference& found, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < found.ranks.size() && joins_run(found, begin, end)) ++end;
  return end;
}

/// A run that ends where one before it ended lies within that one.
std::vector<std::vector<std::size_t>> maximal_runs(const CriticalDifference& found) {
  std::vector<std::vector<std::size_t>> runs;
  std::size_t reached = 0;
  for (std::size_t begin = 0; begin < found.ranks.size(); ++begin) {
    const std::size_t end = end_of_run(found, begin);
    if (end > reached && end - begin >= 2) {
      runs.emplace_back(end - begin);
      std::iota(runs.back().begin(), runs.back().end(), begin);
    }
    reached = end;
  }
  return runs;
}

}  // namespace

CriticalDifference critical_difference(const ScoreTable& table, CliqueTest test, double level) {
  statistics::require_level(level);
  CriticalDifference found;
  found.friedman = friedman(table);
  found.nemenyi_difference = nemenyi_critical_difference(table.methods.size(), table.datasets.size(), level);
  found.level = level;
  found.test = test;
  const std::vector<double> ranks = mean_ranks(table);
  const MethodOrder order = by_rank(ranks);
  for (const std::size_t method : order) {
    found.methods.push_back(table.methods[method]);
    found.ranks.push_back(ranks[method]);
  }
  if (test == CliqueTest::wilcoxon_holm) found.p_values = adjusted_p_values(table, order);
  found.cliques = maximal_runs(found);
  return found;
}

}  // namespace diffeo
