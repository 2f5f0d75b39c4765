#include "digest.hpp"

#include <array>
#include <charconv>
#include <system_error>

#include "diffeo/error.hpp"

namespace diffeo {
namespace {

constexpr std::uint64_t kPrime = 0x100000001b3U;
constexpr std::size_t kHexDigits = 16;  // of 64 bits, and the base

std::string hexadecimal(std::uint64_t value) {
  std::array<char, kHexDigits> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, kHexDigits).ptr;
  const std::string number(digits.data(), end);
  return std::string(kHexDigits - number.size(), '0') + number;
}

}  // namespace

void Digest::add(std::span<const std::byte> bytes) noexcept {
  for (const std::byte byte : bytes) state_ = (state_ ^ static_cast<std::uint64_t>(byte)) * kPrime;
}

void Digest::add(std::string_view text) noexcept {
  const std::uint64_t size = text.size();
  add(std::as_bytes(std::span(&size, 1)));
  add(std::as_bytes(std::span(text.data(), text.size())));
}

std::string Digest::text() const { return hexadecimal(state_); }

void CaseDigests::add(std::size_t number, const Dataset& part, std::size_t item) {
  const std::array<std::uint64_t, 2> place = {number, part.length(item)};
  Digest digest;
  digest.add(std::as_bytes(std::span(place)));
  digest.add(std::as_bytes(part.series(item).values()));
  if (part.labeled()) digest.add(part.label(item));
  sum_ += digest.number();
}

void CaseDigests::add(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, kHexDigits);
  require(error == std::errc() && end == text.data() + text.size(), "digest: expected ", kHexDigits,
          " hexadecimal digits, got \"", text, "\"");
  sum_ += number;
}

std::string CaseDigests::text() const { return hexadecimal(sum_); }

}  // namespace diffeo
