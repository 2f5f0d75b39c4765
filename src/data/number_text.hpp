// Numbers as text: read to the nearest double, written in the fewest digits that give the same double back.
//
// Reading. Up to 19 digits make an integer m below 2^64, and the number is m * 10^e. Three exact ways, fastest first:
//   * m <= 2^53 and |e| <= 22: m and 10^|e| are doubles, so one operation rounds once (Clinger)
//   * m < 2^63 and |e| <= 27: both are numbers of 64 bits of precision, where long double has them. One operation
//     rounds to 64 bits, and rounding that to 53 bits can differ from rounding at once only if the 64-bit result lies
//     exactly between two doubles; the 11 bits in question are looked at
//   * std::from_chars for the rest
// Too large becomes infinity, too small zero. No locale, no allocation.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace diffeo::files {

/// The decimal number (digits, at most one point, an exponent) that starts at `first`: the end of its text, or nullptr
/// where none starts. Words such as NaN are left to `number_in`.
[[nodiscard]] const char* scan_number(const char* first, const char* last, double& value) noexcept;

/// The number that is the whole of `text`: decimal, or inf, infinity or nan in any case, with a sign or without.
[[nodiscard]] std::optional<double> number_in(std::string_view text) noexcept;

/// As short as possible: number_in gives the same double back (NaN for any NaN, written NaN).
void append_number(std::string& text, double value);

/// As Python writes a float: 1.0, 0.1, 1e+16.
[[nodiscard]] std::string float_label(double value);
[[nodiscard]] std::string float_label(float value);

// --- details: inline, for this is where reading text spends its time -------------------------------------------------

namespace number_details {

[[nodiscard]] inline bool is_digit(char letter) noexcept { return static_cast<unsigned char>(letter - '0') < 10; }

[[nodiscard]] const char* scan_carefully(const char* first, const char* end, int exponent, double& value) noexcept;

inline constexpr std::uint64_t kExactInteger = std::uint64_t{1} << 53;
inline constexpr int kExactPower = 22;
inline constexpr int kExactLongPower = 27;
inline constexpr std::size_t kMostDigits = 19;

template <class Real, std::size_t count>
consteval std::array<Real, count> powers_of_ten() {
  std::array<Real, count> powers{};
  Real power = 1;
  for (Real& entry : powers) {
    entry = power;
    power *= 10;
  }
  return powers;
}
inline constexpr auto kPowers = powers_of_ten<double, kExactPower + 1>();
inline constexpr auto kLongPowers = powers_of_ten<long double, kExactLongPower + 1>();

/// Whether the next eight characters are digits, and their value: all at once in one register.
[[nodiscard]] inline bool eight_digits(const char* text, std::uint64_t& value) noexcept {
  if constexpr (std::endian::native != std::endian::little) return false;
  std::uint64_t letters;
  std::memcpy(&letters, text, sizeof letters);
  const std::uint64_t digits = letters - 0x3030303030303030u;
  if (((letters + 0x4646464646464646u) | digits) & 0x8080808080808080u) return false;
  const std::uint64_t pairs = digits * 10 + (digits >> 8);
  constexpr std::uint64_t mask = 0x000000FF000000FFu;
  value = (((pairs & mask) * 0x000F424000000064u) + (((pairs >> 16) & mask) * 0x0000271000000001u)) >> 32;
  return true;
}

/// Reads digits on to `mantissa`, which may overflow: the caller counts.
[[nodiscard]] inline const char* take_digits(const char* text, const char* last, std::uint64_t& mantissa) noexcept {
  std::uint64_t eight;
  while (last - text >= 8 && eight_digits(text, eight)) {
    mantissa = mantissa * 100'000'000 + eight;
    text += 8;
  }
  for (; text != last && is_digit(*text); ++text) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*text - '0');
  return text;
}

/// mantissa * 10^exponent where one of the exact ways is open.
[[nodiscard]] inline bool exact_product(std::uint64_t mantissa, int exponent, double& value) noexcept {
  if (mantissa <= kExactInteger && exponent >= -kExactPower && exponent <= kExactPower) {
    const double whole = static_cast<double>(mantissa);
    value = exponent < 0 ? whole / kPowers[static_cast<std::size_t>(-exponent)]
                         : whole * kPowers[static_cast<std::size_t>(exponent)];
    return true;
  }
  if constexpr (std::numeric_limits<long double>::digits == 64) {
    if (mantissa > static_cast<std::uint64_t>(INT64_MAX) || exponent < -kExactLongPower || exponent > kExactLongPower) {
      return false;
    }
    const long double whole = static_cast<long double>(static_cast<std::int64_t>(mantissa));
    const long double rounded = exponent < 0 ? whole / kLongPowers[static_cast<std::size_t>(-exponent)]
                                             : whole * kLongPowers[static_cast<std::size_t>(exponent)];
    std::uint64_t bits;
    std::memcpy(&bits, &rounded, sizeof bits);
    value = static_cast<double>(rounded);
    return (bits & 0x7FF) != 0x400;
  }
  return false;
}

/// The exponent after an e, limited to what is surely zero or infinity; nullptr where no digit follows.
[[nodiscard]] inline const char* take_exponent(const char* text, const char* last, int& exponent) noexcept {
  const bool negative = text != last && *text == '-';
  if (text != last && (*text == '-' || *text == '+')) ++text;
  if (text == last || !is_digit(*text)) return nullptr;
  int size = 0;
  for (; text != last && is_digit(*text); ++text) size = size < 100'000'000 ? size * 10 + (*text - '0') : size;
  exponent += negative ? -size : size;
  return text;
}

}  // namespace number_details

inline const char* scan_number(const char* first, const char* last, double& value) noexcept {
  using namespace number_details;
  const char* text = first;
  const bool negative = text != last && *text == '-';
  if (text != last && (*text == '-' || *text == '+')) ++text;
  const char* const digits = text;
  while (text != last && *text == '0') ++text;
  bool any = text != digits;
  std::uint64_t mantissa = 0;
  const char* part = text;
  text = take_digits(text, last, mantissa);
  auto significant = static_cast<std::size_t>(text - part);
  any = any || significant != 0;
  int exponent = 0;
  if (text != last && *text == '.') {
    const char* const fraction = ++text;
    if (significant == 0) {
      while (text != last && *text == '0') ++text;
    }
    part = text;
    text = take_digits(text, last, mantissa);
    significant += static_cast<std::size_t>(text - part);
    any = any || text != fraction;
    exponent = -static_cast<int>(text - fraction);
  }
  if (!any) return nullptr;
  if (text != last && (*text == 'e' || *text == 'E')) {
    text = take_exponent(text + 1, last, exponent);
    if (text == nullptr) return nullptr;
  }
  if (significant > kMostDigits || !exact_product(mantissa, exponent, value)) {
    return scan_carefully(first, text, exponent, value);
  }
  if (negative) value = -value;
  return text;
}

}  // namespace diffeo::files
