// The history of a training as rows of numbers, the way files keep it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "diffeo/tensor_file.hpp"
#include "diffeo/torch/temporal_aligner.hpp"

namespace diffeo {

inline constexpr std::int64_t kHistoryColumns = 13;
/// What the columns are, in order.
[[nodiscard]] const std::array<std::string_view, kHistoryColumns>& history_columns();

/// (epochs, kHistoryColumns).
[[nodiscard]] NamedTensor history_tensor(const std::vector<EpochRecord>& history);
/// std::invalid_argument for another shape or type.
[[nodiscard]] std::vector<EpochRecord> history_of(const NamedTensor& tensor);

}  // namespace diffeo
