#include "diffeo/statistics/friedman.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "diffeo/error.hpp"
#include "diffeo/statistics/ranks.hpp"
#include "statistics/distributions.hpp"
#include "statistics/studentized_range.hpp"
#include "statistics/ties.hpp"
#include "statistics/value_checks.hpp"

namespace diffeo {
namespace {

/// How far the ranks scatter, in whole numbers, so that "not at all" and "as much as possible" are exact.
struct RankScatter {
  double between_methods = 0.0;  ///< 12 times the squared deviations of the methods' sums of ranks from their mean
  double within_datasets = 0.0;  ///< 12 times those of the ranks themselves; smaller with ties, 0 if all are tied
};

RankScatter rank_scatter(const ScoreTable& table) {
  const auto n = static_cast<double>(table.datasets.size());
  const auto k = static_cast<double>(table.methods.size());
  std::vector<double> sums(table.methods.size(), 0.0);
  RankScatter scatter;
  for (const auto& ranks : method_ranks(table)) {
    for (std::size_t method = 0; method < ranks.size(); ++method) sums[method] += ranks[method];
    scatter.within_datasets += k * (k * k - 1.0) - statistics::tie_term(ranks);
  }
  for (const double sum : sums) {
    const double deviation = sum - 0.5 * n * (k + 1.0);
    scatter.between_methods += 12.0 * deviation * deviation;
  }
  return scatter;
}

void require_two_methods(std::size_t methods) {
  require(methods >= 2, "methods: expected at least two to compare, got ", methods);
}

}  // namespace

FriedmanResult friedman(const ScoreTable& table) {
  const RankScatter scatter = rank_scatter(table);
  require_two_methods(table.methods.size());
  FriedmanResult result;
  if (scatter.within_datasets == 0.0) return result;
  const auto n = static_cast<double>(table.datasets.size());
  const double degrees = static_cast<double>(table.methods.size()) - 1.0;
  result.statistic = degrees * scatter.between_methods / scatter.within_datasets;
  result.p_value = statistics::chi_squared_upper_tail(result.statistic, degrees);
  if (table.datasets.size() == 1) return result;
  const double left = n * scatter.within_datasets - scatter.between_methods;
  result.iman_davenport =
      left > 0.0 ? (n - 1.0) * scatter.between_methods / left : std::numeric_limits<double>::infinity();
  result.iman_davenport_p_value = statistics::fisher_upper_tail(result.iman_davenport, degrees, degrees * (n - 1.0));
  return result;
}

double nemenyi_critical_difference(std::size_t methods, std::size_t datasets, double level) {
  require_two_methods(methods);
  require(datasets >= 1, "datasets: expected at least one, got none");
  statistics::require_level(level);
  const auto n = static_cast<double>(datasets);
  const auto k = static_cast<double>(methods);
  const double quantile = statistics::normal_range_quantile(level, methods) / std::numbers::sqrt2;
  return quantile * std::sqrt(k * (k + 1.0) / (6.0 * n));
}

}  // namespace diffeo
