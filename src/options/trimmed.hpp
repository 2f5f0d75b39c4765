// Text without the blanks around it.
#pragma once

#include <string_view>

namespace diffeo {

[[nodiscard]] inline std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace diffeo
