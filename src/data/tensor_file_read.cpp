// Tensor files (diffeo/tensor_file.hpp) read: all is checked before memory is taken for what a header claims.
#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "data/bytes.hpp"
#include "data/input_file.hpp"
#include "data/tensor_bytes.hpp"
#include "data/tensor_header.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/tensor_file.hpp"

namespace diffeo {
namespace {

using files::ByteSource;
using files::in_quotes;
using files::TensorEntry;
using files::TensorHeader;

constexpr std::size_t kLengthBytes = 8;

class MemoryBytes final : public ByteSource {
 public:
  MemoryBytes(std::span<const std::byte> bytes, const std::string& name)
      : ByteSource(name, bytes.size()), rest_(bytes) {}
  void require_room(std::uint64_t) const override {}  // tensors take as much as they have

 private:
  [[nodiscard]] std::size_t read_some(char* to, std::size_t count) override {
    std::memcpy(to, rest_.data(), count);  // ByteSource asks for no more than is left
    rest_ = rest_.subspan(count);
    return count;
  }

  std::span<const std::byte> rest_;
};

[[noreturn]] void refuse(const ByteSource& source, const std::string& problem) {
  throw FileError({source.name()}, problem);
}

std::uint64_t read_header_length(ByteSource& source) {
  if (source.remaining() < kLengthBytes) {
    refuse(source, message("expected a safetensors file, which starts with ", kLengthBytes,
                           " bytes for the length of its header, got ", source.remaining(),
                           " bytes: another kind of file, or cut short"));
  }
  char start[kLengthBytes];
  source.read(start, kLengthBytes);
  const auto length = files::little_endian<std::uint64_t>(start);
  if (length == 0 || length > files::kLongestTensorHeader) {
    refuse(source, message("expected a safetensors file, whose header has 1 to ", files::kLongestTensorHeader,
                           " bytes, got another kind: it starts with ", in_quotes({start, kLengthBytes}),
                           ", for a length of ", length));
  }
  return length;
}

/// Takes length and header from the front; what is left is the data.
TensorHeader read_header(ByteSource& source) {
  const std::uint64_t length = read_header_length(source);
  const std::uint64_t available = source.remaining();
  std::string text(std::min(length, available), '\0');
  source.read(text.data(), text.size());
  if (!text.empty() && text.front() != '{') {
    refuse(source, "expected a safetensors file, whose header starts with '{', got another kind: " + in_quotes(text));
  }
  if (available < length) {
    refuse(source, message("expected a header of ", length, " bytes, got ", available, ": the file is cut short"));
  }
  return files::parse_tensor_header(text, source.name());
}

void check_extent(const ByteSource& source, const TensorEntry& entry) {
  if (entry.end >= entry.begin && files::bytes_of(entry.dtype, entry.shape) == entry.end - entry.begin) return;
  refuse(source, message("expected ", files::expected_bytes_text(entry.dtype, entry.shape), " in tensor ",
                         in_quotes(entry.name), ", got data_offsets ", entry.begin, " to ", entry.end));
}

/// Throws unless the tensors, in the order of their data, fill the rest of the file exactly.
void check_layout(const ByteSource& source, const std::vector<TensorEntry>& entries) {
  std::uint64_t position = 0;
  for (const TensorEntry& entry : entries) {
    check_extent(source, entry);
    if (entry.begin != position) {
      refuse(source, message("expected the data of tensor ", in_quotes(entry.name), " at ", position, ", got it at ",
                             entry.begin, ": the tensors ", entry.begin < position ? "overlap" : "leave a gap"));
    }
    position = entry.end;
  }
  if (position == source.remaining()) return;
  refuse(source, message("expected ", position, " bytes of data after the header, got ", source.remaining(),
                         position > source.remaining() ? ": the file is cut short" : ": something else follows"));
}

TensorFile read(ByteSource& source) {
  TensorHeader header = read_header(source);
  std::sort(header.tensors.begin(), header.tensors.end(), [](const TensorEntry& left, const TensorEntry& right) {
    return std::tie(left.begin, left.end, left.name) < std::tie(right.begin, right.end, right.name);
  });
  check_layout(source, header.tensors);
  TensorFile file;
  file.metadata = std::move(header.metadata);
  file.tensors.reserve(header.tensors.size());
  for (TensorEntry& entry : header.tensors) {
    std::vector<std::byte> bytes(entry.end - entry.begin);
    source.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
    file.tensors.push_back({std::move(entry.name), entry.dtype, std::move(entry.shape), std::move(bytes)});
  }
  return file;
}

}  // namespace

TensorFile read_tensor_file(const std::filesystem::path& path) {
  files::InputFile file(path);
  files::FileBytes bytes(file, file.size());
  return read(bytes);
}

TensorFile decode_tensor_file(std::span<const std::byte> bytes, const std::string& name) {
  MemoryBytes source(bytes, name);
  return read(source);
}

}  // namespace diffeo
