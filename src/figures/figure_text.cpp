#include "figures/figure_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace diffeo::figures {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kMinus = "\u2212";
constexpr std::string_view kEllipsis = "\u2026";
constexpr double kLeastPValue = 1e-4;  // below, people are told that it is less

unsigned byte_at(std::string_view text, std::size_t place) { return static_cast<unsigned char>(text[place]); }

bool is_continuation(std::string_view text, std::size_t place) {
  return place < text.size() && (byte_at(text, place) & 0xC0u) == 0x80u;
}

/// How many bytes the letter at `place` has; 0 where no letter of UTF-8 starts.
std::size_t letter_size(std::string_view text, std::size_t place) {
  const unsigned first = byte_at(text, place);
  if (first < 0x80u) return 1;
  const std::size_t size = first >= 0xF0u ? 4 : first >= 0xE0u ? 3 : 2;
  if (first < 0xC2u || first > 0xF4u) return 0;
  for (std::size_t next = 1; next < size; ++next) {
    if (!is_continuation(text, place + next)) return 0;
  }
  const unsigned second = byte_at(text, place + 1);
  const bool is_overlong = (first == 0xE0u && second < 0xA0u) || (first == 0xF0u && second < 0x90u);
  const bool is_outside = (first == 0xEDu && second > 0x9Fu) || (first == 0xF4u && second > 0x8Fu);
  const bool is_no_character = first == 0xEFu && second == 0xBFu && byte_at(text, place + 2) >= 0xBEu;
  return is_overlong || is_outside || is_no_character ? 0 : size;
}

void append_letter(std::string& result, char letter) {
  switch (letter) {
    case '&':
      result += "&amp;";
      return;
    case '<':
      result += "&lt;";
      return;
    case '>':
      result += "&gt;";
      return;
    case '"':
      result += "&quot;";
      return;
    case '\'':
      result += "&#39;";
      return;
    case '\t':
    case '\n':
    case '\r':
      result += ' ';
      return;
    default:
      static_cast<unsigned char>(letter) < 0x20u ? result += kReplacement : result += letter;
  }
}

/// Without a locale, and with the sign that people write.
template <class... Format>
std::string formatted(double value, Format... format) {
  if (std::isnan(value)) return "missing";
  if (std::isinf(value)) return value > 0.0 ? "∞" : std::string(kMinus) + "∞";
  std::array<char, 400> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::abs(value), format...).ptr;
  std::string text(digits.data(), end);
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  return value < 0.0 && !is_zero ? std::string(kMinus) + text : text;
}

/// 1.2e-05 as 1.2e−5.
std::string with_short_exponent(std::string text) {
  const std::size_t at = text.find('e');
  if (at == std::string::npos) return text;
  std::size_t digits = at + 2;
  while (digits + 1 < text.size() && text[digits] == '0') text.erase(digits, 1);
  text[at + 1] == '-' ? (void)text.replace(at + 1, 1, kMinus) : (void)text.erase(at + 1, 1);
  return text;
}

/// To so many parts of one, in as few digits as possible.
std::string rounded_text(double value, double parts) {
  std::array<char, 400> digits{};
  const double rounded = std::round(value * parts) / parts;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), rounded == 0.0 ? 0.0 : rounded).ptr;
  return {digits.data(), end};
}

double letter_width(unsigned first) {
  constexpr std::string_view narrow = " iljtfrI.,:;|!'()[]";
  constexpr std::string_view wide = "mwMW%@&<>=+~";
  if (first >= 0xE0u) return 1.0;  // most letters of three bytes are as wide as high
  const char letter = static_cast<char>(first);
  if (narrow.find(letter) != std::string_view::npos) return 0.34;
  if (wide.find(letter) != std::string_view::npos) return 0.88;
  return letter >= 'A' && letter <= 'Z' ? 0.68 : 0.57;
}

}  // namespace

std::string figure_escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t place = 0; place < text.size();) {
    const std::size_t size = letter_size(text, place);
    if (size == 0) {
      result += kReplacement;
    } else if (size == 1) {
      append_letter(result, text[place]);
    } else {
      result += text.substr(place, size);
    }
    place += size == 0 ? 1 : size;
  }
  return result;
}

std::string coordinate(double value) { return rounded_text(value, 10.0); }

std::string opacity_text(double value) { return rounded_text(value, 100.0); }

std::string shown_number(double value, int digits) {
  return with_short_exponent(formatted(value, std::chars_format::general, digits));
}

std::string fixed_number(double value, int decimals) { return formatted(value, std::chars_format::fixed, decimals); }

std::string shown_p_value(double value) {
  return value < kLeastPValue ? "p < 0.0001" : "p = " + shown_number(value, 2);
}

double text_width(std::string_view text, double size) {
  double width = 0.0;
  for (std::size_t place = 0; place < text.size(); ++place) {
    if (!is_continuation(text, place)) width += letter_width(byte_at(text, place));
  }
  return width * size;
}

std::string fitted_text(std::string_view text, double size, double width) {
  if (text_width(text, size) <= width) return std::string(text);
  std::string result;
  for (std::size_t place = 0; place < text.size();) {
    const std::size_t letter = std::max<std::size_t>(letter_size(text, place), 1);
    const std::string longer = result + std::string(text.substr(place, letter));
    if (text_width(longer, size) + size > width) break;
    result = longer;
    place += letter;
  }
  return result.append(kEllipsis);
}

}  // namespace diffeo::figures
