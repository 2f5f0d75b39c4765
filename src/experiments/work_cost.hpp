// How long pieces of work take, relative to each other: enough to begin with the longest and to guess when all is done.
#pragma once

#include <cstddef>

#include "diffeo/evaluation_result.hpp"
#include "diffeo/training_options.hpp"

namespace diffeo {

/// The options of a work item with a network.
[[nodiscard]] TrainingOptions training_options(const WorkItem& item);

/// In no particular unit; at least 1 for a training set that has values.
[[nodiscard]] double work_cost(const WorkItem& item, std::size_t case_count, std::size_t longest);

}  // namespace diffeo
