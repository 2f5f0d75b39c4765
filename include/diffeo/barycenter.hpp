// What averaging gives: a series in the middle of others, and how it was found.
//
// The functions that make one: euclidean_mean (diffeo/euclidean_mean.hpp), dba (diffeo/dba.hpp) and
// soft_dtw_barycenter (diffeo/soft_dtw_barycenter.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "diffeo/dataset.hpp"

namespace diffeo {

/// How far a search is.
struct BarycenterStep {
  std::size_t iterations = 0;
  double cost = 0;  // after them
};

struct Barycenter {
  std::size_t channels = 1;
  std::vector<double> values;   // channel by channel
  std::vector<double> history;  // the cost of the start, then that after every iteration
  std::size_t iterations = 0;
  bool converged = false;  // false when the iterations were used up, or no better series was found

  [[nodiscard]] SeriesView<const double> series() const noexcept {
    return {values.data(), channels, values.size() / channels};
  }
  /// The cost of `values`, in the sense of the function that found them.
  [[nodiscard]] double cost() const noexcept { return history.back(); }
};

}  // namespace diffeo
