#include "report/packed_numbers.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace diffeo::report {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = bytes.size() - at;
    const auto byte = [&](std::size_t i) { return i < left ? static_cast<std::uint32_t>(bytes[at + i]) : 0u; };
    const std::uint32_t group = byte(0) << 16 | byte(1) << 8 | byte(2);
    text += kLetters[group >> 18];
    text += kLetters[group >> 12 & 63];
    text += left > 1 ? kLetters[group >> 6 & 63] : '=';
    text += left > 2 ? kLetters[group & 63] : '=';
  }
  return text;
}

template <class Bits, class Real>
std::string packed(std::span<const double> values) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(values.size() * sizeof(Bits));
  for (const double value : values) {
    const Bits bits = std::bit_cast<Bits>(static_cast<Real>(value));
    for (std::size_t i = 0; i < sizeof(Bits); ++i) bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
  }
  return base64(bytes);
}

}  // namespace

std::string packed_floats(std::span<const double> values) { return packed<std::uint32_t, float>(values); }
std::string packed_doubles(std::span<const double> values) { return packed<std::uint64_t, double>(values); }

}  // namespace diffeo::report
