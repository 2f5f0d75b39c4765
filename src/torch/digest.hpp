// A number that tells whether two sets of series are the same: 64-bit FNV-1a.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "diffeo/dataset.hpp"

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

}  // namespace diffeo
