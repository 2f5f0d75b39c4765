#include "diffeo/statistics/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>

#include "statistics/value_checks.hpp"

namespace diffeo {
namespace {

std::vector<double> best_first_ranks(const std::vector<double>& scores) {
  std::vector<double> losses(scores.size());
  std::ranges::transform(scores, losses.begin(), std::negate<>());
  return fractional_ranks(losses);
}

template <class Transformed>
std::vector<double> mean_over_datasets(const ScoreTable& table, Transformed transformed) {
  std::vector<double> means(table.methods.size(), 0.0);
  for (const auto& ranks : method_ranks(table)) {
    for (std::size_t method = 0; method < ranks.size(); ++method) means[method] += transformed(ranks[method]);
  }
  for (double& mean : means) mean /= static_cast<double>(table.datasets.size());
  return means;
}

}  // namespace

std::vector<double> fractional_ranks(std::span<const double> values) {
  statistics::require_finite_values(values, "values");
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = 0.5 * static_cast<double>(begin + 1 + end);  // the mean of begin + 1 .. end
    for (; begin < end; ++begin) ranks[order[begin]] = shared;
  }
  return ranks;
}

std::vector<std::vector<double>> method_ranks(const ScoreTable& table) {
  statistics::require_complete(table);
  std::vector<std::vector<double>> ranks;
  ranks.reserve(table.scores.size());
  for (const auto& scores : table.scores) ranks.push_back(best_first_ranks(scores));
  return ranks;
}

std::vector<double> mean_ranks(const ScoreTable& table) { return mean_over_datasets(table, std::identity()); }

std::vector<double> geometric_mean_ranks(const ScoreTable& table) {
  std::vector<double> means = mean_over_datasets(table, [](double rank) { return std::log(rank); });
  for (double& mean : means) mean = std::exp(mean);
  return means;
}

}  // namespace diffeo
