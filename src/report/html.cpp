#include "report/html.hpp"

#include <iomanip>
#include <sstream>

#include "data/number_text.hpp"

namespace diffeo::report {
namespace {

template <class Replacement>
std::string replaced(std::string_view text, const Replacement& replacement) {
  std::string result;
  result.reserve(text.size());
  for (const char letter : text) {
    const std::string_view instead = replacement(letter);
    instead.empty() ? result.push_back(letter) : (void)result.append(instead);
  }
  return result;
}

std::string with_precision(double value, int digits) {
  std::ostringstream text;
  text << std::setprecision(digits) << value;
  return text.str();
}

}  // namespace

std::string escaped(std::string_view text) {
  return replaced(text, [](char letter) -> std::string_view {
    switch (letter) {
      case '&':
        return "&amp;";
      case '<':
        return "&lt;";
      case '>':
        return "&gt;";
      case '"':
        return "&quot;";
      case '\'':
        return "&#39;";
      case '\0':
        return "\xEF\xBF\xBD";  // not allowed in HTML at all
      default:
        return "";
    }
  });
}

std::string escaped_json(std::string_view json) {
  return replaced(json, [](char letter) -> std::string_view {
    switch (letter) {
      case '<':
        return "\\u003c";
      case '>':
        return "\\u003e";
      case '&':
        return "\\u0026";
      default:
        return "";
    }
  });
}

std::string short_number(double value, int digits) { return with_precision(value, digits); }

std::string grouped(std::size_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, 1, ',');
  return digits;
}

std::string percent(double part) { return with_precision(100.0 * part, part < 0.9995 ? 3 : 4) + "\u00a0%"; }

std::string counted(std::size_t count, std::string_view one, std::string_view several) {
  return grouped(count).append(" ").append(count == 1 ? one : several);
}

std::string data_element(double value, std::string_view shown) {
  std::string digits;
  files::append_number(digits, value);
  return std::string("<data value=\"").append(digits).append("\">").append(shown).append("</data>");
}

}  // namespace diffeo::report
