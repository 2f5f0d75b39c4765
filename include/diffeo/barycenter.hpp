// The result of averaging: the average, and how it was found.
//
// Returned by euclidean_mean (diffeo/euclidean_mean.hpp), dba (diffeo/dba.hpp) and
// soft_dtw_barycenter (diffeo/soft_dtw_barycenter.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "diffeo/dataset.hpp"

namespace diffeo {

/// Progress of a search.
struct BarycenterStep {
  std::size_t iterations = 0;
  double cost = 0;  // after these iterations
};

struct Barycenter {
  std::size_t channels = 1;
  std::vector<double> values;   // channel by channel
  std::vector<double> history;  // cost of the start, then after every iteration
  std::size_t iterations = 0;
  bool converged = false;  // false if the iterations ran out, or no better series was found

  [[nodiscard]] SeriesView<const double> series() const noexcept {
    return {values.data(), channels, values.size() / channels};
  }
  /// The cost of `values`, as defined by the function that found them.
  [[nodiscard]] double cost() const noexcept { return history.back(); }
};

}  // namespace diffeo
