// Named arrays of numbers and notes about them in one file: the safetensors format, the container of model files.
//
//   8 bytes   the length of the header, the least significant byte first
//   header    JSON: {"__metadata__": {"note": "text", ...},
//                    "weights": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
//             filled up with spaces to a multiple of 8 bytes, so that the data starts at one
//   data      the tensors one after the other, without gaps: row-major, the least significant byte of each number first
//
//   TensorFile file;
//   file.tensors.push_back(make_tensor("weights", {2, 3}, weights));
//   file.metadata["note"] = "text";
//   write_tensor_file("model.safetensors", file);
//
//   * every bit of the numbers comes back; no number is looked at
//   * equal content gives equal bytes, whatever the order of `tensors`: the file has the widest numbers first (i64,
//     f64, f32, u8), which aligns them all, and equal types by name. It is the order of the format's reference
//     implementation, and so are the bytes, as far as metadata of one entry goes: there several come in any order
//   * reading gives the tensors in the order of their data
//   * a file is read whole or refused with FileError (diffeo/file_error.hpp), which says what was expected and what
//     came. Refused is what is cut short or goes on after the last tensor, no safetensors file at all, of another type
//     of number than those four, not JSON or not UTF-8; names that come twice; data that overlaps, leaves gaps or does
//     not fit its shape; metadata that is not text. There is no checksum: a changed bit within the data is not noticed
//   * what a header claims is compared with the size of the file before memory is taken for it: damage costs no more
//     than a small multiple of the file's bytes
//   * writing goes to a file beside, which takes the name when it is complete: a failure leaves what was there
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace diffeo {

/// What the numbers of a tensor are, as the format calls them: float, double, std::int64_t and std::uint8_t.
enum class DType { f32, f64, i64, u8 };

/// "F32" and so on.
[[nodiscard]] std::string_view name_of(DType dtype) noexcept;
/// Of one number, in bytes.
[[nodiscard]] std::size_t size_of(DType dtype) noexcept;

struct NamedTensor {
  std::string name;  ///< UTF-8; any but __metadata__
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;  ///< without extents: a single number
  std::vector<std::byte> bytes;     ///< as in the file

  /// A copy of the numbers, for Value float, double, std::int64_t or std::uint8_t; std::invalid_argument naming the
  /// tensor if it holds another type, or not as many as its shape says.
  template <class Value>
  [[nodiscard]] std::vector<Value> values() const;

  bool operator==(const NamedTensor&) const = default;
};

/// std::invalid_argument unless there are as many values as the shape says.
[[nodiscard]] NamedTensor make_tensor(std::string name, std::vector<std::int64_t> shape, std::span<const float> values);
[[nodiscard]] NamedTensor make_tensor(std::string name, std::vector<std::int64_t> shape,
                                      std::span<const double> values);
[[nodiscard]] NamedTensor make_tensor(std::string name, std::vector<std::int64_t> shape,
                                      std::span<const std::int64_t> values);
[[nodiscard]] NamedTensor make_tensor(std::string name, std::vector<std::int64_t> shape,
                                      std::span<const std::uint8_t> values);

struct TensorFile {
  std::vector<NamedTensor> tensors;
  std::map<std::string, std::string> metadata;  ///< UTF-8

  /// nullptr where there is none of that name. Takes time in proportion to the number of tensors.
  [[nodiscard]] const NamedTensor* find(std::string_view name) const noexcept;

  bool operator==(const TensorFile&) const = default;
};

[[nodiscard]] TensorFile read_tensor_file(const std::filesystem::path& path);

/// std::invalid_argument, before anything is written, for what the format cannot hold: names that come twice or are
/// __metadata__, text that is not UTF-8, bytes that do not fit a shape, a header of more than 100,000,000 bytes.
void write_tensor_file(const std::filesystem::path& path, const TensorFile& file);

/// The same from and to memory. Errors call the bytes by `name`.
[[nodiscard]] TensorFile decode_tensor_file(std::span<const std::byte> bytes, const std::string& name = "memory");
[[nodiscard]] std::vector<std::byte> encode_tensor_file(const TensorFile& file);

}  // namespace diffeo
