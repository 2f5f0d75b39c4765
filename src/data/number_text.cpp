#include "data/number_text.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace diffeo::files {
namespace {

constexpr std::size_t kLongestNumber = 32;  // 17 digits, sign, point, exponent

bool is_word(std::string_view text, std::string_view word) noexcept {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] | 0x20) != word[i]) return false;
  }
  return true;
}

/// What a number outside the range of double becomes: it is far outside, so its leading digit's place decides.
double beyond_range(const char* first, const char* end, int exponent) noexcept {
  int significant = 0;
  for (const char* text = first; text != end && *text != 'e' && *text != 'E'; ++text) {
    if (number_details::is_digit(*text) && (significant > 0 || *text != '0')) ++significant;
  }
  return exponent + significant > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

template <class Real>
std::string float_text(Real value) {
  char text[kLongestNumber];
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const std::string scientific(text, std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr);
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  if (exponent < -4 || exponent >= 16) return scientific;
  char fixed[kLongestNumber];
  std::string result(fixed, std::to_chars(fixed, fixed + sizeof fixed, value, std::chars_format::fixed).ptr);
  if (result.find('.') == std::string::npos) result += ".0";
  return result;
}

}  // namespace

const char* number_details::scan_carefully(const char* first, const char* end, int exponent, double& value) noexcept {
  const char* const start = *first == '+' ? first + 1 : first;
  const std::from_chars_result result = std::from_chars(start, end, value);
  if (result.ec == std::errc::result_out_of_range) {
    value = beyond_range(start, end, exponent);
    if (*start == '-') value = -value;
  }
  return end;
}

std::optional<double> number_in(std::string_view text) noexcept {
  const char* const last = text.data() + text.size();
  double value;
  if (const char* end = scan_number(text.data(), last, value)) {
    return end == last ? std::optional<double>(value) : std::nullopt;
  }
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (is_word(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  if (!is_word(text, "inf") && !is_word(text, "infinity")) return std::nullopt;
  return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

void append_number(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "NaN";
    return;
  }
  char digits[kLongestNumber];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

std::string float_label(double value) { return float_text(value); }
std::string float_label(float value) { return float_text(value); }

}  // namespace diffeo::files
