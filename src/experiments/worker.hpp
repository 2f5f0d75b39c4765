// Doing what nobody else is doing, until everything has a result.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "diffeo/evaluation.hpp"

namespace diffeo {

struct WorkerTask {
  std::vector<const WorkItem*> items;  ///< in the order in which they are to be done
  const Archive* archive = nullptr;
  ResultStore* store = nullptr;
  EvaluationControl control = {};
  std::function<void(std::size_t item)> begins = {};  ///< told before each
  std::function<void()> looked = {};                  ///< told whenever the store may hold more than before
};

/// Whether everything has a result, as opposed to stopped. Waits for what others are working on, unless control.wait is
/// false, and takes over what they leave.
bool work_until_done(const WorkerTask& task);

/// An item's result, its error included; nothing where it was stopped.
[[nodiscard]] std::optional<EvaluationResult> outcome_of(const WorkItem& item, const Archive& archive,
                                                         const std::filesystem::path& directory,
                                                         const EvaluationControl& control);

/// With the version, the date and whatever else is the same for every item.
[[nodiscard]] EvaluationResult signed_result(const WorkItem& item, const EvaluationControl& control);

}  // namespace diffeo
