#include "diffeo/statistics/holm.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "diffeo/error.hpp"

namespace diffeo {

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  for (const double p : p_values) require(p >= 0.0 && p <= 1.0, "p_values: expected numbers in 0 .. 1, got ", p);
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0.0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto remaining = static_cast<double>(order.size() - place);
    largest = std::max(largest, std::min(1.0, remaining * p_values[order[place]]));
    adjusted[order[place]] = largest;
  }
  return adjusted;
}

}  // namespace diffeo
