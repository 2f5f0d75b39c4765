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

/// Of the largest score: far more than subtracting fractions of cases rounds, far less than such fractions differ by.
constexpr double kSameDifference = 0x1p-40;

double largest_score(std::span<const double> first, std::span<const double> second) {
  double largest = 0.0;
  for (const double score : first) largest = std::max(largest, std::fabs(score));
  for (const double score : second) largest = std::max(largest, std::fabs(score));
  return largest;
}

std::vector<double> differences_over(double tolerance, std::span<const double> first, std::span<const double> second) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double difference = first[i] - second[i];
    if (std::fabs(difference) > tolerance) differences.push_back(difference);
  }
  return differences;
}

/// Those that are the same but for rounding are one number, the smallest of them.
std::vector<double> magnitudes_of(const std::vector<double>& differences, double tolerance) {
  std::vector<double> magnitudes;
  for (const double difference : differences) magnitudes.push_back(std::fabs(difference));
  std::vector<double*> ascending;
  for (double& magnitude : magnitudes) ascending.push_back(&magnitude);
  std::ranges::sort(ascending, {}, [](const double* magnitude) { return *magnitude; });
  double group = 0.0;
  for (double* magnitude : ascending) {
    if (*magnitude - group > tolerance) group = *magnitude;
    *magnitude = group;
  }
  return magnitudes;
}

/// The smaller of the sums of the ranks of positive and of negative differences.
double smaller_rank_sum(const std::vector<double>& differences, const std::vector<double>& ranks) {
  double positive = 0.0;
  double negative = 0.0;
  for (std::size_t i = 0; i < ranks.size(); ++i) (differences[i] > 0.0 ? positive : negative) += ranks[i];
  return std::min(positive, negative);
}

/// Of all choices of signs for the ranks, the share with a sum of at most `statistic`, twice. Ranks of ties are whole or
/// half: counted in halves, all are whole.
double exact_p_value(const std::vector<double>& ranks, double statistic) {
  const auto halves = [](double rank) { return static_cast<std::size_t>(2.0 * rank); };
  const std::size_t largest = halves(statistic);
  std::vector<double> choices(largest + 1, 0.0);  // by their sum
  choices[0] = 1.0;
  for (const double rank : ranks) {
    for (std::size_t sum = largest; sum >= halves(rank); --sum) choices[sum] += choices[sum - halves(rank)];
  }
  double as_small = 0.0;
  for (const double count : choices) as_small += count;
  return std::min(1.0, std::ldexp(as_small, 1 - static_cast<int>(ranks.size())));
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
  const double tolerance = kSameDifference * largest_score(first, second);
  const std::vector<double> differences = differences_over(tolerance, first, second);
  if (differences.empty()) return {};
  const std::vector<double> magnitudes = magnitudes_of(differences, tolerance);
  const std::vector<double> ranks = fractional_ranks(magnitudes);
  WilcoxonResult result;
  result.statistic = smaller_rank_sum(differences, ranks);
  result.pairs = differences.size();
  result.exact = result.pairs <= kMostExactPairs;
  result.p_value = result.exact ? exact_p_value(ranks, result.statistic)
                                : normal_p_value(result.pairs, result.statistic, statistics::tie_term(magnitudes));
  return result;
}

}  // namespace diffeo
