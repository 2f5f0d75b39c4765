// DTW barycenter averaging (Petitjean, Ketterlin and Gancarski, 2011): the series with the least mean squared DTW
// distance to the cases, found by alternation.
//
// An iteration finds the best path from the barycenter to every case, then replaces every sample of the barycenter by
// the mean of all the samples that the paths match with it. Neither half can raise the cost, the mean over the cases of
// dtw^2; it ends in a local minimum that depends on the start.
//
//   * stops after `iterations`, or with converged = true once an iteration lowers the cost by less than `tolerance`
//     (absolute, as in tslearn); also, unconverged, should rounding let the cost rise by more than that
//   * from the same start and after the same number of iterations equal to tslearn's dtw_barycenter_averaging, whose
//     preference among equal paths it shares. Different: cases of different lengths start from their resampled mean
//     (diffeo/euclidean_mean.hpp), not from the mean of the values that exist at each index; the cost reported is that
//     of the barycenter returned, not of the one before; and tslearn updates once more after it has seen convergence
//   * the same bits for any number of threads; the seed is used by DbaStart::kRandomCase alone
//   * O(cases n m channels) per iteration; per thread 2 n m bytes for the paths
//   * std::invalid_argument for a set without cases and for what diffeo/dtw.hpp refuses
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "diffeo/barycenter.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/warping_window.hpp"

namespace diffeo {

/// Where the alternation starts. Cases are resampled where they are not as long as the barycenter.
enum class DbaStart {
  kMean,       // the Euclidean mean
  kMedoid,     // the case with the least summed squared DTW distance to the others; the first of several
  kRandomCase  // a case drawn with the seed
};

struct DbaOptions {
  std::size_t iterations = 30;
  double tolerance = 1e-5;
  std::size_t length = 0;  // of the barycenter; 0 means that of `initial`, or the longest case's
  DbaStart start = DbaStart::kMean;
  std::uint64_t seed = 0;
  WarpingWindow window = {};
  std::vector<double> initial = {};    // a start of one's own, channel by channel, used instead of `start`
  std::function<void()> between = {};  // called now and then by the thread that called; what it throws comes out
  std::function<void(const BarycenterStep&)> progress = {};  // likewise, after every iteration
};

[[nodiscard]] Barycenter dba(const Dataset& cases, const DbaOptions& options = {}, std::size_t threads = 0);

}  // namespace diffeo
