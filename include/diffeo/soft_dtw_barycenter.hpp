// The series with the least summed soft-DTW to the cases (Cuturi and Blondel, 2017), found by L-BFGS.
//
// The cost is the sum over the cases of soft_dtw(barycenter, case), smooth in the barycenter, so that all its samples
// move at once along the exact gradient. It is not convex: the result is a local minimum that depends on the start.
//
//   * stops, converged, once an iteration lowers the cost by no more than tolerance * max(1, |cost|), or no entry of
//     the gradient exceeds `tolerance`: what `tol` means to SciPy's L-BFGS-B, which tslearn calls. Unconverged after
//     `iterations`, or should no step along the last direction lower the cost
//   * `tolerance` is tighter by default than tslearn's 1e-3, which often stops while the shape still changes
//   * the same bits for any number of threads
//   * O(cases n m channels) per evaluation, about one evaluation per iteration; per thread O(m sqrt(n)) memory
//   * std::invalid_argument for a set without cases and for what diffeo/soft_dtw.hpp refuses
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "diffeo/barycenter.hpp"
#include "diffeo/dataset.hpp"

namespace diffeo {

struct SoftDtwBarycenterOptions {
  double gamma = 1.0;
  std::size_t iterations = 50;
  double tolerance = 1e-5;
  std::size_t length = 0;              // of the barycenter; 0 means that of `initial`, or the longest case's
  std::vector<double> initial = {};    // the start, channel by channel; empty means the Euclidean mean
  std::function<void()> between = {};  // called now and then by the thread that called; what it throws comes out
  std::function<void(const BarycenterStep&)> progress = {};  // likewise, after every iteration
};

[[nodiscard]] Barycenter soft_dtw_barycenter(const Dataset& cases, const SoftDtwBarycenterOptions& options = {},
                                             std::size_t threads = 0);

}  // namespace diffeo
