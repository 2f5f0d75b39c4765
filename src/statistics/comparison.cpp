#include "diffeo/statistics/comparison.hpp"

#include <cmath>
#include <span>

#include "statistics/value_checks.hpp"

namespace diffeo {
namespace {

WinsTiesLosses counted(std::span<const double> first, std::span<const double> second) {
  WinsTiesLosses count;
  for (std::size_t i = 0; i < first.size(); ++i) {
    count.wins += first[i] > second[i];
    count.ties += first[i] == second[i];
    count.losses += first[i] < second[i];
  }
  return count;
}

double mean_score(std::span<const double> scores) {
  double sum = 0.0;
  for (const double score : scores) sum += score;
  return sum / static_cast<double>(scores.size());
}

double percent_of(std::size_t part, std::size_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

PairComparison compare_methods(const ScoreTable& table, std::size_t first, std::size_t second) {
  const std::vector<double> first_scores = scores_of(table, first);
  const std::vector<double> second_scores = scores_of(table, second);
  const double first_mean = mean_score(first_scores);
  const double second_mean = mean_score(second_scores);
  PairComparison found;
  found.count = counted(first_scores, second_scores);
  found.better_percent = percent_of(found.count.wins, first_scores.size());
  found.no_worse_percent = percent_of(found.count.wins + found.count.ties, first_scores.size());
  found.mean_difference = first_mean - second_mean;
  if (second_mean != 0.0) found.relative_change_percent = 100.0 * found.mean_difference / std::fabs(second_mean);
  found.test = wilcoxon_signed_rank(first_scores, second_scores);
  return found;
}

std::vector<std::vector<PairComparison>> pairwise_comparisons(const ScoreTable& table) {
  statistics::require_complete(table);
  std::vector<std::vector<PairComparison>> all(table.methods.size());
  for (std::size_t first = 0; first < all.size(); ++first) {
    for (std::size_t second = 0; second < all.size(); ++second) {
      all[first].push_back(compare_methods(table, first, second));
    }
  }
  return all;
}

}  // namespace diffeo
