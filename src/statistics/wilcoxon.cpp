#include "diffeo/statistics/wilcoxon.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "diffeo/statistics/ranks.hpp"
#include "statistics/distributions.hpp"
#include "statistics/ties.hpp"
#include "statistics/value_checks.hpp"

namespace diffeo {
namespace {

constexpr std::size_t kMostExactPairs = 50;  // 2^50 outcomes are counted by doubles without rounding

std::vector<double> nonzero_differences(std::span<const double> first, std::span<const double> second) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != second[i]) differences.push_back(first[i] - second[i]);
  }
  return differences;
}

std::vector<double> magnitudes_of(const std::vector<double>& differences) {
  std::vector<double> magnitudes;
  for (const double difference : differences) magnitudes.push_back(std::fabs(difference));
  return magnitudes;
}

/// The smaller of the sums of the ranks of positive and of negative differences.
double smaller_rank_sum(const std::vector<double>& differences, const std::vector<double>& ranks) {
  double positive = 0.0;
  double negative = 0.0;
  for (std::size_t i = 0; i < ranks.size(); ++i) (differences[i] > 0.0 ? positive : negative) += ranks[i];
  return std::min(positive, negative);
}

/// Of all choices of signs for the ranks 1 .. pairs, the share with a sum of at most `statistic`, twice.
double exact_p_value(std::size_t pairs, double statistic) {
  const auto largest = static_cast<std::size_t>(statistic);
  std::vector<double> choices(largest + 1, 0.0);  // by their sum
  choices[0] = 1.0;
  for (std::size_t rank = 1; rank <= pairs; ++rank) {
    for (std::size_t sum = largest; sum >= rank; --sum) choices[sum] += choices[sum - rank];
  }
  double as_small = 0.0;
  for (const double count : choices) as_small += count;
  return std::min(1.0, std::ldexp(as_small, 1 - static_cast<int>(pairs)));
}

double normal_p_value(std::size_t pairs, double statistic, double ties) {
  const auto n = static_cast<double>(pairs);
  const double mean = n * (n + 1.0) / 4.0;
  const double variance = (n * (n + 1.0) * (2.0 * n + 1.0) - ties / 2.0) / 24.0;
  return std::min(1.0, 2.0 * statistics::normal_upper_tail((mean - statistic) / std::sqrt(variance)));
}

}  // namespace

WilcoxonResult wilcoxon_signed_rank(std::span<const double> first, std::span<const double> second) {
  statistics::require_pairs(first, second);
  const std::vector<double> differences = nonzero_differences(first, second);
  if (differences.empty()) return {};
  const std::vector<double> magnitudes = magnitudes_of(differences);
  const double ties = statistics::tie_term(magnitudes);
  WilcoxonResult result;
  result.statistic = smaller_rank_sum(differences, fractional_ranks(magnitudes));
  result.pairs = differences.size();
  result.exact = ties == 0.0 && result.pairs <= kMostExactPairs;
  result.p_value = result.exact ? exact_p_value(result.pairs, result.statistic)
                                : normal_p_value(result.pairs, result.statistic, ties);
  return result;
}

}  // namespace diffeo
