// One piece of work, done: a classifier fitted and asked.
#pragma once

#include <optional>

#include "diffeo/evaluation.hpp"

namespace diffeo {

struct Accuracies {
  std::optional<double> train = std::nullopt;
  std::optional<double> cv = std::nullopt;
  std::optional<double> test = std::nullopt;
};

[[nodiscard]] Accuracies accuracies(const WorkItem& item, const Archive& archive, const EvaluationControl& control);

}  // namespace diffeo
