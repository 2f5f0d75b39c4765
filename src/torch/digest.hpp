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
  /// With its length, so that neighbors cannot lend each other letters.
  void add(std::string_view text) noexcept;
  [[nodiscard]] std::uint64_t number() const noexcept { return state_; }
  /// 16 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

/// Of the cases of a set, each with its number: the same in whatever order they come, and from whatever parts.
class CaseDigests {
 public:
  /// Case `item` of `part` is case `number` of the set.
  void add(std::size_t number, const Dataset& part, std::size_t item);
  /// What another one has come to, as its text; std::invalid_argument for another text.
  void add(std::string_view text);
  /// 16 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t sum_ = 0;
};

/// Of the tensors, whatever their order, and the metadata but its entry "digest".
[[nodiscard]] std::string digest_of(const TensorFile& file);

}  // namespace diffeo
