#include "diffeo/tensor_file.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

#include "data/tensor_bytes.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"

namespace diffeo {
namespace files {
namespace {

std::string text_of(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(shape[axis]);
  }
  return text + "]";
}

}  // namespace

std::optional<std::uint64_t> bytes_of(DType dtype, const std::vector<std::int64_t>& shape) noexcept {
  std::uint64_t bytes = size_of(dtype);
  for (const std::int64_t signed_extent : shape) {
    if (signed_extent < 0) return std::nullopt;
    const auto extent = static_cast<std::uint64_t>(signed_extent);
    if (extent != 0 && bytes > std::numeric_limits<std::uint64_t>::max() / extent) return std::nullopt;
    bytes *= extent;
  }
  return bytes;
}

std::string expected_bytes_text(DType dtype, const std::vector<std::int64_t>& shape) {
  const std::optional<std::uint64_t> bytes = bytes_of(dtype, shape);
  return message(bytes ? std::to_string(*bytes) + " bytes" : "a number of bytes that can be counted", " for ",
                 name_of(dtype), " of shape ", text_of(shape));
}

void check_size(const NamedTensor& tensor) {
  require(bytes_of(tensor.dtype, tensor.shape) == tensor.bytes.size(), "tensor ", in_quotes(tensor.name), ": expected ",
          expected_bytes_text(tensor.dtype, tensor.shape), ", got ", tensor.bytes.size());
}

}  // namespace files

namespace {

template <class Value>
constexpr DType dtype_of() noexcept {
  if constexpr (std::is_same_v<Value, float>) return DType::f32;
  if constexpr (std::is_same_v<Value, double>) return DType::f64;
  if constexpr (std::is_same_v<Value, std::int64_t>) return DType::i64;
  if constexpr (std::is_same_v<Value, std::uint8_t>) return DType::u8;
}

/// From the order of bytes of this machine to that of the file, or back.
void reorder(std::span<std::byte> bytes, std::size_t size) noexcept {
  if constexpr (std::endian::native == std::endian::little) return;
  for (; !bytes.empty(); bytes = bytes.subspan(size)) std::reverse(bytes.begin(), bytes.begin() + size);
}

template <class Value>
NamedTensor tensor_of(std::string name, std::vector<std::int64_t> shape, std::span<const Value> values) {
  const std::span<const std::byte> bytes = std::as_bytes(values);
  NamedTensor tensor{std::move(name), dtype_of<Value>(), std::move(shape), {bytes.begin(), bytes.end()}};
  files::check_size(tensor);
  reorder(tensor.bytes, sizeof(Value));
  return tensor;
}

}  // namespace

std::string_view name_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::f32:
      return "F32";
    case DType::f64:
      return "F64";
    case DType::i64:
      return "I64";
    case DType::u8:
      break;
  }
  return "U8";
}

std::size_t size_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::f32:
      return sizeof(float);
    case DType::f64:
      return sizeof(double);
    case DType::i64:
      return sizeof(std::int64_t);
    case DType::u8:
      break;
  }
  return sizeof(std::uint8_t);
}

template <class Value>
std::vector<Value> NamedTensor::values() const {
  require(dtype == dtype_of<Value>(), "tensor ", files::in_quotes(name), ": expected ", name_of(dtype_of<Value>()),
          ", got ", name_of(dtype));
  files::check_size(*this);
  std::vector<Value> result(bytes.size() / sizeof(Value));
  const std::span<std::byte> target = std::as_writable_bytes(std::span(result));
  std::copy(bytes.begin(), bytes.end(), target.begin());
  reorder(target, sizeof(Value));
  return result;
}

template std::vector<float> NamedTensor::values<float>() const;
template std::vector<double> NamedTensor::values<double>() const;
template std::vector<std::int64_t> NamedTensor::values<std::int64_t>() const;
template std::vector<std::uint8_t> NamedTensor::values<std::uint8_t>() const;

NamedTensor make_tensor(std::string name, std::vector<std::int64_t> shape, std::span<const float> values) {
  return tensor_of(std::move(name), std::move(shape), values);
}
NamedTensor make_tensor(std::string name, std::vector<std::int64_t> shape, std::span<const double> values) {
  return tensor_of(std::move(name), std::move(shape), values);
}
NamedTensor make_tensor(std::string name, std::vector<std::int64_t> shape, std::span<const std::int64_t> values) {
  return tensor_of(std::move(name), std::move(shape), values);
}
NamedTensor make_tensor(std::string name, std::vector<std::int64_t> shape, std::span<const std::uint8_t> values) {
  return tensor_of(std::move(name), std::move(shape), values);
}

const NamedTensor* TensorFile::find(std::string_view name) const noexcept {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const NamedTensor& tensor) { return tensor.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

}  // namespace diffeo
