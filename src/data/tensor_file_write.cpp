// Tensor files (diffeo/tensor_file.hpp) written: checked first, then header and data in an order of their own.
#include <algorithm>
#include <set>
#include <utility>

#include "data/bytes.hpp"
#include "data/output_file.hpp"
#include "data/tensor_bytes.hpp"
#include "data/tensor_header.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"
#include "diffeo/tensor_file.hpp"

namespace diffeo {
namespace {

using files::ByteSink;
using files::in_quotes;
using files::TensorHeader;

constexpr std::size_t kTensorHeaderAlignment = 8;
constexpr std::size_t kWrittenAtOnce = std::size_t{1} << 18;

class MemorySink final : public ByteSink {
 public:
  void write(std::string_view bytes) override {
    const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
    bytes_.insert(bytes_.end(), first, first + bytes.size());
  }
  [[nodiscard]] std::vector<std::byte> taken() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

void check_text(const std::string& text, const char* what) {
  require(files::is_utf8(text), what, ": expected UTF-8, got ", in_quotes(text));
}

void check_writable(const TensorFile& file) {
  std::set<std::string_view> names;
  for (const NamedTensor& tensor : file.tensors) {
    check_text(tensor.name, "name of a tensor");
    require(tensor.name != files::kMetadataName, "name of a tensor: expected any but ", files::kMetadataName,
            ", got it");
    require(names.insert(tensor.name).second, "tensors: expected every name once, got ", in_quotes(tensor.name),
            " twice");
    files::check_size(tensor);
  }
  for (const auto& [name, value] : file.metadata) {
    check_text(name, "name in the metadata");
    check_text(value, "text in the metadata");
  }
}

/// Where a type comes in the file.
int rank(DType dtype) noexcept {
  switch (dtype) {
    case DType::i64:
      return 0;
    case DType::f64:
      return 1;
    case DType::f32:
      return 2;
    case DType::u8:
      break;
  }
  return 3;
}

std::vector<const NamedTensor*> in_file_order(const std::vector<NamedTensor>& tensors) {
  std::vector<const NamedTensor*> order;
  for (const NamedTensor& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const NamedTensor* left, const NamedTensor* right) {
    return std::pair(rank(left->dtype), std::string_view(left->name)) <
           std::pair(rank(right->dtype), std::string_view(right->name));
  });
  return order;
}

/// Length and header as they stand in the file.
std::string start_of_file(const std::vector<const NamedTensor*>& order,
                          const std::map<std::string, std::string>& metadata) {
  TensorHeader header{{}, metadata};
  std::uint64_t position = 0;
  for (const NamedTensor* tensor : order) {
    const std::uint64_t end = position + tensor->bytes.size();
    header.tensors.push_back({tensor->name, tensor->dtype, tensor->shape, position, end});
    position = end;
  }
  std::string text = files::tensor_header_text(header);
  text.resize((text.size() + kTensorHeaderAlignment - 1) / kTensorHeaderAlignment * kTensorHeaderAlignment, ' ');
  require(text.size() <= files::kLongestTensorHeader, "names, shapes and metadata: expected at most ",
          files::kLongestTensorHeader, " bytes in all as JSON, got ", text.size());
  std::string start;
  files::append_little_endian(start, std::uint64_t{text.size()});
  return start + text;
}

/// In blocks, so that a sink that gathers what it writes does not gather a large tensor.
void write_data(ByteSink& sink, const std::vector<std::byte>& bytes) {
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (!rest.empty()) {
    sink.write(rest.substr(0, kWrittenAtOnce));
    rest.remove_prefix(std::min(rest.size(), kWrittenAtOnce));
  }
}

struct Plan {
  std::string start;                      ///< length and header
  std::vector<const NamedTensor*> order;  ///< of the data
};

/// Everything that can be refused is refused here.
Plan plan_of(const TensorFile& file) {
  check_writable(file);
  std::vector<const NamedTensor*> order = in_file_order(file.tensors);
  std::string start = start_of_file(order, file.metadata);
  return {std::move(start), std::move(order)};
}

void write(ByteSink& sink, const Plan& plan) {
  sink.write(plan.start);
  for (const NamedTensor* tensor : plan.order) write_data(sink, tensor->bytes);
}

}  // namespace

void write_tensor_file(const std::filesystem::path& path, const TensorFile& file) {
  const Plan plan = plan_of(file);
  files::OutputFile output(path);
  files::FileSink sink(output);
  write(sink, plan);
  output.commit();
}

std::vector<std::byte> encode_tensor_file(const TensorFile& file) {
  const Plan plan = plan_of(file);
  MemorySink sink;
  write(sink, plan);
  return sink.taken();
}

}  // namespace diffeo
