// Dynamic time warping: the distance between two series when time may stretch.
//
// A path visits cells (i, j) from (0, 0) to (n - 1, m - 1), each step advancing i, j or both by one. The distance is
//
//     dtw(a, b) = sqrt( min over paths of  sum over (i, j) of  |a_i - b_j|^2 )
//
// with |.|^2 summed over the channels: one path for all of them ("dependent" multichannel DTW).
//
//   * equal to tslearn and dtaidistance; the square root of aeon's value
//   * lengths may differ; an optional window (diffeo/warping_window.hpp)
//   * among paths of equal cost, going back from the end, the step that advances both is preferred, then the one that
//     advances the first series, as in tslearn
//   * symmetric and reproducible: dtw(a, b) and dtw(b, a) are bit-identical, also for any number of threads
//     and on any instruction set. Relative error below (n + m + channels) roundings
//   * O(n m channels) time, or O(n radius channels) inside a window. Distances need O(length) memory per thread and
//     instruction-set lane; a path needs 2 n m bytes
//   * std::invalid_argument for series without samples, different numbers of channels, missing values (fill them in
//     first, see diffeo/prepare.hpp), and values that are infinite or above 1e150, whose squares leave the range of
//     double
#pragma once

#include <cstddef>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"
#include "diffeo/warping_window.hpp"

namespace diffeo {

[[nodiscard]] double dtw(SeriesView<const double> first, SeriesView<const double> second,
                         const WarpingWindow& window = {});

/// A cell of a path: sample `first` of the first series matches sample `second` of the second.
struct PathStep {
  std::size_t first;
  std::size_t second;
  friend bool operator==(const PathStep&, const PathStep&) = default;
};

struct WarpingPath {
  std::vector<PathStep> steps;  // from (0, 0) to (n - 1, m - 1)
  double distance;
};

[[nodiscard]] WarpingPath dtw_path(SeriesView<const double> first, SeriesView<const double> second,
                                   const WarpingWindow& window = {});

/// Distances between all cases: symmetric, with a zero diagonal. Every pair is computed once.
[[nodiscard]] Matrix dtw_matrix(const Dataset& cases, const WarpingWindow& window = {}, std::size_t threads = 0);
/// Distances from every case of one set (rows) to every case of another (columns).
[[nodiscard]] Matrix dtw_matrix(const Dataset& rows, const Dataset& columns, const WarpingWindow& window = {},
                                std::size_t threads = 0);

}  // namespace diffeo
