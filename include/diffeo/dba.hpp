// DTW barycenter averaging (Petitjean, Ketterlin and Gancarski, 2011): the series with the least mean squared DTW
// distance to the cases, found by alternation.
//
// An iteration finds the best path from the barycenter to every case. It then replaces every sample of the barycenter
// by the mean of all samples that the paths match with it. Neither step can raise the cost, the mean over the cases of
// dtw^2. It ends in a local minimum that depends on the start.
//
//   * stops after `max_iterations`, or with converged = true when an iteration lowers the cost by less than `tolerance`
//     (absolute, as in tslearn); also, unconverged, if rounding raises the cost by more than that
//   * equal to tslearn's dtw_barycenter_averaging for the same start and number of iterations, with the same
//     preference among equal paths. Differences: cases of different lengths start from their resampled mean
//     (diffeo/euclidean_mean.hpp), not from the mean of the values that exist at each index. The reported cost is that
//     of the returned barycenter, not of the previous one. And tslearn updates once more after convergence
//   * bit-identical for any number of threads; only DbaStart::kRandomCase uses the seed
//   * O(cases n m channels) per iteration; per thread 2 n m bytes for the paths
//   * std::invalid_argument for a set without cases and for anything that diffeo/dtw.hpp refuses
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "diffeo/barycenter.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/warping_window.hpp"

namespace diffeo {

/// Start of the alternation. Cases are resampled if their length differs from the barycenter's.
enum class DbaStart {
  kMean,       // the Euclidean mean
  kMedoid,     // the case with the least summed squared DTW distance to the others; the first if there are several
  kRandomCase  // a random case, drawn with the seed
};

struct DbaOptions {
  std::size_t max_iterations = 30;
  double tolerance = 1e-5;
  std::size_t length = 0;  // of the barycenter; 0: that of `initial`, or of the longest case
  DbaStart start = DbaStart::kMean;
  std::uint64_t seed = 0;
  WarpingWindow window = {};
  std::vector<double> initial = {};    // your own start, channel by channel, used instead of `start`
  std::function<void()> between = {};  // called regularly from the calling thread; exceptions propagate
  std::function<void(const BarycenterStep&)> progress = {};  // the same, after every iteration
};

[[nodiscard]] Barycenter dba(const Dataset& cases, const DbaOptions& options = {}, std::size_t threads = 0);

}  // namespace diffeo
