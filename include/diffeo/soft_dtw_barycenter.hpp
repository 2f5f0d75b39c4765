// The series with the least summed soft-DTW to the cases (Cuturi and Blondel, 2017), found by L-BFGS.
//
// The cost is the sum over the cases of soft_dtw(barycenter, case). It is smooth in the barycenter, so all samples
// move at once along the exact gradient. It is not convex: the result is a local minimum that depends on the start.
//
//   * stops, converged, when an iteration lowers the cost by no more than tolerance * max(1, |cost|), or no entry of
//     the gradient exceeds `tolerance`: the meaning of `tol` in SciPy's L-BFGS-B, which tslearn calls. Stops,
//     unconverged, after `max_iterations`, or if no step along the last direction lowers the cost
//   * the default `tolerance` is tighter than tslearn's 1e-3, which often stops while the shape still changes
//   * bit-identical for any number of threads
//   * O(cases n m channels) per evaluation, about one evaluation per iteration; per thread O(m sqrt(n)) memory
//   * std::invalid_argument for a set without cases and for anything that diffeo/soft_dtw.hpp refuses
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "diffeo/barycenter.hpp"
#include "diffeo/dataset.hpp"

namespace diffeo {

struct SoftDtwBarycenterOptions {
  double gamma = 1.0;
  std::size_t max_iterations = 50;
  double tolerance = 1e-5;
  std::size_t length = 0;              // of the barycenter; 0: that of `initial`, or of the longest case
  std::vector<double> initial = {};    // the start, channel by channel; empty: the Euclidean mean
  std::function<void()> between = {};  // called regularly from the calling thread; exceptions propagate
  std::function<void(const BarycenterStep&)> progress = {};  // the same, after every iteration
};

[[nodiscard]] Barycenter soft_dtw_barycenter(const Dataset& cases, const SoftDtwBarycenterOptions& options = {},
                                             std::size_t threads = 0);

}  // namespace diffeo
