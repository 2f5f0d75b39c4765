// Named arrays of numbers and metadata in one file: the safetensors format, used for model files.
//
//   8 bytes   the length of the header, little-endian
//   header    JSON: {"__metadata__": {"note": "text", ...},
//                    "weights": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
//             padded with spaces to a multiple of 8 bytes, so that the data is aligned
//   data      the tensors one after the other, without gaps: row-major, little-endian
//
//   TensorFile file;
//   file.tensors.push_back(make_tensor("weights", {2, 3}, weights));
//   file.metadata["note"] = "text";
//   write_tensor_file("model.safetensors", file);
//
//   * numbers are stored bit for bit and never checked
//   * equal content gives equal bytes, whatever the order of `tensors`: the file has the widest numbers first (i64,
//     f64, f32, u8), which aligns them all, and equal types by name. The format's reference implementation has the same
//     order. Its bytes are the same too if the metadata has at most one entry; it writes more entries in any order
//   * reading returns the tensors in the order of their data
//   * a file is read completely or refused with FileError (diffeo/file_error.hpp), which gives the expected and the
//     actual content. Refused are files that are cut short, continue after the last tensor, are not safetensors, have
//     other number types, or are not JSON or not UTF-8; duplicate names; data that overlaps, leaves gaps or does
//     not match its shape; metadata that is not text
//   * the format has no checksum, so a changed bit in the data goes unnoticed, unless the metadata have a digest:
//     add_digest and require_digest. diffeo's own files (models, checkpoints, warps) all have one
//   * sizes in a header are checked against the size of the file before memory is allocated. So a damaged file costs at
//     most a small multiple of its size
//   * writing uses a temporary file that is renamed when complete, so a failure leaves the old file
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

/// The number type of a tensor, as the format calls it: float, double, std::int64_t and std::uint8_t.
enum class DType { f32, f64, i64, u8 };

/// "F32" and so on.
[[nodiscard]] std::string_view name_of(DType dtype) noexcept;
/// Bytes per number.
[[nodiscard]] std::size_t size_of(DType dtype) noexcept;

struct NamedTensor {
  std::string name;  ///< UTF-8; any but __metadata__
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;  ///< empty: a single number
  std::vector<std::byte> bytes;     ///< as in the file

  /// A copy of the numbers, for Value float, double, std::int64_t or std::uint8_t. std::invalid_argument naming the
  /// tensor if its type differs, or the number of values does not match its shape.
  template <class Value>
  [[nodiscard]] std::vector<Value> values() const;

  bool operator==(const NamedTensor&) const = default;
};

/// std::invalid_argument unless the number of values matches the shape.
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

  /// nullptr if there is no tensor of that name. Linear in the number of tensors.
  [[nodiscard]] const NamedTensor* find(std::string_view name) const noexcept;

  bool operator==(const TensorFile&) const = default;
};

[[nodiscard]] TensorFile read_tensor_file(const std::filesystem::path& path);

/// std::invalid_argument, before anything is written, for content that the format cannot hold: duplicate names or
/// __metadata__, text that is not UTF-8, bytes that do not match a shape, a header of more than 100,000,000 bytes.
void write_tensor_file(const std::filesystem::path& path, const TensorFile& file);

/// Adds the metadata "digest": sha256: and 64 hexadecimal digits, of all tensors and all other metadata. It does not depend
/// on the order of `tensors`.
void add_digest(TensorFile& file);
/// FileError naming the file `name` unless its digest is there and is that of its content. Who writes a file again can
/// also write another digest: it tells damage, not forgery.
void require_digest(const TensorFile& file, const std::string& name);

/// The same in memory. Errors call the bytes `name`.
[[nodiscard]] TensorFile decode_tensor_file(std::span<const std::byte> bytes, const std::string& name = "memory");
[[nodiscard]] std::vector<std::byte> encode_tensor_file(const TensorFile& file);

}  // namespace diffeo
