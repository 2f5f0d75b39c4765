// The slow reference: every warping path, one after the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/dtw.hpp"

namespace diffeo::testing {

/// Where paths may go: |j - i| may pass the difference of the lengths by this much, on the side where it lies.
struct Corridor {
  std::ptrdiff_t radius = std::numeric_limits<int>::max();

  [[nodiscard]] bool holds(std::size_t i, std::size_t j, std::size_t n, std::size_t m) const {
    const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(j) - static_cast<std::ptrdiff_t>(i);
    const std::ptrdiff_t excess = static_cast<std::ptrdiff_t>(m) - static_cast<std::ptrdiff_t>(n);
    return offset >= std::min<std::ptrdiff_t>(excess, 0) - radius &&
           offset <= std::max<std::ptrdiff_t>(excess, 0) + radius;
  }
};

inline double squared_difference(SeriesView<const double> a, SeriesView<const double> b, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t c = 0; c < a.channels; ++c) {
    const double difference = a.channel(c)[i] - b.channel(c)[j];
    sum += difference * difference;
  }
  return sum;
}

inline double cost_of(SeriesView<const double> a, SeriesView<const double> b, const std::vector<PathStep>& path) {
  double sum = 0;
  for (const PathStep& step : path) sum += squared_difference(a, b, step.first, step.second);
  return sum;
}

template <class Visit>
void extend_path(SeriesView<const double> a, SeriesView<const double> b, const Corridor& corridor,
                 std::vector<PathStep>& path, const Visit& visit) {
  const PathStep at = path.back();
  if (at.first + 1 == a.length && at.second + 1 == b.length) visit(path);
  for (const PathStep next :
       {PathStep{at.first + 1, at.second + 1}, PathStep{at.first + 1, at.second}, PathStep{at.first, at.second + 1}}) {
    if (next.first >= a.length || next.second >= b.length) continue;
    if (!corridor.holds(next.first, next.second, a.length, b.length)) continue;
    path.push_back(next);
    extend_path(a, b, corridor, path, visit);
    path.pop_back();
  }
}

/// Calls visit(path) for every path from corner to corner inside the corridor.
template <class Visit>
void for_each_path(SeriesView<const double> a, SeriesView<const double> b, const Corridor& corridor,
                   const Visit& visit) {
  std::vector<PathStep> path = {{0, 0}};
  extend_path(a, b, corridor, path, visit);
}

inline double least_cost(SeriesView<const double> a, SeriesView<const double> b, const Corridor& corridor = {}) {
  double least = std::numeric_limits<double>::infinity();
  for_each_path(a, b, corridor,
                [&](const std::vector<PathStep>& path) { least = std::min(least, cost_of(a, b, path)); });
  return least;
}

/// -gamma log sum exp(-cost / gamma) over all paths, in long double and shifted by the least cost.
inline double soft_least_cost(SeriesView<const double> a, SeriesView<const double> b, double gamma) {
  const double least = least_cost(a, b);
  long double sum = 0;
  for_each_path(a, b, {}, [&](const std::vector<PathStep>& path) {
    sum += std::exp(static_cast<long double>(least - cost_of(a, b, path)) / gamma);
  });
  return static_cast<double>(least - gamma * std::log(sum));
}

}  // namespace diffeo::testing
