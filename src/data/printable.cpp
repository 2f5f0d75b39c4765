#include "data/printable.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "data/text_source.hpp"

namespace diffeo::files {
namespace {

/// The bytes of the character at the front; 1 where there is none in UTF-8.
std::size_t character_size(std::string_view text) {
  for (std::size_t size = 1; size <= std::min<std::size_t>(4, text.size()); ++size) {
    if (is_utf8(text.substr(0, size))) return size;
  }
  return 1;
}

/// Control characters of ASCII and Latin-1, and the marks that turn the direction of text.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return (character >= "\xC2\x80" && character <= "\xC2\x9F") ||
         (character >= "\xE2\x80\xA8" && character <= "\xE2\x80\xAE") ||
         (character >= "\xE2\x81\xA6" && character <= "\xE2\x81\xA9");
}

void append_escaped(std::string& result, std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const char letter : bytes) {
    const auto code = static_cast<unsigned char>(letter);
    result += {'\\', 'x', kDigits[code >> 4], kDigits[code & 15]};
  }
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string result;
  while (!text.empty() && result.size() < most) {
    const std::string_view character = text.substr(0, character_size(text));
    if (!is_utf8(character) || is_control(character)) {
      append_escaped(result, character);
    } else {
      result += character;
    }
    text.remove_prefix(character.size());
  }
  return text.empty() ? result : result + "...";
}

std::string problem_text(const std::exception& problem) {
  const std::string_view text = problem.what();
  const bool is_short_of_memory = dynamic_cast<const std::bad_alloc*>(&problem) != nullptr ||
                                  dynamic_cast<const std::length_error*>(&problem) != nullptr ||
                                  text.find("can't allocate memory") != text.npos;  // torch's words
  if (text.starts_with("[json.exception")) return "expected other JSON";
  return is_short_of_memory ? "out of memory" : printable(text.substr(0, text.find('\n')), kLongestError);
}

}  // namespace diffeo::files
