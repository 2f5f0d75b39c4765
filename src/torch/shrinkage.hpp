// How far to trust trained warps: the time at which they are used, chosen on series that the network did not see.
//
// A network that fits 30 series perfectly may warp the 31st wrongly. Its warp at time 0 < alpha < 1 is the same warp,
// less of it; at 0 there is none. Beside the networks that are kept, one is trained without each fold of the training
// set, more briefly: with every alpha, its fold is classified by the nearest of the centroids that its other series
// have at that alpha. The alpha that gets most of all folds right is kept, the largest of several.
//
//   * distances are between features in units of the training set, so that none outweighs the others
//   * a member that is taught warps has its lessons drawn from warps of all series: its choice is a little optimistic
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "diffeo/dataset.hpp"
#include "fit_members.hpp"
#include "member_training.hpp"
#include "shared_set.hpp"

namespace diffeo {

/// folds[i]: the network of `networks` that case i was held out of. Without several classes there is nothing to choose
/// by: 1.
[[nodiscard]] double validated_shrinkage(const TrainingTask& task, const std::vector<std::size_t>& folds,
                                         std::span<const TrainedMember> networks);

/// The means of each class's series, over the values present; series equally long. Without labels, one mean.
[[nodiscard]] Dataset class_mean_series(const Dataset& aligned);
/// The same over all processes: `aligned` are the own cases of `set`.
[[nodiscard]] Dataset class_mean_series(const Dataset& aligned, const SharedSet& set);

}  // namespace diffeo
