// The header of a tensor file (diffeo/tensor_file.hpp): JSON that says what each tensor is and where its data lies.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "diffeo/tensor_file.hpp"

namespace diffeo::files {

/// The format's limit, in bytes.
inline constexpr std::uint64_t kLongestTensorHeader = 100'000'000;
/// The one name in a header that is not a tensor's.
inline constexpr std::string_view kMetadataName = "__metadata__";

struct TensorEntry {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin;  ///< of its data, from the end of the header
  std::uint64_t end;
};

struct TensorHeader {
  std::vector<TensorEntry> tensors;
  std::map<std::string, std::string> metadata;
};

/// Names are unique, extents not negative; begin and end are as they stand there. FileError for anything else. Depth
/// and form are checked as the text is read, so that it takes no more memory than the header returned.
[[nodiscard]] TensorHeader parse_tensor_header(std::string_view text, const std::string& file);

/// Without blanks, the metadata first if there is any, tensors in the order given. All text has to be UTF-8.
[[nodiscard]] std::string tensor_header_text(const TensorHeader& header);

}  // namespace diffeo::files
