// Coarse to fine: the sequence of problems that leads to the one that was asked.
//
// Strongly smoothed series have few features and wide valleys around them, so the solver finds its way from far; each
// solution starts the next, finer problem. Few cells come with strong smoothing: what cannot be seen needs no freedom.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "diffeo/dataset.hpp"

namespace diffeo {

struct Resolution {
  std::size_t cells;
  double smoothing;  // standard deviation as a fraction of the duration; 0: the series themselves
};

/// The last one has all the cells and no smoothing.
[[nodiscard]] std::vector<Resolution> resolutions(std::size_t cells);

/// How many equally spaced samples hold what smoothing leaves of `length` samples.
[[nodiscard]] std::size_t samples_at(std::size_t length, double smoothing) noexcept;

/// The field with these vertex velocities, read at the vertices of `cells` cells.
[[nodiscard]] std::vector<double> velocities_on(std::span<const double> velocities, std::size_t cells);

/// Series smoothed by a normal kernel and thinned out to samples_at(length, smoothing). Missing values are left out;
/// where they have most of the kernel's weight the result is missing. O(length) for any smoothing.
class Smoother {
 public:
  explicit Smoother(double smoothing) : smoothing_(smoothing) {}

  [[nodiscard]] std::vector<double> smoothed(SeriesView<const double> series);

 private:
  // The kernel around one sample of the result, cut off where it is negligible.
  struct Window {
    std::size_t first = 0;
    std::vector<double> weights;
  };

  const std::vector<Window>& windows(std::size_t length);

  double smoothing_;
  std::map<std::size_t, std::vector<Window>> windows_;  // by length of series
};

}  // namespace diffeo
