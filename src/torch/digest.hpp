// A number that tells whether data is still what it was: 64-bit FNV-1a. Against damage, not against intent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "diffeo/dataset.hpp"
#include "diffeo/tensor_file.hpp"

namespace diffeo {

class Digest {
 public:
  void add(std::span<const std::byte> bytes) noexcept;
  /// With its length, so that neighbours cannot lend each other letters.
  void add(std::string_view text) noexcept;
  /// 16 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

/// Of values, lengths, labels and class names.
[[nodiscard]] std::string digest_of(const Dataset& set);
/// Of the tensors, whatever their order, and the metadata but its entry "digest".
[[nodiscard]] std::string digest_of(const TensorFile& file);

}  // namespace diffeo
