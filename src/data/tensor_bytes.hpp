// How many bytes a tensor has (diffeo/tensor_file.hpp), and how messages speak of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diffeo/tensor_file.hpp"

namespace diffeo::files {

/// None where an extent is negative, or the bytes are more than can be counted.
[[nodiscard]] std::optional<std::uint64_t> bytes_of(DType dtype, const std::vector<std::int64_t>& shape) noexcept;

/// "24 bytes for F32 of shape [2, 3]".
[[nodiscard]] std::string expected_bytes_text(DType dtype, const std::vector<std::int64_t>& shape);

/// std::invalid_argument unless a tensor has as many bytes as its shape says.
void check_size(const NamedTensor& tensor);

}  // namespace diffeo::files
