// How much ties take from the variance of ranks: the sum of t^3 - t over groups of t equal values. 0 means no ties.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

namespace diffeo::statistics {

[[nodiscard]] inline double tie_term(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  double sum = 0.0;
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::upper_bound(begin, sorted.end(), *begin);
    const auto equal = static_cast<double>(end - begin);
    sum += equal * equal * equal - equal;
    begin = end;
  }
  return sum;
}

}  // namespace diffeo::statistics
