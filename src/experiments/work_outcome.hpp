// What comes of a work item: its result.
#pragma once

#include <filesystem>
#include <optional>

#include "diffeo/evaluation.hpp"

namespace diffeo {

/// A failure is a result with an error. Empty if control.stop ended it. Pictures go to `directory`.
[[nodiscard]] std::optional<EvaluationResult> outcome_of(const WorkItem& item, const Archive& archive,
                                                         const std::filesystem::path& directory,
                                                         const EvaluationControl& control);

/// A result with nothing but the version, the date, the processor and the number of threads.
[[nodiscard]] EvaluationResult signed_result(const WorkItem& item, const EvaluationControl& control);

}  // namespace diffeo
